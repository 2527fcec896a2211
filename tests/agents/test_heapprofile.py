#!/usr/bin/env python3
"""Heap profiles as text that the allocators themselves have written, of a C++ program that leaks: jemalloc's, as a library and linked in, gperftools', and Go's
debug=1. What they sum up to is held against jeprof and google-pprof; symbolized, the place that leaks has its name and its line."""
import os
import pathlib
import random
import re
import subprocess

import go_programs
import kit
from kit import check, say

PROGRAM = r'''
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>
struct Order { long id; char note[180]; };
static std::vector<Order *> orders;
static std::map<int, std::string> names;
static std::vector<char *> lines;
__attribute__((noinline)) Order *make_order(long i) { Order *o = new Order; o->id = i; return o; } // leaks
__attribute__((noinline)) char *read_line(int n) { char *p = (char *)malloc(n); memset(p, 1, n); return p; }
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    for (int i = 0; i < n; i++) orders.push_back(make_order(i));
    for (int i = 0; i < 300; i++) { names[i] = "a name that is longer than the small buffer of a string"; lines.push_back(read_line(4000 + i)); }
    for (int i = 0; i < 200; i += 2) { free(lines[i]); lines[i] = nullptr; }
    return 0;
}
'''
LIBRARIES = pathlib.Path("/usr/lib") / (os.uname().machine + "-linux-gnu")


def compile_program(folder, name, *more):
    source = folder / "shop.cc"
    source.write_text(PROGRAM)
    done = subprocess.run(["g++", "-g", "-O1", source, "-o", folder / name, *more], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, done.stderr)
    return folder / name


def run(program, count, prefix, **environment):
    done = subprocess.run([program, str(count)], capture_output=True, text=True, timeout=120, env=dict(os.environ, **environment))
    check(done.returncode == 0, done.stderr)
    found = sorted(prefix.parent.glob(prefix.name + "*.heap"))
    check(len(found) == 1, f"no profile was written: {done.stderr}")
    return found[0]


def jemalloc_profiles(folder, program, sample, **environment):
    return [run(program, count, folder / f"{program.name}-{sample}-{count}", **environment,
                MALLOC_CONF=f"prof:true,prof_final:true,lg_prof_sample:{sample},prof_prefix:{folder}/{program.name}-{sample}-{count}") for count in (4000, 16000)]


def total_of(tool, path):
    return tool.diff(path, path)["total"]["after"]["bytes"]


def named(tool, folder, path):
    raw, out = folder / "raw.hs", folder / (path.name + ".hs")
    tool.run("import", path, "-o", raw, "--force")
    told = tool.run("symbolize", raw, "-o", out, "--symbols", folder, "--symbols", LIBRARIES)
    check("by its name alone" in told.stderr, told.stderr)
    return out


def expect_leak(tool, paths, grown):
    """In words, and exactly where each allocation is sampled."""
    text = tool.run(*paths).stdout
    check(re.search(r"was allocated at one place: make_order \(shop\.cc:\d+\)", text), text)
    rows = {row["type"]: row for row in tool.diff(*paths, "--top", "all")["types"]}
    row = rows.get("allocated at make_order", rows.get("allocated at: make_order"))
    check(row is not None, f"no row of make_order: {list(rows)}")
    got = row["after"]["objects"] - row["before"]["objects"]
    check(abs(got - 12000) <= (0 if grown == "exact" else 2400), f"{got} objects grew where 12,000 did")


def summed(tool, peer, program, path):
    """What the allocator's own tool sums up to."""
    done = subprocess.run([peer, "--show_bytes", "--text", program, path], capture_output=True, text=True, timeout=300)
    match = re.search(r"^Total: (\d+) B", done.stdout, re.M)
    check(match is not None, f"{done.stdout[:300]}{done.stderr[-300:]}")
    wanted, got = int(match.group(1)), total_of(tool, path)
    stacks = path.read_text().count("@ 0x")
    check(abs(wanted - got) <= stacks + 1, f"{path.name}: {got} bytes, {peer} says {wanted}")  # each sum is rounded
    return wanted


def jemalloc(tool, folder):
    kit.need("jeprof", "g++")
    library = {"LD_PRELOAD": str(LIBRARIES / "libjemalloc.so.2")}
    program = compile_program(folder, "shop")
    linked = compile_program(folder, "shop_linked", "-Wl,--whole-archive", LIBRARIES / "libjemalloc.a", "-Wl,--no-whole-archive", "-lpthread", "-ldl")
    for of, environment in ((program, library), (linked, {})):
        for sample in (0, 12):
            paths = jemalloc_profiles(folder, of, sample, **environment)
            sums = [summed(tool, "jeprof", of, path) for path in paths]
            expect_leak(tool, [named(tool, folder, path) for path in paths], "exact" if sample == 0 else "sampled")
            text = tool.run(*paths).stdout
            check("libjemalloc" not in text.split("TYPE")[0], text)
            say(f"        {of.name}, a sample each {1 << sample} B: {sums}")


def gperftools(tool, folder):
    kit.need("google-pprof", "g++")
    program = compile_program(folder, "shop")
    paths = [run(program, count, folder / f"heap-{count}", LD_PRELOAD=str(LIBRARIES / "libtcmalloc.so.4"), HEAPPROFILE=f"{folder}/heap-{count}")
             for count in (4000, 16000)]
    for path in paths:
        summed(tool, "google-pprof", program, path)
    expect_leak(tool, [named(tool, folder, path) for path in paths], "exact")


def go(tool, folder):
    """Every allocation is sampled: what grew between two texts is what was planted, by functions, one of them inlined."""
    server = go_programs.build(go_programs.compilers()[0], {"main.go": (kit.HERE / "programs" / "pprof_leak.go").read_text(encoding="utf-8")})
    paths = [folder / "a.heap", folder / "b.heap"]
    with kit.Program([str(server)]) as program:
        for count, path in zip((300, 1234), paths):
            program.leak(count)
            program.tell(f"heap {path}")
            program.expect("written")
        program.quit()
    diff = tool.diff(*paths, "--top", "all")
    grown = {row["frames"][0]["function"]: row["growth"] for row in diff["sites"] if row["frames"]}
    for function, size in (("main.newSession", 112), ("main.newCart", 512)):
        check(grown.get(function) == {"objects": 1234, "bytes": 1234 * size}, f"{function}: {grown.get(function)}")
    text = tool.run(*paths).stdout
    check("main.newCart (main.go:" in text and "< main.leak (main.go:" in text, text)


def large(tool, folder):
    """Sums of tens of thousands of random stacks, as jeprof adds them up."""
    kit.need("jeprof", "g++")
    dice, program, path = random.Random(7), compile_program(folder, "shop"), folder / "large.heap"
    places = [0x55686ad6f000 + 37 * i for i in range(3000)]
    with open(path, "w", encoding="ascii") as file:
        file.write("heap_v2/524288\n  t*: 1: 1 [0: 0]\n")
        for i in range(20000):
            objects = dice.randint(1, 50)
            file.write(f"@ {' '.join(hex(dice.choice(places)) for _ in range(dice.randint(1, 12)))}\n")
            file.write(f"  t*: {objects}: {objects * dice.randint(1, 3000000)} [0: 0]\n  t{i % 7}: 1: 1 [0: 0]\n")
        file.write(f"\nMAPPED_LIBRARIES:\n55686ad6e000-5568aad70000 r-xp 00000000 fe:00 5390493    {program}\n")
    summed(tool, "jeprof", program, path)


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (jemalloc, gperftools, go, large)})

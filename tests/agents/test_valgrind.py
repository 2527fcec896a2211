#!/usr/bin/env python3
"""Files of valgrind's massif and DHAT, of a C++ program that leaks: what they sum up to is held against ms_print, against what DHAT itself says at its end, and
against its JSON added up by hand. With HSD_LONG=1 also what Rust's crate dhat writes."""
import json
import os
import pathlib
import re
import subprocess

import kit
from kit import check, say

PROGRAM = r'''
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
struct Order { long id; char note[180]; };
static std::vector<Order *> orders;
static std::vector<std::string> names;
__attribute__((noinline)) Order *make_order(long i) { Order *o = new Order; o->id = i; return o; } // leaks
__attribute__((noinline)) char *read_line(int n) { char *p = (char *)malloc(n); memset(p, 1, n); return p; }
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    std::vector<char *> lines;
    for (int i = 0; i < n; i++) {
        orders.push_back(make_order(i));
        if (i % 10 == 0) lines.push_back(read_line(4000 + i));
        if (i % 100 == 0) names.push_back(std::string(200, 'x'));
    }
    for (char *line : lines) free(line);
    return 0;
}
'''
RUST = '''
#[global_allocator]
static ALLOC: dhat::Alloc = dhat::Alloc;
struct Order { _note: [u8; 180] }
#[inline(never)]
fn make_order() -> Box<Order> { Box::new(Order { _note: [0; 180] }) }
fn main() {
    let _profiler = dhat::Profiler::new_heap();
    let n: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1000);
    let mut orders = Vec::new();
    for _ in 0..n { orders.push(make_order()); }
    std::mem::forget(orders);
}
'''
ORDER = 192  # what malloc is asked for


def compile_program(folder):
    kit.need("valgrind", "g++")
    source = folder / "shop.cc"
    source.write_text(PROGRAM, encoding="ascii")
    done = subprocess.run(["g++", "-g", "-O1", source, "-o", folder / "shop"], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, done.stderr)
    return folder / "shop"


def run(out, *command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check(done.returncode == 0 and out.exists(), done.stderr)
    return done.stderr


def rows_of(tool, part, *paths):
    return tool.diff(*paths, "--top", "all")[part]


def expect_leak(tool, paths, grown_bytes, grown_objects):
    text = tool.run(*paths, "--top", "all").stdout
    check(re.search(r"(shop::)?make_order\S* \((shop\.cc|main\.rs):\d+\)", text), text)
    row = next(row for row in rows_of(tool, "types", *paths) if "make_order" in row["type"])
    check(row["growth"] == {"objects": grown_objects, "bytes": grown_bytes}, f"{row['growth']}")


# ---- massif ----

def printed(path):
    """What ms_print says of each snapshot: useful heap, and of those with stacks the bytes below make_order."""
    done = subprocess.run(["ms_print", path], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, done.stderr)
    sums, orders, now = {}, {}, None
    for line in done.stdout.splitlines():
        numbers = re.match(r"\s*(\d+)\s+[\d,]+\s+[\d,]+\s+([\d,]+)\s+[\d,]+\s+[\d,]+\s*$", line)
        if numbers:
            now = int(numbers[1])
            sums[now] = int(numbers[2].replace(",", ""))
        place = re.match(r"(?:->|\| ->|  ->)\S+ \(([\d,]+)B\) 0x[0-9A-F]+: make_order\(", line)
        if place:
            orders[now] = int(place[1].replace(",", ""))
    return sums, orders, [int(number) for number in re.findall(r"\d+", re.search(r"Detailed snapshots: \[(.*)\]", done.stdout)[1])]


def massif(tool, folder):
    program = compile_program(folder)
    paths = []
    for count in (1000, 4000):
        path = folder / f"massif.out.{count}"
        run(path, "valgrind", "--tool=massif", "--detailed-freq=1", f"--massif-out-file={path}", program, str(count))
        paths.append(path)
    for path in paths:
        sums, orders, detailed = printed(path)
        for number in detailed[1::9] + detailed[-1:]:
            diff = tool.diff(path, path, "--dump", f"{number},{detailed[-1]}", "--top", "all")
            check(diff["total"]["before"]["bytes"] == sums[number], f"snapshot {number}: {diff['total']['before']['bytes']}, ms_print says {sums[number]}")
            got = sum(row["before"]["bytes"] for row in diff["types"] if "make_order" in row["type"])
            check(got == orders.get(number, 0) or number not in orders, f"snapshot {number}: {got} bytes of orders, ms_print says {orders.get(number)}")
        check(tool.diff(path, path)["total"]["after"]["bytes"] == sums[detailed[-1]], "it is not the last one that is taken")
        say(f"        {path.name}: {len(detailed)} snapshots with stacks, the last with {sums[detailed[-1]]} bytes")
    expect_leak(tool, paths, 3000 * ORDER, 0)  # massif counts no blocks


def massif_pages(tool, folder):
    program, path = compile_program(folder), folder / "massif.out.pages"
    run(path, "valgrind", "--tool=massif", "--pages-as-heap=yes", "--stacks=no", f"--massif-out-file={path}", program, "2000")
    number = printed(path)[2][-1]
    check(tool.diff(path, path, "--dump", f"{number},{number}")["total"]["after"]["bytes"] == printed(path)[0][number], "other pages than ms_print has")


# ---- DHAT ----

def by_hand(path, bytes_key, blocks_key):
    """Bytes and blocks of each stack, as the names of its frames."""
    profile, sums = json.loads(path.read_text(encoding="utf-8")), {}
    for point in profile["pps"]:
        key = tuple(re.match(r"(?:0x[0-9A-Fa-f]+: )?(.*)", profile["ftbl"][frame])[1] for frame in point["fs"])
        got = sums.setdefault(key, [0, 0])
        got[0] += point[bytes_key]
        got[1] += point[blocks_key]
    return {key: got for key, got in sums.items() if got != [0, 0]}


def expect_by_hand(tool, path, number, keys):
    wanted = by_hand(path, *keys)
    diff = tool.diff(path, path, "--dump", f"{number},{number}", "--top", "all")
    total = diff["total"]["after"]
    check(total["bytes"] == sum(row[0] for row in wanted.values()) and total["objects"] == sum(row[1] for row in wanted.values()), f"{path.name}: {total}")
    got = sorted((row["after"]["bytes"], row["after"]["objects"]) for row in diff["sites"])
    check(got == sorted((row[0], row[1]) for row in wanted.values()), f"{path.name}: stacks\n{got}\n{sorted(wanted.values())}")
    return total


def dhat(tool, folder):
    program = compile_program(folder)
    paths = []
    for count in (1000, 4000):
        path = folder / f"dhat.out.{count}"
        told = run(path, "valgrind", "--tool=dhat", f"--dhat-out-file={path}", program, str(count))
        for number, keys, word in ((1, ("eb", "ebk"), "t-end"), (2, ("gb", "gbk"), "t-gmax")):
            total = expect_by_hand(tool, path, number, keys)
            said = re.search(rf"At {word}:\s+([\d,]+) bytes in ([\d,]+) blocks", told)
            check([total["bytes"], total["objects"]] == [int(text.replace(",", "")) for text in said.groups()], f"{total}, DHAT says {said[0]}")
            say(f"        {path.name}, {word}: {total}")
        paths.append(path)
    expect_leak(tool, paths, 3000 * ORDER, 3000)
    refused = folder / "dhat.out.copy"
    run(refused, "valgrind", "--tool=dhat", "--mode=copy", f"--dhat-out-file={refused}", program, "100")
    check("mode copy" in tool.run("import", refused, "-o", folder / "no.hs", expect=3).stderr, "it takes copies for a heap")


def rust(tool, folder):
    """Builds a crate, which takes minutes."""
    kit.need("cargo")
    project = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "hsdiff-tests" / "dhat-crate"
    project.mkdir(parents=True, exist_ok=True)
    (project / "Cargo.toml").write_text('[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ndhat = "0.3"\n[profile.release]\ndebug = 1\n'
                                        '[[bin]]\nname = "shop"\npath = "main.rs"\n', encoding="ascii")
    (project / "main.rs").write_text(RUST, encoding="ascii")
    done = subprocess.run(["cargo", "build", "--release"], cwd=project, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        kit.skip(f"cargo could not build the crate: {done.stderr[-300:]}")
    paths = []
    for count in (300, 1000):
        subprocess.run([project / "target/release/shop", str(count)], cwd=folder, check=True, capture_output=True, timeout=60)
        paths.append((folder / "dhat-heap.json").rename(folder / f"{count}.json"))
        expect_by_hand(tool, paths[-1], 1, ("eb", "ebk"))
        expect_by_hand(tool, paths[-1], 2, ("gb", "gbk"))
    expect_leak(tool, paths, 700 * 180, 700)


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (massif, massif_pages, dhat) + ((rust,) if kit.LONG else ())})

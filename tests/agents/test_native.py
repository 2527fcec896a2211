#!/usr/bin/env python3
"""The native agent in programs of C and C++ that leak under load in four threads: exact counts, types by class or by the place of
allocation, roots by variable and thread, holders and paths. What a conservative scan may get wrong is named where it is allowed for."""
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import go_programs
import kit
from kit import check, row, say

BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-native-")
FIRST, MORE = 2000, 500
# A word that nobody cleared may look like a reference to a block that is gone, or to one that is lost: so many of a kind at most.
STALE = 12


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def near(what, got, wanted):
    check(abs(got - wanted) <= STALE, f"{what}: {got}, not {wanted} give or take {STALE}")


def build(source, *flags):
    """The program of a source, compiled with these flags."""
    compiler = "g++" if source.endswith(".cpp") else "gcc"
    kit.need(compiler)
    path = pathlib.Path(BUILT.name) / (source.replace(".", "-") + "".join(flags).replace("/", "_"))
    if not path.exists():
        subprocess.run([compiler, "-pthread", "-Wl,--build-id", *flags, kit.HERE / "programs" / source, "-o", path], check=True)
    return path


def two_captures(tool, folder, program, *arguments, settings=""):
    """Captures with FIRST planted and with MORE behind them, and what the diff says."""
    agent = pathlib.Path(tool.agents) / "libhsdiff-native.so"
    if not agent.exists():
        kit.skip("the native agent was not built")
    before, after = folder / "a.hs", folder / "b.hs"
    with kit.Program([program], {"LD_PRELOAD": str(agent), "HSDIFF_NATIVE": settings}) as running:
        running.leak(FIRST)
        tool.capture(running.pid, before, *arguments)
        same("planted", running.leak(MORE), FIRST + MORE)
        tool.capture(running.pid, after, *arguments)
        running.quit()
    for path in (before, after):
        tool.run("verify", path)
    diff = tool.diff(before, after, "--top", "all")
    same("identity", diff["identity_known"], True)
    return before, after, diff


def planted(diff, name):
    """All of a type that is reached: MORE new ones, none of the old gone, none of the new taken for an old one."""
    found = row(diff["types"], "type", name)
    check(found, f"no type {name} among {[t['type'] for t in diff['types']][:40]}")
    same(f"{name} before", found["before"]["objects"], FIRST)
    same(f"{name} after", found["after"]["objects"], FIRST + MORE)
    same(f"{name} new", found["new"]["objects"], MORE)
    same(f"{name} freed", found["freed"]["objects"], 0)
    same(f"{name} kept", found["kept"]["objects"], FIRST)
    return found


def grown(diff, name, objects):
    """A root under which so many objects more hang, but for those that a stale word holds, too."""
    found = row(diff["roots"], "root", name)
    check(found, f"no root {name} among {[r['root'] for r in diff['roots']]}")
    near(f"root {name}", found["new"]["objects"] - found["freed"]["objects"], objects)
    return found


def holds(diff, root, type_name):
    """Something under this root holds what is new of this type."""
    kinds = [t for h in diff["holders"] if h["root"] == root for t in h["types"] if t["type"] == type_name]
    check(kinds, f"no holder of {type_name} below {root}")
    near(f"{type_name} held below {root}", sum(t["new"]["objects"] for t in kinds), MORE)


TYPED = {"session": "session", "text": "char[] at make_session", "entry": "entry", "job": "job", "note": "note", "lost": "lost", "table": "entry *[]"}
PLACES = {"session": "<=72 B at make_session", "text": "<=24 B at make_session", "entry": "<=120 B at make_entry", "job": "<=224 B at make_job",
          "note": "<=320 B at make_note", "lost": "<=512 B at make_lost", "table": "<=8388608 B at main"}


def check_c(tool, folder, program, names=TYPED):
    before, after, diff = two_captures(tool, folder, program)
    for kind in ("session", "text", "entry", "job", "note"):
        planted(diff, names[kind])
    # Made in two ways, which are two types in a capture; for a diff, types of one name are one.
    keys = re.findall(rf'^type \d+ .*"{names["session"]}"$', tool.run("dump", after).stdout, re.M)
    check(len(keys) >= 2, f"sessions are of {len(keys)} types in the capture")
    same("bytes of a session", row(diff["types"], "type", names["session"])["growth"]["bytes"], MORE * 72)
    same("bytes of a job", row(diff["types"], "type", names["job"])["growth"]["bytes"], MORE * 200)
    # Lost for ever: unreached, but for a few that a stale word still leads to. Every one is counted, here or there.
    lost = row(diff["types"], "type", names["lost"])
    unreached = {side: lost["unreached"][side]["objects"] for side in ("before", "after")}
    same("lost before", unreached["before"] + lost["before"]["objects"], FIRST)
    same("lost after", unreached["after"] + lost["after"]["objects"], FIRST + MORE)
    near("unreached", unreached["after"] - unreached["before"], MORE)
    # A session and its name; entries; jobs; notes.
    same("kind of a variable", grown(diff, "sessions", 2 * MORE)["kind"], "global")
    grown(diff, "cache", MORE)
    # The frame alone where no debug information tells which variable it is, and on machines whose frames are not known.
    stack = "stack of keeper: keep_jobs" + ".jobs" * (names is not PLACES and platform.machine() == "x86_64")
    same("kind of a stack", grown(diff, stack, MORE)["kind"], "stack")
    same("kind of a thread-local", grown(diff, "thread-local notes", MORE)["kind"], "thread")
    holds(diff, "sessions", names["session"])
    holds(diff, "cache", names["entry"])
    holds(diff, stack, names["job"])
    holds(diff, "thread-local notes", names["note"])
    table = [h for h in diff["holders"] if h["root"] == "cache"][0]
    same("holder of entries", table["type"], names["table"])
    paths = tool.run("paths", after, names["entry"]).stdout
    check(f"cache: {names['table']}" in paths, f"paths of entries:\n{paths}")


def c(tool, folder):
    """C, optimised, with debug information: blocks have types of the program."""
    check_c(tool, folder, build("native_leak.c", "-O2", "-g"))


def c_plain(tool, folder):
    """C without optimisation and without debug information: names come from the table of symbols alone."""
    check_c(tool, folder, build("native_leak.c", "-O0"), PLACES)


def c_fixed(tool, folder):
    """A program that is not position-independent."""
    check_c(tool, folder, build("native_leak.c", "-O2", "-g", "-no-pie"))


def cpp(tool, folder):
    """C++: classes by their vtables, others by debug information."""
    _, after, diff = two_captures(tool, folder, build("native_leak.cpp", "-O2", "-g"))
    same("bytes of a class", planted(diff, "shop::Session")["growth"]["bytes"], MORE * 96)
    # make_shared puts the object behind a counter, in one block whose class is the counter's.
    shared = [t["type"] for t in diff["types"] if t["type"] == "std::make_shared<shop::Account>"]
    same("counted blocks", len(shared), 1)
    planted(diff, shared[0])
    planted(diff, "shop::Visit")
    # A session each, and the table of the vector, which is new when it grows; a node, a counted block and a text each; a visit each.
    grown(diff, "shop::sessions", MORE)
    grown(diff, "shop::accounts", 3 * MORE)
    grown(diff, "shop::visits", MORE)
    holds(diff, "shop::visits", "shop::Visit")
    paths = tool.run("paths", after, "shop::Session").stdout
    check("shop::sessions: std::unique_ptr<shop::Session>[]" in paths, f"paths of sessions:\n{paths}")


def stripped(tool, folder):
    """A stripped program whose debug information lies in a folder of its own."""
    kit.need("objcopy", "strip", "readelf")
    whole = build("native_leak.c", "-O2", "-g")
    program, debug = folder / "shop", folder / "debug"
    program.write_bytes(whole.read_bytes())
    program.chmod(0o755)
    debug.mkdir()
    subprocess.run(["objcopy", "--only-keep-debug", program, debug / "shop.debug"], check=True)
    subprocess.run(["strip", program], check=True)
    _, _, diff = two_captures(tool, folder, program, "--symbols", debug)
    planted(diff, "session")
    grown(diff, "sessions", 2 * MORE)
    # Beside the program, or in .debug there, nobody has to name it.
    for number, beside in enumerate((folder / "shop.debug", folder / ".debug" / "shop.debug")):
        beside.parent.mkdir(exist_ok=True)
        (debug / "shop.debug").replace(beside)
        again = folder / f"beside{number}"
        again.mkdir()
        _, _, diff = two_captures(tool, again, program)
        planted(diff, "session")
        beside.replace(debug / "shop.debug")


def reuse(tool, folder):
    """What lay in memory before, where the agent leaves it, and chunks of pools: nothing is lost that the program has, and nothing is held by two
    that one has."""
    _, _, diff = two_captures(tool, folder, build("native_reuse.cpp", "-O0", "-g", "-std=c++20"), settings="clear=0")
    same("lost", [side["unreached"]["objects"] for side in diff["captures"]], [0, 0])
    grown(diff, "pool", MORE)
    near("counters, with their texts", grown(diff, "counters", MORE)["growth"]["objects"], MORE)
    shared = row(diff["roots"], "root", "(shared)")
    near("held by several", shared["growth"]["objects"] if shared else 0, 0)


def metric(tool, capture, name):
    found = re.search(rf'metric (\d+) name="{re.escape(name)}"', tool.run("dump", capture, "--only", "metrics").stdout)
    check(found, f"no metric {name}")
    return int(found[1])


def python(tool, folder):
    """Python keeps its objects where malloc sees none of them: it is said, with what helps; and the memory that grew is in the metrics."""
    agent = pathlib.Path(tool.agents) / "libhsdiff-native.so"
    if not agent.exists():
        kit.skip("the native agent was not built")
    for allocator, is_seen in (("pymalloc", False), ("malloc", True)):
        with kit.Program([sys.executable, str(kit.HERE / "programs" / "python_leak.py")], {"LD_PRELOAD": str(agent), "PYTHONMALLOC": allocator}) as running:
            said, captures = [], [folder / f"{allocator}-{name}.hs" for name in "ab"]
            for capture in captures:
                running.leak(20000)
                said.append(tool.run("capture", running.pid, "-o", capture).stderr)
            running.quit()
        same(f"a word about {allocator}", all("PYTHONMALLOC=malloc" in text for text in said), not is_seen)
        grown = {name: metric(tool, captures[1], name) - metric(tool, captures[0], name) for name in ("heap.used", "anonymous.used", "process.rss")}
        diff = tool.diff(*captures)
        check((diff["total"]["growth"]["objects"] >= 40000) == is_seen, f"{allocator}: {diff['total']['growth']}")
        check(is_seen or grown["anonymous.used"] > 1 << 20 and grown["process.rss"] > 1 << 20, f"what malloc does not see: {grown}")
    say(f"  {grown}")


def go(tool, folder):
    """A program of Go has no malloc that could be watched: what works instead is said at once."""
    kit.need("go")
    program = go_programs.build(go_programs.compilers()[0], {"main.go": 'package main\nimport "time"\nfunc main() { println("ready"); time.Sleep(time.Hour) }\n'})
    refused = tool.run("capture", "--way", "native", "-o", folder / "x.hs", "--", program, expect=None)
    check(refused.returncode == 3 and "program of Go" in refused.stderr and "gcore" in refused.stderr, f"{refused.returncode} {refused.stderr}")
    with subprocess.Popen([program], stderr=subprocess.PIPE, text=True) as running:
        running.stderr.readline()
        refused = tool.run("capture", "--way", "native", running.pid, "-o", folder / "x.hs", expect=None)
        running.kill()
    check(refused.returncode == 3 and "program of Go" in refused.stderr and "gcore" in refused.stderr, f"{refused.returncode} {refused.stderr}")


def allocators(tool, folder):
    """Other allocators: behind the agent all is recorded, in front of it nothing is, which is told and no capture of an empty heap."""
    agent, program = f"{tool.agents}/libhsdiff-native.so", build("native_leak.c", "-O2", "-g")
    found = [name for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0") if list(pathlib.Path("/usr/lib").glob(f"*/{name}"))]
    for name in found:
        with kit.Program([program], {"LD_PRELOAD": f"{agent}:{name}"}) as running:
            running.leak(FIRST)
            tool.capture(running.pid, folder / f"{name}-a.hs")
            running.leak(MORE)
            tool.capture(running.pid, folder / f"{name}-b.hs")
            running.quit()
        diff = tool.diff(folder / f"{name}-a.hs", folder / f"{name}-b.hs", "--top", "all")
        check(diff["identity_known"], f"{name}: identity")
        objects = diff["total"]["growth"]["objects"]
        check(objects >= MORE, f"{name}: {diff['total']['growth']}")
        near(f"{name}: objects that grew, some of each kind", objects, round(objects / MORE) * MORE)
        with kit.Program([program], {"LD_PRELOAD": f"{name}:{agent}"}) as running:
            refused = tool.capture(running.pid, folder / "no.hs", expect=3)
            check(f"that of {name}, in front of the agent" in refused.stderr and not (folder / "no.hs").exists(), refused.stderr)
            running.quit()
        operators(tool, folder, name)
    operators(tool, folder, "")
    say(f"        {', '.join(found) or 'none is installed'}")


def operators(tool, folder, allocator):
    """What a program of C++ makes by new: allocators have operators that go past malloc, and some of their delete end in free."""
    program = build("native_operators.cpp", "-O1", "-g", "-std=c++17")
    first, then = folder / f"{allocator}new-a.hs", folder / f"{allocator}new-b.hs"
    with kit.Program([program], {"LD_PRELOAD": ":".join(filter(None, (f"{tool.agents}/libhsdiff-native.so", allocator)))}) as running:
        running.leak(FIRST)
        tool.capture(running.pid, first)
        running.leak(MORE)
        tool.capture(running.pid, then)
        running.quit()
    diff = tool.diff(first, then, "--top", "all")
    for name, size in (("Session", 104), ("Wide", 256)):
        planted(diff, name)
        same(f"{allocator}: bytes of {name}", planted(diff, name)["growth"]["bytes"], MORE * size)
    same(f"{allocator}: objects that grew", diff["total"]["growth"]["objects"], 2 * MORE)
    said = tool.run("info", then).stdout
    check("never seen" not in said, f"{allocator}: what was freed had not been seen\n{said}")


CASES = {"allocators": allocators, "c": c, "python": python, "go": go, "c_plain": c_plain, "c_fixed": c_fixed, "cpp": cpp, "reuse": reuse, "stripped": stripped}

if __name__ == "__main__":
    kit.main(CASES)

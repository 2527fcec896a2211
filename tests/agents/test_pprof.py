#!/usr/bin/env python3
"""A real Go program under load with heap profiles taken before and after a leak: hsdiff names the function that leaks, its stack, and exact
counts. The same profiles as `go tool pprof` writes them anew, in another order, say the same, and so does their difference. With every
Go that is here: the one of PATH and Debian's."""
import gzip
import pathlib
import subprocess

import go_programs
import kit
from kit import check, row, say

SESSION = "112 B at main.newSession"
CART = "512 B at main.newCart"


def build(go):
    return go_programs.build(go, {"main.go": (kit.HERE / "programs" / "pprof_leak.go").read_text(encoding="utf-8")})


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def heap(program, path):
    program.tell(f"heap {path}")
    program.expect("written")


def site(diff, function):
    """The row whose innermost frame is that function."""
    rows = [r for r in diff["sites"] if r["frames"] and r["frames"][0]["function"] == function]
    check(len(rows) == 1, f"{len(rows)} rows of {function}")
    return rows[0]


def expect_leak(diff, count):
    for name, function, size in ((SESSION, "main.newSession", 112), (CART, "main.newCart", 512)):
        kind = row(diff["types"], "type", name)
        check(kind, f"no {name} among {[t['type'] for t in diff['types'][:8]]}")
        same(f"growth of {name}", kind["growth"], {"objects": count, "bytes": count * size})
        place = site(diff, function)
        same(f"growth at {function}", place["growth"], {"objects": count, "bytes": count * size})
        same("its callers", [f["function"] for f in place["frames"][1:3]], ["main.leak", "main.main"])
        same("its file", pathlib.PurePath(place["frames"][0]["file"]).name, "main.go")
        check(place["frames"][0]["line"] > 0, "no line")


def sums(diff):
    """What both sides hold by type: all that two profiles must agree on."""
    return sorted((t["type"], t["before"]["objects"], t["after"]["objects"], t["after"]["bytes"]) for t in diff["types"])


def rewritten(go, folder, name, *more):
    """As another encoder writes it: samples first, strings last, ids and addresses its own."""
    out = folder / f"again-{name}"
    done = subprocess.run([go, "tool", "pprof", "-proto", "-symbolize=none", "-output", str(out), *map(str, more), str(folder / name)],
                          env=dict(go_programs.environment(), PPROF_TMPDIR=str(folder), HOME=str(folder)), capture_output=True, text=True)
    if done.returncode != 0 or not out.exists():
        say(f"  {go} has no pprof tool: {done.stderr.strip()[:100]}")
        return None
    return out


def leak_with(go, tool, folder):
    with kit.Program([str(build(go))]) as program:
        program.leak(300)
        heap(program, folder / "a.pb.gz")
        program.leak(1234)
        heap(program, folder / "b.pb.gz")
        program.tell("drop")
        program.expect("dropped")
        heap(program, folder / "c.pb.gz")
        program.quit()
    diff = tool.diff(folder / "a.pb.gz", folder / "b.pb.gz")
    expect_leak(diff, 1234)
    same("sessions before", row(diff["types"], "type", SESSION)["before"]["objects"], 300)
    same("runtime", diff["captures"][0]["runtime"], "Go")
    check(not diff["identity_known"] and diff["summary"], "objects of a profile cannot be known")
    check(not any("sampled" in w for w in diff["match"]["warnings"]), "rate 1 is exact")
    total = sum(s["after"]["bytes"] for s in diff["sites"]) + diff.get("other_sites", {"after": {"bytes": 0}})["after"]["bytes"]
    same("bytes of all sites", total, diff["total"]["after"]["bytes"])
    gone = tool.diff(folder / "b.pb.gz", folder / "c.pb.gz")
    same("sessions after all is gone", row(gone["types"], "type", SESSION)["after"]["objects"], 0)
    text = tool.run(folder / "a.pb.gz", folder / "b.pb.gz").stdout
    check("main.newCart (main.go:" in text and "< main.leak (main.go:" in text, text)

    for name in "ab":  # not packed: the same
        (folder / f"{name}.pb").write_bytes(gzip.decompress((folder / f"{name}.pb.gz").read_bytes()))
        tool.run("import", folder / f"{name}.pb", "-o", folder / f"{name}.hs")
        tool.run("verify", folder / f"{name}.hs")
    same("raw profiles", sums(tool.diff(folder / "a.pb", folder / "b.hs")), sums(diff))

    again = [rewritten(go, folder, f"{name}.pb.gz") for name in "ab"]
    if all(again):
        expect_leak(tool.diff(*again), 1234)
        same("profiles that were written anew", sums(tool.diff(*again)), sums(diff))
        change = rewritten(go, folder, "b.pb.gz", "-base", folder / "a.pb.gz")
        tool.run("import", change, "-o", folder / "change.hs")
        tool.run("verify", folder / "change.hs")
        counted = tool.run("dump", folder / "change.hs", "--only", "types,totals").stdout
        number = next(line.split()[1] for line in counted.splitlines() if f'"{SESSION}"' in line)
        check(f"total type={number} objects=1234 bytes={1234 * 112}" in counted, counted[-2000:])
    say(f"  {go}: {diff['total']['after']['objects']:,} objects at {len(diff['sites'])} sites")


def leak(tool, folder):
    """The functions that leak, their stacks and what was planted, exactly."""
    for i, go in enumerate(go_programs.compilers()):
        (folder / str(i)).mkdir()
        leak_with(go, tool, folder / str(i))


def inside_a_field(whole, least):
    """A place behind `least` at which a message of protobuf cannot end: between its fields it can."""
    def number(at):
        value, shift = 0, 0
        while True:
            value |= (whole[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if whole[at - 1] < 128:
                return value, at

    at = 0
    while True:
        begin = at
        key, at = number(at)
        size, at = number(at)
        at += size if key & 7 == 2 else 0
        if begin >= least and at > begin + 1:
            return at - 1


def refused(tool, folder):
    """A profile that is cut off, with what to do instead."""
    with kit.Program([str(build(go_programs.compilers()[0]))]) as program:
        heap(program, folder / "a.pb.gz")
        program.quit()
    whole = gzip.decompress((folder / "a.pb.gz").read_bytes())
    (folder / "cut.pb").write_bytes(whole[:inside_a_field(whole, len(whole) // 2)])
    told = tool.run("import", folder / "cut.pb", "-o", folder / "cut.hs", expect=None)
    check(told.returncode == 3 and "ends" in told.stderr and not (folder / "cut.hs").exists(), told.stderr)


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leak, refused)})

#!/usr/bin/env python3
"""hsdiff redact and unredact as a user calls them: keys, files, reports of every format, wrong usage, and what must never happen.

    test_command.py --hsdiff PROGRAM --synth HSD_SYNTH
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PSEUDONYM = re.compile(rb"[kK][bcdefghjklmnpqrstvwxyz]{14}")
CASES = []


class Fault(Exception):
    pass


def case(function):
    CASES.append(function)
    return function


class World:
    def __init__(self, program, synth, folder):
        self.program, self.folder = os.path.abspath(program), folder
        subprocess.run([synth, "objects=3000", "identity=exact", "seed=5", folder], check=True, capture_output=True)
        self.key = folder / "key"
        self.run("redact", "-q", "--new-key", "key")
        for name in "ab":
            self.run("redact", "-q", f"{name}.hs", "-o", f"{name}-redacted.hs", "--key", "key")

    def run(self, *arguments, status=0, says=None):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
        error = done.stderr.decode(errors="replace")
        if done.returncode != status:
            raise Fault(f"{arguments}: exit status {done.returncode}, not {status}: {error}")
        if says and not re.search(says, error):
            raise Fault(f"{arguments}: says nothing of {says!r}: {error}")
        return done.stdout

    def names(self):
        return set(os.listdir(self.folder))


def expect(truth, what):
    if not truth:
        raise Fault(what)


@case
def a_key_is_made_once(world):
    before = world.key.read_bytes()
    expect(world.key.stat().st_mode & 0o777 == 0o600, "the key can be read by others")
    world.run("redact", "--new-key", "key", status=2, says="never replaced")
    world.run("redact", "--new-key", "key", "--force", status=2, says="never replaced")
    world.run("redact", "--new-key", "other", "a.hs", status=2)
    world.run("redact", "--new-key", "-", status=2)
    expect(world.key.read_bytes() == before and "other" not in world.names(), "a key was touched")


@case
def a_key_that_others_can_read_is_warned_about(world):
    open_key = world.folder / "open"
    open_key.write_bytes(world.key.read_bytes())
    open_key.chmod(0o644)
    world.run("redact", "a.hs", "-o", "x.hs", "--key", "open", says="can be read by others")
    expect((world.folder / "x.hs").read_bytes() == (world.folder / "a-redacted.hs").read_bytes(), "the same key gives other bytes")


@case
def no_key_no_copy(world):
    secret = "correct horse battery staple"
    (world.folder / "phrase").write_text(secret, encoding="ascii")
    before = world.names()
    world.run("redact", "a.hs", "-o", "y.hs", status=2, says="--key FILE")
    world.run("redact", "a.hs", "-o", "y.hs", "--key", "nowhere", status=4, says="--new-key")
    world.run("redact", "a.hs", "-o", "y.hs", "--key", "phrase", status=2, says="no key")
    world.run("redact", "a.hs", "--key", "key", status=2, says="-o OUT.hs")
    world.run("redact", "--key", "key", "-o", "y.hs", status=2)
    world.run("redact", "nowhere.hs", "-o", "y.hs", "--key", "key", status=3)
    expect(world.names() == before, f"left behind: {world.names() - before}")


@case
def no_input_and_no_key_is_replaced(world):
    kept = {name: (world.folder / name).read_bytes() for name in ("a.hs", "key")}
    world.run("redact", "a.hs", "-o", "a.hs", "--key", "key", "--force", status=2)
    world.run("redact", "a.hs", "-o", "key", "--key", "key", "--force", status=2)
    world.run("redact", "a.hs", "-o", "z.hs", "--report", "a.hs", "--key", "key", "--force", status=2)
    world.run("redact", "a.hs", "-o", "a-redacted.hs", "--key", "key", status=2, says="exists")
    for name, data in kept.items():
        expect((world.folder / name).read_bytes() == data, f"{name} was replaced")


@case
def the_copy_says_that_it_is_one(world):
    expect(b"redacted" in world.run("info", "a-redacted.hs"), "info says nothing")
    expect(b"redacted" not in world.run("info", "a.hs"), "info says it of the original")
    world.run("verify", "-q", "a-redacted.hs")
    expect((world.folder / "a-redacted.hs").stat().st_mode & 0o777 == 0o600, "others can read the copy")


def report_of(world, kind, *more):
    return world.run("-q", *more, f"a{kind}.hs", f"b{kind}.hs")


@case
def reports_are_turned_back(world):
    for form, more in {"text": ("--wide", "--top", "50"), "json": (), "csv": ("--table", "types"), "markdown": ("--wide",), "openmetrics": ()}.items():
        redacted = report_of(world, "-redacted", "--format", form, *more)
        (world.folder / "report").write_bytes(redacted)
        back = world.run("unredact", "report", "a.hs", "b.hs", "--key", "key", says="turned back")
        expect(PSEUDONYM.search(redacted), f"{form}: nothing was redacted")
        expect(not PSEUDONYM.search(back), f"{form}: a pseudonym is left: {PSEUDONYM.search(back)}")
        names = set(re.findall(rb"synth\.[A-Za-z.]+\w*", report_of(world, "", "--format", form, *more)))
        for name in names:
            expect(name in back, f"{form}: {name} is not there again")
            expect(name not in redacted, f"{form}: {name} was readable")


@case
def another_key_turns_nothing_back(world):
    world.run("redact", "-q", "--new-key", "second")
    (world.folder / "report").write_bytes(report_of(world, "-redacted", "--format", "json"))
    before = world.names()
    world.run("unredact", "report", "a.hs", "b.hs", "--key", "second", "-o", "named", status=2, says="of this key")
    expect(world.names() == before, "half a report was written")
    out = world.run("unredact", "-q", "report", "a.hs", "b.hs", "--key", "key", "-o", "named")
    expect(out == b"" and (world.folder / "named").stat().st_mode & 0o777 == 0o600, "the report with names is for its owner alone")


@case
def a_copy_beside_an_original_is_warned_about(world):
    expect(b"only the capture before was redacted" in world.run("a-redacted.hs", "b.hs", "--format", "json"), "not told")
    expect(b"was redacted" not in world.run("a-redacted.hs", "b-redacted.hs", "--format", "json"), "told of two copies")


@case
def a_page_is_refused(world):
    world.run("-q", "a-redacted.hs", "b-redacted.hs", "--html", "page.html")
    world.run("unredact", "page.html", "a.hs", "--key", "key", status=3, says="JSON")


@case
def a_report_without_pseudonyms_is_the_same(world):
    (world.folder / "plain").write_bytes(b"nothing \x00 in here\n")
    expect(world.run("unredact", "-q", "plain", "a.hs", "--key", "key") == b"nothing \x00 in here\n", "it was changed")


@case
def what_is_readable_is_listed(world):
    world.run("redact", "a.hs", "-o", "kept.hs", "--key", "key", "--keep", "*", "--report", "readable", says="by --keep")
    listed = (world.folder / "readable").read_text(encoding="utf-8")
    expect(re.search(r"^asked +[0-9,]+  \S", listed, re.M), f"nothing is listed: {listed[:300]}")
    names = re.findall(r'^type.*name="(.*)"', world.run("dump", "kept.hs", "--only", "types").decode(), re.M)
    originals = re.findall(r'^type.*name="(.*)"', world.run("dump", "a.hs", "--only", "types").decode(), re.M)
    expect(names == originals, "what was asked for was replaced")


def sizes_of(world, name):
    """The size of each object, in the order of the file; synthetic objects have sizes of all kinds."""
    told = world.run("dump", name, "--only", "objects").decode()
    return [int(size) for size in re.findall(r"^object.* size=(\d+)", told, re.M)]


def class_of(size):
    classes = [power * quarter // 4 for power in (2 ** n for n in range(2, 40)) for quarter in (4, 5, 6, 7)]
    return max((each for each in [0, 1, 2, 3, *classes] if each <= size))


def blur(world, *names):
    for name in names:
        world.run("redact", "-q", f"{name}.hs", "-o", f"{name}-blurred.hs", "--key", "key", "--blur-sizes")


@case
def nobody_sees_how_long_a_text_is(world):
    blur(world, "a")
    exact, blurred = sizes_of(world, "a.hs"), sizes_of(world, "a-blurred.hs")
    expect(len(exact) > 1000 and len(set(exact)) > 3, "the sizes of the original prove nothing")
    expect(blurred == [class_of(size) for size in exact], "a size is not its class")
    expect(blurred != exact, "nothing was blurred")
    world.run("verify", "-q", "a-blurred.hs")
    expect(b"sizes are classes" in world.run("info", "a-blurred.hs"), "info does not say it")


@case
def blurred_copies_compare(world):
    blur(world, "a", "b")
    exact, blurred = (json.loads(report_of(world, kind, "--format", "json", "--top", "all")) for kind in ("-redacted", "-blurred"))
    exact, blurred = ({row["type"]: row for row in told["types"]} for told in (exact, blurred))
    expect(len(exact) > 3 and set(exact) == set(blurred), "the types differ")
    for name, row in exact.items():
        for side in ("before", "after"):
            one, other = row[side], blurred[name][side]
            expect(one["objects"] == other["objects"], f"{name}: {one['objects']} objects became {other['objects']}")
            expect(one["bytes"] * 4 // 5 <= other["bytes"] <= one["bytes"], f"{name}: {one['bytes']} bytes became {other['bytes']}")
    expect(b"a fifth too small" in report_of(world, "-blurred", "--format", "json"), "the answer does not say it")
    expect(b"only the capture before has blurred sizes" in world.run("-q", "a-blurred.hs", "b-redacted.hs", "--format", "json"), "not told")


@case
def what_is_exact_in_a_blurred_copy_is_said(world):
    world.run("redact", "a.hs", "-o", "blurred.hs", "--key", "key", "--blur-sizes", "--report", "readable", says="four to each doubling")
    listed = (world.folder / "readable").read_text(encoding="utf-8")
    expect("readable as classes" in listed and "Exact are: counts" in re.sub(r"\n# ", " ", listed), listed[:600])


@case
def a_baseline_is_not_blurred(world):
    world.run("baseline", "a.hs", "-o", "base.hs")
    world.run("redact", "base.hs", "-o", "x.hs", "--key", "key", "--blur-sizes", status=3, says="baseline of the copies")
    expect("x.hs" not in world.names(), "half a copy was written")


@case
def a_cut_capture_is_a_cut_copy(world):
    whole = (world.folder / "a.hs").read_bytes()
    (world.folder / "cut.hs").write_bytes(whole[: len(whole) * 2 // 3])
    world.run("redact", "cut.hs", "-o", "cut-redacted.hs", "--key", "key", status=3, says="cut off")
    world.run("info", "cut-redacted.hs", status=3)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    (world.folder / "bad.hs").write_bytes(damaged)
    before = world.names()
    world.run("redact", "bad.hs", "-o", "bad-redacted.hs", "--key", "key", status=3, says="salvage")
    expect(world.names() == before, "half a copy was written")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--synth", required=True)
    o = parser.parse_args()
    failed = 0
    for function in CASES:
        with tempfile.TemporaryDirectory(prefix="hsdiff-redact-") as name:
            try:
                function(World(o.hsdiff, o.synth, pathlib.Path(name)))
            except Fault as fault:
                failed += 1
                print(f"{function.__name__}: {fault}")
    print(f"{len(CASES)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

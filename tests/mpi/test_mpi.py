#!/usr/bin/env python3
"""hsdiff-mpi under mpirun: byte for byte what one process says, with 1, 2 and 4 ranks, whatever objects are recognised by; refused inputs and options; a
rank that is killed; nothing left behind.

usage: test_mpi.py --mpi HSDIFF-MPI --hsdiff HSDIFF --synth HSD_SYNTH [STEP]   STEP: those with this in their names

HSD_LONG=1: 300 generated pairs in place of 5, and dumps of the folder of samples (HSD_SAMPLES), each paired with the next of its kind.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SHAPES = ("tree", "list", "star", "comb", "cycle", "layers")
IDENTITIES = ("exact", "address", "moving", "none")
IS_LONG = os.environ.get("HSD_LONG") == "1"
# Root may, on a machine that is thrown away; ranks share processors; loopback alone.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
SECONDS = 120


def check(is_so, *what):
    if not is_so:
        print("FAILED:", *what)
        sys.exit(1)


class Test:
    def __init__(self, o, folder):
        self.o, self.folder = o, folder
        self.temp = folder / "temp"
        self.temp.mkdir()
        self.environment = {**os.environ, **MPI, "TMPDIR": str(self.temp), "COLUMNS": "120"}

    def ranks(self, count, *words, **more):
        return subprocess.run(["mpirun", "-n", str(count), self.o.mpi, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=self.environment, timeout=SECONDS, check=False, **more)

    def one(self, *words):
        return subprocess.run([self.o.hsdiff, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment, timeout=SECONDS, check=False)

    def synth(self, name, **options):
        made = self.folder / name
        made.mkdir()
        subprocess.run([self.o.synth, *(f"{key}={value}" for key, value in options.items()), made], check=True, stdout=subprocess.DEVNULL)
        return made / "a.hs", made / "b.hs"

    # The same bytes, and the same exit status; of a failure the same first line.
    def same(self, counts, *words):
        one = self.one(*words)
        for count in counts:
            got = self.ranks(count, *words)
            check(got.returncode == one.returncode and got.stdout == one.stdout, f"{count} ranks:", *words, got.returncode, got.stderr.decode(errors="replace"))
        return one

    def left(self):
        return [path for path in self.temp.rglob("*") if path.is_file()]


def steps_pairs(t):
    draw = random.Random(19)
    for number in range(300 if IS_LONG else 4):
        identity = IDENTITIES[number % len(IDENTITIES)]
        options = {"objects": draw.randint(200, 4000 if IS_LONG else 2000), "identity": identity, "shape": draw.choice(SHAPES), "seed": number + 1,
                   "churn": draw.randint(0, 40), "growth": draw.randint(0, 40), "references": draw.choice((0, 1, 3)), "resized": draw.randint(0, 10),
                   "order": "shuffled" if draw.random() < 0.3 else "id"}
        before, after = t.synth(f"pair-{number}", **options)
        t.same((2, 4) if not IS_LONG else (draw.choice((2, 3, 4)),), "--format", "json", before, after)
        shutil.rmtree(before.parent)
    before, after = t.synth("formats", objects=3000, identity="exact")
    t.same((1, 2), "--format", "markdown", "--tree", before, after)  # text is as wide as mpirun's terminal
    t.same((2,), "--format", "json", "--no-holders", before, after)
    t.same((2,), "--format", "json", "--match", "counts", before, after)
    t.same((2,), "--format", "json", "--summary", before, after)


SNAPSHOTS = """
const v8 = require("v8");
v8.writeHeapSnapshot("before.heapsnapshot");
globalThis.kept = Array.from({ length: 2000 }, (_, i) => ({ i }));
v8.writeHeapSnapshot("after.heapsnapshot");
"""


# Two dumps that do not say when they were taken: their ids do, of which each rank has a part.
def steps_order(t):
    if not shutil.which("node"):
        return print("order: no node")
    subprocess.run(["node", "-e", SNAPSHOTS], cwd=t.folder, check=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    for name in ("before", "after"):
        check(t.one("import", "--quiet", t.folder / f"{name}.heapsnapshot", "-o", t.folder / f"{name}.hs").returncode == 0, name)
    said = t.same((2, 3), "--format", "json", t.folder / "after.hs", t.folder / "before.hs").stdout
    check(b"the captures stand in reverse order" in said, said[:2000])
    said = t.same((2,), "--format", "json", t.folder / "before.hs", t.folder / "after.hs").stdout
    check(b"reverse order" not in said, said[:2000])


# More than the budget holds: ranks spill, page and sort by runs.
def steps_little_memory(t):
    before, after = t.synth("little", objects=60000 if not IS_LONG else 400000, identity="exact", order="shuffled")
    t.same((2,), "--format", "json", "--memory", "24M", before, after)
    check(not t.left(), "temporary files stayed:", t.left())


def steps_refused(t):
    before, after = t.synth("refused", objects=300, identity="exact")
    foreign = t.folder / "a.heapsnapshot"
    foreign.write_text('{"snapshot":{}}')
    for words, said in (([before], "hsdiff-mpi takes two captures"), ([before, after, after], "hsdiff-mpi takes two captures"), (["-", after], "reads no standard input"),
                        (["--objects", t.folder / "o.csv", before, after], "--objects is not to be had of several ranks"),
                        (["--key", "A:b", before, after], "--key is not to be had of several ranks"), (["top", before], "hsdiff top is of one process")):
        got = t.ranks(2, *words)
        check(got.returncode == 2 and said.encode() in got.stderr, words, got.returncode, got.stderr.decode())
    got = t.ranks(2, foreign, after)
    check(got.returncode == 3 and b"hsdiff import" in got.stderr and got.stderr.count(b"a.heapsnapshot is not") <= 1, got.returncode, got.stderr.decode())
    missing = t.ranks(3, t.folder / "no.hs", after)
    check(missing.returncode == t.one(t.folder / "no.hs", after).returncode and missing.stderr.count(b"hsdiff: ") == 1, missing.returncode, missing.stderr.decode())
    out = t.folder / "there.json"
    out.write_text("mine")
    got = t.ranks(2, "--format", "json", "-o", out, before, after)
    check(got.returncode != 0 and out.read_text() == "mine", got.returncode, got.stderr.decode())
    check(t.ranks(2, "--help").stdout.startswith(b"Usage: mpirun"), "--help")


# In the middle of the file: told by the rank that reads it, once.
def steps_damaged(t):
    before, after = t.synth("damaged", objects=20000, identity="exact")
    bytes_ = bytearray(before.read_bytes())
    for at in range(len(bytes_) // 2, len(bytes_) // 2 + 64):
        bytes_[at] ^= 0x5A
    before.write_bytes(bytes_)
    one, got = t.one(before, after), t.ranks(2, before, after)
    check(got.returncode == one.returncode == 3, got.returncode, got.stderr.decode())
    first = one.stderr.splitlines()[0]
    check(first in got.stderr.splitlines(), first, got.stderr.decode())


def children_of(pid):
    listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(pid)], stdout=subprocess.PIPE, text=True, check=False).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if line.split()[1].startswith("hsdiff-mpi")]


# Each at another moment. mpirun says which one and by what, and ends the others; what it wrote under its own name goes with it.
def steps_killed(t):
    before, after = t.synth("killed", objects=300000, identity="exact", order="shuffled")
    out = t.folder / "killed.json"
    for number, pause in enumerate((0.1, 0.4, 0.9) if IS_LONG else (0.3,)):
        with subprocess.Popen(["mpirun", "-n", "2", t.o.mpi, "--memory", "32M", "--format", "json", "-o", out, before, after], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=t.environment) as run:
            end = time.monotonic() + SECONDS
            while len(children_of(run.pid)) < 2 and time.monotonic() < end:
                time.sleep(0.02)
            ranks = children_of(run.pid)
            check(len(ranks) == 2, "two ranks never ran")
            time.sleep(pause)  # whenever it comes
            os.kill(ranks[number % 2], signal.SIGKILL)
            _, said = run.communicate(timeout=SECONDS)
        check(run.returncode != 0, "the status of a killed rank is 0")
        check(b"signal 9" in said, said.decode(errors="replace"))
        check(not out.exists(), "an answer of a killed rank")
        end = time.monotonic() + SECONDS
        while any(pathlib.Path(f"/proc/{rank}").exists() for rank in ranks) and time.monotonic() < end:
            time.sleep(0.02)
        check(not [rank for rank in ranks if pathlib.Path(f"/proc/{rank}").exists()], "a rank lives on")
    check(not t.left(), "temporary files stayed:", t.left())


# Apart from hsdiff: neither it nor its packages know of MPI.
def steps_installed(t):
    build = os.environ.get("HSD_BUILD_DIR")
    if not build:
        print("installed: no HSD_BUILD_DIR")
        return
    for component, wanted in (("mpi", {"bin/hsdiff-mpi", "share/man/man1/hsdiff-mpi.1"}), (None, None)):
        prefix = t.folder / f"installed-{component}"
        words = ["cmake", "--install", build, "--prefix", prefix, *(["--component", component] if component else [])]
        installed = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        got = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
        if wanted:
            check(installed.returncode == 0 and got == wanted, got, installed.stderr.decode())
        else:  # of a build of all targets alone; else it stops at the first that is not there
            check(not [name for name in got if "hsdiff-mpi" in name], got)


# Dumps of real programs as captures, each with the next of its kind.
def steps_samples(t):
    folder = os.environ.get("HSD_SAMPLES")
    if not IS_LONG or not folder:
        print("samples: HSD_LONG=1 and HSD_SAMPLES=FOLDER run them")
        return
    by_kind = collections.defaultdict(list)
    for path in sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file() and path.suffix != ".md"):
        made = t.folder / f"sample-{path.name}.hs"
        if t.one("import", "--quiet", path, "-o", made).returncode in (0, 3) and made.exists():
            by_kind["".join(path.suffixes[-2:])].append(made)
    count = 0
    for made in by_kind.values():
        for before, after in zip(made, made[1:] or made):
            for ranks in (2, 4):
                t.same((ranks,), "--format", "json", before, after)
                t.same((ranks,), "--format", "json", "--partial", after, before)
            count += 1
    print(f"samples: {sum(map(len, by_kind.values()))} captures, {count} pairs, both ways round, 2 and 4 ranks")
    check(count > 10, "there are too few samples")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("mpi", "hsdiff", "synth"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("step", nargs="?", default="")
    o = parser.parse_args()
    if not shutil.which("mpirun"):
        print("mpirun is not installed (openmpi-bin)")
        sys.exit(77)
    for name, step in list(globals().items()):
        if not name.startswith("steps_") or o.step not in name:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hsdiff-mpi-") as folder:
            step(Test(o, pathlib.Path(folder)))
        print(f"{name[6:]}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()

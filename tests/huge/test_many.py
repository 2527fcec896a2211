#!/usr/bin/env python3
"""A capture whose leak has numbers of nodes past 2^32: hsdiff becomes hsdiff-huge, and says who holds what grew. And one of more references than 2^32.

usage: test_many.py --hsdiff HSDIFF --huge HSDIFF-HUGE --many HSD_MANY [--records N] [--nodes N]

HSD_MANY writes so many records without references, and behind them a cache of entries with texts: 10 before, 1,000 after. What is told of them is known;
with fewer records, too, where both programs must say the same. Of nodes each refers to all. Skipped where temporary files have no room.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

RECORDS = (1 << 32) + 1000
ENTRIES = (10, 1000)
NODES = 66000
NODE_BYTES = 32
TEMP_BYTES_A_RECORD = 15
MEMORY = "6G"
SKIPPED = 77


def check(is_so, *what):
    if not is_so:
        sys.exit(" ".join(["FAILED:", *map(str, what)]))


class Test:
    def __init__(self, o, folder):
        self.o, self.folder = o, folder

    def write(self, name, *numbers):
        path = self.folder / name
        subprocess.run([self.o.many, *map(str, numbers), path], check=True)
        return path

    def ask(self, program, *words):
        done = subprocess.run([program, "--memory", MEMORY, "--temp-dir", self.folder, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        check(done.returncode in (0, 1), *words, done.returncode, done.stderr.decode(errors="replace")[-2000:])
        return done.stdout

    def pair(self, records):
        return [self.write(f"{records}-{entries}.hs", count, entries) for entries, count in zip(ENTRIES, (1000, records))]


# Each entry has 64 bytes and a text of 1,000; the array 8 bytes each.
def holds_truth(t, before, after):
    report = json.loads(t.ask(t.o.hsdiff, "--format", "json", before, after))
    grown = ENTRIES[1] - ENTRIES[0]
    types = {row["type"]: row for row in report["types"]}
    check("All of the growth hangs from one place: many.cache." in report["answer"], report["answer"])
    check(types["many.Text"]["growth"]["bytes"] == 1000 * grown, types["many.Text"])
    check(types["many.Entry"]["growth"]["objects"] == grown, types["many.Entry"])
    top = json.loads(t.ask(t.o.hsdiff, "top", "--format", "json", after))
    check("many.cache" in top["answer"], top["answer"])


# All hang from the first.
def holds_all(t, nodes):
    few, all_of_them = t.write("few.hs", 300), t.write("all.hs", nodes)
    told = t.ask(t.o.hsdiff, "info", all_of_them).decode()
    check(f"{nodes:,} objects, {nodes * nodes:,} references" in told, told)
    top = json.loads(t.ask(t.o.hsdiff, "top", "--format", "json", all_of_them))
    check([row["retained"] for row in top["objects"]] == [{"objects": nodes, "bytes": nodes * NODE_BYTES}], top["objects"][:2])
    report = json.loads(t.ask(t.o.hsdiff, "--format", "json", few, all_of_them))
    check("All of the growth hangs from one place: many.all" in report["answer"], report["answer"])
    check(report["total"]["new"] == {"objects": nodes - 300, "bytes": (nodes - 300) * NODE_BYTES}, report["total"])
    all_of_them.unlink()


# Where there is no other program beside it, what can be said is said, and what is missing.
def says_what_is_missing(t, before, after):
    alone = shutil.copy(t.o.hsdiff, t.folder / "alone")
    done = subprocess.run([alone, before, after], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check(done.returncode == 0 and b"hsdiff-huge, which walks them, is not installed" in done.stderr, done.returncode, done.stderr)
    check(b"many.Text" in done.stdout and b"many.cache" not in done.stdout, done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--huge", required=True)
    parser.add_argument("--many", required=True)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--nodes", type=int, default=NODES)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hsdiff-huge-") as name:
        t = Test(o, pathlib.Path(name))
        if shutil.disk_usage(name).free < o.records * TEMP_BYTES_A_RECORD:
            print(f"skipped: {name} has no room for the temporary files of {o.records} records")
            return SKIPPED
        holds_all(t, o.nodes)
        few = t.pair(100000)
        for words in (["--format", "json", *few], ["top", "--format", "json", few[1]]):
            check(t.ask(o.hsdiff, *words) == t.ask(o.huge, *words), "not the same:", *words)
        holds_truth(t, *few)
        many = t.pair(o.records)
        if o.records >= RECORDS:
            says_what_is_missing(t, *many)
        holds_truth(t, *many)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Redacted pairs of captures say what the originals say.

    test_pairs.py --hsdiff PROGRAM --synth HSD_SYNTH [--samples FOLDER] [--dumps FOLDER] [--pairs N] [--tell]

Each pair is redacted with one key. The answer about the copies, with its pseudonyms turned back by hsdiff unredact, is held against the answer
about the originals: diff, check, top and series as JSON, row by row and number by number, and the exit status. What may differ is the order of rows
whose amounts are equal, which goes by name; and the digest, which is of the bytes. --tell prints how often it did. Pairs are synthetic, of every shape and kind of
identity, and dumps of other tools where a folder has them. HSD_LONG=1 makes 200 pairs.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SHAPES = ("tree", "list", "star", "comb", "cycle", "layers")
IDENTITIES = ("none", "exact", "address", "moving")
Told = collections.namedtuple("Told", "status text error")
# What is of the file and not of the heap.
OF_FILE = {"path", "digest", "before_path", "after_path", "command", "version", "elapsed_ns", "argv"}


class Tool:
    def __init__(self, program):
        self.program = program

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL, timeout=300, check=False)
        return Told(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def must(self, *arguments, status=0):
        told = self.run(*arguments)
        if told.status != status:
            raise SystemExit(f"{arguments}: status {told.status}, not {status}: {told.error}")
        return told


# Of ways to an object that are equally short the first by name is told, and so are objects and types of equal size where a list ends. What hangs
# below a holder is told along such ways.
CHOSEN = {"root", "root_kind", "path", "path_cut", "examples", "edges"}
SIZES = 200 # types that histograms are told of
FOLDERS = re.compile(r"/[^ ,:;]*/(?=[^ /,:;]+)")


def without_files(value):
    if isinstance(value, dict):
        return {key: without_files(of) for key, of in value.items() if key not in OF_FILE}
    if isinstance(value, list):
        return [without_files(of) for of in value]
    return FOLDERS.sub("", value) if isinstance(value, str) else value


def without_choices(value):
    """Rows about one object (it has an id) without the way to it."""
    if isinstance(value, dict):
        is_object = "object" in value
        return {key: without_choices(of) for key, of in value.items() if not (is_object and key in CHOSEN) and key != "examples"}
    return [without_choices(of) for of in value] if isinstance(value, list) else value


def in_one_order(value):
    """Rows of equal amounts stand in the order of their names: sorted by everything that they say."""
    if isinstance(value, dict):
        return {key: in_one_order(of) for key, of in value.items()}
    if isinstance(value, list):
        return sorted((in_one_order(of) for of in value), key=lambda row: json.dumps(row, sort_keys=True))
    return value


def within_lists(one, two):
    """The histograms of sizes are of the largest types: those that both lists have, where both are full."""
    if "sizes" in one and len(one["sizes"]) == len(two["sizes"]) == SIZES:
        both = set.intersection(*({row["type"] for row in answer["sizes"]} for answer in (one, two)))
        for answer in (one, two):
            answer["sizes"] = [row for row in answer["sizes"] if row["type"] in both]
    return one, two


def first_difference(one, two, path=""):
    if type(one) is not type(two):
        return f"{path}: {str(one)[:300]} / {str(two)[:300]}"
    if isinstance(one, dict):
        for key in sorted(set(one) | set(two)):
            if key not in one or key not in two:
                return f"{path}.{key} is in one alone"
            found = first_difference(one[key], two[key], f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(one, list):
        if len(one) != len(two):
            return f"{path}: {len(one)} rows and {len(two)}"
        for number, (a, b) in enumerate(zip(one, two)):
            found = first_difference(a, b, f"{path}[{number}]")
            if found:
                return found
        return None
    return None if one == two else f"{path}: {str(one)[:200]} / {str(two)[:200]}"


def synthetic(synth, folder, count):
    for number, (shape, identity) in zip(range(count), itertools.cycle(itertools.product(SHAPES, IDENTITIES))):
        where = folder / f"synth{number}"
        where.mkdir()
        more = ["targets=ordinals"] if number % 3 == 2 else []
        more += ["order=shuffled"] if number % 3 == 1 and number % 2 else []
        subprocess.run([synth, f"objects={200 + 137 * number % 1900}", f"shape={shape}", f"identity={identity}", f"seed={number + 1}",
                        *more, where], check=True, capture_output=True)
        yield f"synth {shape} {identity} {number}", where / "a.hs", where / "b.hs"


def dumped(tool, source, folder):
    """Dumps of a folder, imported with their values, each with the next of its kind and with itself."""
    kinds = collections.defaultdict(list)
    for number, path in enumerate(sorted(source.iterdir())):
        if not path.is_file() or path.stat().st_size > 16 << 20:
            continue
        out = folder / f"dump{number}-{path.name}.hs"
        if path.suffix == ".hs":
            out = path
        elif tool.run("import", "-q", "--with-values", path, "-o", out).status != 0:
            continue
        kinds["".join(path.suffixes[-2:])].append((path.name, out))
    for kind in kinds.values():
        for (name, one), (other, two) in zip(kind, kind[1:] + kind[:1]):
            yield f"{name} / {other}", one, two


COMMANDS = {
    "diff": lambda a, b: ("-q", a, b, "--format", "json"),
    "structure": lambda a, b: ("-q", a, b, "--match", "structure", "--format", "json"),
    "check": lambda a, b: ("check", "-q", a, b, "--format", "json"),
    "top": lambda a, b: ("top", "-q", b, "--format", "json"),
    "series": lambda a, b: ("series", "-q", a, b, a, b, "--format", "json"),
}


class Pairs:
    def __init__(self, tool, folder, o):
        self.tool, self.folder, self.counts, self.failed, self.ways = tool, folder, collections.Counter(), [], []
        self.key = folder / "key"
        self.key.write_text(f"{o.key:064d}\n", encoding="ascii") # the same answer in every run
        self.key.chmod(0o600)

    def judge(self, name, what, one, two):
        answers = []
        if one.status != two.status:
            self.failed.append(f"{name}: {what}: status {one.status} and {two.status}: {two.error[:300]}")
            return
        if one.status not in (0, 1, 3) or not one.text:
            self.counts[f"{what}: no answer"] += 1
            return
        answers = [without_files(json.loads(text)) for text in (one.text, two.text)]
        self.counts[what] += 1
        self.counts["order differs"] += answers[0] != answers[1]
        found = first_difference(*map(in_one_order, answers))
        if found:
            self.counts["another way of equal length is told"] += 1
            self.ways.append(f"{name}: {what}: {found}")
            found = first_difference(*within_lists(*(in_one_order(without_choices(answer)) for answer in answers)))
        if found:
            self.counts[f"{what} differs"] += 1
            self.failed.append(f"{name}: {what}: {found}")

    def turn_back(self, told, originals):
        if told.status not in (0, 1, 3) or not told.text:
            return told
        report = self.folder / "report.json"
        report.write_bytes(told.text)
        back = self.tool.must("unredact", "-q", report, *originals, "--key", self.key, "--with-values")
        return told._replace(text=back.text)

    def pair(self, name, one, two, commands):
        (self.folder / "redacted").mkdir(exist_ok=True)
        copies = [self.folder / "redacted" / original.name for original in (one, two)] # a series tells the names of files
        for original, copy in zip((one, two), copies):
            if self.tool.run("redact", "-q", original, "-o", copy, "--force", "--key", self.key).status not in (0, 3):
                self.failed.append(f"{name}: not redacted")
                return
        self.counts["pairs"] += 1
        for what in commands:
            told = self.tool.run(*COMMANDS[what](one, two))
            redacted = self.turn_back(self.tool.run(*COMMANDS[what](*copies)), (one, two))
            self.judge(name, what, told, redacted)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--synth", required=True)
    parser.add_argument("--samples", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--pairs", type=int, default=200 if os.environ.get("HSD_LONG") else 18)
    parser.add_argument("--key", type=int, default=21, help="number of the key")
    parser.add_argument("--tell", action="store_true", help="where another way is told")
    parser.add_argument("--all", action="store_true", help="every command for every pair")
    o = parser.parse_args()
    every = o.all or bool(os.environ.get("HSD_LONG"))
    with tempfile.TemporaryDirectory(prefix="hsdiff-pairs-") as name:
        folder = pathlib.Path(name)
        pairs = Pairs(Tool(o.hsdiff), folder, o)
        names = list(COMMANDS)
        made = itertools.chain(synthetic(o.synth, folder, o.pairs), *(dumped(pairs.tool, source, folder) for source in o.samples))
        for number, (what, one, two) in enumerate(made):
            pairs.pair(what, one, two, names if every else ["diff", names[1 + number % 4]])
    for line in pairs.failed[:20] + (pairs.ways if o.tell else []):
        print(line)
    print(", ".join(f"{what} {count}" for what, count in sorted(pairs.counts.items())), f"; {len(pairs.failed)} differ")
    return 1 if pairs.failed else 0


if __name__ == "__main__":
    sys.exit(main())

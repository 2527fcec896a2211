#!/usr/bin/env python3
"""Whether two programs say the same, byte for byte: of a change that makes hsdiff faster, nothing else may be seen.

    run.py --hsdiff PROGRAM --than PROGRAM --synth HSD_SYNTH [--samples FOLDER] [--every N] [--little MEMORY] [--keep FOLDER] [-j N] [RUN...]

Makes pairs of captures (every shape, every kind of identity) and dumps of real programs where node and java are at hand, and runs every command that
reads a capture over them, with large and little memory, one thread and two, in every format. What is compared is the exit status, both outputs and
the files written. --samples adds the dumps of a folder, each paired with the next of its kind. RUN picks the runs whose name holds that word,
--every N of those each Nth; --little is what runs with little memory have, where one of the two needs more than 16M.
Prints each run that differs, with the first line that does, then a count; exit status 1 if there was one. --keep leaves inputs and answers where they are.
"""
import argparse
import collections
import concurrent.futures
import difflib
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GEN = HERE.parent / "gen"
SHAPES = ("tree", "list", "star", "comb", "cycle", "layers")
IDENTITIES = ("none", "exact", "address", "moving")
# What a second run of one program says otherwise.
PASSING = [(re.compile(rb"\b\d+(\.\d+)? (s|ms|us|min)\b"), b"TIME"), (re.compile(rb"hsdiff-[0-9A-Za-z]{6,}"), b"TEMP")]
Run = collections.namedtuple("Run", "name arguments output", defaults=[None])

QUERIES = {
    "types": "select name, objects, bytes from types order by bytes desc, name limit 10",
    "references": "select count(*), sum(target_id) from v_references",
}
GROWTH = "select * from growth_types limit 10"
# Structure: --match that looks at no id, the dearest way. 16M: where the stages do not fit.
PAIR = {
    "text": ["--top", "8"],
    "wide": ["--top", "1000", "--wide", "--bytes", "--threads", "1"],
    "json": ["--format", "json"],
    "summary": ["--summary"],
    "no-holders": ["--no-holders", "--format", "json"],
    "counts": ["--match", "counts", "--format", "json"],
    "structure": ["--match", "structure", "--format", "json"],
    "tree": ["--tree"],
    "markdown": ["--format", "markdown", "--max-bytes", "60000"],
    "csv": ["--format", "csv", "--table", "roots"],
    "openmetrics": ["--format", "openmetrics"],
    "16M": ["--memory", "16M", "--format", "json"],
    "16M-structure": ["--memory", "16M", "--match", "structure", "--format", "json"],
    "32M": ["--memory", "32M", "--format", "json", "--threads", "1"],
    "1G": ["--memory", "1G", "--format", "json"],
}
FILES = {"html": "out.html", "retained": "out.csv", "objects": "out.csv"}
EXPORTS = ("heapsnapshot", "hprof", "pprof", "speedscope", "collapsed", "sqlite")


def make_synth(o, folder):
    for shape in SHAPES:
        for identity in IDENTITIES:
            for order in ("id", "shuffled") if identity in ("exact", "moving") else ("id",):
                made = folder / f"{shape}-{identity}-{order}"
                made.mkdir()
                objects = 3000 if shape != "layers" else 12000
                subprocess.run([o.synth, f"objects={objects}", f"shape={shape}", f"identity={identity}", f"order={order}", f"seed={len(shape) * 7}", made],
                               check=True, stdout=subprocess.DEVNULL)
                yield made.name, made / "a.hs", made / "b.hs"
    made = folder / "large"
    made.mkdir()
    subprocess.run([o.synth, "objects=150000", "identity=moving", "order=shuffled", made], check=True, stdout=subprocess.DEVNULL)
    yield "large", made / "a.hs", made / "b.hs"


def make_real(folder):
    if shutil.which("node"):
        made = folder / "node"
        made.mkdir()
        subprocess.run(["node", "--expose-gc", GEN / "server.js", "--nodes", "100000", "--out", made], check=True, stdout=subprocess.DEVNULL)
        dumps = sorted(made.glob("*.heapsnapshot"))
        yield "node", dumps[0], dumps[-1]
    if shutil.which("java"):
        made = folder / "java"
        made.mkdir()
        subprocess.run([GEN / "jvm.sh", "100000", made], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        dumps = sorted(made.glob("*.hprof"))
        yield "java", dumps[0], dumps[-1]


# Of each kind each with the next; what stands alone, with itself.
def sample_pairs(folder):
    by_kind = collections.defaultdict(list)
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md"):
        by_kind["".join(path.suffixes[-2:])].append(path)
    for paths in by_kind.values():
        for before, after in zip(paths, paths[1:] or paths):
            yield f"sample-{before.name}", before, after


# What a dump is exported from: one capture of it, since two imports draw two domains of addresses.
def imported(o, inputs, pairs):
    captures = {}
    for path in {path for _, a, b in pairs for path in (a, b)}:
        captures[path] = path
        if path.suffix != ".hs":
            written = inputs / f"{len(captures)}.hs"
            subprocess.run([o.than, "import", "--quiet", path, "-o", written], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            captures[path] = written if written.exists() else path
    return captures


def runs_of_pair(name, a, b, is_small, hs):
    for kind, options in PAIR.items():
        yield Run(f"{name}/{kind}", [*options, a, b])
    for kind, written in FILES.items():
        yield Run(f"{name}/{kind}", [f"--{kind}", "{out}", a, b], written)
    yield Run(f"{name}/check", ["check", a, b])
    yield Run(f"{name}/check-json", ["check", "--format", "json", a, b])
    yield Run(f"{name}/series", ["series", "--cohorts", a, b, b])
    yield Run(f"{name}/series-json", ["series", "--format", "json", a, b, a, b])
    for side, path in (("a", a), ("b", b)):
        yield Run(f"{name}/top-{side}", ["top", path])
        yield Run(f"{name}/top-json-{side}", ["top", "--format", "json", path])
        yield Run(f"{name}/top-16M-{side}", ["top", "--memory", "16M", path])
        yield Run(f"{name}/info-{side}", ["info", path])
        yield Run(f"{name}/import-{side}", ["import", path, "-o", "{out}"], "out.hs")
        yield Run(f"{name}/import-16M-{side}", ["import", "--memory", "16M", "--threads", "1", path, "-o", "{out}"], "out.hs")
        yield Run(f"{name}/baseline-{side}", ["baseline", path, "-o", "{out}"], "base.hs")
        for kind in EXPORTS:
            yield Run(f"{name}/export-{kind}-{side}", ["export", "--to", kind, hs[path], "-o", "{out}"], f"out.{kind}")
    for kind in EXPORTS:
        yield Run(f"{name}/export-{kind}", ["export", "--to", kind, hs[a], hs[b], "-o", "{out}"], f"out.{kind}")
    if is_small:
        for kind, query in QUERIES.items():
            yield Run(f"{name}/sql-{kind}", ["sql", b, query])
        yield Run(f"{name}/sql-growth", ["sql", a, b, GROWTH])
        yield Run(f"{name}/dump", ["dump", b])
        yield Run(f"{name}/verify", ["verify", b])


# Status and outputs of one run. A capture made from a dump is compared by its records, since its domain of addresses is drawn by chance.
def answer(program, run, folder, reader):
    folder.mkdir(parents=True)
    written = folder / run.output if run.output else None
    words = [str(written) if word == "{out}" else str(word) for word in run.arguments]
    environment = {**os.environ, "COLUMNS": "120", "SOURCE_DATE_EPOCH": "1000000000", "TZ": "UTC", "HOME": str(folder)}
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        status = subprocess.run([program, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, env=environment, timeout=600).returncode
    said = {"status": str(status).encode()}
    if b"there is no option" in (folder / "stderr").read_bytes():
        sys.exit(f"a run that asks for nothing: {run.name}")
    for name in ("stdout", "stderr"):
        text = (folder / name).read_bytes().replace(str(folder).encode(), b"FOLDER")
        for pattern, word in PASSING:
            text = pattern.sub(word, text)
        said[name] = text
    if written and written.exists():
        text = written.read_bytes().replace(str(folder).encode(), b"FOLDER")
        if run.output == "out.hs":
            text = subprocess.run([reader, "dump", written], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False).stdout
        said[run.output] = text if len(text) < 1 << 20 else hashlib.sha256(text).hexdigest().encode()
    return said


def first_difference(mine, other):
    for part in sorted(set(mine) | set(other)):
        if mine.get(part) != other.get(part):
            lines = [(text or b"").decode("latin-1").splitlines() for text in (other.get(part), mine.get(part))]
            changed = [line[:200] for line in difflib.unified_diff(*lines, lineterm="", n=0) if line[:1] in "-+" and line[:3] not in ("---", "+++")]
            return f"{part}: " + "  |  ".join(changed[:2])
    return None


def compare(o, folder, run):
    place = run.name.replace("/", "_")
    said = [answer(program, run, folder / str(turn) / place, o.than) for turn, program in enumerate((o.hsdiff, o.than))]
    difference = first_difference(*said)
    if not o.keep:
        for turn in range(2):
            shutil.rmtree(folder / str(turn) / place)
    return run.name, difference


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hsdiff", required=True, type=pathlib.Path)
    parser.add_argument("--than", required=True, type=pathlib.Path)
    parser.add_argument("--synth", required=True, type=pathlib.Path)
    parser.add_argument("--samples", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--little", default="16M")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("runs", nargs="*", metavar="RUN")
    o = parser.parse_args()
    o.hsdiff, o.than, o.synth = o.hsdiff.resolve(), o.than.resolve(), o.synth.resolve()
    folder = o.keep.resolve() if o.keep else pathlib.Path(tempfile.mkdtemp(prefix="hsdiff-same-"))
    folder.mkdir(parents=True, exist_ok=True)
    inputs = folder / "inputs"
    inputs.mkdir()
    try:
        pairs = [*make_synth(o, inputs), *make_real(inputs), *(sample_pairs(o.samples.resolve()) if o.samples else [])]
        captures = imported(o, inputs, pairs)
        runs = [run for name, a, b in pairs for run in runs_of_pair(name, a, b, name != "large", captures)]
        runs = [run for run in runs if not o.runs or any(word in run.name for word in o.runs)]
        runs = [run._replace(arguments=[o.little if word == "16M" else word for word in run.arguments]) for run in runs[:: o.every]]
        different = 0
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            for name, difference in pool.map(lambda run: compare(o, folder, run), runs):
                if difference:
                    different += 1
                    print(f"{name}: {difference}", flush=True)
        print(f"{len(runs)} runs, {different} differ")
    finally:
        if not o.keep:
            shutil.rmtree(folder)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Time hprof-analyzer's report against `hsdiff top` on one HPROF dump; called by run.sh.

Each runs RUNS times in turn: hprof-analyzer into JSON with its default sections, `hsdiff top` into JSON with one thread and
with two. Medians of wall time and CPU and the largest peak RSS are printed, and ratios.
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from turns import measure  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--analyzer", required=True)
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("dump")
    given = parser.parse_args()
    theirs, ours = given.scratch / "report.json", given.scratch / "top.json"
    top = [given.hsdiff, "top", given.dump, "--format", "json", "-o", str(ours), "--force"]
    cost = measure({
        "hprof-analyzer": [given.analyzer, given.dump, str(theirs)],
        "hsdiff, 1 thread": top + ["--threads", "1"],
        "hsdiff, 2 threads": top + ["--threads", "2"],
    }, given.runs)
    peer = cost.pop("hprof-analyzer")
    for name, row in cost.items():
        print(f"{name}: {peer[0] / row[0]:.2f}x as fast, {peer[1] / row[1]:.2f} in CPU, {row[2] / peer[2]:.2f} of the memory")
    with open(ours) as file:
        capture = json.load(file)["captures"][0]
    print(f"hsdiff: {capture['objects']:,} live objects; hprof-analyzer's report: {theirs.stat().st_size} bytes")


if __name__ == "__main__":
    main()

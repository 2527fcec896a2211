#!/usr/bin/env python3
"""The table of stages that --verbose prints at its end, of several runs of one command: medians, as a table of Markdown (doc/performance.md).

usage: stages.py FILE...       each has the standard error of a run: hsdiff --verbose --threads 1 A B 2>FILE
Stages of the two inputs are added up. A stage over 2 times its bound is marked *, one over 3 times **.
"""
import re
import statistics
import sys

ROW = re.compile(r"^ +(\d+\.\d{3}) +(\d+\.\d{3}) +(?:\d+\.\dx +)?-?\d+\.\d{3}  (.+)$")
OF_ENGINE = ("dominators: ", "holders: ", "what holds together: ", "both captures: ", "others", "all stages")


def stages_of(path):
    stages = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for row in map(ROW.match, file):
            if row:
                name = row[3] if row[3].startswith(OF_ENGINE) else row[3].split(": ", 1)[1]
                took, bound = stages.get(name, (0, 0))
                stages[name] = took + float(row[1]), bound + float(row[2])
    if "all stages" not in stages:
        sys.exit(f"{path}: no table of stages: was it run with --verbose, and did it end?")
    return stages


def main(paths):
    if not paths:
        sys.exit(__doc__)
    runs = [stages_of(path) for path in paths]
    names = {name for run in runs for name in run}
    medians = {name: [statistics.median(run.get(name, (0, 0))[i] for run in runs) for i in (0, 1)] for name in names}
    print("| stage | took, s | bound, s | ratio | lost, s |\n|---|--:|--:|--:|--:|")
    for name in sorted(names, key=lambda n: (n == "all stages", n == "others", medians[n][1] - medians[n][0])):
        took, bound = medians[name]
        ratio = took / bound if bound >= 0.0005 else 0
        mark = "" if name in ("all stages", "others") else " \\*\\*" if ratio > 3 else " \\*" if ratio > 2 else ""
        print(f"| {name}{mark} | {took:.2f} | {bound:.2f} | {f'{ratio:.1f}' if ratio else '-'} | {took - bound:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""The answer of the command held against known truth: hsdiff on synthetic pairs says what hsd_synth told, to the object and the byte,
in total, for every type and for every root.

usage: synth_diff.py HSD_SYNTH HSDIFF WORK-FOLDER
"""
import json
import os
import subprocess
import sys

CASES = [
    [],
    ["shape=list", "identity=exact", "seed=2", "order=shuffled"],
    ["shape=star", "skeleton=60", "seed=3", "targets=ordinals"],
    ["shape=layers", "growth=0", "resized=30", "seed=6", "identity=exact", "compression=0"],
]
SIDES = ("before", "after", "new", "freed")


def differences(truth, answer):
    """(what, side, told, said) for each number that differs."""
    pairs = [("total", truth["total"], answer["total"])]
    for table, name in (("types", "type"), ("roots", "root")):
        said = {row[name]: row for row in answer[table]}
        pairs += [(row[name], row, said.get(row[name], {})) for row in truth[table]]
    for what, told, said in pairs:
        for side in SIDES:
            if told[side] != said.get(side):
                yield what, side, told[side], said.get(side)
    for side, capture in zip(SIDES, answer["captures"]):
        if capture["unreached"] != truth["unreached"][side]:
            yield "unreached", side, truth["unreached"][side], capture["unreached"]


def main(synth, hsdiff, work):
    os.makedirs(work, exist_ok=True)
    failed = 0
    for case in CASES:
        subprocess.run([synth, "objects=20000", *case, work], check=True)
        with open(os.path.join(work, "truth.json"), encoding="utf-8") as file:
            truth = json.load(file)
        command = [hsdiff, os.path.join(work, "a.hs"), os.path.join(work, "b.hs"), "--format", "json"]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for difference in differences(truth, answer):
            failed += 1
            print(case, *difference)
    print(f"{len(CASES)} pairs, {failed} numbers differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

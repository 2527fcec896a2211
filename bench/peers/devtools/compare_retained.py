#!/usr/bin/env python3
"""Retained sizes of every node: hsdiff top --retained against DevTools (retained.mjs).

    compare_retained.py HSDIFF.csv DEVTOOLS.csv [--show N]

Parts (backing stores and the like) are folded into their owners by hsdiff, and their retained sizes stay inside those of the owners: such nodes
have no row of hsdiff's and are counted apart, like those of size 0, which hsdiff does not count as objects. Exit status 1 if
a node that both list differs.
"""
import argparse
import collections
import csv
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hsdiff")
    parser.add_argument("devtools")
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    ours = {}
    with open(options.hsdiff, newline="") as file:
        for row in csv.DictReader(file):
            ours[int(row["id"], 16)] = int(row["retained_bytes"])
    both = same = 0
    missing, wrong, examples = collections.Counter(), collections.Counter(), []
    with open(options.devtools, newline="", errors="replace") as file:
        for row in csv.DictReader(file):
            found = ours.pop(int(row["id"]), None)
            if found is None:
                missing[row["kind"] + (" of no bytes" if row["bytes"] == "0" else "")] += 1
                continue
            both += 1
            if found == int(row["retained_bytes"]):
                same += 1
            else:
                wrong[row["kind"]] += 1
                examples.append((int(row["id"]), row["kind"], row["name"][:40], found, int(row["retained_bytes"])))
    print(f"{both} nodes in both, {same} with equal retained sizes, {both - same} not; {len(ours)} only in hsdiff")
    for what, count in wrong.most_common(options.show):
        print(f"{count:8} differ: {what}")
    for what, count in missing.most_common(options.show):
        print(f"{count:8} only in DevTools: {what}")
    for example in sorted(examples, key=lambda e: -abs(e[3] - e[4]))[:options.show]:
        print("  @%d %s %s: hsdiff %d, DevTools %d" % example)
    return 1 if both == 0 or same != both else 0


if __name__ == "__main__":
    sys.exit(main())

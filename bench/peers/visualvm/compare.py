#!/usr/bin/env python3
"""Retained sizes of every object: hsdiff top --retained against VisualVM's heap library.

    compare.py HSDIFF.csv VISUALVM.csv [--show N]

Both shallow sizes and retained sizes are compared for all objects that both list. Where only shallow sizes differ (the library has a
formula of its own for them), the retained size is added up again over hsdiff's dominator tree with the library's shallow
sizes, so that what is left is a difference of the trees. Exit status 1 if any is left.
"""
import argparse
import collections
import csv
import sys


def read_peer(path):
    with open(path, newline="") as file:
        return {int(row["id"], 16): (row["class"], int(row["bytes"]), int(row["retained_bytes"])) for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hsdiff")
    parser.add_argument("visualvm")
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    peer = read_peer(options.visualvm)
    same_shallow = same_retained = same_tree = both = 0
    left = collections.Counter()
    examples = []
    sums = collections.defaultdict(int)  # retained by the peer's shallow sizes; rows come children first
    with open(options.hsdiff, newline="") as file:
        for row in csv.DictReader(file):
            object_id = int(row["id"], 16)
            known = peer.get(object_id)
            size = known[1] if known else int(row["bytes"])
            total = sums.pop(object_id, 0) + size
            if row["dominator"]:
                sums[int(row["dominator"], 16)] += total
            if known is None:
                left["only hsdiff: " + row["type"]] += 1
                continue
            both += 1
            same_shallow += known[1] == int(row["bytes"])
            same_retained += known[2] == int(row["retained_bytes"])
            if known[2] == total:
                same_tree += 1
            else:
                left["retained: " + row["type"]] += 1
                examples.append((row["id"], row["type"], int(row["retained_bytes"]), total, known[2]))
    print(f"{both} objects in both: {same_shallow} equal in shallow size, {same_retained} in retained size, "
          f"{same_tree} in retained size with the library's shallow sizes")
    for what, count in left.most_common(options.show):
        print(f"{count:8} {what}")
    for example in examples[:options.show]:
        print("  %s %s: hsdiff %d, with its shallow sizes %d, library %d" % example)
    return 1 if both == 0 or same_tree != both else 0


if __name__ == "__main__":
    sys.exit(main())

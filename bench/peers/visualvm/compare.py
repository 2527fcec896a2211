#!/usr/bin/env python3
"""Retained sizes of every object: hsdiff top --retained against VisualVM's heap library.

    compare.py HSDIFF.csv VISUALVM.csv [--show N]

All objects that both list are compared, as they are and once more over hsdiff's dominator tree with the library's shallow
sizes: it has a formula of its own for classes with fields that no dump lists, and does not list the mirrors of classes at all,
which hsdiff does. What is left then is a difference of the trees. Exit status 1 if any is left.
"""
import argparse
import collections
import csv
import sys


def read_peer(path):
    with open(path, newline="") as file:
        return {int(row["id"], 16): (row["class"], int(row["bytes"]), int(row["retained_bytes"])) for row in csv.DictReader(file)}


def add_up(rows, sizes):
    """Retained sizes over the dominators of `rows` with other shallow sizes; children before parents, without recursion."""
    children = collections.Counter(row[3] for row in rows.values() if row[3] is not None)
    sums = {object_id: sizes.get(object_id, 0) for object_id in rows}
    ready = [object_id for object_id in rows if children[object_id] == 0]
    while ready:
        object_id = ready.pop()
        parent = rows[object_id][3]
        if parent is None:
            continue
        sums[parent] += sums[object_id]
        children[parent] -= 1
        if children[parent] == 0:
            ready.append(parent)
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hsdiff")
    parser.add_argument("visualvm")
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    peer = read_peer(options.visualvm)
    rows = {}
    with open(options.hsdiff, newline="") as file:
        for row in csv.DictReader(file):
            rows[int(row["id"], 16)] = (row["type"], int(row["bytes"]), int(row["retained_bytes"]),
                                        int(row["dominator"], 16) if row["dominator"] else None)
    sums = add_up(rows, {object_id: known[1] for object_id, known in peer.items()})
    same_shallow = same_retained = same_tree = both = 0
    left = collections.Counter()
    examples = []
    for object_id, (name, size, retained, _) in rows.items():
        known = peer.get(object_id)
        if known is None:
            left["only hsdiff: " + name] += 1
            continue
        both += 1
        same_shallow += known[1] == size
        same_retained += known[2] == retained
        same_tree += known[2] == sums[object_id]
        if known[2] != sums[object_id]:
            left["retained: " + name] += 1
            examples.append((hex(object_id), name, retained, sums[object_id], known[2]))
    print(f"{both} objects in both: {same_shallow} equal in shallow size, {same_retained} in retained size, "
          f"{same_tree} in retained size with the library's shallow sizes")
    for what, count in left.most_common(options.show):
        print(f"{count:8} {what}")
    for example in examples[:options.show]:
        print("  %s %s: hsdiff %d, with its shallow sizes %d, library %d" % example)
    return 1 if both == 0 or same_tree != both else 0


if __name__ == "__main__":
    sys.exit(main())

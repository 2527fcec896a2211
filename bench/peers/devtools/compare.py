#!/usr/bin/env python3
"""Hold hsdiff's answer for two heap snapshots against DevTools' own.

    compare.py --judge JUDGE.json --json HSDIFF.json [--objects OBJECTS.csv]

JUDGE.json comes from judge.mjs, HSDIFF.json from `hsdiff A B --format json`,
OBJECTS.csv from its --objects. Checked, and every difference printed:
  1. objects and bytes of each constructor, before and after;
  2. new and freed objects of each constructor against added and removed;
  3. with --objects: the sets of new and freed ids, which must be exactly the
     added and removed ids (nodes whose size moved to an owner are in neither;
     they may be listed with 0 bytes).
DevTools calls a kept object added or removed when its class or its only owner
changed (RULES.md, 5). A row that differs from DevTools by exactly such objects
is counted as explained and shown by number; --strict counts it as a failure.
"""
import argparse
import csv
import json
import re
import sys

COUNTS = (("before", "Before"), ("after", "After"))
# hsdiff tells closures apart by where their function stands; DevTools has one class for all.
PLACED = re.compile(r"^Function .* \(.*:\d+\)$")


def add_amounts(to, row):
    """Sums objects and bytes of every amount of two rows."""
    for key, value in row.items():
        if isinstance(value, dict):
            add_amounts(to.setdefault(key, {}), value)
        elif key in ("objects", "bytes"):
            to[key] = to.get(key, 0) + value


def by_type(rows):
    found = {}
    placed = {}
    for row in rows:
        if PLACED.match(row["type"]):
            add_amounts(placed, row)
            continue
        if row["type"] in found:
            sys.exit(f"type {row['type']} stands in two rows")
        found[row["type"]] = row
    if placed:
        add_amounts(placed, found.get("Function", {}))
        found["Function"] = placed
    return found


def compare_totals(judged, rows):
    wrong = []
    for name in sorted(set(judged) | set(rows)):
        for side, suffix in COUNTS:
            want = (judged.get(name, {}).get("count" + suffix, 0), judged.get(name, {}).get("size" + suffix, 0))
            # DevTools counts every node with a size, hsdiff sets apart what no root reaches.
            have = (0, 0)
            if name in rows:
                live, unreached = rows[name][side], rows[name]["unreached"][side]
                have = (live["objects"] + unreached["objects"], live["bytes"] + unreached["bytes"])
            if want != have:
                wrong.append(f"{name}: {side}: DevTools has {want[0]} objects, {want[1]} bytes; hsdiff {have[0]}, {have[1]}")
    return wrong


def compare_changes(judged, rows, kept):
    """(rows that differ, rows that differ by kept objects alone)"""
    wrong, explained = [], []
    for name in sorted(set(judged) | set(rows)):
        for column, field in (("new", "added"), ("freed", "removed")):
            want = judged.get(name, {})
            cell = rows.get(name, {}).get(column) or {"objects": 0, "bytes": 0}
            counted = (want.get(field + "Count", 0), want.get(field + "Size", 0))
            if (cell["objects"], cell["bytes"]) == counted:
                continue
            moved = sum(1 for i in want.get(field + "Ids", []) if i in kept[field])
            text = (f"{name}: {column}: DevTools {field} {counted[0]} objects, {counted[1]} bytes; "
                    f"hsdiff {cell['objects']}, {cell['bytes']}; {moved} of DevTools' are kept objects")
            (explained if counted[0] - cell["objects"] == moved else wrong).append(text)
    return wrong, explained


def read_objects(path):
    """{change: {id: (type, bytes)}}"""
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["change"], {})[int(row["id"], 0)] = (row["type"], int(row["bytes"]))
    return found


def compare_ids(judge, objects):
    """hsdiff's list must be DevTools' set of added (removed) ids; more only if of size 0 and really in one file only."""
    wrong = []
    for change, field in (("new", "added"), ("freed", "removed")):
        only_one_side = set(judge["ids"][change])
        counted = {i for row in judge["plain"].values() for i in row[field + "Ids"]}
        have = objects.get(change, {})
        missing = counted - set(have)
        extra = {i for i, (_, size) in have.items() if i not in counted and (size != 0 or i not in only_one_side)}
        for text, ids in (("missing from", missing), ("only in", extra)):
            if ids:
                wrong.append(f"{change}: {len(ids)} ids {text} hsdiff's list, e.g. {sorted(ids)[:5]}")
        print(f"{change}: {len(counted)} ids {field} in DevTools ({len(counted - only_one_side)} of them kept), {len(have)} in hsdiff's list; "
              f"{len(only_one_side)} nodes stand in one file only")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judge", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--objects")
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    with open(args.judge) as file:
        judge = json.load(file)
    with open(args.json) as file:
        rows = by_type(json.load(file)["types"])
    judged = judge["plain"]
    wrong = compare_totals(judged, rows)
    kept = {"added": set(judge["ids"]["addedKept"]), "removed": set(judge["ids"]["removedKept"])}
    changed, explained = compare_changes(judged, rows, kept)
    wrong += changed + (explained if args.strict else [])
    if args.objects:
        wrong += compare_ids(judge, read_objects(args.objects))
    for text in wrong[:50]:
        print("DIFFERS:", text)
    for text in explained:
        print("explained:", text)
    print(f"{len(judged)} constructors in DevTools, {len(rows)} in hsdiff: {len(wrong)} differences, {len(explained)} explained")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

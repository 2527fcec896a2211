#!/usr/bin/env python3
"""Time hprof-slurp's diff against hsdiff on two HPROF dumps and compare class totals; called by run.sh.

Three things run in turn, RUNS times: `hprof-slurp diff`, `hsdiff --summary` and the whole `hsdiff`. Medians of wall
time, CPU and the largest peak RSS are printed. Then each class's growth in objects is compared: hprof-slurp joins by
class name, as hsdiff's types do. Sizes are not compared: hprof-slurp counts field widths without the JVM's header.
"""
import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from turns import measure, once  # noqa: E402


def type_name(name):
    return re.sub(r"[+/.]0x[0-9a-f]+$", "", name)


def growth(rows, name_key, value):
    found = {}
    for row in rows:
        name = type_name(row[name_key])
        found[name] = found.get(name, 0) + value(row)
    return {name: count for name, count in found.items() if count}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slurp", required=True)
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("before")
    parser.add_argument("after")
    args = parser.parse_args()
    slurp_json, summary_json = args.scratch / "slurp.json", args.scratch / "summary.json"
    slurp = [args.slurp, "diff", args.before, args.after]
    hsdiff = [args.hsdiff, args.before, args.after]
    summary = [*hsdiff, "--summary", "--format", "json", "-o", str(summary_json), "--force"]
    found = measure({"hprof-slurp diff": slurp, "hsdiff --summary": summary, "hsdiff": hsdiff}, args.runs)
    ours, theirs = found["hsdiff --summary"], found["hprof-slurp diff"]
    print(f"hsdiff --summary: {theirs[0] / ours[0]:.2f}x as fast, {ours[2] / theirs[2]:.3f} of the memory")

    once([*slurp, "--top", "1000000", "--json", "--output", str(slurp_json)])
    theirs = growth(json.loads(slurp_json.read_text())["diff"]["top_class_deltas"], "class_name", lambda row: row["delta_instances"])
    ours = growth(json.loads(summary_json.read_text())["types"], "type", lambda row: row["growth"]["objects"])
    # Class mirrors: records of classes in a dump, which hprof-slurp does not count as objects.
    for table in (theirs, ours):
        table.pop("java.lang.Class", None)
    wrong = sorted(name for name in set(theirs) | set(ours) if theirs.get(name) != ours.get(name))
    for name in wrong[:30]:
        print(f"DIFFERS: {name}: grew by {theirs.get(name, 0)} objects in hprof-slurp, {ours.get(name, 0)} in hsdiff")
    print(f"{len(theirs)} classes changed in hprof-slurp, {len(ours)} in hsdiff: {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Holds the truth that hsd_synth tells against its captures: reads both with the second reader, walks them from the roots in
plain sets, and compares every number of truth.json.

usage: synth_truth.py HSD_SYNTH SECOND-READER WORK-FOLDER
"""
import collections
import json
import os
import subprocess
import sys

CASES = [
    [],
    ["shape=list", "identity=exact", "seed=2"],
    ["shape=star", "skeleton=60", "seed=3", "targets=ordinals"],
    ["shape=comb", "order=shuffled", "seed=4"],
    ["shape=cycle", "roots=2", "types=1", "churn=50", "seed=5"],
    ["shape=layers", "growth=0", "resized=30", "seed=6"],
    ["churn=0", "growth=100", "unreached=40", "shared=40", "skew=0", "seed=7", "identity=exact"],
]


class Capture:
    def __init__(self, reader, path):
        self.types, self.names, self.objects, self.references, self.roots = {}, {}, [], [], []
        self.by_ordinal = False
        for line in subprocess.run([reader, path], check=True, capture_output=True, text=True).stdout.splitlines():
            self._take(line, line.split(" "))
        self.at = {facts[0]: ordinal for ordinal, facts in enumerate(self.objects)}

    def _take(self, line, words):
        fields = dict(word.split("=", 1) for word in words if "=" in word)
        if words[0] == "capture":
            self.by_ordinal = fields["targets"] == "ordinals"
        elif words[0] == "type":
            self.types[int(words[1])] = line.split('"')[1]
        elif words[0] == "string":
            self.names[int(words[1])] = line.split('"')[1]
        elif words[0] == "object":
            self.objects.append((words[2], int(fields["type"]), int(fields.get("size", 0))))
            self.references.append([])
        elif line.startswith(" ref"):
            self.references[-1].append(words[2])
        elif words[0] == "root":
            self.roots.append((self.names[int(fields["label"])], next(word for word in words[1:] if "=" not in word)))

    def ordinal(self, target):
        return int(target) if self.by_ordinal else self.at[target]

    def owners(self):
        """The root's name for each object that one root alone reaches, "(shared)" for others; unreached ones are missing."""
        starts = collections.defaultdict(set)
        for name, target in self.roots:
            starts[name].add(self.ordinal(target))
        owner = {}
        for name, todo in starts.items():
            seen, todo = set(todo), list(todo)
            while todo:
                ordinal = todo.pop()
                for target in self.references[ordinal]:
                    target = self.ordinal(target)
                    if target not in seen:
                        seen.add(target)
                        todo.append(target)
            for ordinal in seen:
                owner[ordinal] = "(shared)" if ordinal in owner else name
        return owner


def count(objects):
    objects = list(objects)
    return {"objects": len(objects), "bytes": sum(size for _, _, size in objects)}


def tallies(before, after, key):
    """before, after, new and freed for each value of `key`, a function of (capture, ordinal, owner)."""
    table = collections.defaultdict(lambda: {"before": [], "after": [], "new": [], "freed": []})
    ids = [{capture.objects[i][0] for i in owners} for capture, owners in (before, after)]
    for side, (capture, owners), other, gone in (("before", before, ids[1], "freed"), ("after", after, ids[0], "new")):
        for ordinal, owner in owners.items():
            row = table[key(capture, ordinal, owner)]
            row[side].append(capture.objects[ordinal])
            if capture.objects[ordinal][0] not in other:
                row[gone].append(capture.objects[ordinal])
    return {name: {side: count(objects) for side, objects in row.items()} for name, row in table.items()}


def expected(paths, reader):
    sides = [(capture, capture.owners()) for capture in (Capture(reader, path) for path in paths)]
    total = tallies(*sides, lambda *_: "all")["all"]
    sizes = {capture.objects[i][0]: capture.objects[i][2] for capture, owners in sides[:1] for i in owners}
    kept = [sides[1][0].objects[i] for i in sides[1][1] if sides[1][0].objects[i][0] in sizes]
    total["kept"] = count(kept)
    total["resized_bytes"] = sum(size - sizes[name] for name, _, size in kept)
    unreached = [count(o for i, o in enumerate(capture.objects) if i not in owners) for capture, owners in sides]
    return {
        "total": total,
        "unreached": {"before": unreached[0], "after": unreached[1]},
        "types": tallies(*sides, lambda capture, ordinal, _: capture.types[capture.objects[ordinal][1]]),
        "roots": tallies(*sides, lambda _, __, owner: owner),
    }


def main(synth, reader, work):
    os.makedirs(work, exist_ok=True)
    failed = 0
    for case in CASES:
        subprocess.run([synth, "objects=3000", "types=20", "roots=9", *case, work], check=True)
        with open(os.path.join(work, "truth.json"), encoding="utf-8") as file:
            truth = json.load(file)
        found = expected([os.path.join(work, name) for name in ("a.hs", "b.hs")], reader)
        told = {"total": truth["total"], "unreached": truth["unreached"]}
        for table, name in (("types", "type"), ("roots", "root")):
            told[table] = {row.pop(name): row for row in truth[table]}
        for part in found:
            if found[part] != told[part]:
                failed += 1
                print(f"{case}: {part}\n  told  {told[part]}\n  found {found[part]}")
        grown = max(told["types"], key=lambda t: told["types"][t]["after"]["bytes"] - told["types"][t]["before"]["bytes"])
        if "growth=0" not in case and grown != truth["leak"]["type"]:
            failed += 1
            print(f"{case}: {grown} grows most, not the leak")
    print(f"{len(CASES)} pairs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

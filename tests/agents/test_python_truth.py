#!/usr/bin/env python3
"""Random graphs of objects, objects, types, sizes and references of a capture against what gc and sys say inside: 12 of the first CPython of this machine, and three of each
other one; 30 of each with HSD_LONG."""
import collections
import gc
import json
import re
import subprocess

import kit
import pythons
from kit import check, say

gc.disable()  # heaps are read into lists and dictionaries that stay, and have no cycles
GRAPHS, FEW = (30, 30) if kit.LONG else (12, 3)
WEAK = 1


def fields(text):
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def read(tool, path):
    """{address: (type, size, [references that hold], [weak ones])} of a capture."""
    types, weak, objects, ways, last = {}, set(), {}, {}, None
    for line in tool.run("dump", path).stdout.splitlines():
        if line.startswith("type "):
            types[line.split()[1]] = re.search(r'name="(.*)"', line)[1]
        elif line.startswith("label ") and int(fields(line).get("flags", "0"), 16) & 3 == WEAK:
            weak.add(line.split()[1])
        elif line.startswith("object "):
            row = fields(line)
            last = objects[int(row["id"], 16)] = (row.get("type"), int(row.get("size", 0)), [], [])
        elif line.startswith("  -> "):
            target, _, way = line.partition("target=")[2].partition(" ")
            if way not in ways:  # a label is defined before the first reference that has it
                ways[way] = 3 if fields(way).get("label") in weak else 2
            last[ways[way]].append(int(target, 16))
    return {key: (types.get(one[0], ""), *one[1:]) for key, one in objects.items()}


def compare(captured, truth):
    """What differs, a line each."""
    differences = []
    for key, want in truth["objects"].items():
        got = captured.get(int(key))
        if got is None:
            differences.append(f"{want['type']} is missing")
            continue
        if got[0] != want["type"] and not (got[0] == "dict of an instance" and want["type"] == "dict"):
            differences.append(f"type {got[0]}, not {want['type']}")
        if got[1] != want["size"]:
            differences.append(f"{want['type']}: {got[1]} bytes, not {want['size']}")
        expected = want["references"] + want["more"]
        if sorted(got[2]) != sorted(expected):
            found, expected = collections.Counter(got[2]), collections.Counter(expected)
            extra, lost = found - expected, expected - found
            of = lambda some: sorted(captured.get(t, ("?",))[0] for t in some)
            differences.append(f"{want['type']}: references {of(extra)} too many, {of(lost)} missing")
        if want["weak"] is not None and want["weak"] not in got[3]:
            differences.append(f"{want['type']}: no weak reference")
    return differences


def truth_of(version, path, graphs):
    def case(tool, folder):
        count = 0
        for seed in range(graphs):
            capture, truth = folder / f"{seed}.hs", folder / f"{seed}.json"
            done = subprocess.run([path, "-S", str(kit.HERE / "programs" / "python" / "truth.py"), pythons.agent(tool), str(seed), str(capture), str(truth)],
                                  capture_output=True, text=True, timeout=120)
            check(done.returncode == 0, f"graph {seed}: exit {done.returncode}\n{done.stderr}")
            tool.run("verify", capture)
            told = json.loads(truth.read_text())
            differences = compare(read(tool, capture), told)
            check(not differences, f"graph {seed} of CPython {version}: {len(differences)} differ\n" + "\n".join(
                f"{n} x {d}" for d, n in collections.Counter(differences).most_common(12)))
            count += len(told["objects"])
        say(f"  CPython {version}: {graphs} graphs, {count:,} objects, 0 differ")
    return case


if __name__ == "__main__":
    known = pythons.found()
    kit.main({f"truth_{version}": truth_of(version, path, GRAPHS if i == 0 else FEW) for i, (version, path) in enumerate(known.items())})

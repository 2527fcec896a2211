#!/usr/bin/env python3
"""Why retained sizes of hsdiff and of VisualVM's heap library differ, object by object.

    hsdiff dump CAPTURE | explain.py HSDIFF.csv VISUALVM.csv [--objects OUT.csv]

Reads every object and reference of the dump (as text, from standard input), computes dominators and retained sizes of its own
(semi-NCA, in memory: about 0.5 GB and 1-2 minutes for a million objects), and changes the graph in steps, from how hsdiff sees it
to how the library does. Each object that differs is counted at the step after which it is equal for good, and listed with it
in OUT.csv. The steps:

  shallow    sizes as the library has them; it gives the mirrors of classes none
  class      of a class record only statics and the loader are followed, not superclass, signers and protection domain
  soft       referents of soft references are not followed either, so what nothing else holds is held by nothing
  instance   only the first instance that a breadth-first walk meets refers to its class; arrays never do
  referents  they were passed over to find what is reached; but when dominators meet, every reference from what is reached counts,
             also that of a soft, weak, phantom or final reference to its referent
  garbage    so do references from what is not reached; it stands for a root

The first step of all holds this program itself against hsdiff. Exit status 1 if a difference is left after the last step.
"""
import argparse
import array
import collections
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from dominators import dominators, print_causes, retained  # noqa: E402

STRONG, SOFT, WEAK, CLASS, RECORD = range(5)
RECORD_NAMES = {"super", "signers", "protection domain"}
ROOT_ORDER = ("handle", "stack", "class", "monitor", "thread")  # the library takes them in order of their tags


class Dump:
    """The records of `hsdiff dump`: nodes 1.. are the objects in the order of the stream, 0 stands above the roots."""

    def __init__(self, lines):
        self.ids, self.types, self.first = array.array("Q", [0]), array.array("I", [0]), array.array("I", [0])
        self.sizes = array.array("Q", [0])
        self.targets, self.kinds, self.roots, self.type_names = array.array("Q"), bytearray(), [], {}
        strings, kind_of_label = {}, {}
        for line in lines:
            if line.startswith("  ->"):
                part = line.split(None, 3)
                self.targets.append(int(part[1][7:], 16))
                self.kinds.append(kind_of_label[part[2][6:]])
            elif line.startswith("object "):
                part = line.split(None, 6)
                self.first.append(len(self.targets))
                self.ids.append(int(part[2][3:], 16))
                self.types.append(int(part[3][5:]))
                self.sizes.append(int(part[4][5:]))
            elif line.startswith("string "):
                part = line.split(None, 2)
                strings[part[1]] = part[2].rstrip("\n")[6:-1]
            elif line.startswith("label "):
                part = line.split()
                fields = dict(p.split("=") for p in part[2:])
                strength = int(fields.get("flags", "0"), 16) & 3
                name = strings.get(fields.get("name"), "")
                kind_of_label[part[1]] = (CLASS if fields["kind"] == "class" else
                                          RECORD if fields["kind"] == "internal" and name in RECORD_NAMES else
                                          (STRONG, WEAK, SOFT, SOFT)[strength])
            elif line.startswith("type "):
                part = line.split(None, 2)
                self.type_names[int(part[1])] = part[2][part[2].index("name=") + 6:-2]
            elif line.startswith("root "):
                part = line.split()
                target = next(word for word in part if word.startswith("target="))
                self.roots.append((part[1], int(target[7:], 16)))
        self.first.append(len(self.targets))
        self.count = len(self.ids)
        node = {object_id: number for number, object_id in enumerate(self.ids) if number}
        self.targets = array.array("I", (node.get(target, 0) for target in self.targets))
        order = {kind: place for place, kind in enumerate(ROOT_ORDER)}
        self.roots.sort(key=lambda root: order.get(root[0], len(order)))
        self.roots = [node[target] for _, target in self.roots if target in node]

    def references(self, node):
        """(target, kind) in the order of the record; references to what is not in the dump are left out."""
        for e in range(self.first[node], self.first[node + 1]):
            if self.targets[e]:
                yield self.targets[e], self.kinds[e]


class Library:
    """The graph as the library sees it, after its own walk."""

    def __init__(self, dump):
        self.dump = dump
        seen, done = bytearray(dump.count), set()
        self.owns_class = {}
        queue = collections.deque(dict.fromkeys(dump.roots))
        for root in queue:
            seen[root] = 1
        while queue:
            node = queue.popleft()
            class_of = 0
            for target, kind in dump.references(node):
                if kind == CLASS:
                    class_of = target
                elif kind == STRONG and not seen[target]:
                    seen[target] = 1
                    queue.append(target)
            if class_of and class_of not in done and not dump.type_names[dump.types[node]].endswith("[]"):
                done.add(class_of)
                if not seen[class_of]:
                    seen[class_of] = 1
                    queue.append(class_of)
                    self.owns_class[node] = class_of
        self.seen = seen
        self.garbage_targets = {target for node in range(1, dump.count) if not seen[node]
                                for target, kind in dump.references(node)
                                if seen[target] and kind in (STRONG, SOFT, WEAK)}

    def successors(self, kinds):
        def of(node):
            for target, kind in self.dump.references(node):
                if kind in kinds and self.seen[target]:
                    yield target
            if node in self.owns_class:
                yield self.owns_class[node]
        return of


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hsdiff")
    parser.add_argument("visualvm")
    parser.add_argument("--objects", metavar="OUT.csv")
    options = parser.parse_args()
    dump = Dump(sys.stdin)
    node = {object_id: number for number, object_id in enumerate(dump.ids) if number}
    with open(options.visualvm, newline="") as file:
        peer = {node[int(row["id"], 16)]: (int(row["bytes"]), int(row["retained_bytes"])) for row in csv.DictReader(file)}
    with open(options.hsdiff, newline="") as file:
        ours = {node[int(row["id"], 16)]: int(row["retained_bytes"]) for row in csv.DictReader(file)}
    both = [n for n in ours if n in peer]

    def by_kind(*kinds):
        return lambda n: [target for target, kind in dump.references(n) if kind in kinds]

    sizes = array.array("Q", (peer[n][0] if n in peer else 0 for n in range(dump.count)))
    steps = []

    def step(name, tree, with_sizes):
        sums = retained(dump.count, tree, with_sizes)
        wrong = {n for n in both if sums[n] != peer[n][1]}
        steps.append((name, wrong))
        print(f"{name:9} {len(wrong):8} of {len(both)} differ", flush=True)
        return sums

    tree = dominators(dump.count, dump.roots, by_kind(STRONG, SOFT, CLASS, RECORD))
    sums = step("hsdiff", tree, dump.sizes)
    bad = sum(sums[n] != ours[n] for n in ours)
    print(f"{bad} of {len(ours)} retained sizes are others here than hsdiff's")
    step("shallow", tree, sizes)
    step("class", dominators(dump.count, dump.roots, by_kind(STRONG, SOFT, CLASS)), sizes)
    step("soft", dominators(dump.count, dump.roots, by_kind(STRONG, CLASS)), sizes)
    library = Library(dump)
    step("instance", dominators(dump.count, dump.roots, library.successors((STRONG,))), sizes)
    all_of_them = library.successors((STRONG, SOFT, WEAK))
    step("referents", dominators(dump.count, dump.roots, all_of_them), sizes)
    roots = dump.roots + sorted(library.garbage_targets - set(dump.roots))
    step("garbage", dominators(dump.count, roots, all_of_them), sizes)
    found = print_causes(steps, len(both))
    if options.objects:
        with open(options.objects, "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(("id", "type", "hsdiff", "visualvm", "cause"))
            out.writerows((hex(dump.ids[n]), dump.type_names[dump.types[n]], ours[n], peer[n][1], found[n]) for n in sorted(found))
    return 1 if bad or steps[-1][1] else 0


if __name__ == "__main__":
    sys.exit(main())

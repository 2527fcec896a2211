#!/usr/bin/env python3
"""Why retained sizes of hsdiff and of DevTools differ, node by node.

    hsdiff dump SNAPSHOT | explain.py SNAPSHOT HSDIFF.csv DEVTOOLS.csv [--show N]

Computes retained sizes from the snapshot by DevTools' rules, which must give DevTools' figures, and then changes one rule after the
other into hsdiff's, which must end at hsdiff's. Each node that differs is counted at the step after which it is equal for good. The steps:

  globals    page roots are the global objects that hsdiff names (from standard input); DevTools takes the shortcuts of node 0 alone,
             and today's pages have none
  node 0     what page roots hold is held by them alone, even where node 0 itself refers to it
  tables     the table of a WeakMap does not lead the page to a value whose key no page root reaches; where the value is V8's own
             (hidden, array), whose bytes DevTools too gives to the table, the table holds it
  weak       what only weak references lead to holds nothing; DevTools hangs it, like what nothing refers to, under node 0

Exit status 1 if the first or the last step leaves a difference. About 1 GB and a minute for a million nodes.
"""
import argparse
import csv
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from dominators import dominators, print_causes, retained  # noqa: E402

PAIR = re.compile(r"(part of key .*|)-> value .* pair in WeakMap \(table @(?P<table>\d+)\)$")


class Snapshot:
    """Nodes 1.. in the order of the file (node 1 is V8's node 0), and for each its (target, kind, is_table) triples."""

    def __init__(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            raw = json.load(file)
        meta = raw["snapshot"]["meta"]
        fields, steps = meta["node_fields"], meta["edge_fields"]
        column = lambda name: raw["nodes"][fields.index(name)::len(fields)]
        edge = lambda name: raw["edges"][steps.index(name)::len(steps)]
        kinds = meta["edge_types"][steps.index("type")]
        node_kinds = meta["node_types"][fields.index("type")]
        self.ids, self.sizes = [0] + column("id"), [0] + column("self_size")
        self.count = len(self.ids)
        types, names = column("type"), column("name")
        kind, name, target = edge("type"), edge("name_or_index"), edge("to_node")
        tables = {i: int(m["table"]) for i, text in enumerate(raw["strings"]) for m in [PAIR.search(text)] if m}
        self.is_movable = bytes([0]) + bytes(node_kinds[t] in ("hidden", "array") for t in types)
        self.edges, at = [[]], 0
        for node, many in enumerate(column("edge_count"), 1):
            self.edges.append([(target[e] // len(fields) + 1, kinds[kind[e]],
                                kinds[kind[e]] == "internal" and tables.get(name[e]) == self.ids[node])
                               for e in range(at, at + many)])
            at += many
        self.trees = {n + 1 for n in range(self.count - 1)
                      if node_kinds[types[n]] == "synthetic" and raw["strings"][names[n]] == "(Document DOM trees)"}

    def page_roots(self):
        return {t for t, kind, _ in self.edges[1] if kind == "shortcut" or (kind == "element" and t in self.trees)}

    def tables_hold_movable(self):
        for node, edges in enumerate(self.edges):
            self.edges[node] = [(t, kind, is_table and not self.is_movable[t]) for t, kind, is_table in edges]

    def owned_by_page(self, roots, over_tables):
        """What the page reaches; all edges but weak ones count, those of tables if the caller wants it."""
        seen, stack = set(roots), list(roots)
        while stack:
            for target, kind, is_table in self.edges[stack.pop()]:
                if target not in seen and kind != "weak" and (over_tables or not (is_table or kind == "shortcut")):
                    seen.add(target)
                    stack.append(target)
        return seen

    def unreferred(self):
        referred = {1}.union(*({target for target, _, _ in edges} for edges in self.edges))
        return [node for node in range(1, self.count) if node not in referred]

    def successors(self, page, node_0_counts, page_roots):
        def of(node):
            for target, kind, is_table in self.edges[node]:
                if kind == "weak" or is_table or target == node:
                    continue
                if node == 1:
                    if node_0_counts or target not in page or target in page_roots:
                        yield target
                elif kind != "shortcut" and (node in page or target not in page):
                    yield target
        return of


def with_orphans(snapshot, successors):
    """Roots as DevTools has them: node 0, what only weak edges lead to, and in the end whatever is left, one by one."""
    referred, roots, seen = set(), [1], {1}

    def walk(root):
        stack = [root]
        while stack:
            for target in successors(stack.pop()):
                if target not in seen:
                    seen.add(target)
                    stack.append(target)

    for node in range(1, snapshot.count):
        referred.update(successors(node))
    walk(1)
    for only_weak in (True, False):
        for node in range(1, snapshot.count):
            if node not in seen and not (only_weak and node in referred):
                roots.append(node)
                seen.add(node)
                walk(node)
    return roots


def named_globals(lines, node):
    """The targets of hsdiff's primary roots; a capture has its own order of objects."""
    ids, found = [], set()
    for line in lines:
        if line.startswith("object #"):
            ids.append(int(line.split(None, 3)[2][3:], 16))
        elif line.startswith("root global "):
            found.add(node[ids[int(line.split()[2].removeprefix("target=#"))]])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snapshot")
    parser.add_argument("hsdiff")
    parser.add_argument("devtools")
    parser.add_argument("--show", type=int, default=10)
    options = parser.parse_args()
    snapshot = Snapshot(options.snapshot)
    node = {number: n for n, number in enumerate(snapshot.ids) if n}
    with open(options.hsdiff, newline="") as file:
        ours = {node[int(row["id"], 16)]: int(row["retained_bytes"]) for row in csv.DictReader(file)}
    with open(options.devtools, newline="", errors="replace") as file:
        peer = {node[int(row["id"])]: int(row["retained_bytes"]) for row in csv.DictReader(file)}
    named = named_globals(sys.stdin, node)
    own_roots, steps = snapshot.page_roots(), []

    def step(name, roots, node_0_counts, over_tables, weak_hang):
        page = snapshot.owned_by_page(roots, over_tables)
        successors = snapshot.successors(page, node_0_counts, roots)
        starts = with_orphans(snapshot, successors) if weak_hang else [1] + snapshot.unreferred()
        starts += sorted(roots - own_roots - set(starts))
        sums = retained(snapshot.count, dominators(snapshot.count, starts, successors), snapshot.sizes)
        wrong = {n for n in ours if sums[n] != ours[n]}
        steps.append((name, wrong))
        print(f"{name:9} {len(wrong):8} of {len(ours)} differ from hsdiff, {sum(sums[n] != peer[n] for n in ours):8} from DevTools")
        return sums, wrong

    first, _ = step("devtools", own_roots, True, True, True)
    model_fails = [n for n in ours if first[n] != peer[n]]
    roots = own_roots | named if not any(k == "shortcut" for _, k, _ in snapshot.edges[1]) else own_roots
    step("globals", roots, True, True, True)
    step("node 0", roots, False, True, True)
    snapshot.tables_hold_movable()
    step("tables", roots, False, False, True)
    last, wrong = step("weak", roots, False, False, False)
    print_causes(steps, len(ours))
    for n in sorted(wrong)[:options.show]:
        print("  @%d: hsdiff %d, here %d, DevTools %d" % (snapshot.ids[n], ours[n], last[n], peer[n]))
    return 1 if model_fails or wrong else 0


if __name__ == "__main__":
    sys.exit(main())

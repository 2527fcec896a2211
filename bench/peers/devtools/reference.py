#!/usr/bin/env python3
"""The class table of the DevTools Comparison view, computed a second way.

    reference.py SNAPSHOT [SNAPSHOT_AFTER] [--against JUDGE.json]

Written from the rules in RULES.md alone, to show that the rules are complete:
with --against, every class's count and size, and the added and removed ids,
are held against what judge.mjs wrote, and each difference is printed. Only the
"plain" table is computed (constructor names as V8 wrote them). Needs about
400 bytes of memory for each node; meant for snapshots up to a few million.
"""
import argparse
import collections
import json
import sys

FIXED_CLASS = {"hidden": "(system)", "code": "(compiled code)", "closure": "Function", "regexp": "RegExp"}
NO_OWNER, SEVERAL = -1, -2


class Snapshot:
    """One .heapsnapshot as columns: kind, name, id, size, edges, location."""

    def __init__(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            raw = json.load(file)
        meta = raw["snapshot"]["meta"]
        fields, width = meta["node_fields"], len(meta["node_fields"])
        column = lambda name: raw["nodes"][fields.index(name)::width]
        kinds = meta["node_types"][fields.index("type")]
        self.strings = raw["strings"]
        self.kind = [kinds[k] for k in column("type")]
        self.name = column("name")
        self.id = column("id")
        self.size = column("self_size")
        self.edge_count = column("edge_count")
        self.detached = column("detachedness") if "detachedness" in fields else None
        self._read_edges(raw, meta, width)
        self._read_locations(raw, meta, width)

    def _read_edges(self, raw, meta, width):
        fields, step = meta["edge_fields"], len(meta["edge_fields"])
        kinds = meta["edge_types"][fields.index("type")]
        self.edge_kind = raw["edges"][fields.index("type")::step]
        self.target = [t // width for t in raw["edges"][fields.index("to_node")::step]]
        self.weak = kinds.index("weak")
        self.quiet = {kinds.index("weak"), kinds.index("hidden")}
        self.first = [0]
        for count in self.edge_count:
            self.first.append(self.first[-1] + count)

    def _read_locations(self, raw, meta, width):
        self.location = {}
        fields = meta.get("location_fields") or []
        if not fields:
            return
        step, flat = len(fields), raw["locations"]
        where = [fields.index(name) for name in ("object_index", "script_id", "line", "column")]
        for base in range(0, len(flat), step):
            node, script, line, col = (flat[base + w] for w in where)
            self.location[node // width] = (script, line, col)

    def edges(self, node):
        return range(self.first[node], self.first[node + 1])


def propagate_detachedness(snap):
    """Native nodes that end up detached get "Detached " before their name."""
    names = [snap.strings[n] for n in snap.name]
    if snap.detached is None:
        return names
    state, seen, queues = list(snap.detached), set(), {1: [], 2: []}

    def visit(node, new):
        if node in seen:
            return
        seen.add(node)
        if snap.kind[node] != "native":
            return
        state[node] = new
        if new == 2:
            names[node] = "Detached " + names[node]
        if new in queues:
            queues[new].append(node)

    for node, value in enumerate(snap.detached):
        if value:
            visit(node, value)
    for value in (1, 2):
        while queues[value]:
            node = queues[value].pop()
            if state[node] == value:
                for e in snap.edges(node):
                    if snap.edge_kind[e] not in snap.quiet:
                        visit(snap.target[e], value)
    return names


def move_sizes(snap, names):
    """Give the size of what exactly one node owns to that node."""
    if all(snap.kind[snap.target[e]] == "synthetic" and names[snap.target[e]] != "(Document DOM trees)"
           for e in snap.edges(0)):
        return list(snap.size)
    movable = [k in ("hidden", "array") or (k == "native" and names[i] == "system / ExternalStringData")
               for i, k in enumerate(snap.kind)]
    owner = [NO_OWNER if m else i for i, m in enumerate(movable)]
    todo = collections.deque(i for i, m in enumerate(movable) if not m)
    while todo:
        source = todo.popleft()
        mine = owner[source]
        for e in snap.edges(source):
            target = snap.target[e]
            if snap.edge_kind[e] == snap.weak or not movable[target]:
                continue
            merged = mine if owner[target] in (NO_OWNER, mine) else SEVERAL
            if merged != owner[target]:
                owner[target] = merged
                todo.append(target)
    size = list(snap.size)
    for node, holder in enumerate(owner):
        if movable[node] and holder >= 0 and holder != 0 and snap.kind[holder] != "synthetic":
            size[holder] += size[node]
            size[node] = 0
    return size


def class_name(kind, name):
    if kind in ("object", "native"):
        for prefix, skip in (("<", 0), ("Detached <", 10)):
            if name.startswith(prefix):
                space = name.find(" ", skip)
                return name if space < 0 else name[:space] + ">"
        return name
    return FIXED_CLASS.get(kind, "(" + kind + ")")


def aggregates(path):
    """{class key: {id: size}} over the nodes that still have a size."""
    snap = Snapshot(path)
    names = propagate_detachedness(snap)
    size = move_sizes(snap, names)
    table = collections.defaultdict(list)
    for node, bytes_ in enumerate(size):
        if bytes_ == 0:
            continue
        kind = snap.kind[node]
        where = snap.location.get(node) if kind == "object" else None
        table[where, class_name(kind, names[node])].append((snap.id[node], bytes_))
    return table, len(snap.kind)


def compare(before, after):
    """The rows of judge.mjs's "plain" table."""
    rows = collections.defaultdict(lambda: collections.Counter(
        countBefore=0, sizeBefore=0, countAfter=0, sizeAfter=0, addedCount=0, removedCount=0,
        addedSize=0, removedSize=0))
    ids = collections.defaultdict(lambda: ([], []))
    for key in set(before) | set(after):
        row, (added, removed) = rows[key[1]], ids[key[1]]
        old, new = dict(before.get(key, ())), dict(after.get(key, ()))
        row["countBefore"] += len(before.get(key, ()))
        row["countAfter"] += len(after.get(key, ()))
        row["sizeBefore"] += sum(b for _, b in before.get(key, ()))
        row["sizeAfter"] += sum(b for _, b in after.get(key, ()))
        for one, other, out, side in ((new, old, added, "added"), (old, new, removed, "removed")):
            gone = [i for i in one if i not in other]
            out.extend(gone)
            row[side + "Count"] += len(gone)
            row[side + "Size"] += sum(one[i] for i in gone)
    return rows, ids


def hold_against(rows, ids, judged):
    wrong = 0
    for name in sorted(set(rows) | set(judged)):
        want, have = judged.get(name, {}), rows.get(name, {})
        for field in ("countBefore", "sizeBefore", "countAfter", "sizeAfter",
                      "addedCount", "removedCount", "addedSize", "removedSize"):
            if want.get(field) != have.get(field):
                wrong += 1
                print(f"{name}: {field} is {want.get(field)} in DevTools, {have.get(field)} here")
        for field, mine in zip(("addedIds", "removedIds"), ids[name]):
            if want.get(field) != sorted(mine):
                wrong += 1
                print(f"{name}: {field} differ")
    print(f"{len(rows)} classes, {wrong} differences")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after", nargs="?")
    parser.add_argument("--against", metavar="JUDGE.json")
    args = parser.parse_args()
    before, nodes = aggregates(args.before)
    after, _ = aggregates(args.after) if args.after else (before, nodes)
    rows, ids = compare(before, after)
    if not args.against:
        json.dump(rows, sys.stdout, indent=1, sort_keys=True)
        return 0
    with open(args.against) as file:
        return 1 if hold_against(rows, ids, json.load(file)["plain"]) else 0


if __name__ == "__main__":
    sys.exit(main())

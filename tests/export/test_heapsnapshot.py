#!/usr/bin/env python3
"""Heap snapshots written from real heaps: they come back as they were, and Chromium's own DevTools opens them and says of them what
hsdiff says."""
import csv
import functools
import pathlib
import shutil
import tempfile

import devtools
import kit
from kit import check, row, same
from snapshot import Snapshot

NODE = """
class Leaf { constructor(i) { this.id = i; this.box = {value: i}; this.text = 'leaf number ' + i; } }
global.leaves = []; global.byName = new Map(); const weak = new WeakMap();
function step(n) {
  for (let i = 0; i < 500; i++) { const leaf = new Leaf(i); leaves.push(leaf); byName.set('k' + n + i, leaf); weak.set(leaf, {seen: [n]}); }
}
"""

JAVA = """
import java.util.*;
public class Planted {
    static class Leaf { int id; long[] data = new long[4]; Leaf(int i) { id = i; } }
    static final Map<Integer, Leaf> cache = new HashMap<>();
    static void step(int n) { for (int i = 0; i < 700; i++) cache.put(n * 1000 + i, new Leaf(i)); }
}
"""

# Two tables, a metatable, a function with its prototype, a thread: what Luau's own converter to heap snapshots knows.
LUAU = """{"objects":{
"0x1000":{"type":"thread","cat":0,"size":1000,"env":"0x2000","stack":["0x4000"],"stacknames":["self"]},
"0x2000":{"type":"table","cat":0,"size":128,"pairs":["0x3000","0x4000","0x3040","0x5000"]},
"0x3000":{"type":"string","cat":0,"size":32,"data":"sessions"},
"0x3040":{"type":"string","cat":0,"size":32,"data":"open"},
"0x3080":{"type":"string","cat":0,"size":32,"data":"first"},
"0x4000":{"type":"table","cat":0,"size":64,"pairs":["0x3000","0x4100"],"array":["0x3080"],"metatable":"0x4200"},
"0x4100":{"type":"table","cat":0,"size":64},
"0x4200":{"type":"table","cat":0,"size":64},
"0x5000":{"type":"function","cat":0,"size":48,"name":"open","env":"0x2000","proto":"0x6000","upvalues":["0x7000"]},
"0x6000":{"type":"proto","cat":0,"size":200,"source":"@app.luau","line":7,"constants":["0x3000"],"protos":[]},
"0x7000":{"type":"upvalue","cat":0,"size":40,"open":false,"object":"0x8000"},
"0x8000":{"type":"userdata","cat":0,"size":80,"tag":0},
"0":{"type":"userdata","cat":0,"size":0}
},"roots":{
"mainthread":"0x1000","registry":"0x2000"},"stats":{
"size":1784,
"categories":{
"0":{"name":"main", "size":1784},
"none":{}
}
}}
"""


DUMPED = tempfile.TemporaryDirectory(prefix="hsdiff-dumps-")


@functools.cache
def node_dumps():
    return kit.node_dump(pathlib.Path(DUMPED.name), NODE, name="node", dumps=2)


@functools.cache
def java_dump():
    return kit.java_dump(pathlib.Path(DUMPED.name), JAVA, "Planted")[0]


def round_trip(tool, folder, dump, name):
    """dump -> capture -> snapshot -> capture: (capture, snapshot, capture)."""
    first, snapshot, second = folder / f"{name}.hs", folder / f"{name}.out.heapsnapshot", folder / f"{name}.again.hs"
    tool.import_(dump, first)
    tool.export(first, "heapsnapshot", snapshot)
    tool.import_(snapshot, second)
    tool.run("verify", second)
    return first, snapshot, second


def amounts(rows, key):
    """Name -> live objects and bytes."""
    return {r[key]: (r["live"]["objects"], r["live"]["bytes"]) for r in rows}


def check_same(tool, first, second):
    """Nothing grew by type or by root, and no object is new."""
    diff = tool.diff(first, second)
    for table, key in (("types", "type"), ("roots", "root")):
        grown = [(r[key], r["growth"]) for r in diff[table] if r["growth"]["objects"] or r["growth"]["bytes"]]
        same(f"growth by {key}", grown, [])
    for what in ("new", "freed", "growth"):
        same(what, diff["total"][what], {"objects": 0, "bytes": 0})


def node(tool, folder):
    """Snapshots of node come back without growth, and the growth between two of them is the same as before."""
    trips = [round_trip(tool, folder, dump, f"node{i}") for i, dump in enumerate(node_dumps())]
    for first, snapshot, second in trips:
        check_same(tool, first, second)
        same("bytes", Snapshot(snapshot).size(), tool.top(first)["captures"][0]["bytes"])
    before, after = (tool.diff(trips[0][side], trips[1][side]) for side in (0, 2))
    same("growth", after["total"], before["total"])
    same("growth of leaves", row(after["types"], "type", "Leaf"), row(before["types"], "type", "Leaf"))
    same("leaves", row(after["types"], "type", "Leaf")["new"]["objects"], 500)


def java(tool, folder):
    """A JVM's heap keeps its types, its live objects and the names of its roots."""
    first, snapshot, second = round_trip(tool, folder, java_dump(), "java")
    before, after = tool.top(first), tool.top(second)
    same("live", {k: after["captures"][0][k] for k in ("objects", "bytes")}, {k: before["captures"][0][k] for k in ("objects", "bytes")})
    same("types", amounts(after["types"], "type"), amounts(before["types"], "type"))
    written = Snapshot(snapshot)
    leaves = [n for n in written.named("Planted$Leaf") if n.type == "object"]
    same("leaves", len(leaves), 700)
    # Classes of lasting loaders are roots by themselves: their instances do not refer to them.
    same("the fields of a leaf", {tuple(edge[:2] for edge in leaf.edges) for leaf in leaves}, {(("property", "data"),)})
    mirror = [n for n in written.nodes if n.name == "java.lang.Class" and ("internal", "name", "Planted") in [(*e[:2], e[2].name) for e in n.edges]]
    same("classes that are called Planted", len(mirror), 1)
    check(("property", "cache", "java.util.HashMap") in [(*e[:2], e[2].name) for e in mirror[0].edges], "the static field")


def luau(tool, folder):
    """All that Luau's heapsnapshot.py tells: types of nodes, keys as names, indexes, what is internal."""
    dump, capture, out = folder / "heap.json", folder / "luau.hs", folder / "luau.heapsnapshot"
    dump.write_text(LUAU, encoding="utf-8")
    tool.import_(dump, capture, "--with-values")
    tool.export(capture, "heapsnapshot", out, "--with-values")
    written = Snapshot(out)
    edges = {(source.type, source.name, kind, name, target.type, target.name)
             for source in written.nodes for kind, name, target in source.edges}

    def has(*edge):
        check(edge in edges, f"no edge {edge} in {sorted(map(str, edges))}")

    function = next(n for n in written.nodes if n.type == "closure").name
    check("open" in function, function)
    has("object", "table", "property", "sessions", "object", "table")
    has("object", "table", "internal", "key", "string", "sessions")
    has("object", "table", "property", "open", "closure", function)
    check(any(e[:3] == ("object", "table", "element") and e[4:] == ("string", "first") for e in edges), "no element")
    has("object", "table", "internal", "metatable", "object", "table")
    for kind, targets in (("closure", {"code", "native", "object"}), ("code", {"string"})):
        same(f"what {kind} leads to", {e[4] for e in edges if e[0] == kind}, targets)
    same("types", {n.type for n in written.nodes if n.size}, {"native", "object", "string", "closure", "code"})
    check({"main thread", "registry"} <= {e[2].name for e in written.nodes[0].edges}, "the roots hang from node 0")
    same("size", written.size(), 1784)


def check_totals(tool, capture, said, snapshot):
    """What DevTools counts is what hsdiff counts."""
    top = tool.top(capture)
    everything = {}
    for r in top["types"]: # of functions that stand somewhere DevTools knows the class alone
        name = "Function" if r["type"].startswith("Function ") else r["type"]
        objects, size = everything.get(name, (0, 0))
        everything[name] = (objects + r["live"]["objects"] + r["unreached"]["objects"], size + r["live"]["bytes"] + r["unreached"]["bytes"])
    counted = {name: (r["objects"], r["bytes"]) for name, r in said["classes"].items()}
    same("nodes", said["node_count"], len(snapshot.nodes))
    same("total", said["total"], sum(size for _, size in everything.values()))
    same("classes", {k: v for k, v in counted.items() if v != everything.get(k)}, {})
    same("types", {k: v for k, v in everything.items() if k not in counted and v[0]}, {})


def retained(tool, folder, capture):
    """Type -> sorted retained sizes of its objects."""
    out = folder / f"{capture.name}.csv"
    tool.run("top", capture, "--retained", out, "-o", folder / f"{capture.name}.txt")
    sizes = {}
    with open(out, newline="", encoding="utf-8") as file:
        for r in csv.DictReader(file):
            sizes.setdefault(r["type"], []).append(int(r["retained_bytes"]))
    return {name: sorted(values) for name, values in sizes.items()}


def planted(snapshot, names):
    return [n.id for n in snapshot.nodes if n.name in names and n.type == "object"]


def opens(tool, folder):
    """Real DevTools: node's heap, the same through hsdiff, and a JVM's."""
    kit.need("chromium", "chromedriver")
    original = pathlib.Path(shutil.copy(node_dumps()[0], folder / "original.heapsnapshot"))
    js, js_out, _ = round_trip(tool, folder, original, "node")
    jvm, jvm_out, _ = round_trip(tool, folder, java_dump(), "java")
    with devtools.DevTools(folder) as browser:
        kit.say(f"        Chromium {browser.version}")
        names = {"Leaf", "Map", "global", "Buffer"}
        written = Snapshot(js_out)
        was = browser.open(original.name)
        said = browser.open(js_out.name, planted(written, names))
        same("classes, before and after", said["classes"], was["classes"])
        same("total, before and after", said["total"], was["total"])
        check_totals(tool, js, said, written)
        check_retained(tool, folder, js, said, {"Leaf", "Map"}, least=500)
        check(all(n["distance"] < 10 for n in said["nodes"].values() if n["class"] == "Leaf"), "leaves are near the global object")
        written = Snapshot(jvm_out)
        names = {"Planted$Leaf", "java.util.HashMap$Node"}
        said = browser.open(jvm_out.name, planted(written, names))
        check_totals(tool, jvm, said, written)
        check_retained(tool, folder, jvm, said, {"Planted$Leaf"}, least=700)
        check(all(0 < n["distance"] < 100 for n in said["nodes"].values() if n["class"] == "Planted$Leaf"), "leaves are not far from a root")
        check(any(r[0] == "property" and r[1] == "value" for n in said["nodes"].values() for r in n["retainers"]), "the entries of a map hold them")


def check_retained(tool, folder, capture, said, classes, least):
    ours = retained(tool, folder, capture)
    for name in classes:
        theirs = sorted(n["retained"] for n in said["nodes"].values() if n["class"] == name and n["size"])
        same(f"retained sizes of {name}", theirs, ours[name])
    check(sum(n["class"] in classes for n in said["nodes"].values()) >= least, "too few to mean anything")


if __name__ == "__main__":
    kit.main({"node": node, "java": java, "luau": luau, "opens": opens})

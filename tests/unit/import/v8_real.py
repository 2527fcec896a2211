#!/usr/bin/env python3
"""A heap snapshot of the node that is installed, through the command and back, held against its JSON.

    v8_real.py HSDIFF SECOND_READER

Every node and every edge of the snapshot must stand in the text of the capture, with its id, its size, its
class and its name; classes and names by rules that are written down here a second time. Then the same
snapshot through a pipe and from a gzip file, which must give the same text. Exit status 77: no node.
"""
import gc
import gzip
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

gc.disable()  # heaps are read into lists and dictionaries that stay, and have no cycles

PROGRAM = """
'use strict';
class Session { constructor(i) { this.id = i; this.name = 'session ' + i; } }
global.sessions = new Map();
const hidden = [], weak = new WeakMap();
for (let i = 0; i < 500; i++) {
  const s = new Session(i);
  global.sessions.set('key ' + i, s);
  hidden.push(() => s.id + i);
  weak.set(s, {i});
}
global.keep = () => [hidden, weak];
global.odd = {'two words': 1.5, '\\u{1F600}': [], ['x'.repeat(100)]: {}};
require('v8').writeHeapSnapshot(process.argv[1]);
"""
# Scripts that write snapshots of themselves: what leaks is a variable that no closure uses, and one that closures use while they are compiled.
LOCALS = {
    "locals of load (load.js:2) (Array)": ("load.js", """'use strict';
function load(more) {
  const orders = [];
  for (let i = 0; i < 2000; i++) orders.push({i, text: 'order ' + i});
  more('a.heapsnapshot');
  for (let i = 0; i < 8000; i++) orders.push({i, text: 'later ' + i});
  more('b.heapsnapshot');
  return orders.length;
}
load(require('v8').writeHeapSnapshot);
"""),
    "locals of top.js (Map)": ("top.js", """const {writeHeapSnapshot} = require('v8');
const byId = new Map();
for (let i = 0; i < 2000; i++) byId.set('k' + i, {i});
writeHeapSnapshot('a.heapsnapshot');
for (let i = 0; i < 8000; i++) byId.set('m' + i, {i});
writeHeapSnapshot('b.heapsnapshot');
console.log(byId.size);
"""),
    "locals of run (hot.js:2).events (Array)": ("hot.js", """const v8 = require('v8');
function run() {
  const events = [], emit = text => events.push({text, at: Date.now()});
  for (let i = 0; i < 3000; i++) emit('a' + i);
  v8.writeHeapSnapshot('a.heapsnapshot');
  for (let i = 0; i < 13000; i++) emit('b' + i);
  v8.writeHeapSnapshot('b.heapsnapshot');
  return events.length;
}
run();
"""),
}
CLASSES = {"hidden": "(system)", "code": "(compiled code)", "closure": "Function", "regexp": "RegExp"}
NAMED = {"closure", "code", "hidden", "object shape"}
PSEUDO, WEAK = 1, 1
FIELD, ELEMENT, VARIABLE, VALUE, INTERNAL = 0, 1, 2, 5, 6
wrong = 0
told = [0, 0]  # names of fields: left out, told


def say(*words):
    global wrong
    wrong += 1
    if wrong <= 20:
        print("v8_real:", *words)


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"v8_real: {' '.join(command)}: exit status {done.returncode}\n{done.stderr.decode()}")
    return done.stdout


def text_of(token):
    """Text of appendix A of FORMAT.md."""
    raw = re.sub(rb"\\x([0-9a-f]{2})|\\(.)", lambda m: bytes([int(m[1], 16)]) if m[1] else m[2], token[1:-1].encode())
    return raw.decode("utf-8", "surrogateescape")


def fields_of(words):
    return dict(word.split("=", 1) for word in words)


class Capture:
    """What tests/spec/second_reader.c says of a capture."""

    def __init__(self, reader, path):
        self.text = run(reader, path).decode().split("\n")
        self.strings, self.types, self.labels, self.objects, self.roots = {0: ""}, {}, {}, [], []
        for line in self.text:
            kind, _, rest = line.partition(" ")
            if kind == "object":
                words = rest.split(" ")
                self.objects.append((int(words[1], 16), fields_of(words[2:]), []))
            elif line.startswith(" ref "):
                words = line.split(" ")
                self.objects[-1][2].append((int(words[2]), fields_of(words[3:])))
            elif kind == "string":
                key, token = rest.split(" ", 1)
                self.strings[int(key)] = text_of(token)
            elif kind == "type":
                key, flags, token = re.fullmatch(r'(\d+)( flags=0x[0-9a-f]+)? (".*")', rest).groups()
                self.types[int(key)] = text_of(token)
            elif kind == "label":
                words = rest.split(" ")
                self.labels[int(words[0])] = fields_of(words[1:])
            elif kind == "root":
                self.roots.append(rest)

    def label(self, reference):
        label = self.labels[int(reference.get("label", 0))]
        return (int(label.get("kind", 0)), int(label.get("flags", "0"), 16), self.strings[int(label.get("name", 0))],
                int(reference.get("index", 0)))

    def body(self):
        """All but the random capture id."""
        return self.text[1:]


class Snapshot:
    def __init__(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            raw = json.load(file)
        meta = raw["snapshot"]["meta"]
        columns, width = meta["node_fields"], len(meta["node_fields"])
        take = lambda name: raw["nodes"][columns.index(name)::width]
        self.types = [meta["node_types"][columns.index("type")][t] for t in take("type")]
        self.names = [raw["strings"][n] for n in take("name")]
        self.ids, self.sizes = take("id"), take("self_size")
        self.states = take("detachedness") if "detachedness" in columns else [0] * len(self.ids)
        kinds = meta["edge_types"][0]
        edges = iter(zip(*[iter(raw["edges"])] * 3))
        self.edges = []
        for count in take("edge_count"):
            self.edges.append([(kinds[k], n if kinds[k] in ("element", "hidden") else raw["strings"][n], to // width)
                               for k, n, to in itertools.islice(edges, count)])
        fields = meta.get("location_fields", [])
        rows = zip(*[iter(raw.get("locations", []))] * len(fields)) if fields else ()
        self.locations = {row[fields.index("object_index")] // width: (row[fields.index("line")], row[fields.index("column")])
                          for row in rows}

    def order(self):
        """Embedder objects stand last in the capture if one of them is detached."""
        natives = [i for i, t in enumerate(self.types) if t == "native"]
        if not any(self.states[i] == 2 for i in natives):
            return list(range(len(self.ids)))
        return [i for i, t in enumerate(self.types) if t != "native"] + natives


def class_of(snapshot, node):
    kind, name = snapshot.types[node], snapshot.names[node]
    if kind == "closure":
        return function_of(snapshot, node)
    return name if kind in ("object", "native") else CLASSES.get(kind, f"({kind})")


def target_of(snapshot, node, *names):
    return next((to for kind, name, to in snapshot.edges[node] if kind == "internal" and name in names), None)


def function_of(snapshot, node):
    """A closure of the program by its place; those of the runtime's scripts, and of none, are "Function"."""
    shared = target_of(snapshot, node, "shared")
    script = target_of(snapshot, shared, "script", "script_or_debug_info") if shared is not None else None
    if script is None or snapshot.types[script] != "code":
        return "Function"
    file = snapshot.names[script].removeprefix("system / Script / ")
    if not file.startswith("[") or file.startswith("[eval]-"):
        return "Function"
    line, column = snapshot.locations.get(node, (-1, 0))
    place = "" if line < 0 else f":{line + 1}" if column < 500 else f":{line + 1}:{column + 1}"
    return f"Function {snapshot.names[node] or '(anonymous)'} ({file}{place})"


def variables_of(snapshot, node):
    """What the variables of a block are called, by the number of their edge: a name where all of them have edges, a few where one or two have none."""
    edges = snapshot.edges[node]
    if snapshot.types[node] != "object" or not edges or edges[0][:2] != ("internal", "scope_info") or edges[-1][0] != "hidden":
        return {}
    hidden = [to for kind, _, to in snapshot.edges[edges[0][2]] if kind == "hidden"]
    names = [snapshot.names[to] for to in itertools.takewhile(lambda to: snapshot.types[to] == "string", hidden)]
    count = edges[-1][1] + 1
    return {i: called(names[i:i + len(names) - count + 1]) if len(names) <= 32 else "(block variable)" for i in range(min(count, 32))}


def called(names):
    if not 1 <= len(names) <= 3 or any(len(name) > 100 or not re.fullmatch(r"#?[\w$]+", name) for name in names):
        return "(block variable)"
    return names[0] if len(names) == 1 else f"({', '.join(names[:-1])} or {names[-1]})".replace("#", "")


def check_edge(where, edge, label, from_array, variables):
    """Kind, strength and name of one reference."""
    (kind, name, _), (label_kind, flags, text, index) = edge, label
    if kind == "hidden" and name in variables:
        if (label_kind, flags, text) != (VARIABLE, 0, variables[name]):
            say(where, "variable", variables[name], "became", label)
        return
    is_weak = flags & 3 == WEAK
    if kind == "property" and label_kind == FIELD and not is_weak:
        told[text == name] += 1
        if text == "" or (text == "<symbol>" and name.startswith("<symbol ")):
            return  # a name that no code mentions is data: few are, see below
    good = {"property": not is_weak and (label_kind, text) in ((FIELD, name), (VALUE, "")),
            "element": label_kind == ELEMENT and not is_weak and index == name,
            "context": label_kind == VARIABLE and not is_weak and text == name,
            "weak": is_weak and text in ("internal", name)}
    if not good.get(kind, label_kind == INTERNAL and text in ("internal", name, "WeakMap value") or
                    label_kind == VALUE and from_array and text == ""):
        say(where, "edge", edge, "became", label)


def check(snapshot, capture):
    order = snapshot.order()
    place = {node: ordinal for ordinal, node in enumerate(order)}
    if len(order) != len(capture.objects):
        say(len(order), "nodes,", len(capture.objects), "objects")
        return
    for node, (id_, fields, references) in zip(order, capture.objects):
        kind, name, where = snapshot.types[node], snapshot.names[node], f"node {node}:"
        have = (id_, int(fields.get("size", 0)) + int(fields.get("native", 0)), capture.types[int(fields["type"])].removeprefix("Detached "))
        want = (snapshot.ids[node], snapshot.sizes[node], class_of(snapshot, node))
        if have != want:
            say(where, want, "became", have)
        if (int(fields.get("flags", "0"), 16) & PSEUDO != 0) != (want[1] == 0):
            say(where, "of size", want[1], "is counted wrongly")
        if kind in NAMED and capture.strings[int(fields.get("name", 0))] != name:
            say(where, "is called", capture.strings[int(fields.get("name", 0))], "instead of", name)
        edges = snapshot.edges[node]
        if [place[to] for _, _, to in edges] != [target for target, _ in references]:
            say(where, "its references lead elsewhere")
            continue
        variables = variables_of(snapshot, node)
        for edge, (_, reference) in zip(edges, references):
            check_edge(where, edge, capture.label(reference), kind == "array", variables)


def check_names(capture):
    """What a report is about must be there, what is the program's data must not."""
    named = {capture.strings[int(fields.get("name", 0))]: {capture.label(r)[2] for _, r in references if capture.label(r)[1] & 4}
             for _, fields, references in capture.objects if fields.get("name")}
    if "sessions" not in named.get("global", ()):
        say("global.sessions is no owner")
    everything = "\n".join(itertools.chain(capture.strings.values(), capture.types.values()))
    for secret in ("session 7", "key 7", "two words", "x" * 100):
        if re.search(rf"^{re.escape(secret)}$", everything, re.MULTILINE):
            say("a value of the program is in the capture:", secret)


def check_locals(hsdiff, node, folder):
    for place, (name, text) in LOCALS.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as script:
            script.write(text)
        run(node, name, cwd=folder)
        screen = run(hsdiff, "-q", "-w", "a.heapsnapshot", "b.heapsnapshot", cwd=folder).decode()
        if f" of the growth hangs from one place: {place}." not in " ".join(screen.split()):
            say(f"{name}: not {place}:\n{screen}")


def main():
    hsdiff, reader, node = os.path.abspath(sys.argv[1]), sys.argv[2], shutil.which("node")
    if node is None:
        print("skipped: there is no node here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "real.heapsnapshot")
        capture = lambda name: os.path.join(folder, name + ".hs")
        run(node, "-e", PROGRAM, dump)
        run(hsdiff, "import", dump, "-o", capture("file"))
        whole = Capture(reader, capture("file"))
        check(Snapshot(dump), whole)
        check_names(whole)
        with subprocess.Popen(["cat", dump], stdout=subprocess.PIPE) as cat:
            run(hsdiff, "import", "-", "-o", capture("pipe"), stdin=cat.stdout)
        with open(dump, "rb") as plain, gzip.open(dump + ".gz", "wb", 1) as packed:
            shutil.copyfileobj(plain, packed)
        run(hsdiff, "import", dump + ".gz", "-o", capture("gzip"))
        for name in ("pipe", "gzip"):
            if Capture(reader, capture(name)).body() != whole.body():
                say("another capture from a", name)
        check_locals(hsdiff, node, folder)
        if told[0] * 50 > told[1]:
            say(told[0], "names of fields were left out, and", told[1], "told")
        print(f"{len(whole.objects)} nodes, {sum(len(r) for _, _, r in whole.objects)} edges, {told[0]} names of {sum(told)} fields left out, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

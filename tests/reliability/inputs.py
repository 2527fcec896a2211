"""Small heap dumps made from nothing, for tests that run a command many hundred times: a V8 heap snapshot and a JVM heap dump
of a few dozen objects each, in two states. Between them two sessions appear below a global and a cached page goes.
"""
import json
import os
import struct

NODE_FIELDS = ["type", "name", "id", "self_size", "edge_count", "detachedness"]
NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
              "concatenated string", "sliced string", "symbol", "bigint", "object shape"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]


class Snapshot:
    """Nodes and edges, written as V8 12 writes them."""

    def __init__(self):
        self.nodes, self.edges, self.strings = [], {}, {"<dummy>": 0}

    def node(self, kind, name, identity, size):
        self.nodes.append((NODE_TYPES.index(kind), name, identity, size))
        self.edges[len(self.nodes) - 1] = []
        return len(self.nodes) - 1

    def edge(self, source, kind, name, target):
        self.edges[source].append((EDGE_TYPES.index(kind), name, target))

    def text_number(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def to_json(self):
        width = len(NODE_FIELDS)
        nodes, edges = [], []
        for number, (kind, name, identity, size) in enumerate(self.nodes):
            nodes += [kind, self.text_number(name), identity, size, len(self.edges[number]), 0]
            for edge_kind, edge_name, target in self.edges[number]:
                edges += [edge_kind, edge_name if isinstance(edge_name, int) else self.text_number(edge_name), target * width]
        meta = {
            "node_fields": NODE_FIELDS, "node_types": [NODE_TYPES, "string", "number", "number", "number", "number"],
            "edge_fields": ["type", "name_or_index", "to_node"],
            "edge_types": [EDGE_TYPES, "string_or_number", "node"],
            "trace_function_info_fields": [], "trace_node_fields": [], "sample_fields": [], "location_fields": [],
        }
        return json.dumps({
            "snapshot": {"meta": meta, "node_count": len(self.nodes), "edge_count": len(edges) // 3, "trace_function_count": 0},
            "nodes": nodes, "edges": edges, "trace_function_infos": [], "trace_tree": [], "samples": [], "locations": [],
            "strings": list(self.strings)}, separators=(",", ":"))


def scattered(number):
    """0..1023 without a pattern, so that large dumps do not compress to nothing."""
    return (number * 2654435761 >> 13) % 1024


def v8_snapshot(sessions, pages):
    """sessions and pages: which of them exist; ids are stable from one state to the next."""
    heap = Snapshot()
    root = heap.node("synthetic", "", 1, 0)
    roots = heap.node("synthetic", "(GC roots)", 3, 0)
    window = heap.node("object", "global", 101, 64)
    heap.edge(root, "element", 1, roots)
    heap.edge(root, "shortcut", "global", window)
    heap.edge(roots, "internal", "1", window)
    # Ids of sessions are 1 more than a multiple of 10, of pages 3 more, of their strings 4 more than those.
    for title, name, first, numbers, size in (("sessions", "Session", 10001, sessions, 56), ("pages", "Page", 10003, pages, 400)):
        table = heap.node("array", "(object elements)", 203 if title == "pages" else 201, 32)
        heap.edge(window, "property", title, table)
        for number in numbers:
            item = heap.node("object", name, first + 10 * number, size + 8 * scattered(number))
            text = heap.node("string", f"{title}-{number}", first + 10 * number + 4, 24)
            heap.edge(table, "element", number, item)
            heap.edge(item, "property", "name", text)
    heap.node("object", "Garbage", 9001, 128)
    return heap.to_json().encode("ascii")


class Hprof:
    """An HPROF 1.0.2 dump with ids of eight bytes."""

    def __init__(self):
        self.out = [b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 1763700000000)]
        self.strings, self.body = {}, []
        self.lengths = []       # (offset, width) of every length and count, for tests that spoil them
        self.body_lengths = []  # the same within the body of the heap dump

    def record(self, tag, body):
        self.lengths.append((sum(map(len, self.out)) + 5, 4))
        self.out.append(struct.pack(">BII", tag, 0, len(body)) + body)

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = 0x7000 + len(self.strings)
            self.record(0x01, struct.pack(">Q", self.strings[text]) + text.encode())
        return self.strings[text]

    def load_class(self, identity, name):
        self.record(0x02, struct.pack(">IQIQ", identity, identity, 0, self.string(name)))

    def piece(self, body, *lengths):
        """Adds a sub-record; lengths are its own (offset, width) pairs."""
        start = sum(map(len, self.body))
        self.body_lengths += [(start + offset, width) for offset, width in lengths]
        self.body.append(body)

    def class_dump(self, identity, parent, size, statics=(), fields=()):
        body = struct.pack(">BQIQQQQQQIH", 0x20, identity, 0, parent, 0, 0, 0, 0, 0, size, 0)
        body += struct.pack(">H", len(statics))
        for name, target in statics:
            body += struct.pack(">QBQ", self.string(name), 2, target)
        fields_at = len(body)
        body += struct.pack(">H", len(fields))
        for name, kind in fields:
            body += struct.pack(">QB", self.string(name), kind)
        self.piece(body, (61, 4), (65, 2), (67, 2), (fields_at, 2))

    def instance(self, identity, of_class, values):
        self.piece(struct.pack(">BQIQI", 0x21, identity, 0, of_class, len(values)) + values, (21, 4))

    def object_array(self, identity, of_class, targets):
        self.piece(struct.pack(">BQIIQ", 0x22, identity, 0, len(targets), of_class) + struct.pack(f">{len(targets)}Q", *targets), (13, 4))

    def byte_array(self, identity, data):
        self.piece(struct.pack(">BQIIB", 0x23, identity, 0, len(data), 8) + data, (13, 4))

    def root(self, identity):
        self.piece(struct.pack(">BQ", 0x05, identity))

    def to_bytes(self):
        self.record(0x1C, b"".join(self.body))
        body_at = self.lengths[-1][0] + 4
        self.lengths += [(body_at + offset, width) for offset, width in self.body_lengths]
        self.record(0x2C, b"")
        return b"".join(self.out)


def hprof_dump(sessions, pages):
    dump = Hprof()
    for identity, name in ((0x10, "java/lang/Object"), (0x20, "shop/Session"), (0x30, "shop/Server"), (0x40, "[Ljava/lang/Object;")):
        dump.load_class(identity, name)
    dump.class_dump(0x10, 0, 0)
    dump.class_dump(0x20, 0x10, 16, fields=(("next", 2), ("number", 11)))
    dump.class_dump(0x30, 0x10, 0, statics=(("sessions", 0x500), ("pages", 0x600)))
    dump.class_dump(0x40, 0x10, 0)
    dump.object_array(0x500, 0x40, [0x1000 + 16 * n for n in sessions])
    for n in sessions:
        dump.instance(0x1000 + 16 * n, 0x20, struct.pack(">Qq", 0, n))
    dump.object_array(0x600, 0x40, [0x800 + 16 * n for n in pages])
    for n in pages:
        dump.byte_array(0x800 + 16 * n, bytes(400))
    for identity in (0x10, 0x20, 0x30, 0x40):
        dump.root(identity)
    return dump


def write_inputs(folder, scale=1):
    """before/after in both formats; returns {"v8": (before, after), "hprof": …} as paths."""
    states = {"before": (range(0, 6 * scale), range(0, 4)), "after": (range(0, 8 * scale), range(1, 4))}
    paths = {"v8": [], "hprof": []}
    for state, (sessions, pages) in states.items():
        for kind, make, suffix in (("v8", v8_snapshot, "heapsnapshot"), ("hprof", lambda *lists: hprof_dump(*lists).to_bytes(), "hprof")):
            path = os.path.join(folder, f"{state}.{suffix}")
            with open(path, "wb") as file:
                file.write(make(sessions, pages))
            paths[kind].append(path)
    return {kind: tuple(both) for kind, both in paths.items()}

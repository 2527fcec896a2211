"""Small inputs for the tests of the command, made anew for each run: a V8 snapshot and a JVM dump of toys that leak."""
import json
import struct


def v8_snapshot(path, sessions, maps=("sessions",)):
    """A snapshot as Node writes it: a global `sessions` whose elements table holds that many Sessions, each with a name; or several such globals, all
    of which hold all of them."""
    strings, nodes, edges = [""], [], []

    def string(text):
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    node_types = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"]
    edge_types = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]

    def node(kind, name, identity, size, out):
        nodes.append((node_types.index(kind), string(name), identity, size, len(out), 0, 0))
        edges.extend((edge_types.index(edge), string(label) if isinstance(label, str) else label, target * 7)
                     for edge, label, target in out)

    first = 3 + len(maps)
    node("synthetic", "", 1, 0, [("element", 1, 1), ("shortcut", "global", 2)])
    node("synthetic", "(GC roots)", 3, 0, [("element", 1, 2)])
    node("object", "global", 5, 120, [("property", name, 3 + i) for i, name in enumerate(maps)])
    for at in range(len(maps)):
        node("object", "Map", 7 + 2 * at, 64, [("element", i, first + 2 * i) for i in range(sessions)])
    for i in range(sessions):
        node("object", "Session", 101 + 4 * i, 96, [("property", "user", first + 2 * i + 1)])
        node("string", "user", 103 + 4 * i, 32, [])
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
            "node_types": [node_types, "string", "number", "number", "number", "number", "number"],
            "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [edge_types, "string_or_number", "node"],
            "trace_function_info_fields": [], "trace_node_fields": [], "sample_fields": [], "location_fields": []}
    snapshot = {"snapshot": {"meta": meta, "node_count": len(nodes), "edge_count": len(edges), "trace_function_count": 0},
                "nodes": [value for row in nodes for value in row], "edges": [value for row in edges for value in row],
                "trace_function_infos": [], "trace_tree": [], "samples": [], "locations": [], "strings": strings}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(snapshot, file, separators=(",", ":"))


def jvm_dump(path, *moments):
    """An HPROF 1.0.2 file: a class Session whose static field `all` is an array of that many Sessions, dumped at each moment."""
    strings = {}
    body = b""

    def record(tag, content):
        nonlocal body
        body += struct.pack(">BII", tag, 0, len(content)) + content

    def string(text):
        if text not in strings:
            strings[text] = 0x500000 + 16 * len(strings)
            record(0x01, struct.pack(">Q", strings[text]) + text.encode())
        return strings[text]

    def class_dump(identity, base, size, static=(), fields=()):
        out = struct.pack(">BQIQQQQQQIH", 0x20, identity, 0, base, 0, 0, 0, 0, 0, size, 0)
        out += struct.pack(">H", len(static)) + b"".join(struct.pack(">QBQ", string(name), 2, value) for name, value in static)
        return out + struct.pack(">H", len(fields)) + b"".join(struct.pack(">QB", string(name), kind) for name, kind in fields)

    objects, session, array = 0x1000, 0x2000, 0x3000
    for serial, (identity, name) in enumerate(((objects, "java/lang/Object"), (session, "com/shop/Session"),
                                               (array, "[Lcom/shop/Session;")), 1):
        record(0x02, struct.pack(">IQIQ", serial, identity, 0, string(name)))
    table = 0x10000
    for sessions in moments:
        heap = class_dump(objects, 0, 0)
        heap += class_dump(session, objects, 12, static=(("all", table),), fields=(("next", 2), ("count", 10)))
        heap += class_dump(array, objects, 0)
        heap += struct.pack(">BQ", 0x05, session)
        elements = [0x20000 + 64 * i for i in range(sessions)]
        heap += struct.pack(">BQIIQ", 0x22, table, 0, sessions, array) + b"".join(struct.pack(">Q", one) for one in elements)
        for one in elements:
            heap += struct.pack(">BQIQI", 0x21, one, 0, session, 12) + struct.pack(">QI", 0, 7)
        record(0x1C, heap)
        record(0x2C, b"")
    with open(path, "wb") as file:
        file.write(b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 1795166042000) + body)

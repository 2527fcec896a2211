"""A heap snapshot read by the letter, by nobody's code but this: lists and their counts must fit together."""
import json

from kit import check, same

LISTS = ["snapshot", "nodes", "edges", "trace_function_infos", "trace_tree", "samples", "locations", "strings"]


class Node:
    def __init__(self, snapshot, row):
        values = dict(zip(snapshot.node_fields, row))
        self.type = snapshot.node_types[values["type"]]
        self.name = snapshot.strings[values["name"]]
        self.id, self.size, self.edge_count = values["id"], values["self_size"], values["edge_count"]
        self.detachedness = values["detachedness"]
        self.edges = []  # (type, name or index, node)


class Snapshot:
    """Nodes with their edges; fails where the file breaks a rule that a reader relies on."""

    def __init__(self, path):
        text = path.read_text(encoding="ascii")
        data = json.loads(text)
        same("order of the lists", list(data), LISTS)
        header, meta = data["snapshot"], data["snapshot"]["meta"]
        self.header = header
        self.strings = data["strings"]
        self.node_fields, self.node_types, self.edge_types = meta["node_fields"], meta["node_types"][0], meta["edge_types"][0]
        width, numbers, edges = len(self.node_fields), data["nodes"], data["edges"]
        same("numbers of nodes", len(numbers), header["node_count"] * width)
        same("numbers of edges", len(edges), header["edge_count"] * 3)
        same("strings", self.strings[:2], ["<dummy>", ""])
        self.nodes = [Node(self, numbers[i:i + width]) for i in range(0, len(numbers), width)]
        same("edges of all nodes", sum(node.edge_count for node in self.nodes), header["edge_count"])
        at = 0
        for node in self.nodes:
            for _ in range(node.edge_count):
                kind, name, to = self.edge_types[edges[at]], edges[at + 1], edges[at + 2]
                check(to % width == 0 and to // width < len(self.nodes), f"an edge to {to}")
                node.edges.append((kind, name if kind in ("element", "hidden") else self.strings[name], self.nodes[to // width]))
                at += 3
        ids = [node.id for node in self.nodes]
        same("ids that are given once", len(set(ids)), len(ids))
        check(all(0 < i < 1 << 32 for i in ids), "an id is not 32 bits wide")
        same("the root", (self.nodes[0].type, self.nodes[0].name, self.nodes[0].id), ("synthetic", "", 1))

    def named(self, name):
        return [node for node in self.nodes if node.name == name]

    def size(self):
        return sum(node.size for node in self.nodes)

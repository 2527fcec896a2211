/*
 * V8 snapshots, written from a list of groups: what hangs from one property of the global object.
 */
import { writeFileSync } from "node:fs";

const nodeKinds = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"];
const edgeKinds = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"];

const meta = {
  node_fields: ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
  node_types: [nodeKinds, "string", "number", "number", "number", "number", "number"],
  edge_fields: ["type", "name_or_index", "to_node"],
  edge_types: [edgeKinds, "string_or_number", "node"],
  trace_function_info_fields: [],
  trace_node_fields: [],
  sample_fields: [],
  location_fields: [],
};

/* Ids are odd numbers, and so many of them are set aside for each group. */
const room = 4096;

/**
 * Writes a snapshot: for each group {name, type, count, bytes} the global object has a property `name`, a Map of `count` objects of
 * class `type`, at most 2,000. An object has the same id in every snapshot in which its group stands at the same place.
 */
export function writeSnapshot(path, groups, globalType = "global") {
  const strings = [];
  const indexes = new Map();
  const nodes = [];
  const edges = [];
  const string = (text) => {
    if (!indexes.has(text)) indexes.set(text, strings.push(text) - 1);
    return indexes.get(text);
  };
  const node = (kind, name, id, bytes, edgeCount) => nodes.push(nodeKinds.indexOf(kind), string(name), id, bytes, edgeCount, 0, 0);
  const edge = (kind, label, to) => edges.push(edgeKinds.indexOf(kind), typeof label === "string" ? string(label) : label, to * 7);

  string("");
  const firstMap = 3;
  let next = firstMap + groups.length;
  node("synthetic", "", 1, 0, 2);
  edge("element", 1, 1);
  edge("shortcut", "global", 2);
  node("synthetic", "(GC roots)", 3, 0, 1);
  edge("element", 1, 2);
  node("object", globalType, 5, 120, groups.length);
  groups.forEach((group, at) => edge("property", group.name, firstMap + at));
  groups.forEach((group, at) => {
    node("object", "Map", 101 + at * room, 64, group.count);
    for (let i = 0; i < group.count; i++) edge("element", i, next++);
  });
  groups.forEach((group, at) => {
    for (let i = 0; i < group.count; i++) node("object", group.type, 101 + at * room + 2 * (i + 1), group.bytes, 0);
  });
  const counts = { node_count: nodes.length / 7, edge_count: edges.length / 3, trace_function_count: 0 };
  const rest = { trace_function_infos: [], trace_tree: [], samples: [], locations: [] };
  writeFileSync(path, JSON.stringify({ snapshot: { meta, ...counts }, nodes, edges, ...rest, strings }));
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseEdges, fanOut, holderText, isNobody, placeText } from "../report/holder_path.ts";
import type { Holder, HolderEdge } from "../kit/model.ts";
import { splitSentences } from "../report/answer.ts";

function edge(depth: number, growthBytes: number, more: Partial<HolderEdge> = {}): HolderEdge {
  const none = { objects: 0, bytes: 0 };
  return { depth, edge: `.e${growthBytes}`, type: "T", before: none, after: none, new: none, growthBytes, ...more };
}

const holder: Holder = {
  type: "Map",
  object: "0x1",
  root: "global.app",
  kind: "global",
  path: [
    { edge: "", type: "App", repeat: 1 },
    { edge: ".state", type: "State", repeat: 1 },
    { edge: "", type: "List", repeat: 1 },
    { edge: ".next", type: "Node", repeat: 5000 },
  ],
  pathCut: 0,
  threads: 0,
  heldBy: [],
  heldTogetherBytes: 0,
  new: null,
  freed: null,
  net: { objects: 0, bytes: 0 },
  growthBytes: 0,
  types: [],
  edges: [],
};

test("a place reads as in the text report", () => {
  assert.equal(placeText(holder), "global.app.state -> List.next{x5,000}");
  assert.equal(placeText({ ...holder, pathCut: 12 }), "global.app.state{12 more} -> List.next{x5,000}");
  assert.equal(placeText({ ...holder, root: "r\u001b", path: [] }), "r\\x1b");
});

test("several together, and one in each of many threads, read as in the text report", () => {
  const by = (name: string, type: string | null = "Map"): Holder["heldBy"][number] => ({
    type,
    root: `static App.${name}`,
    kind: "static",
    path: [{ edge: "", type: "Map", repeat: 1 }],
    pathCut: 0,
    bytes: 10,
  });
  const together: Holder = { ...holder, type: null, kind: null, root: "(roots)", path: [], heldBy: [by("byId"), by("byName")] };
  assert.equal(holderText(together).place, "static App.byId: Map and static App.byName: Map, together");
  assert.equal(isNobody(together), false);
  assert.equal(isNobody({ ...together, heldBy: [] }), true);
  const five = ["a", "b", "c", "d", "e"].map((name) => by(name));
  assert.equal(holderText({ ...together, heldBy: five }).place, "static App.a: Map, static App.b: Map, static App.c: Map and 2 more, together");
  const below = (edge: string): Holder["heldBy"][number] => ({ ...by(""), root: holder.root, path: [...holder.path, { edge, type: "Node", repeat: 1 }] });
  assert.equal(holderText({ ...holder, heldBy: [below(".left"), below(".right")] }).place, "global.app.state -> List.next{x5,000}: Map, by .left and .right, together");
  assert.deepEqual(holderText({ ...holder, threads: 4 }), { place: "global.app.state -> List.next{x5,000}, in 4 threads", type: "Map" });
});

test("an edge that is shown has all that lead to it", () => {
  const edges = [edge(1, 10), edge(2, 9), edge(3, 900), edge(1, 50), edge(2, 40), edge(2, 30)];
  assert.deepEqual(chooseEdges(edges, 3).map((each) => each.growthBytes), [10, 9, 900]);
  assert.deepEqual(chooseEdges(edges, 5).map((each) => each.growthBytes), [10, 9, 900, 50, 40]);
  assert.equal(chooseEdges(edges, 99).length, 6);
  assert.deepEqual(chooseEdges([edge(1, 1), edge(2, 5)], 0), []);
});

test("fan-out says how many there are", () => {
  const objects = (n: number): { objects: number; bytes: number } => ({ objects: n, bytes: n });
  const fan = (before: number, after: number, fresh: number | null, name = ".x"): string =>
    fanOut(edge(1, 0, { edge: name, before: objects(before), after: objects(after), new: fresh === null ? null : objects(fresh) }));
  assert.equal(fan(1999, 13999, 12000), "1,999 \u2192 13,999");
  assert.equal(fan(1999, 13999, 12000, "[*]"), "1,999 \u2192 13,999 items");
  assert.equal(fan(0, 12000, 12000), "12,000 new");
  assert.equal(fan(1, 1, 0), "");
  assert.equal(fan(5, 5, null), "5 objects");
  assert.equal(fan(1, 1, null, "[3]"), "1 item");
});

test("the heading is the first sentence", () => {
  assert.deepEqual(splitSentences("Live heap grew 1.5 MiB (+3%). All of it hangs from a.b. Really."), [
    "Live heap grew 1.5 MiB (+3%).",
    "All of it hangs from a.b. Really.",
  ]);
  assert.deepEqual(splitSentences("One sentence"), ["One sentence", ""]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { hasLost, hasUncollected, lostLeads, lostPlace, whatText } from "../report/lost.ts";
import { parse, type Model } from "../kit/model.ts";

const D = { schema: "hsdiff.diff/1" };

function amount(objects: number, bytes: number): { objects: number; bytes: number } {
  return { objects, bytes };
}

/* Lost grew from 300 to `lost` bytes, live by `live`. */
function modelOf(lost: number, live: number, ...more: readonly object[]): Model {
  const records = [
    { schema: "hsdiff.page/1", record: "page", kind: "diff", noise_bytes: 100 },
    { ...D, record: "capture", side: "before", path: "a", unreached: amount(3, 300) },
    { ...D, record: "capture", side: "after", path: "b", unreached: amount(6, lost) },
    { ...D, record: "total", identity_known: true, before: amount(10, 1000), after: amount(10, 1000 + live) },
    ...more,
  ];
  return parse(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

const frames = [
  { function: "xmalloc", file: "/src/x.c", line: 3, column: 0 },
  { function: "push", file: "/src/a.c", line: 5, column: 0 },
  { function: "main", file: "/src/a.c", line: 9, column: 0 },
];
const row = {
  ...D,
  record: "lost",
  type: "Node",
  cycle: null,
  frames,
  frame: 1,
  before: amount(3, 300),
  after: amount(6, 900),
  growth: amount(3, 600),
  heads: { before: amount(1, 100), after: amount(2, 200) },
};

test("what is lost is said as in the text report", () => {
  const model = modelOf(900, 0, row);
  assert.equal(lostPlace(model.lost[0]!), "push (a.c:5)");
  assert.equal(whatText(model.lost[0]!), "Node, with 4 objects below");
  assert.equal(whatText(modelOf(900, 0, { ...row, cycle: "Account and Session" }).lost[0]!), "cycle: Account and Session");
  assert.equal(whatText(modelOf(900, 0, { ...row, heads: null }).lost[0]!), "Node");
});

test("what is lost comes first where it is more than what is live grew by", () => {
  assert.equal(lostLeads(modelOf(900, 0, row)), true);
  assert.equal(lostLeads(modelOf(900, 700, row)), false);
  assert.equal(hasLost(modelOf(900, 700, row)), true);
  assert.equal(lostLeads(modelOf(350, 0, { ...row, growth: amount(0, 50) })), false, "that is noise");
  assert.equal(hasLost(modelOf(900, 0)), false);
});

test("what is not collected yet is told where there is much more of it", () => {
  const garbage = { ...D, record: "uncollected", type: "byte[]", before: amount(3, 300), after: amount(6, 900), growth: amount(3, 600), revived: null };
  assert.equal(hasUncollected(modelOf(900, 1000, garbage)), true);
  assert.equal(hasUncollected(modelOf(900, 100000, garbage)), false);
  assert.equal(hasUncollected(modelOf(310, 0, garbage)), false);
  assert.equal(modelOf(900, 0, garbage).uncollected[0]!.revived, null);
  assert.equal(modelOf(900, 0, { ...D, record: "others", of: "uncollected", rows: 4, before: amount(0, 0), after: amount(0, 0) }).otherUncollected!.rows, 4);
});

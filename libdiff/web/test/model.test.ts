import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyModel, parse } from "../kit/model.ts";

function lines(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

const D = { schema: "hsdiff.diff/1" };
const amount = { objects: 2, bytes: 20 };

test("nothing gives an empty model", () => {
  assert.deepEqual(parse(""), emptyModel());
  assert.deepEqual(parse("\n\n"), emptyModel());
});

test("the answer is the first that is said: that of a check, and not that of its captures", () => {
  const said = (schema: string, text: string): object => ({ schema, record: "answer", text });
  assert.equal(parse(lines(said("hsdiff.check/1", "1 of 1 rule failed."), said("hsdiff.diff/1", "Live heap grew."))).answer, "1 of 1 rule failed.");
});

test("records come in any order, unknown ones are skipped", () => {
  const records = [
    { schema: "hsdiff.page/1", record: "page", kind: "diff", noise_bytes: 65536, made: [{ label: "Made by", text: "hsdiff" }] },
    { ...D, record: "type", type: "A", before: amount, after: { objects: 5, bytes: 50 }, new: amount, freed: null, examples: ["0x1"] },
    { ...D, record: "total", identity_known: true, before: amount, after: amount },
    { ...D, record: "shape", of: "things to come" },
    { ...D, record: "constructor" },
    { ...D, record: "others", of: "type", rows: 3, before: amount, after: amount },
    { ...D, record: "holder", type: null, root: "r", kind: "stack", growth_bytes: 7, edges: [{ depth: 1, edge: ".x", type: "A" }] },
    { ...D, record: "sizes", type: "A", before: [[0, 1, 0], [5, 2, 40]], after: [] },
    { ...D, record: "site", frames: [{ function: "f", file: "a/b.c", line: 3, column: 0 }], before: amount, after: amount, growth: { objects: 0, bytes: 0 } },
    { ...D, record: "others", of: "site", rows: 8, before: amount, after: { objects: 5, bytes: 50 } },
  ];
  const model = parse(lines(...records));
  assert.deepEqual(parse(lines(...[...records].reverse())), model);
  assert.equal(model.about.noiseBytes, 65536);
  assert.deepEqual(model.about.made, [{ label: "Made by", text: "hsdiff" }]);
  assert.deepEqual(model.types[0]!.growth, { objects: 3, bytes: 30 });
  assert.equal(model.types[0]!.freed, null);
  assert.deepEqual(model.types[0]!.examples, ["0x1"]);
  assert.equal(model.otherTypes!.rows, 3);
  assert.equal(model.holders[0]!.edges[0]!.edge, ".x");
  assert.deepEqual(model.sites[0]!.frames, [{ function: "f", file: "a/b.c", line: 3 }]);
  assert.equal(model.otherSites!.rows, 8);
  assert.deepEqual(model.otherSites!.growth, { objects: 3, bytes: 30 });
  assert.deepEqual(model.sizes.get("A")!.before.map((each) => each.log2), [-1, 4]);
});

test("fields of another kind than they should be read as nothing", () => {
  const model = parse(lines({ ...D, record: "type", type: 7, before: "x", after: [], growth: null, retained: 3, examples: [1, "0x2", null] }));
  assert.equal(model.types[0]!.name, "");
  assert.deepEqual(model.types[0]!.before, { objects: 0, bytes: 0 });
  assert.deepEqual(model.types[0]!.examples, ["0x2"]);
  assert.equal(parse(`null\n7\n"x"\n[]\n`).types.length, 0);
});

test("a damaged line is named", () => {
  assert.throws(() => parse(`${lines({ ...D, record: "total" })}{"schema":`), /line 2 of the data/);
});

test("the tree is renumbered, and what hangs from nothing is left out", () => {
  const place = (row: number, parent: number | null): object => ({ ...D, record: "tree", row, parent, depth: 0, type: `t${row}` });
  const model = parse(lines(place(7, 4), place(0, null), place(4, 0), place(9, 8), place(4, 0), place(5, null), place(11, 7)));
  assert.deepEqual(
    model.tree.map(({ row, parent, type }) => [row, parent, type]),
    [[0, -1, "t0"], [1, 0, "t4"], [2, 1, "t7"], [3, 2, "t11"]],
  );
});

test("names of types cannot reach into objects", () => {
  const model = parse(lines({ ...D, record: "sizes", type: "__proto__", before: [], after: [] }, { ...D, record: "__proto__" }));
  assert.ok(model.sizes.has("__proto__"));
  assert.equal(({} as { before?: unknown }).before, undefined);
});

test("a series and a check are told apart from a diff", () => {
  const S = { schema: "hsdiff.series/1" };
  const model = parse(
    lines(
      { schema: "hsdiff.check/1", record: "check", verdict: "failed", rules: { all: 2, failed: 1 }, config: { name: "c.yml" } },
      { schema: "hsdiff.check/1", record: "rule", rule: "r", outcome: "fail", found: 5, limit: null },
      { schema: "hsdiff.check/1", record: "capture", side: "before", path: "a.hs" },
      { ...D, record: "capture", side: "before", path: "a.hs", lost: 3 },
      { ...S, record: "series", captures: 3, has_times: true },
      { ...S, record: "type", type: "T", bytes: [1, 2, 3], objects: [1, 1, 1], trend: { growth: 2, per_hour: null }, verdict: "each step" },
      { ...S, record: "others", table: "type", rows: 4, bytes: [0, 0, 0] },
      { ...S, record: "unknown", table: "cohort", why: "no ids" },
    ),
  );
  assert.equal(model.check!.failed, 1);
  assert.equal(model.rules[0]!.limit, null);
  assert.equal(model.captures.length, 1);
  assert.equal(model.captures[0]!.lost, 3);
  assert.equal(model.types.length, 0);
  assert.equal(model.series.count, 3);
  assert.equal(model.series.types[0]!.verdict, "each step");
  assert.equal(model.series.others.get("type")!.rows, 4);
  assert.equal(model.series.unknown.get("cohort"), "no ids");
});

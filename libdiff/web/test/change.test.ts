import assert from "node:assert/strict";
import { test } from "node:test";
import { changeColumns, changeFoot, frameOf, percentText, type NamedChange } from "../report/change_columns.ts";
import { overweight, overweightText, passes, restOf, sumOf } from "../report/change_logic.ts";
import { parse, type Change, type Model } from "../kit/model.ts";
import { proofOf } from "../report/proof.ts";

function change(before: number, after: number, fresh: number | null = Math.max(0, after - before)): Change {
  const amount = (objects: number): { objects: number; bytes: number } => ({ objects, bytes: objects * 10 });
  return {
    before: amount(before),
    after: amount(after),
    growth: amount(after - before),
    new: fresh === null ? null : amount(fresh),
    freed: fresh === null ? null : amount(fresh - (after - before)),
    resizedBytes: 0,
  };
}

function named(name: string, each: Change): NamedChange {
  return { ...each, name, retained: null };
}

test("shown rows and the rest add up to the total, whatever is shown", () => {
  const rows = [change(1, 5), change(7, 0), change(3, 3, 2), change(0, 9)];
  const total = sumOf(rows);
  for (let mask = 0; mask < 16; mask++) {
    const shown = rows.filter((_, i) => mask & (1 << i));
    const rest = restOf(total, sumOf(shown));
    assert.deepEqual(sumOf([...shown, rest]), total);
  }
});

test("what is not known of one row is not known of the sum", () => {
  assert.equal(sumOf([change(1, 2), change(1, 2, null)]).new, null);
});

test("the foot names the rows that are not shown", () => {
  const rows = [named("a", change(1, 5)), named("b", change(7, 0)), named("c", change(0, 9))];
  const total = sumOf(rows);
  const columns = changeColumns("Type", frameOf(rows, total, 0, () => true));
  assert.deepEqual(changeFoot(rows, 3, total, columns, "type").map((row) => row.label), ["TOTAL"]);
  const foot = changeFoot(rows.slice(0, 1), 3, total, columns, "type");
  assert.deepEqual(foot.map((row) => row.label), ["2 other types", "TOTAL"]);
  const growth = columns.findIndex((column) => column.key === "growth") - 1;
  assert.equal(foot[0]!.copied[growth], 20);
  assert.equal(foot[1]!.copied[growth], 60);
});

test("overweight is 1 in proportion", () => {
  const total = change(100, 150);
  assert.equal(overweight(change(10, 15), total), 1);
  assert.equal(overweight(change(10, 60), total), 10);
  assert.equal(overweight(change(10, 5), total), -1);
  assert.equal(overweight(change(0, 5), total), null);
  assert.equal(overweight(change(10, 5), change(100, 90)), null);
  assert.deepEqual([1, 0.04, -0.44, 9.96, 12345, null].map(overweightText), ["x1.0", "x0", "-x0.4", "x10", "x12,345", ""]);
});

test("filters", () => {
  const fresh = change(0, 5);
  const gone = change(5, 0);
  const churned = change(5, 5, 3);
  const same = change(5, 5);
  assert.deepEqual([fresh, gone, churned, same].map((each) => passes(each, "new")), [true, false, false, false]);
  assert.deepEqual([fresh, gone, churned, same].map((each) => passes(each, "freed")), [false, true, false, false]);
  assert.deepEqual([fresh, gone, churned, same].map((each) => passes(each, "changed")), [true, true, true, false]);
  assert.deepEqual([fresh, gone, churned, same].map((each) => passes(each, "grown")), [true, false, false, false]);
  assert.deepEqual([fresh, gone, churned, same].map((each) => passes(each, "shrunk")), [false, true, false, false]);
});

test("noise has no percentage, facts stay", () => {
  assert.equal(percentText(change(100, 101), 64, () => true), "~");
  assert.equal(percentText(change(100, 110), 64, () => true), "+10%");
  assert.equal(percentText(change(0, 1), 64, () => true), "[NEW]");
  assert.equal(percentText(change(1, 1), 64, () => true), "[ = ]");
});

test("a partial capture proves growth alone, and only if before is whole", () => {
  const modelOf = (isPartial: boolean, before: object, after: object): Model =>
    parse(
      [
        { record: "total", partial: isPartial },
        { record: "capture", side: "before", has_roots: true, has_references: true, ...before },
        { record: "capture", side: "after", has_roots: true, has_references: true, ...after },
      ]
        .map((record) => JSON.stringify(record))
        .join("\n"),
    );
  const proven = (model: Model): boolean[] => [5, 0, -5].map(proofOf(model));
  assert.deepEqual(proven(modelOf(false, {}, {})), [true, true, true]);
  assert.deepEqual(proven(modelOf(true, {}, { complete: false })), [true, false, false]);
  assert.deepEqual(proven(modelOf(true, { complete: false }, {})), [false, false, false]);
  assert.deepEqual(proven(modelOf(true, {}, { complete: false, has_roots: false })), [false, false, false]);
  assert.deepEqual(proven(parse(`{"record":"total","partial":true}`)), [false, false, false]);
});

test("what is not proven prints as ?, in the sum too", () => {
  const rows = [named("a", change(1, 5)), named("b", change(7, 0, null))];
  const total = sumOf(rows);
  const columns = changeColumns("Type", frameOf(rows, total, 0, (growth) => growth > 0));
  const copied = (row: NamedChange): (string | number | null)[] => columns.filter(({ key }) => ["growth", "percent", "objects"].includes(key)).map((column) => column.copied(row));
  assert.deepEqual(copied(rows[0]!), [40, "+400%", 4]);
  assert.deepEqual(copied(rows[1]!), ["?", "?", null]);
  const growth = columns.findIndex((column) => column.key === "growth") - 1;
  assert.equal(changeFoot(rows, 2, total, columns, "type")[0]!.cells[growth], "?");
  assert.ok(!columns.some((column) => column.key === "overweight"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { cellOf, covers, holdsAll, moveRow, readOrder, scrollTo, sortIndexes, tsvOf, windowOf, wordsOf, writeOrder } from "../kit/table_logic.ts";

test("sorting is stable, and what is not known stands last", () => {
  assert.deepEqual(sortIndexes([3, 1, null, 2, 1], false), [1, 4, 3, 0, 2]);
  assert.deepEqual(sortIndexes([3, 1, null, 2, 1], true), [0, 3, 1, 4, 2]);
  assert.deepEqual(sortIndexes(["b", "a", "B", "a"], false), [2, 1, 3, 0]);
  assert.deepEqual(sortIndexes([Infinity, 5, -Infinity], true), [0, 1, 2]);
  assert.deepEqual(sortIndexes([], true), []);
});

test("an order is read back from the address", () => {
  const otherwise = { column: "growth", descending: true };
  for (const order of [{ column: "name", descending: false }, { column: "growth", descending: true }])
    assert.deepEqual(readOrder(writeOrder(order), ["name", "growth"], otherwise), order);
  assert.deepEqual(readOrder("constructor", ["name"], otherwise), otherwise);
  assert.deepEqual(readOrder("-", ["name"], otherwise), otherwise);
  assert.deepEqual(readOrder(null, ["name"], otherwise), otherwise);
});

test("a filter wants every word", () => {
  assert.ok(holdsAll("java.util.hashmap", wordsOf("  Hash UTIL ")));
  assert.ok(!holdsAll("java.util.hashmap", wordsOf("hash tree")));
  assert.ok(holdsAll("anything", wordsOf("   ")));
});

test("the window holds all rows in sight, and no row that is not there", () => {
  for (const rows of [0, 1, 5, 100, 100000])
    for (const top of [0, 13, 28, 2799, 2800, 2799999, 99999999])
      for (const margin of [0, 12]) {
        const { first, end } = windowOf(top, 600, 28, rows, margin);
        assert.ok(first >= 0 && end <= rows && (rows === 0 || first < rows), `${rows} ${top}`);
        for (let y = top; y < top + 600; y += 28) {
          const row = Math.floor(y / 28);
          if (row < rows) assert.ok(row >= first && row < end, `row ${row} of ${rows} at ${top}`);
        }
      }
  assert.ok(covers({ first: 0, end: 50 }, { first: 10, end: 50 }));
  assert.ok(!covers({ first: 0, end: 50 }, { first: 10, end: 51 }));
});

test("a row that is moved to comes into sight, and no further", () => {
  assert.equal(scrollTo(0, 280, 600, 28), 0);
  assert.equal(scrollTo(100, 0, 600, 28), 101 * 28 - 600);
  assert.equal(scrollTo(5, 0, 600, 28), null);
});

test("keys stay inside the table", () => {
  assert.equal(moveRow("ArrowDown", 9, 10, 5), 9);
  assert.equal(moveRow("ArrowUp", 0, 10, 5), 0);
  assert.equal(moveRow("PageDown", 2, 10, 5), 7);
  assert.equal(moveRow("PageUp", 2, 10, 5), 0);
  assert.equal(moveRow("End", 2, 10, 5), 9);
  assert.equal(moveRow("Home", 2, 10, 5), 0);
  assert.equal(moveRow("a", 2, 10, 5), null);
});

test("copied text cannot break a row, nor become a formula", () => {
  assert.equal(cellOf("=cmd|'/C calc'!A0"), "'=cmd|'/C calc'!A0");
  assert.equal(cellOf("+cmd"), "'+cmd");
  assert.equal(cellOf("-1+cmd"), "'-1+cmd");
  assert.deepEqual(["+63%", "-x0.4", "x1,281", "~", "[NEW]"].map(cellOf), ["+63%", "-x0.4", "x1,281", "~", "[NEW]"]);
  assert.equal(cellOf("@SUM"), "'@SUM");
  assert.equal(cellOf("\uff1dx"), "'\uff1dx");
  assert.equal(cellOf("a\tb\nc"), "a b c");
  assert.equal(cellOf(-5), "-5");
  assert.equal(cellOf(null), "");
  assert.equal(tsvOf([["Type", 1], ["x", null]]), "Type\t1\nx\t\n");
});

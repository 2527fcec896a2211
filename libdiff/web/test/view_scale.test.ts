import assert from "node:assert/strict";
import { test } from "node:test";
import {
  firstAt,
  firstToShow,
  isSqueezed,
  longestPixels,
  mostFirst,
  scrollAt,
  stripPixels,
  type Scale,
} from "../view/scale.ts";

const short: Scale = { rows: 1000, rowPixels: 30, viewPixels: 300 };
const long: Scale = { rows: 200_000_000, rowPixels: 30, viewPixels: 300 };
const tiny: Scale = { rows: 3, rowPixels: 30, viewPixels: 300 };

test("a short list is as tall as its rows, a long one as tall as browsers can", () => {
  assert.equal(stripPixels(short), 30_000);
  assert.equal(isSqueezed(short), false);
  assert.equal(stripPixels(long), longestPixels);
  assert.equal(isSqueezed(long), true);
});

test("the ends of the scroll bar are the ends of the list", () => {
  for (const scale of [short, long]) {
    const most = stripPixels(scale) - scale.viewPixels;
    assert.equal(firstAt(scale, 0), 0);
    assert.equal(firstAt(scale, most), mostFirst(scale));
    assert.ok(mostFirst(scale) + scale.viewPixels / scale.rowPixels === scale.rows);
  }
});

test("place and row are each other's inverse", () => {
  for (const scale of [short, long])
    for (const part of [0, 0.1, 0.5, 0.99, 1]) {
      const first = mostFirst(scale) * part;
      assert.ok(Math.abs(firstAt(scale, scrollAt(scale, first)) - first) < 1e-3 * Math.max(1, first));
    }
});

test("a list that fits does not scroll", () => {
  assert.equal(firstAt(tiny, 50), 0);
  assert.equal(scrollAt(tiny, 2), 0);
  assert.equal(mostFirst(tiny), 0);
});

test("a row is brought into view by the least move", () => {
  assert.equal(firstToShow(short, 10, 5), 5);
  assert.equal(firstToShow(short, 10, 15), 10);
  assert.equal(firstToShow(short, 10, 20), 11);
  assert.equal(firstToShow(short, 10, 999), 990);
});

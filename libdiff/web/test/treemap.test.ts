import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeRows, sizeText } from "../report/histogram.ts";
import { treeOf } from "../kit/icicle_tree.ts";
import { tileAt, tileMoved, tilesOf } from "../kit/treemap_layout.ts";
import { randomTree, rowsOf } from "./tree_rows.ts";

test("tiles lie inside what they are part of, do not cover each other, and hold all its bytes", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const tree = treeOf(randomTree(seed, 500));
    for (const place of [0, 1, 7]) {
      const tiles = tilesOf(tree, place, 800, 400);
      for (const outer of tiles) {
        if (!outer.hasTiles) continue;
        const inner = tiles.filter(
          (each) => each.level === outer.level + 1 && (each.isRest ? each.place === outer.place : tree.parent[each.place] === outer.place),
        );
        assert.equal(
          inner.reduce((sum, each) => sum + each.bytes, 0),
          outer.bytes,
        );
        for (const [i, a] of inner.entries()) {
          assert.ok(
            a.x >= outer.x && a.y >= outer.y && a.x + a.width <= outer.x + outer.width + 1 && a.y + a.height <= outer.y + outer.height + 1,
          );
          for (const b of inner.slice(i + 1))
            assert.ok(
              a.x + a.width <= b.x ||
                b.x + b.width <= a.x ||
                a.y + a.height <= b.y ||
                b.y + b.height <= a.y ||
                a.width * a.height === 0 ||
                b.width * b.height === 0,
            );
        }
      }
    }
  }
});

test("a point leads to the innermost tile, keys from there to its neighbours", () => {
  const tree = treeOf(
    rowsOf([
      { depth: 0, before: 0, after: 100 },
      { depth: 1, before: 0, after: 60 },
      { depth: 2, before: 0, after: 50 },
      { depth: 1, before: 0, after: 40 },
    ]),
  );
  const tiles = tilesOf(tree, 0, 600, 300);
  const inner = tiles.findIndex((tile) => tile.level === 2 && !tile.isRest);
  const { x, y, width, height } = tiles[inner]!;
  assert.equal(tileAt(tiles, x + width / 2, y + height / 2), tiles[inner]);
  assert.equal(tileAt(tiles, -1, 5), null);
  const outer = tileMoved(tree, tiles, inner, "out");
  assert.equal(tiles[outer]!.bytes, 60);
  assert.equal(tileMoved(tree, tiles, outer, "in"), inner);
  assert.equal(tiles[tileMoved(tree, tiles, outer, "next")]!.bytes, 40);
  assert.equal(tileMoved(tree, tiles, outer, "previous"), outer);
  assert.equal(tileMoved(tree, tiles, 0, "out"), 0);
});

test("what is not held after has no tiles, and a large tree not many", () => {
  const gone = treeOf(rowsOf([{ depth: 0, before: 5, after: 0 }]));
  assert.deepEqual(tilesOf(gone, 0, 100, 100), []);
  const large = treeOf(randomTree(3, 100000));
  assert.ok(tilesOf(large, 0, 1200, 400).length < 9000);
});

test("sizes of both sides stand in one row each, small ones first", () => {
  const rows = sizeRows({
    before: [
      { log2: 5, count: 3, bytes: 100 },
      { log2: 2, count: 0, bytes: 0 },
    ],
    after: [
      { log2: 3, count: 2, bytes: 20 },
      { log2: 5, count: 4, bytes: 130 },
    ],
  });
  assert.deepEqual(rows, [
    { log2: 3, before: 0, after: 2, growth: 20 },
    { log2: 5, before: 3, after: 4, growth: 30 },
  ]);
});

test("sizes are told as powers of two", () => {
  assert.equal(sizeText(0), "1 B");
  assert.equal(sizeText(9), "512 B to 1 KiB");
  assert.equal(sizeText(20), "1 MiB to 2 MiB");
  assert.equal(sizeText(63), "8 EiB to 16 EiB");
});

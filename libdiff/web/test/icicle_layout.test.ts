import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf, placeAt, shareOf, viewBetween, viewOf, type Mode } from "../kit/icicle_layout.ts";
import { childrenAt, treeOf } from "../kit/icicle_tree.ts";
import { randomTree, rowsOf } from "./tree_rows.ts";

const modes: readonly Mode[] = ["both", "before", "after"];

/* total, and below it: grown by 80, as it was, gone; the first holds one that came and one that shrank. */
const sample = rowsOf([
  { depth: 0, before: 300, after: 330 },
  { depth: 1, type: "steady", before: 100, after: 100 },
  { depth: 1, type: "gone", before: 50, after: 0 },
  { depth: 1, type: "grown", before: 150, after: 230 },
  { depth: 2, type: "came", before: 0, after: 120 },
  { depth: 2, type: "shrank", before: 100, after: 60 },
]);

test("siblings stand by how much changed below them", () => {
  const tree = treeOf(sample);
  const types = childrenAt(tree, 0).map((place) => tree.rows[tree.row[place]!]!.type);
  assert.deepEqual(types, ["grown", "gone", "steady"]);
});

test("in mode both a width is what grew plus what shrank", () => {
  const tree = treeOf(sample);
  const layout = layoutOf(tree, "both");
  const widths = Object.fromEntries(sample.map((row, i) => [row.type, layout.width[tree.placeOfRow[i]!]]));
  assert.equal(widths["came"], 120);
  assert.equal(widths["shrank"], 40);
  assert.equal(widths["grown"], 160);
  assert.equal(widths["gone"], 50);
  assert.equal(widths["steady"], 0);
  assert.equal(layout.width[0], 210);
  assert.equal(shareOf(layout, tree.placeOfRow[3]!), 80 / 160);
  assert.equal(shareOf(layout, tree.placeOfRow[2]!), -1);
});

test("in modes before and after a width is the bytes of that side", () => {
  const tree = treeOf(sample);
  assert.deepEqual([...layoutOf(tree, "before").width], [...tree.before]);
  assert.deepEqual([...layoutOf(tree, "after").width], [...tree.after]);
  assert.equal(layoutOf(tree, "before").width[0], 300);
  assert.equal(layoutOf(tree, "after").width[0], 330);
});

test("children lie inside their parent, side by side, in every mode", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const tree = treeOf(randomTree(seed, 400));
    for (const mode of modes) {
      const { left, width } = layoutOf(tree, mode);
      for (let place = 0; place < tree.count; place++) {
        let at = left[place]!;
        for (const child of childrenAt(tree, place)) {
          assert.equal(left[child], at);
          at += width[child]!;
        }
        assert.ok(at <= left[place]! + width[place]!, `seed ${seed} ${mode}: children of ${place} stand out`);
      }
    }
  }
});

test("growth and decrease of the whole are those of all places by themselves", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const rows = randomTree(seed, 300);
    const tree = treeOf(rows);
    let grown = 0;
    let shrunk = 0;
    for (const { own } of rows) {
      grown += Math.max(0, own.after.bytes - own.before.bytes);
      shrunk += Math.max(0, own.before.bytes - own.after.bytes);
    }
    assert.equal(tree.grown[0], grown);
    assert.equal(tree.shrunk[0], shrunk);
    assert.equal(tree.grown[0]! - tree.shrunk[0]!, tree.after[0]! - tree.before[0]!);
  }
});

test("the place at a byte is the one a search through all finds", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const tree = treeOf(randomTree(seed, 300));
    for (const mode of modes) {
      const layout = layoutOf(tree, mode);
      for (let i = 0; i < 200; i++) {
        const at = Math.floor((i / 200) * layout.width[0]!) + (i % 2) / 2;
        const depth = i % (tree.depthCount + 1);
        const naive = [...tree.level].find(
          (place) => tree.depth[place] === depth && layout.left[place]! <= at && at < layout.left[place]! + layout.width[place]!,
        );
        assert.equal(placeAt(layout, depth, at), naive ?? -1);
      }
    }
  }
});

test("a zoom begins and ends where it should and never leaves what both ends span", () => {
  const a = { from: 0, span: 1e12 };
  const b = { from: 4e11, span: 1000 };
  assert.deepEqual(viewBetween(a, b, 0), a);
  assert.deepEqual(viewBetween(a, b, 1), b);
  let span = a.span;
  for (let t = 0.05; t < 1; t += 0.05) {
    const view = viewBetween(a, b, t);
    assert.ok(view.span < span && view.from >= -1 && view.from + view.span <= 1e12 + 1);
    assert.ok(view.from <= b.from + 1 && view.from + view.span >= b.from + b.span - 1);
    span = view.span;
  }
});

test("a place without a width is not zoomed into", () => {
  const layout = layoutOf(treeOf(sample), "both");
  assert.deepEqual(viewOf(layout, layout.tree.placeOfRow[1]!), { from: 0, span: 210 });
});

test("rows that do not hang together are left out, and children that claim too much widen their parent", () => {
  const rows = rowsOf([
    { depth: 0, before: 10, after: 10 },
    { depth: 1, before: 50, after: 10 },
    { depth: 3, before: 5, after: 5, parent: 1 },
    { depth: 1, before: 5, after: 5, parent: 7 },
    { depth: 2, before: 5, after: 5, parent: 3 },
  ]);
  const tree = treeOf(rows);
  assert.equal(tree.count, 2);
  assert.equal(tree.before[0], 50);
  assert.deepEqual([...tree.placeOfRow], [0, 1, -1, -1, -1]);
  assert.equal(treeOf([]).count, 0);
});

test("a tree of 100,000 places is laid out in one go", () => {
  const rows = randomTree(7, 100000);
  const begin = performance.now();
  const tree = treeOf(rows);
  const built = performance.now();
  for (const mode of modes) layoutOf(tree, mode);
  const done = performance.now();
  assert.equal(tree.count, 100000);
  console.log(`tree of 100,000: ${(built - begin).toFixed(0)} ms, layout of a mode: ${((done - built) / 3).toFixed(1)} ms`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { inksOf, parseColour, type Colours } from "../kit/icicle_inks.ts";
import { layoutOf, viewOf, type View } from "../kit/icicle_layout.ts";
import { markedRuns, paintLine, type Box, type Brush } from "../kit/icicle_line.ts";
import { treeOf } from "../kit/icicle_tree.ts";
import { randomTree, rowsOf, type Sketch } from "./tree_rows.ts";

const colours: Colours = {
  paper: [255, 255, 255],
  growth: [200, 70, 10],
  decrease: [30, 70, 160],
  rest: [150, 150, 150],
  dim: [220, 220, 220],
  mark: [0, 0, 0],
  ring: [0, 0, 0],
};
const inks = inksOf(colours);

function brushOf(rows: readonly Sketch[] | ReturnType<typeof rowsOf>, marked: readonly number[] | null = null): Brush {
  const tree = treeOf("row" in (rows[0] ?? {}) ? (rows as ReturnType<typeof rowsOf>) : rowsOf(rows as Sketch[]));
  const isMarked = new Uint8Array(tree.count);
  for (const row of marked ?? []) isMarked[tree.placeOfRow[row]!] = 1;
  const sum = new Uint32Array(tree.count + 1);
  tree.level.forEach((place, entry) => (sum[entry + 1] = sum[entry]! + isMarked[place]!));
  return { layout: layoutOf(tree, "both"), inks, marks: marked && { isMarked, sum }, gap: 1 };
}

function painted(brush: Brush, depth: number, pixels: number, view: View = viewOf(brush.layout, 0)): { line: Uint32Array; boxes: Box[] } {
  const line = new Uint32Array(pixels);
  const boxes: Box[] = [];
  paintLine(brush, depth, view, line, (box) => boxes.push(box));
  return { line, boxes };
}

test("the net change of a box is painted at its left, what cancels at its right", () => {
  const brush = brushOf([
    { depth: 0, before: 100, after: 150 },
    { depth: 1, before: 0, after: 75 },
    { depth: 1, before: 100, after: 75 },
  ]);
  const { line, boxes } = painted(brush, 0, 200);
  assert.deepEqual(
    boxes.map(({ left, split, right }) => [left, split, right]),
    [[0, 100, 199]],
  );
  assert.ok(inks.growth.some((ink) => ink.pixel === line[50]));
  assert.equal(line[150], inks.rest.pixel);
  const below = painted(brush, 1, 200);
  assert.deepEqual(
    below.boxes.map(({ left, right, share }) => [left, right, share]),
    [
      [0, 149, 1],
      [150, 199, -1],
    ],
  );
  assert.equal(below.line[149], inks.paper.pixel, "boxes are told apart by paper between them");
});

test("what is narrower than half a pixel is painted by how much of the pixel it covers", () => {
  const rows: Sketch[] = [{ depth: 0, before: 0, after: 1600 }];
  for (let i = 0; i < 800; i++) rows.push({ depth: 1, before: 0, after: 1 });
  const { line, boxes } = painted(brushOf(rows), 1, 100);
  assert.equal(boxes.length, 0);
  for (let x = 0; x < 49; x++) assert.equal(line[x], inks.growth[0]!.pixel, `pixel ${x} is full`);
  for (let x = 51; x < 100; x++) assert.equal(line[x], inks.paper.pixel, `pixel ${x} is empty`);
});

test("a line looks at no more boxes than it has pixels for, however many there are", () => {
  const brush = brushOf(randomTree(11, 100000));
  const layout = brush.layout;
  let looked = 0;
  const counting = new Proxy(layout.tree.level, {
    get: (level, key) => {
      if (typeof key === "string" && /^\d+$/.test(key)) looked++;
      return Reflect.get(level, key, level) as unknown;
    },
  });
  const watched: Brush = { ...brush, layout: { ...layout, tree: { ...layout.tree, level: counting } } };
  const pixels = 640;
  for (let depth = 0; depth < layout.tree.depthCount; depth++) {
    looked = 0;
    painted(watched, depth, pixels);
    assert.ok(looked < pixels * 2 * 40, `depth ${depth}: ${looked} looks`);
  }
});

test("a painted line is what painting box by box with a ruler gives, within a pixel", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const brush = brushOf(randomTree(seed, 500));
    const { tree, left, width } = brush.layout;
    const view = viewOf(brush.layout, 0);
    const pixels = 500;
    const scale = pixels / view.span;
    for (let depth = 0; depth < tree.depthCount; depth++) {
      const { line } = painted(brush, depth, pixels);
      for (let place = 0; place < tree.count; place++) {
        if (tree.depth[place] !== depth || width[place]! * scale < 4) continue;
        const middle = Math.floor((left[place]! + width[place]! / 2) * scale);
        assert.notEqual(line[middle], inks.paper.pixel, `seed ${seed}: place ${place} is not there`);
      }
      for (let x = 0; x < pixels; x++) {
        if (line[x] === inks.paper.pixel) continue;
        const covered = [...tree.level].some(
          (place) =>
            tree.depth[place] === depth &&
            width[place]! > 0 &&
            left[place]! * scale < x + 1.5 &&
            (left[place]! + width[place]!) * scale > x - 0.5,
        );
        assert.ok(covered, `seed ${seed}: pixel ${x} of depth ${depth} belongs to nothing`);
      }
    }
  }
});

test("zoomed in, only what is in the view is painted", () => {
  const brush = brushOf([
    { depth: 0, before: 0, after: 100 },
    { depth: 1, before: 0, after: 60 },
    { depth: 2, before: 0, after: 30 },
    { depth: 1, before: 0, after: 40 },
  ]);
  const { boxes } = painted(brush, 1, 400, viewOf(brush.layout, brush.layout.tree.placeOfRow[3]!));
  assert.deepEqual(
    boxes.map(({ place, left }) => [brush.layout.tree.row[place], left]),
    [[3, 0]],
  );
  assert.equal(painted(brush, 2, 400, viewOf(brush.layout, brush.layout.tree.placeOfRow[3]!)).boxes.length, 0);
});

test("of a search, what is not found is dim and what is found has a bar", () => {
  const rows: Sketch[] = [
    { depth: 0, before: 0, after: 100 },
    { depth: 1, before: 0, after: 60 },
    { depth: 1, before: 0, after: 40 },
  ];
  const brush = brushOf(rows, [2]);
  const { line } = painted(brush, 1, 100);
  assert.equal(line[10], inks.dim.pixel);
  assert.ok(inks.growth.some((ink) => ink.pixel === line[70]));
  const runs: number[][] = [];
  markedRuns(brush, 1, viewOf(brush.layout, 0), 100, (from, to) => runs.push([from, to]));
  assert.deepEqual(runs, [[60, 100]]);
});

test("bars of neighbours too narrow to tell apart become one", () => {
  const rows: Sketch[] = [{ depth: 0, before: 0, after: 10000 }];
  for (let i = 0; i < 10000; i++) rows.push({ depth: 1, before: 0, after: 1 });
  const brush = brushOf(
    rows,
    Array.from({ length: 5000 }, (_, i) => i + 1),
  );
  const runs: number[][] = [];
  markedRuns(brush, 1, viewOf(brush.layout, 0), 100, (from, to) => runs.push([from, to]));
  assert.equal(runs.length, 1);
  assert.ok(runs[0]![0]! === 0 && Math.abs(runs[0]![1]! - 50) <= 2);
});

test("colours are read as styles give them", () => {
  assert.deepEqual(parseColour("rgb(1, 2, 3)"), [1, 2, 3]);
  assert.deepEqual(parseColour("rgba(1, 2, 3, 0.5)"), [1, 2, 3]);
  assert.deepEqual(parseColour("color(srgb 0 0.2 1)"), [0, 51, 255]);
  assert.deepEqual(parseColour("#fff"), [255, 255, 255]);
  assert.deepEqual(parseColour("#102030"), [16, 32, 48]);
});

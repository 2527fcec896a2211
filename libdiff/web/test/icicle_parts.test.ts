import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contrast, inksOf, parseColour, type Colours, type Rgb } from "../kit/icicle_inks.ts";
import { OpenRows } from "../kit/icicle_grid.ts";
import { layoutOf } from "../kit/icicle_layout.ts";
import { isBelow, moved } from "../kit/icicle_move.ts";
import { Labels, search } from "../kit/icicle_search.ts";
import { childrenAt, labelOf, pathTo, treeOf } from "../kit/icicle_tree.ts";
import { boxText, growthText, sentence, shortLabel } from "../kit/icicle_words.ts";
import { randomTree, rowsOf } from "./tree_rows.ts";

const shop = treeOf(
  rowsOf([
    { depth: 0, before: 1000, after: 5000 },
    { depth: 1, before: 500, after: 4600, type: "global.sessions" },
    { depth: 2, before: 500, after: 4600, edge: ".entries", type: "java.util.HashMap$Node[]" },
    { depth: 3, before: 100, after: 4000, edge: ".buf", type: "Buffer" },
    { depth: 3, before: 400, after: 100, edge: "", type: "com.shop.Session" },
    { depth: 1, before: 500, after: 400, type: "handlers" },
  ]),
);
const placeOf = (row: number) => shop.placeOfRow[row]!;

test("places are named as the text report names steps, with what is hidden in names shown", () => {
  assert.equal(labelOf(shop, 0), "whole heap");
  assert.equal(labelOf(shop, placeOf(1)), "global.sessions");
  assert.equal(labelOf(shop, placeOf(3)), ".buf: Buffer");
  assert.equal(labelOf(shop, placeOf(4)), "-> com.shop.Session");
  const hostile = treeOf(
    rowsOf([
      { depth: 0, before: 0, after: 1 },
      { depth: 1, before: 0, after: 1, type: "a\u202eb\u0000" },
    ]),
  );
  assert.equal(labelOf(hostile, 1), "a\\u202eb\\x00");
});

test("a label that does not fit loses its packages, then its type, then its middle", () => {
  assert.equal(shortLabel(shop, placeOf(2), 40), ".entries: java.util.HashMap$Node[]");
  assert.equal(shortLabel(shop, placeOf(2), 25), ".entries: HashMap$Node[]");
  assert.equal(shortLabel(shop, placeOf(2), 10), ".entries");
  assert.equal(shortLabel(shop, placeOf(4), 12), "-> Session");
  assert.ok(shortLabel(shop, placeOf(1), 7).length <= 7);
});

test("a box with room has its amount at the right end", () => {
  const text = boxText(layoutOf(shop, "both"), placeOf(3), 30);
  assert.equal(text.length, 30);
  assert.ok(text.startsWith(".buf: Buffer") && text.endsWith("+3.81 KiB"));
  assert.equal(boxText(layoutOf(shop, "both"), placeOf(3), 14), ".buf: Buffer");
  assert.ok(boxText(layoutOf(shop, "after"), placeOf(3), 30).endsWith(" 3.91 KiB"));
});

test("numbers are told in words", () => {
  assert.equal(growthText(shop, placeOf(3)), "+3.81 KiB (x40)");
  assert.equal(sentence(shop, placeOf(5)), "handlers: -100 B (-20%), 500 B before, 400 B after");
});

test("a search counts what was found once, however it is nested", () => {
  const found = search(shop, new Labels(shop), " E ")!;
  assert.equal(found.places, 5);
  assert.equal(found.before, 1000);
  assert.equal(found.after, 5000);
  assert.equal(search(shop, new Labels(shop), "buffer")!.after, 4000);
  assert.equal(search(shop, new Labels(shop), "nothing of the kind")!.places, 0);
  assert.equal(search(shop, new Labels(shop), "   "), null);
});

test("bytes found are those of the topmost places found", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const tree = treeOf(randomTree(seed, 300));
    const found = search(tree, new Labels(tree), "t1")!;
    let after = 0;
    for (let place = 1; place < tree.count; place++) {
      const hits = pathTo(tree, place)
        .slice(1)
        .filter((each) => labelOf(tree, each).toLowerCase().includes("t1"));
      if (hits[0] === place) after += tree.after[place]!;
    }
    assert.equal(found.after, after);
  }
});

test("keys lead to neighbours that can be seen, and never out of what is zoomed to but upwards", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const tree = treeOf(randomTree(seed, 200));
    const layout = layoutOf(tree, "both");
    for (let zoom = 0; zoom < tree.count; zoom += 17) {
      for (let place = zoom; place < tree.end[zoom]!; place++) {
        const right = moved(layout, place, "right", zoom);
        assert.ok(isBelow(layout, right, zoom));
        assert.equal(tree.depth[right], tree.depth[place]);
        if (right !== place && layout.width[place]! > 0) assert.equal(moved(layout, right, "left", zoom), place);
        const down = moved(layout, place, "down", zoom);
        if (down !== place) {
          assert.equal(tree.parent[down], place);
          assert.ok(childrenAt(tree, place).every((child) => layout.width[child]! <= layout.width[down]!));
        }
      }
    }
  }
});

test("opening and closing rows of the table leaves the rows a plain walk gives", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const tree = treeOf(randomTree(seed, 200));
    const rows = new OpenRows(tree);
    const open = new Set([0]);
    for (let i = 0; i < 200; i++) {
      const place = rows.rows[(i * 7919) % rows.rows.length]!;
      const isOpen = (i * 31) % 3 !== 0;
      rows.setOpen(place, isOpen);
      if (isOpen) open.add(place);
      else open.delete(place);
    }
    const naive: number[] = [];
    for (let place = 0; place < tree.count; place++)
      if (
        pathTo(tree, place)
          .slice(0, -1)
          .every((above) => open.has(above))
      )
        naive.push(place);
    assert.deepEqual(rows.rows, naive);
    const deep = tree.depth.indexOf(tree.depthCount - 1);
    assert.equal(rows.rows[rows.reveal(deep)], deep);
  }
});

/* ---- colours ---- */

declare global {
  interface ImportMeta {
    readonly testFolder: string;
  }
}

/* What charts.css says for a theme: the first block that sets colours is the light one, the second the dark one. */
function coloursOf(theme: number): Colours {
  const css = readFileSync(join(import.meta.testFolder, "..", "kit", "charts.css"), "utf8");
  const block = [...css.matchAll(/:root[^{]* \{([^}]*--chart-paper[^}]*)\}/g)][theme]![1]!;
  return Object.fromEntries(
    [...block.matchAll(/--chart-(\w+): (#[0-9a-f]{6})/g)].map(([, name, hex]) => [name, parseColour(hex!)]),
  ) as unknown as Colours;
}

function rgbOf(css: string): Rgb {
  return css.match(/\d+/g)!.map(Number) as unknown as Rgb;
}

for (const [theme, name] of ["light", "dark"].entries()) {
  test(`${name}: boxes stand out from the paper by 3:1, their text from them by 4.5:1`, () => {
    const colours = coloursOf(theme);
    const inks = inksOf(colours);
    for (const ink of [inks.rest, ...inks.growth, ...inks.decrease, ...inks.grown, ...inks.shrunk]) {
      assert.ok(contrast(ink.rgb, colours.paper) >= 3, `${ink.css} on paper: ${contrast(ink.rgb, colours.paper)}`);
      assert.ok(contrast(ink.rgb, rgbOf(ink.text)) >= 4.5, `text on ${ink.css}: ${contrast(ink.rgb, rgbOf(ink.text))}`);
    }
    assert.ok(contrast(inks.dim.rgb, rgbOf(inks.dim.text)) >= 4.5);
    for (const ink of inks.decrease) assert.ok(contrast(inks.hatch.rgb, rgbOf(ink.text)) >= 4.5, "text on the hatch");
    assert.ok(contrast(inks.hatch.rgb, colours.decrease) >= 1.4, "the hatch shows");
    assert.ok(contrast(colours.growth, colours.decrease) >= 1.6, "growth and decrease differ in lightness");
  });
}

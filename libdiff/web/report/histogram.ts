/*
 * How large the objects of a type are, before and after: a row for each power of two, with both counts as bars and in words, so that
 * the picture is a table.
 */
import { el, svg, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Model, SizeClass, Sizes } from "../kit/model.ts";

export interface SizeRow {
  readonly log2: number;
  readonly before: number; /* objects */
  readonly after: number;
  readonly growth: number; /* bytes */
}

/** Rows of all sizes that either side has, small ones first. */
export function sizeRows(sizes: Sizes): SizeRow[] {
  const rows = new Map<number, { before: number; after: number; growth: number }>();
  const add = (classes: readonly SizeClass[], side: "before" | "after") => {
    for (const { log2, count, bytes } of classes) {
      const row = rows.get(log2) ?? { before: 0, after: 0, growth: 0 };
      row[side] += count;
      row.growth += side === "after" ? bytes : -bytes;
      rows.set(log2, row);
    }
  };
  add(sizes.before, "before");
  add(sizes.after, "after");
  return [...rows]
    .filter(([, row]) => row.before > 0 || row.after > 0)
    .sort(([a], [b]) => a - b)
    .map(([log2, row]) => ({ log2, ...row }));
}

/* "512 B", "1 KiB", "8 EiB": exact, as powers of two are. */
function powerText(log2: number): string {
  const unit = Math.floor(log2 / 10);
  return `${2 ** (log2 % 10)} ${unit === 0 ? "B" : `${"KMGTPE"[unit - 1]}iB`}`;
}

/** "512 B to 1 KiB", the upper end not included; "1 B" alone. */
export function sizeText(log2: number): string {
  return log2 === 0 ? "1 B" : `${powerText(log2)} to ${powerText(log2 + 1)}`;
}

function bars(row: SizeRow, most: number): Child {
  const tone = row.after > row.before ? "grown" : row.after < row.before ? "shrunk" : "same";
  const width = (count: number) => (count > 0 ? Math.max(1, (100 * count) / most) : 0);
  return svg(
    "svg",
    { viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bar-before", x: 0, y: 1, width: width(row.before), height: 8 }),
    svg("rect", { class: `bar-${tone}`, x: 0, y: 11, width: width(row.after), height: 8 }),
  );
}

function makeRow(row: SizeRow, most: number): HTMLElement {
  return el(
    "tr",
    null,
    el("th", { scope: "row" }, sizeText(row.log2)),
    el("td", { class: "bars" }, bars(row, most)),
    el("td", null, `${format.count(row.before)} \u2192 ${format.count(row.after)}`),
    el("td", null, format.bytesSigned(row.growth)),
  );
}

/** Fills `host` with the sizes of the type `name`; leaves it empty where the page has none of them. */
export function showSizes(host: HTMLElement, name: string, model: Model): void {
  const sizes = model.sizes.get(name);
  const rows = sizes ? sizeRows(sizes) : [];
  if (rows.length === 0) return;
  const most = Math.max(...rows.map((row) => Math.max(row.before, row.after)));
  host.append(
    el("h3", null, "Sizes of its objects"),
    el(
      "table",
      { class: "sizes" },
      el("caption", { class: "unseen" }, "Objects by size, before and after"),
      el(
        "thead",
        null,
        el(
          "tr",
          null,
          el("th", { scope: "col" }, "Size"),
          el("th", { scope: "col", class: "bars" }, el("span", { class: "unseen" }, "As bars: before above, after below")),
          el("th", { scope: "col" }, "Objects"),
          el("th", { scope: "col" }, "Growth"),
        ),
      ),
      el("tbody", null, ...rows.map((row) => makeRow(row, most))),
    ),
  );
}

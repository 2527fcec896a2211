/*
 * Plain tables that stand for pictures: all rows are there, columns have widths.
 */
import { el, type Child } from "./dom.ts";

/** `width` in rem. */
export function columnOf(width: number): HTMLElement {
  const column = el("col");
  column.style.width = `${width}rem`;
  return column;
}

/** Titles with widths in rem; the first column takes what is left and no less than its width. */
export function plainTable(label: string, columns: readonly (readonly [string, number])[], body: HTMLElement): HTMLTableElement {
  const table = el(
    "table",
    { class: "data", "aria-label": label },
    el("colgroup", null, el("col"), ...columns.slice(1).map(([, width]) => columnOf(width))),
    el(
      "thead",
      null,
      el("tr", null, ...columns.map(([title], i) => el("th", { scope: "col", class: i === 0 ? "name" : "number" }, title))),
    ),
    body,
  );
  table.style.minWidth = `${columns.reduce((sum, [, width]) => sum + width, 0)}rem`;
  return table;
}

/** A row: its name, then cells with their class. */
export function plainRow(name: Child, ...cells: readonly (readonly [string, Child])[]): HTMLElement {
  return el(
    "tr",
    null,
    el("th", { scope: "row", class: "name" }, name),
    ...cells.map(([tone, cell]) => el("td", { class: `number ${tone}`.trim() }, cell)),
  );
}

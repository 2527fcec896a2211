/*
 * Tables of a series: types, roots and holders, one value for each capture as a small line, and the verdict.
 */
import { copyText } from "../kit/copy.ts";
import { el, svg, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Model, Series, SeriesRow } from "../kit/model.ts";
import { visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";
import { Table, type Column, type FootRow } from "../kit/table.ts";
import { holdsAll, tsvOf, wordsOf } from "../kit/table_logic.ts";

function firstOf(row: SeriesRow): number {
  return row.contrast?.before.median ?? row.bytes[0] ?? 0;
}

function lastOf(row: SeriesRow): number {
  return row.contrast?.after.median ?? row.bytes[row.bytes.length - 1] ?? 0;
}

function growthOf(row: SeriesRow): number {
  return lastOf(row) - firstOf(row);
}

function toneOf(value: number): string {
  return value > 0 ? "grown" : value < 0 ? "shrunk" : "same";
}

const sparkWidth = 96;
const sparkHeight = 20;

/** Points of a line from the least to the largest value; a change below the noise is flat. */
export function sparkPoints(values: readonly number[], noiseBytes: number): string {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const isFlat = most - least <= noiseBytes;
  const step = values.length > 1 ? sparkWidth / (values.length - 1) : 0;
  return values
    .map((value, i) => {
      const height = isFlat ? 0 : (value - least) / (most - least);
      return `${(i * step).toFixed(1)},${(sparkHeight - 2 - height * (sparkHeight - 4)).toFixed(1)}`;
    })
    .join(" ");
}

function sparkline(row: SeriesRow, noiseBytes: number): Child {
  if (row.bytes.length < 2) return "";
  return svg(
    "svg",
    { class: "spark", viewBox: `0 0 ${sparkWidth} ${sparkHeight}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("polyline", { points: sparkPoints(row.bytes, noiseBytes), "vector-effect": "non-scaling-stroke" }),
  );
}

function nameOf(row: SeriesRow, isHolder: boolean): string {
  if (!isHolder) return visible(row.name);
  return visible(row.root ?? "") + row.path.map((step, i) => (i === 0 && step.edge === "" ? "" : step.edge === "" ? ` -> ${step.type}` : step.edge)).map(visible).join("");
}

function bytesColumn(key: string, title: string, hint: string, value: (row: SeriesRow) => number | null, isSigned: boolean): Column<SeriesRow> {
  return {
    key,
    title,
    hint,
    width: 6.4,
    sortKey: value,
    cell: (row) => {
      const known = value(row);
      return known === null ? "" : isSigned ? format.bytesSigned(known) : format.bytes(known);
    },
    ...(isSigned ? { className: (row: SeriesRow) => toneOf(value(row) ?? 0) } : {}),
    copied: value,
  };
}

function columnsOf(series: Series, title: string, isHolder: boolean): Column<SeriesRow>[] {
  const rate = series.hasTimes
    ? bytesColumn("rate", "Per hour", "Bytes per hour", (row) => row.trend?.perHour ?? null, true)
    : bytesColumn("rate", "Per step", "Bytes per step of the captures", (row) => row.trend?.perStep ?? null, true);
  const name: Column<SeriesRow> = {
    key: "name",
    title,
    hint: title,
    isText: true,
    width: 15,
    sortKey: (row) => nameOf(row, isHolder),
    cell: (row) => nameOf(row, isHolder),
    copied: (row) => nameOf(row, isHolder),
  };
  const percent: Column<SeriesRow> = {
    key: "percent",
    title: "%",
    hint: "Growth as a share of the first; ~ is less than the noise",
    width: 4.6,
    sortKey: (row) => (firstOf(row) > 0 ? growthOf(row) / firstOf(row) : growthOf(row) > 0 ? Infinity : 0),
    cell: (row) => percentOf(row, series.noiseBytes),
    copied: (row) => percentOf(row, series.noiseBytes),
  };
  const trend: Column<SeriesRow> = {
    key: "trend",
    title: "Trend",
    hint: "One point for each capture",
    width: 7.4,
    sortKey: (row) => row.trend?.up ?? null,
    cell: (row) => sparkline(row, series.noiseBytes),
    copied: (row) => row.bytes.join(" "),
  };
  const verdict: Column<SeriesRow> = {
    key: "verdict",
    title: series.beforeCount > 0 ? "p" : "Verdict",
    hint: series.beforeCount > 0 ? "How likely chance alone would do it" : "What the steps prove",
    width: 6.6,
    sortKey: (row) => row.contrast?.p ?? row.verdict,
    cell: (row) => row.contrast?.p.toFixed(3) ?? row.verdict ?? "",
    copied: (row) => row.contrast?.p ?? row.verdict,
  };
  const isContrast = series.beforeCount > 0;
  return [
    name,
    bytesColumn("first", isContrast ? "Before" : "First", isContrast ? "Median before" : "In the first capture", firstOf, false),
    bytesColumn("last", isContrast ? "After" : "Last", isContrast ? "Median after" : "In the last capture", lastOf, false),
    bytesColumn("growth", "Growth", "Last - first", growthOf, true),
    percent,
    ...(isContrast ? [] : [rate]),
    trend,
    verdict,
  ];
}

function percentOf(row: SeriesRow, noiseBytes: number): string {
  const text = format.percent(firstOf(row), lastOf(row));
  return !text.startsWith("[") && Math.abs(growthOf(row)) < noiseBytes ? "~" : text;
}

function footRow(label: string, row: SeriesRow, columns: readonly Column<SeriesRow>[]): FootRow {
  return { label, cells: columns.slice(1).map((column) => column.cell(row)), copied: columns.slice(1).map((column) => column.copied(row)) };
}

/* Rows that were filtered out or not given to the page, as one: capture by capture. */
function restOf(total: SeriesRow, shown: readonly SeriesRow[]): SeriesRow {
  const left = (all: readonly number[], of: (row: SeriesRow) => readonly number[]): number[] =>
    all.map((value, i) => value - shown.reduce((sum, row) => sum + (of(row)[i] ?? 0), 0));
  return {
    ...total,
    bytes: left(total.bytes, (row) => row.bytes),
    objects: left(total.objects, (row) => row.objects),
    trend: null,
    contrast: null,
    verdict: null,
  };
}

interface Part {
  readonly id: string;
  readonly one: string;
  readonly title: string;
  readonly rows: readonly SeriesRow[];
  /** Whether its rows add up to the total. */
  readonly adds: boolean;
}

function makeTable(model: Model, page: Page, part: Part): HTMLElement {
  const { series } = model;
  const isHolder = part.id === "holders";
  const columns = columnsOf(series, part.title, isHolder);
  const all = part.rows.length + (series.others.get(part.one)?.rows ?? 0);
  const lower = new Map(part.rows.map((row) => [row, nameOf(row, isHolder).toLowerCase()]));
  const table = new Table<SeriesRow>(
    {
      id: part.id,
      label: `Growth by ${part.one}`,
      columns,
      firstOrder: { column: "growth", descending: true },
      foot: (shown) => {
        if (!series.total || !part.adds) return [];
        const rows = [footRow("TOTAL", series.total, columns)];
        if (shown.length < all && series.beforeCount === 0)
          rows.unshift(footRow(format.plural(all - shown.length, `other ${part.one}`), restOf(series.total, shown), columns));
        return rows;
      },
      nameOf: (row) => nameOf(row, isHolder),
    },
    page,
  );
  const key = `${part.id}.text`;
  const input = el("input", { type: "search", placeholder: `Find ${part.one}s`, "aria-label": `Show only ${part.one}s whose name holds`, autocomplete: "off", spellcheck: "false" });
  const found = el("span", { class: "found" });
  const apply = (): void => {
    const text = page.state.get(key) ?? "";
    if (input.value !== text) input.value = text;
    const words = wordsOf(text);
    const shown = part.rows.filter((row) => holdsAll(lower.get(row)!, words));
    found.textContent = shown.length === all ? format.plural(all, part.one) : `${format.count(shown.length)} of ${format.plural(all, part.one)}`;
    table.setRows(shown);
  };
  input.addEventListener("input", () => page.state.set(key, input.value));
  page.state.listen(key, () => {
    apply();
    page.announce(found.textContent ?? "");
  });
  apply();
  const copy = el("button", { type: "button", class: "quiet", onclick: () => void copyText(tsvOf(table.copied()), "table", page) }, "Copy as TSV");
  return el("div", { class: "table-part" }, el("div", { class: "tools" }, input, found, el("span", { class: "spring" }), copy), table.element);
}

function nothing(why: string | undefined): HTMLElement {
  return el("p", { class: "nothing" }, visible(why ?? "Not known."));
}

export function showSeriesTypes(host: HTMLElement, model: Model, page: Page): void {
  const part: Part = { id: "types", one: "type", title: "Type", rows: model.series.types, adds: true };
  replaceBelowHeading(host, "Growth by type", makeTable(model, page, part));
}

export function showSeriesRoots(host: HTMLElement, model: Model, page: Page): void {
  const part: Part = { id: "roots", one: "root", title: "Root", rows: model.series.roots, adds: true };
  replaceBelowHeading(host, "Growth by root", part.rows.length > 0 ? makeTable(model, page, part) : nothing(model.series.unknown.get("root")));
}

export function showSeriesHolders(host: HTMLElement, model: Model, page: Page): void {
  const part: Part = { id: "holders", one: "holder", title: "Holder", rows: model.series.holders, adds: false };
  replaceBelowHeading(host, "What keeps it alive", part.rows.length > 0 ? makeTable(model, page, part) : nothing(model.series.unknown.get("holder")));
}

/* By who allocated what heads it, where that is known. */
function lostRow(row: SeriesRow): SeriesRow {
  const what = row.cycle === null ? row.name : `cycle: ${row.cycle}`;
  return { ...row, name: row.place === null ? what : `${row.place}: ${what}` };
}

export function showSeriesLost(host: HTMLElement, model: Model, page: Page): void {
  const part: Part = { id: "lost", one: "row", title: "Lost", rows: model.series.lost.map(lostRow), adds: false };
  replaceBelowHeading(host, "Lost: no pointer to it is left", makeTable(model, page, part));
}

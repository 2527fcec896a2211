/*
 * The columns that tables of changes share (types, roots) and their last rows.
 */
import { overweight, overweightText, restOf, sumOf } from "./change_logic.ts";
import { el, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Change, Sides } from "../kit/model.ts";
import { visible } from "../kit/names.ts";
import type { Proof } from "./proof.ts";
import type { Column, FootRow } from "../kit/table.ts";

export interface NamedChange extends Change {
  readonly name: string;
  readonly retained: Sides | null;
}

export interface Frame {
  readonly total: Change;
  readonly noiseBytes: number;
  readonly isProven: Proof;
  /** The largest growth or decrease of any row: the length of a full bar. */
  readonly largest: number;
  readonly hasRetained: boolean;
}

export function frameOf(rows: readonly NamedChange[], total: Change, noiseBytes: number, isProven: Proof): Frame {
  let largest = 1;
  for (const row of rows) largest = Math.max(largest, Math.abs(row.growth.bytes));
  return {
    total,
    noiseBytes,
    isProven,
    largest,
    hasRetained: rows.some((row) => row.retained !== null),
  };
}

function toneOf(value: number): string {
  return value > 0 ? "grown" : value < 0 ? "shrunk" : "same";
}

/** "~" below the noise; what is new, gone or unchanged is a fact and stays; "?" for what is not proven. */
export function percentText(change: Change, noiseBytes: number, isProven: Proof): string {
  if (!isProven(change.growth.bytes)) return "?";
  const text = format.percent(change.before.bytes, change.after.bytes);
  return !text.startsWith("[") && Math.abs(change.growth.bytes) < noiseBytes ? "~" : text;
}

function percentCell(change: Change, frame: Frame): Child {
  const text = percentText(change, frame.noiseBytes, frame.isProven);
  return text.startsWith("[") ? el("span", { class: `tag tag-${text.slice(1, -1).trim() || "none"}` }, text) : text;
}

/* The number with a bar behind it: to the left what it is of the largest. */
function growthCell(value: number, { largest, isProven }: Frame): Child {
  if (!isProven(value)) return "?";
  if (value === 0) return format.bytesSigned(value);
  const bar = el("span", { class: `bar bar-${toneOf(value)}`, "aria-hidden": "true" });
  bar.style.width = `${(100 * Math.abs(value)) / largest}%`;
  return el("span", { class: "barred" }, bar, el("span", { class: "bar-text" }, format.bytesSigned(value)));
}

function amountColumn(
  key: string,
  title: string,
  hint: string,
  width: number,
  value: (row: NamedChange) => number | null,
  text: (value: number) => string,
  tone?: (value: number) => string,
): Column<NamedChange> {
  return {
    key,
    title,
    hint,
    width,
    sortKey: value,
    cell: (row) => {
      const known = value(row);
      return known === null ? "?" : text(known);
    },
    ...(tone ? { className: (row: NamedChange) => tone(value(row) ?? 0) } : {}),
    copied: value,
  };
}

function retainedGrowth(row: NamedChange): number | null {
  return row.retained ? row.retained.after - row.retained.before : null;
}

export function changeColumns(nameTitle: string, frame: Frame): Column<NamedChange>[] {
  const proven = (growth: number): number | null => (frame.isProven(growth) ? growth : null);
  const columns: (Column<NamedChange> | false)[] = [
    {
      key: "name",
      title: nameTitle,
      hint: nameTitle,
      isText: true,
      width: 12,
      sortKey: (row) => row.name,
      cell: (row) => visible(row.name),
      copied: (row) => visible(row.name),
    },
    amountColumn("before", "Before", "Bytes before", 6.6, (row) => row.before.bytes, format.bytes),
    amountColumn("after", "After", "Bytes after", 6.6, (row) => row.after.bytes, format.bytes),
    {
      key: "growth",
      title: "Growth",
      hint: "Bytes after - bytes before",
      width: 7.6,
      sortKey: (row) => proven(row.growth.bytes),
      cell: (row) => growthCell(row.growth.bytes, frame),
      className: (row) => toneOf(proven(row.growth.bytes) ?? 0),
      copied: (row) => proven(row.growth.bytes) ?? "?",
    },
    {
      key: "percent",
      title: "%",
      hint: "Growth as a share of the bytes before; ~ is less than the noise",
      width: 4.8,
      sortKey: (row) => (proven(row.growth.bytes) === null ? null : row.before.bytes > 0 ? row.growth.bytes / row.before.bytes : row.after.bytes > 0 ? Infinity : 0),
      cell: (row) => percentCell(row, frame),
      copied: (row) => percentText(row, frame.noiseBytes, frame.isProven),
    },
    amountColumn("objects", "Objects", "Objects after - objects before", 6.6, (row) => proven(row.growth.objects), format.countSigned, toneOf),
    frame.total.new !== null && amountColumn("new", "New", "Bytes of objects that were not there before", 6.6, (row) => row.new?.bytes ?? null, format.bytesSigned),
    frame.total.freed !== null &&
      amountColumn("freed", "Freed", "Bytes of objects that are gone", 6.6, (row) => (row.freed ? -row.freed.bytes : null), format.bytesSigned),
    frame.hasRetained &&
      amountColumn("retained", "Retained", "Growth of what would be freed if all objects of the row went; rows overlap", 7, retainedGrowth, format.bytesSigned, toneOf),
    frame.isProven(-1) &&
      frame.total.growth.bytes > 0 &&
      frame.total.before.bytes > 0 && {
        key: "overweight",
        title: "Overweight",
        hint: "Growth as a multiple of what it would be if all had grown alike: x1 is in proportion",
        width: 7,
        sortKey: (row: NamedChange) => overweight(row, frame.total),
        cell: (row: NamedChange) => overweightText(overweight(row, frame.total)),
        copied: (row: NamedChange) => overweightText(overweight(row, frame.total)),
      },
  ];
  return columns.filter((column): column is Column<NamedChange> => column !== false);
}

/* Cells of a sum, column by column; what does not add up stays empty. */
function footRow(label: string, sum: Change, columns: readonly Column<NamedChange>[]): FootRow {
  const row: NamedChange = { ...sum, name: label, retained: null };
  const adds = new Set(["before", "after", "growth", "percent", "objects", "new", "freed"]);
  const own = columns.slice(1).map((column): [Child, string | number | null] => {
    if (!adds.has(column.key)) return ["", null];
    if (column.key === "growth" && column.copied(row) !== "?") return [format.bytesSigned(sum.growth.bytes), sum.growth.bytes];
    if (column.key === "percent" && column.copied(row) === "~") return [format.percent(sum.before.bytes, sum.after.bytes), format.percent(sum.before.bytes, sum.after.bytes)];
    return [column.cell(row), column.copied(row)];
  });
  return { label, cells: own.map(([cell]) => cell), copied: own.map(([, copied]) => copied) };
}

/** "N other types" if any is not shown, and TOTAL. */
export function changeFoot(
  shown: readonly NamedChange[],
  all: number,
  total: Change,
  columns: readonly Column<NamedChange>[],
  one: string,
): FootRow[] {
  const hidden = all - shown.length;
  const rows = [footRow("TOTAL", total, columns)];
  if (hidden > 0) rows.unshift(footRow(format.plural(hidden, `other ${one}`), restOf(total, sumOf(shown)), columns));
  return rows;
}

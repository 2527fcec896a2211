/*
 * What a table of any length does without a page: which rows, in which order, which of them are in sight, what the rest adds up to, and
 * all of it as tab separated text.
 */

export interface Order {
  readonly column: string;
  readonly descending: boolean;
}

/** "growth" and "-growth" (ascending) and back, for the address. */
export function writeOrder(order: Order): string {
  return order.descending ? order.column : `-${order.column}`;
}

export function readOrder(text: string | null, columns: readonly string[], otherwise: Order): Order {
  if (text === null) return otherwise;
  const descending = !text.startsWith("-");
  const column = descending ? text : text.slice(1);
  return columns.includes(column) ? { column, descending } : otherwise;
}

/** By UTF-16 units: the same order in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The rows of `keys.length` in order, as indexes. A key that is not known (null) stands last in both directions; equal keys keep the order they
 * have, so that sorting is stable and a table looks the same each time.
 */
export function sortIndexes(keys: readonly (number | string | null)[], descending: boolean): number[] {
  const sign = descending ? -1 : 1;
  const indexes = keys.map((_, i) => i);
  return indexes.sort((a, b) => {
    const left = keys[a]!;
    const right = keys[b]!;
    if (left === right) return a - b;
    if (left === null) return 1;
    if (right === null) return -1;
    const order = typeof left === "string" || typeof right === "string" ? compareText(String(left), String(right)) : left - right;
    return order === 0 ? a - b : sign * order;
  });
}

/** Words of a filter in lower case, all of which a name has to hold. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

export function holdsAll(lowerName: string, words: readonly string[]): boolean {
  return words.every((word) => lowerName.includes(word));
}

export interface Window {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
}

/** The rows in sight of a box, and `margin` more on both sides. */
export function windowOf(scrollTop: number, boxHeight: number, rowHeight: number, rows: number, margin = 12): Window {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const end = Math.min(rows, Math.ceil((scrollTop + boxHeight) / rowHeight) + margin);
  return { first: Math.min(first, Math.max(0, rows - 1)), end: Math.max(end, 0) };
}

/** Whether all rows of `inner` are in `outer`: then nothing has to be drawn. */
export function covers(outer: Window, inner: Window): boolean {
  return outer.first <= inner.first && inner.end <= outer.end;
}

/** Where a box has to be scrolled to so that `row` is wholly in sight below the header and above the footer; null if it is. */
export function scrollTo(row: number, scrollTop: number, boxHeight: number, rowHeight: number): number | null {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + boxHeight) return top + rowHeight - boxHeight;
  return null;
}

/** The row a key leads to, or null if it is no key of the table. */
export function moveRow(key: string, row: number, rows: number, page: number): number | null {
  const last = rows - 1;
  switch (key) {
    case "ArrowDown":
      return Math.min(last, row + 1);
    case "ArrowUp":
      return Math.max(0, row - 1);
    case "PageDown":
      return Math.min(last, row + page);
    case "PageUp":
      return Math.max(0, row - page);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}

/* What a spreadsheet would take for a formula gets a mark before it, as in hsdiff's CSV. */
const formula = /^[=+\-@'\uff1d\uff0b\uff0d\uff20]/;
/* "+63%", "-x0.4": what stands in columns of numbers. */
const figure = /^[+-]?x?[\d.,]+%?$/;

/** A cell of tab separated text: exact numbers stay numbers, names can neither break a row nor become a formula. */
export function cellOf(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = value.replace(/[\t\r\n]/g, " ");
  return formula.test(text) && !figure.test(text) ? `'${text}` : text;
}

export function tsvOf(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join("\t")}\n`).join("");
}

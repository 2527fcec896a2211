/*
 * Which rows of a long list stand where. Browsers give up on elements of some ten million pixels, so a longer list is drawn on a
 * shorter strip: the place of the scroll bar then says which part of the list is seen, and rows lie at their true height around it.
 */

export const longestPixels = 8_000_000;

export interface Scale {
  readonly rows: number;
  readonly rowPixels: number;
  readonly viewPixels: number /* height of what is seen */;
}

/** Height of the strip that is scrolled. */
export function stripPixels(scale: Scale): number {
  return Math.min(longestPixels, scale.rows * scale.rowPixels);
}

/** True when the strip is shorter than the rows would be. */
export function isSqueezed(scale: Scale): boolean {
  return scale.rows * scale.rowPixels > longestPixels;
}

function mostScroll(scale: Scale): number {
  return Math.max(0, stripPixels(scale) - scale.viewPixels);
}

/** The row at the upper edge when the last ones are seen; a fraction of a row is scrolled past. */
export function mostFirst(scale: Scale): number {
  return Math.max(0, scale.rows - scale.viewPixels / scale.rowPixels);
}

function within(value: number, most: number): number {
  return Math.min(Math.max(0, value), most);
}

/** The row at the upper edge when the strip is scrolled so far. */
export function firstAt(scale: Scale, scrollTop: number): number {
  const most = mostScroll(scale);
  if (most === 0) return 0;
  if (!isSqueezed(scale)) return within(scrollTop, most) / scale.rowPixels;
  return (within(scrollTop, most) / most) * mostFirst(scale);
}

/** How far the strip is scrolled when that row is at the upper edge. */
export function scrollAt(scale: Scale, first: number): number {
  const at = within(first, mostFirst(scale));
  if (!isSqueezed(scale)) return at * scale.rowPixels;
  return (at / mostFirst(scale)) * mostScroll(scale);
}

/** The upper row that brings `row` into view and moves least. */
export function firstToShow(scale: Scale, first: number, row: number): number {
  const seen = scale.viewPixels / scale.rowPixels;
  if (row < first) return within(row, mostFirst(scale));
  if (row + 1 > first + seen) return within(row + 1 - seen, mostFirst(scale));
  return first;
}

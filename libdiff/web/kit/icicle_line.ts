/*
 * One depth of the icicle as a line of pixels, from which the canvas makes a band (icicle_draw.ts). The work for a line goes by its
 * pixels and not by its boxes: a box at least half a pixel wide is painted by itself; of narrower ones all that begin in one pixel
 * are painted as one, found by binary search, in the colour of their sum, by how much of the pixel they cover.
 *
 *      |      growth      |rest|        decrease       |··|         the left of a box is its net change, the rest is what
 *      0                                                   width    cancels inside it; · = many boxes in a pixel
 */
import { entryBeginningAt, entryEndingBehind, shareOf, type Layout, type View } from "./icicle_layout.ts";
import { blend, type Ink, type Inks } from "./icicle_inks.ts";

/** Narrower boxes are not painted by themselves. */
export const narrowest = 0.5;
/** Narrower boxes are not told by paintLine: no text, hatch or line between fits. */
const tellable = 6;

/** Boxes of a line that are wide enough for more than colour; pixels. */
export interface Box {
  place: number;
  left: number;
  right: number;
  split: number; /* where the net change ends */
  share: number;
  ink: Ink; /* of the net change */
}

/** Places that a search found: flags by place, and how many there are along tree.level before each entry. */
export interface Marks {
  readonly isMarked: Uint8Array;
  readonly sum: Uint32Array;
}

export interface Brush {
  readonly layout: Layout;
  readonly inks: Inks;
  readonly marks: Marks | null;
  readonly gap: number; /* pixels between boxes */
}

function inkOf(brush: Brush, place: number, share: number): Ink {
  const { layout, inks, marks } = brush;
  if (marks && marks.isMarked[place] === 0) return inks.dim;
  if (layout.mode === "both") {
    if (share === 0) return inks.rest;
    const shades = share > 0 ? inks.growth : inks.decrease;
    return shades[layout.tree.row[place]! % shades.length]!;
  }
  const step = Math.round(Math.abs(share) * (inks.grown.length - 1));
  return (share < 0 ? inks.shrunk : inks.grown)[step]!;
}

function paintBox(brush: Brush, line: Uint32Array, place: number, from: number, to: number): Box {
  const { layout, inks, marks } = brush;
  const left = Math.max(0, Math.round(from));
  const right = Math.min(line.length, Math.max(left + 1, Math.round(to)));
  const share = shareOf(layout, place);
  const ink = inkOf(brush, place, share);
  const net = layout.mode === "both" ? Math.abs(share) : 1;
  const split = Math.min(right, Math.max(left, Math.round(from + (to - from) * net)));
  const gap = right - left > 3 * brush.gap && to < line.length + 0.5 ? brush.gap : 0;
  line.fill(ink.pixel, left, Math.min(split, right - gap));
  if (split < right - gap) line.fill((marks && marks.isMarked[place] === 0 ? inks.dim : inks.rest).pixel, split, right - gap);
  return { place, left, right: right - gap, split: Math.min(split, right - gap), share, ink };
}

/* The entries [entry, end), all together in one pixel. */
function crumbPixel(brush: Brush, entry: number, end: number, pixelsPerByte: number): number {
  const { layout, inks, marks } = brush;
  const covered = layout.widthSum[end]! - layout.widthSum[entry]!;
  if (covered <= 0) return 0;
  const growth = layout.growthSum[end]! - layout.growthSum[entry]!;
  const isDim = marks !== null && marks.sum[end] === marks.sum[entry];
  const full = (growth < 0 ? inks.decrease : inks.growth)[0]!;
  const pixel = isDim ? inks.dim.pixel : blend(inks.rest.pixel, full.pixel, Math.min(1, Math.abs(growth) / covered));
  return blend(inks.paper.pixel, pixel, Math.min(1, covered * pixelsPerByte));
}

/**
 * Paints depth `depth` of the view into `line`, one entry a pixel; what no box covers becomes paper. Boxes wide enough to carry
 * more are told, left to right. O(pixels · log places).
 */
export function paintLine(brush: Brush, depth: number, view: View, line: Uint32Array, tell: (box: Box) => void): void {
  const { layout, inks } = brush;
  const { tree, left, width } = layout;
  const scale = line.length / view.span;
  const high = tree.levelStart[depth + 1]!;
  let entry = entryEndingBehind(layout, tree.levelStart[depth]!, high, view.from);
  let painted = 0; /* pixels left of this one are done */
  line.fill(inks.paper.pixel);
  while (entry < high) {
    const place = tree.level[entry]!;
    const from = (left[place]! - view.from) * scale;
    const to = from + width[place]! * scale;
    if (from >= line.length) break;
    if (to - from >= narrowest) {
      const box = paintBox(brush, line, place, from, to);
      painted = box.right;
      if (box.right - box.left >= tellable) tell(box);
      entry++;
      continue;
    }
    const pixel = Math.max(0, Math.floor(from));
    let end = entryBeginningAt(layout, entry + 1, high, view.from + (pixel + 1) / scale);
    if (end > entry + 1 && width[tree.level[end - 1]!]! * scale >= narrowest) end--;
    const value = pixel >= painted ? crumbPixel(brush, entry, end, scale) : 0;
    if (value !== 0) line[pixel] = value;
    entry = end;
  }
}

/** Runs of pixels that hold something marked: what paintLine shows of a search, for the bar below. */
export function markedRuns(brush: Brush, depth: number, view: View, pixels: number, tell: (left: number, right: number) => void): void {
  const { layout, marks } = brush;
  if (!marks) return;
  const { tree, left, width } = layout;
  const scale = pixels / view.span;
  const high = tree.levelStart[depth + 1]!;
  const end = entryBeginningAt(layout, tree.levelStart[depth]!, high, view.from + view.span);
  let entry = entryEndingBehind(layout, tree.levelStart[depth]!, high, view.from);
  let open = -1;
  let close = -1;
  while ((entry = nextMarked(marks, entry, end)) < end) {
    const place = tree.level[entry]!;
    const from = Math.max(0, (left[place]! - view.from) * scale);
    const to = Math.min(pixels, (left[place]! + width[place]! - view.from) * scale);
    if (open < 0 || from > close + 1) {
      if (open >= 0) tell(open, close);
      open = from;
    }
    close = Math.max(to, from + 1);
    entry = to - from >= narrowest ? entry + 1 : entryBeginningAt(layout, entry + 1, end, view.from + (Math.floor(from) + 1) / scale);
  }
  if (open >= 0) tell(open, close);
}

/* First marked entry in [entry, end), or end: by the running count. */
function nextMarked(marks: Marks, entry: number, end: number): number {
  const seen = marks.sum[entry]!;
  let low = entry;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (marks.sum[middle + 1]! > seen) high = middle;
    else low = middle + 1;
  }
  return low;
}

/*
 * Where each place of the tree stands and how wide it is, in bytes: the picture is a window (View) on this axis. A place has the
 * room of its parent from the left on; what the children leave over at the right is the parent's own.
 *
 *      both     what grew below plus what shrank below: a place that is gone and one that came are equally wide, and growth here
 *               does not cancel a decrease there. Of this width |after - before| is the net change.
 *      before   bytes before; what is new is not there
 *      after    bytes after; what is gone is not there
 *
 * All sums are of whole numbers below 2^53, so places that touch do so exactly.
 */
import type { Tree } from "./icicle_tree.ts";

export type Mode = "both" | "before" | "after";

export interface Layout {
  readonly tree: Tree;
  readonly mode: Mode;
  readonly left: Float64Array; /* of each place */
  readonly width: Float64Array;
  readonly widthSum: Float64Array; /* along tree.level: of all places before that entry, for what is narrower than a pixel */
  readonly growthSum: Float64Array; /* likewise of after - before, with its sign */
}

/** A window on the axis: `span` bytes from `from` on fill the width. */
export interface View {
  readonly from: number;
  readonly span: number;
}

function widthsOf(tree: Tree, mode: Mode): Float64Array {
  if (mode === "before") return tree.before;
  if (mode === "after") return tree.after;
  return tree.grown.map((grown, place) => grown + tree.shrunk[place]!);
}

function leftsOf(tree: Tree, width: Float64Array): Float64Array {
  const left = new Float64Array(tree.count);
  const next = new Float64Array(tree.count); /* where the next child of a place begins */
  for (let place = 1; place < tree.count; place++) {
    const parent = tree.parent[place]!;
    left[place] = next[place] = next[parent]!;
    next[parent]! += width[place]!;
  }
  return left;
}

/* sums[i] = of the values of all entries of tree.level before i. */
function sumsAlong(tree: Tree, value: (place: number) => number): Float64Array {
  const sums = new Float64Array(tree.count + 1);
  for (let i = 0; i < tree.count; i++) sums[i + 1] = sums[i]! + value(tree.level[i]!);
  return sums;
}

/** O(places), 32 bytes a place. */
export function layoutOf(tree: Tree, mode: Mode): Layout {
  const width = widthsOf(tree, mode);
  return {
    tree,
    mode,
    left: leftsOf(tree, width),
    width,
    widthSum: sumsAlong(tree, (place) => width[place]!),
    growthSum: sumsAlong(tree, (place) => tree.after[place]! - tree.before[place]!),
  };
}

/** What part of a place's width is its net change: 1 = it grew (or is new), -1 = it shrank (or is gone), 0 = as it was. */
export function shareOf(layout: Layout, place: number): number {
  const { tree, mode, width } = layout;
  const whole = mode === "both" ? width[place]! : Math.max(tree.before[place]!, tree.after[place]!);
  return whole > 0 ? (tree.after[place]! - tree.before[place]!) / whole : 0;
}

/** The window in which `place` fills the width; the whole axis for a place that has no width. */
export function viewOf(layout: Layout, place: number): View {
  const span = layout.width[place] ?? 0;
  return span > 0 ? { from: layout.left[place]!, span } : { from: 0, span: Math.max(1, layout.width[0] ?? 0) };
}

/**
 * The window a share `t` of the way from a to b: the scale changes by the same factor in equal times around the one point that
 * stands still, so a zoom looks even however deep it goes.
 */
export function viewBetween(a: View, b: View, t: number): View {
  if (t <= 0) return a;
  if (t >= 1) return b;
  const ratio = b.span / a.span;
  if (Math.abs(ratio - 1) < 1e-6) return { from: a.from + (b.from - a.from) * t, span: a.span + (b.span - a.span) * t };
  const still = (a.from * b.span - b.from * a.span) / (b.span - a.span);
  const span = a.span * ratio ** t;
  return { from: still - ((still - a.from) * span) / a.span, span };
}

/* ---- binary search along a depth ---- */

/** First entry of tree.level in [low, high) for which `holds`, given that it holds for all behind that one; else high. */
export function firstEntry(low: number, high: number, holds: (entry: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** First entry at or behind `low` whose place ends behind `at`. */
export function entryEndingBehind(layout: Layout, low: number, high: number, at: number): number {
  const { left, width } = layout;
  const { level } = layout.tree;
  return firstEntry(low, high, (entry) => left[level[entry]!]! + width[level[entry]!]! > at);
}

/** First entry at or behind `low` whose place begins at `at` or behind it. */
export function entryBeginningAt(layout: Layout, low: number, high: number, at: number): number {
  const { left } = layout;
  const { level } = layout.tree;
  return firstEntry(low, high, (entry) => left[level[entry]!]! >= at);
}

/** The place of a depth that has the byte `at` of the axis, or -1. O(log places). */
export function placeAt(layout: Layout, depth: number, at: number): number {
  const { tree, left } = layout;
  if (depth < 0 || depth >= tree.depthCount) return -1;
  const high = tree.levelStart[depth + 1]!;
  const entry = entryEndingBehind(layout, tree.levelStart[depth]!, high, at);
  const place = entry < high ? tree.level[entry]! : -1;
  return place >= 0 && left[place]! <= at ? place : -1;
}

/** How many depths below `top` show anything at least `least` wide in the view, `top` included. */
export function depthsShown(layout: Layout, view: View, top: number, least: number): number {
  const { tree, width, left } = layout;
  let shown = 0;
  for (let depth = top; depth < tree.depthCount; depth++) {
    const high = tree.levelStart[depth + 1]!;
    let entry = entryEndingBehind(layout, tree.levelStart[depth]!, high, view.from);
    const end = entryBeginningAt(layout, entry, high, view.from + view.span);
    while (entry < end && width[tree.level[entry]!]! < least) entry++;
    if (entry >= end || left[tree.level[entry]!]! >= view.from + view.span) break;
    shown++;
  }
  return shown;
}

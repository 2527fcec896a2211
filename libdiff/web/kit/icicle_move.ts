/*
 * Where the keys of the icicle lead: pure, so that the picture, its table and the tests share it.
 */
import type { Layout } from "./icicle_layout.ts";
import { childrenAt } from "./icicle_tree.ts";

export type Direction = "up" | "down" | "left" | "right";

/* The next entry of the depth in steps of `step` that has a width and lies below `within`. */
function beside(layout: Layout, place: number, step: number, within: number): number {
  const { tree, width } = layout;
  const depth = tree.depth[place]!;
  const level = tree.level.subarray(tree.levelStart[depth], tree.levelStart[depth + 1]);
  let low = 0;
  let high = level.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (level[middle]! < place) low = middle + 1;
    else high = middle;
  }
  for (let entry = low + step; entry >= 0 && entry < level.length; entry += step) {
    const next = level[entry]!;
    if (next < within || next >= tree.end[within]!) break;
    if (width[next]! > 0) return next;
  }
  return place;
}

/** From `place` one box further, inside of what is zoomed to; up leads out of it. The same place when there is none. */
export function moved(layout: Layout, place: number, direction: Direction, zoom: number): number {
  const { tree, width } = layout;
  if (direction === "up") return tree.parent[place]!;
  if (direction === "left") return beside(layout, place, -1, zoom);
  if (direction === "right") return beside(layout, place, 1, zoom);
  const widest = childrenAt(tree, place).reduce((best, child) => (best < 0 || width[child]! > width[best]! ? child : best), -1);
  return widest >= 0 && width[widest]! > 0 ? widest : place;
}

/** Whether `place` is `above` or hangs below it. */
export function isBelow(layout: Layout, place: number, above: number): boolean {
  return place >= above && place < layout.tree.end[above]!;
}

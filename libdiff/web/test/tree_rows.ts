/*
 * Trees for tests: rows as a page has them, out of the bytes of each place with all below.
 */
import type { Place } from "../kit/model.ts";

export interface Sketch {
  depth: number;
  before: number;
  after: number;
  type?: string;
  edge?: string;
  parent?: number;
}

const amount = (bytes: number) => ({ objects: bytes > 0 ? 1 : 0, bytes });
const amounts = (before: number, after: number) => ({
  before: amount(before),
  after: amount(after),
  new: amount(Math.max(0, after - before)),
  freed: amount(Math.max(0, before - after)),
});

/** In preorder; a parent is the row one depth above before it unless it is named. */
export function rowsOf(sketches: readonly Sketch[]): Place[] {
  const open: number[] = [];
  const parents = sketches.map((each, row) => {
    open[each.depth] = row;
    return each.parent ?? (each.depth > 0 ? open[each.depth - 1]! : -1);
  });
  const own = sketches.map(({ before, after }) => ({ before, after }));
  sketches.forEach((each, row) => {
    const parent = own[parents[row]!];
    if (!parent) return;
    parent.before -= each.before;
    parent.after -= each.after;
  });
  return sketches.map((each, row) => ({
    row,
    depth: each.depth,
    parent: parents[row]!,
    isRoot: each.depth === 1,
    edge: each.edge ?? (each.depth > 1 ? `.e${row}` : ""),
    type: each.type ?? `T${row}`,
    own: amounts(own[row]!.before, own[row]!.after),
    total: amounts(each.before, each.after),
  }));
}

/** Numbers below `below`, the same for a seed anywhere. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed * 2654435761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return Math.floor((((state ^ (state >>> 13)) >>> 0) / 4294967296) * below);
  };
}

/** `count` places of uneven size; some came, some are gone, many did not change. */
export function randomTree(seed: number, count: number): Place[] {
  const random = randomOf(seed);
  const sketches: Sketch[] = [{ depth: 0, before: 0, after: 0 }];
  while (sketches.length < count) {
    const last = sketches[sketches.length - 1]!.depth;
    const depth = Math.min(40, random(10) < 4 ? last + 1 : 1 + random(last + 1));
    const bytes = 2 ** random(16) + random(16);
    const fate = random(10);
    sketches.push({
      depth: Math.max(1, depth),
      before: fate < 3 ? 0 : bytes,
      after: fate > 7 ? 0 : fate === 5 ? bytes >>> 1 : bytes,
      type: `T${random(50)}`,
    });
  }
  for (let i = sketches.length - 1, sums: { before: number; after: number }[] = []; i >= 0; i--) {
    const { depth } = sketches[i]!;
    const below = sums[depth + 1] ?? { before: 0, after: 0 };
    sums[depth + 1] = { before: 0, after: 0 };
    sketches[i]!.before += below.before;
    sketches[i]!.after += below.after;
    const level = (sums[depth] ??= { before: 0, after: 0 });
    level.before += sketches[i]!.before;
    level.after += sketches[i]!.after;
  }
  return rowsOf(sketches);
}

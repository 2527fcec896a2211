/*
 * Searching the tree by name. What a place found holds is counted once: below one that is found, others add nothing to the sum.
 */
import type { Marks } from "./icicle_line.ts";
import { labelOf, type Tree } from "./icicle_tree.ts";

export interface Found {
  readonly marks: Marks;
  readonly places: number;
  readonly before: number; /* bytes of all that was found with what it holds */
  readonly after: number;
  readonly first: number; /* the place found that changed most, -1 if none was */
}

/** Labels in lower case, made when they are first asked for. */
export class Labels {
  private readonly tree: Tree;
  private readonly lower: string[] = [];

  constructor(tree: Tree) {
    this.tree = tree;
  }

  has(place: number, wanted: string): boolean {
    return (this.lower[place] ??= labelOf(this.tree, place).toLowerCase()).includes(wanted);
  }
}

/** `wanted` as typed; null when it is blank. O(places). */
export function search(tree: Tree, labels: Labels, wanted: string): Found | null {
  const text = wanted.trim().toLowerCase();
  if (text === "" || tree.count === 0) return null;
  const isMarked = new Uint8Array(tree.count);
  const found = { places: 0, before: 0, after: 0, first: -1 };
  const changed = (place: number) => tree.grown[place]! + tree.shrunk[place]!;
  let counted = 0; /* places before this one are below one that was found */
  for (let place = 1; place < tree.count; place++) {
    if (!labels.has(place, text)) continue;
    isMarked[place] = 1;
    found.places++;
    if (found.first < 0 || changed(place) > changed(found.first)) found.first = place;
    if (place < counted) continue;
    found.before += tree.before[place]!;
    found.after += tree.after[place]!;
    counted = tree.end[place]!;
  }
  const sum = new Uint32Array(tree.count + 1);
  for (let entry = 0; entry < tree.count; entry++) sum[entry + 1] = sum[entry]! + isMarked[tree.level[entry]!]!;
  return { marks: { isMarked, sum }, ...found };
}

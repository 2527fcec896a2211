/*
 * The tree of retained growth as columns of numbers, made once for a page. Places stand in preorder, but siblings by how much
 * changed below them, most first; so in every mode of drawing the places of one depth stand from left to right in ascending
 * order, what hangs below a place is the run of places behind it, and whatever is drawn or hit is found by binary search.
 *
 *      place    0   1   2   3   4   5          level 0: 0
 *      depth    0   1   2   2   1   2          level 1: 1 4
 *      end      6   4   3   4   6   6          level 2: 2 3 5
 *
 * Rows come from the payload, so nothing is believed of them: a row whose parent is not one depth above and before it is left
 * out with all that would hang below it, and what children claim beyond their parent widens the parent.
 */
import type { Place, PlaceAmounts } from "./model.ts";
import { visible } from "./names.ts";

export interface Tree {
  readonly count: number;
  readonly depthCount: number;
  readonly rows: readonly Place[]; /* as they came; row[place] is the index of one */
  readonly row: Uint32Array;
  readonly parent: Uint32Array; /* of place 0: 0 */
  readonly depth: Uint8Array;
  readonly end: Uint32Array; /* behind the last place below */
  readonly before: Float64Array; /* bytes, with all below */
  readonly after: Float64Array;
  readonly grown: Float64Array; /* sum of what each place below, and it itself, grew by on its own */
  readonly shrunk: Float64Array; /* likewise, a positive number */
  readonly levelStart: Uint32Array; /* depthCount + 1: where a depth begins in `level` */
  readonly level: Uint32Array; /* places by depth, ascending */
  readonly placeOfRow: Int32Array; /* -1 = left out */
}

const mostDeep = 255;

/* Rows that hang together, by place in preorder as they came. */
function kept(rows: readonly Place[]): Uint8Array {
  const keep = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (!row) continue;
    if (i === 0) keep[i] = row.depth === 0 ? 1 : 0;
    else if (row.parent >= 0 && row.parent < i && keep[row.parent] === 1 && row.depth === rows[row.parent]!.depth + 1)
      keep[i] = row.depth <= mostDeep ? 1 : 0;
  }
  return keep;
}

interface Sums {
  before: Float64Array;
  after: Float64Array;
  grown: Float64Array;
  shrunk: Float64Array;
}

/* Of each row, children first: own bytes are what is left of the total, which also holds for trees that were cut. */
function sumsOf(rows: readonly Place[], keep: Uint8Array): Sums {
  const make = () => new Float64Array(rows.length);
  const sums: Sums = { before: make(), after: make(), grown: make(), shrunk: make() };
  const below = { before: make(), after: make() };
  for (let i = rows.length - 1; i >= 0; i--) {
    if (keep[i] === 0) continue;
    const { total, parent } = rows[i]!;
    const before = (sums.before[i] = Math.max(total.before.bytes, below.before[i]!));
    const after = (sums.after[i] = Math.max(total.after.bytes, below.after[i]!));
    const change = after - below.after[i]! - (before - below.before[i]!);
    sums.grown[i]! += Math.max(0, change);
    sums.shrunk[i]! += Math.max(0, -change);
    if (i === 0) continue;
    below.before[parent]! += before;
    below.after[parent]! += after;
    sums.grown[parent]! += sums.grown[i]!;
    sums.shrunk[parent]! += sums.shrunk[i]!;
  }
  return sums;
}

/* Children of each row side by side: those of row r are list[start[r] … start[r + 1] - 1]. */
function childrenOf(rows: readonly Place[], keep: Uint8Array): { start: Uint32Array; list: Uint32Array } {
  const start = new Uint32Array(rows.length + 2);
  for (let i = 1; i < rows.length; i++) if (keep[i] === 1) start[rows[i]!.parent + 2]!++;
  for (let i = 2; i < start.length; i++) start[i]! += start[i - 1]!;
  const list = new Uint32Array(start[rows.length + 1]!);
  for (let i = 1; i < rows.length; i++) if (keep[i] === 1) list[start[rows[i]!.parent + 1]!++] = i;
  return { start, list };
}

/* Rows in the order of places: preorder, and of siblings that which changed most first. */
function orderOf(rows: readonly Place[], keep: Uint8Array, sums: Sums): Uint32Array {
  const { start, list } = childrenOf(rows, keep);
  const changed = (i: number) => sums.grown[i]! + sums.shrunk[i]!;
  const largest = (i: number) => Math.max(sums.before[i]!, sums.after[i]!);
  for (let i = 0; i < rows.length; i++)
    if (start[i + 1]! - start[i]! > 1)
      list.subarray(start[i], start[i + 1]).sort((a, b) => changed(b) - changed(a) || largest(b) - largest(a) || a - b);
  const order = new Uint32Array(list.length + keep[0]!);
  const stack = keep[0] === 1 ? [0] : [];
  for (let used = 0; stack.length > 0;) {
    const i = stack.pop()!;
    order[used++] = i;
    for (let j = start[i + 1]! - 1; j >= start[i]!; j--) stack.push(list[j]!);
  }
  return order;
}

function levelsOf(depth: Uint8Array, depthCount: number): { levelStart: Uint32Array; level: Uint32Array } {
  const levelStart = new Uint32Array(depthCount + 1);
  for (const each of depth) levelStart[each + 1]!++;
  for (let d = 0; d < depthCount; d++) levelStart[d + 1]! += levelStart[d]!;
  const level = new Uint32Array(depth.length);
  const next = levelStart.slice();
  for (let place = 0; place < depth.length; place++) level[next[depth[place]!]!++] = place;
  return { levelStart, level };
}

/* Behind the last place below each. */
function endsOf(parent: Uint32Array): Uint32Array {
  const end = new Uint32Array(parent.length);
  for (let place = parent.length - 1; place >= 0; place--) {
    end[place] = Math.max(end[place]!, place + 1);
    if (place > 0) end[parent[place]!] = Math.max(end[parent[place]!]!, end[place]!);
  }
  return end;
}

const made = new WeakMap<readonly Place[], Tree>();

/** The tree of these rows, made once: the pictures of a page share it. */
export function treeOf(rows: readonly Place[]): Tree {
  const known = made.get(rows);
  if (known) return known;
  const tree = makeTree(rows);
  made.set(rows, tree);
  return tree;
}

/* Rows are those of the payload, in their order. O(rows · log(siblings)), some 100 bytes a row. */
function makeTree(rows: readonly Place[]): Tree {
  const keep = kept(rows);
  const sums = sumsOf(rows, keep);
  const row = orderOf(rows, keep, sums);
  const placeOfRow = new Int32Array(rows.length).fill(-1);
  row.forEach((each, place) => (placeOfRow[each] = place));
  const depth = Uint8Array.from(row, (each) => rows[each]!.depth);
  const parent = Uint32Array.from(row, (each, place) => (place === 0 ? 0 : placeOfRow[rows[each]!.parent]!));
  const depthCount = depth.reduce((most, each) => Math.max(most, each + 1), 0);
  const column = (values: Float64Array) => Float64Array.from(row, (each) => values[each]!);
  return {
    count: row.length,
    depthCount,
    rows,
    row,
    parent,
    depth,
    end: endsOf(parent),
    before: column(sums.before),
    after: column(sums.after),
    grown: column(sums.grown),
    shrunk: column(sums.shrunk),
    ...levelsOf(depth, depthCount),
    placeOfRow,
  };
}

export function rowOf(tree: Tree, place: number): Place {
  return tree.rows[tree.row[place]!]!;
}

/** after - before of the place with all below. */
export function growthOf(tree: Tree, place: number): number {
  return tree.after[place]! - tree.before[place]!;
}

/** ".entries: Entry[]", "-> Session", "global sessions", "whole heap"; as the text report names a step. */
export function labelOf(tree: Tree, place: number): string {
  const { isRoot, edge, type } = rowOf(tree, place);
  if (place === 0) return "whole heap";
  if (isRoot) return visible(type);
  return edge === "" ? `-> ${visible(type)}` : `${visible(edge)}: ${visible(type)}`;
}

/** From place 0 down to `place`, both included. */
export function pathTo(tree: Tree, place: number): number[] {
  const path = [place];
  while (path[0] !== 0) path.unshift(tree.parent[path[0]!]!);
  return path;
}

/** The places one below, in order. */
export function childrenAt(tree: Tree, place: number): number[] {
  const children: number[] = [];
  for (let child = place + 1; child < tree.end[place]!; child = tree.end[child]!) children.push(child);
  return children;
}

export function hasChildren(tree: Tree, place: number): boolean {
  return tree.end[place]! > place + 1;
}

export function totalsOf(tree: Tree, place: number): PlaceAmounts {
  return rowOf(tree, place).total;
}

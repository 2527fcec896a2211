/*
 * The treemap: what is held after, as area. Below the place that is shown only a few depths, and of each place only children that can be seen;
 * what is left, a place's own bytes among it, is one box. So it takes a thousand boxes at most, however large the tree is.
 */
import { hierarchy, treemap, treemapSquarify, type HierarchyRectangularNode } from "d3-hierarchy";
import { childrenAt, type Tree } from "./icicle_tree.ts";

export interface Tile {
  readonly place: number;
  readonly isRest: boolean; /* what is in `place` but in none of its tiles */
  readonly bytes: number;
  readonly level: number; /* 0 = what is shown */
  readonly hasTiles: boolean; /* inside of it */
  readonly x: number; /* pixels */
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Data {
  readonly place: number;
  readonly isRest: boolean;
  readonly bytes: number;
  readonly parts: Data[];
}

export const headHeight = 20;
const deepest = 3; /* levels below what is shown */
const leastArea = 60; /* square pixels */
const mostParts = 40; /* of one place */

function partsOf(tree: Tree, place: number, level: number, leastBytes: number): Data[] {
  if (level >= deepest) return [];
  const children = childrenAt(tree, place)
    .filter((child) => tree.after[child]! >= leastBytes)
    .sort((a, b) => tree.after[b]! - tree.after[a]! || a - b)
    .slice(0, mostParts);
  if (children.length === 0) return [];
  const parts = children.map((child): Data => ({
    place: child,
    isRest: false,
    bytes: tree.after[child]!,
    parts: partsOf(tree, child, level + 1, leastBytes),
  }));
  const rest = tree.after[place]! - parts.reduce((sum, part) => sum + part.bytes, 0);
  return rest > 0 ? [...parts, { place, isRest: true, bytes: rest, parts: [] }] : parts;
}

/** Tiles of `place` in a picture of so many pixels, outer ones before those inside. Empty if nothing is held after. */
export function tilesOf(tree: Tree, place: number, width: number, height: number): Tile[] {
  const bytes = tree.after[place] ?? 0;
  if (bytes <= 0 || width < 1 || height < 1) return [];
  const leastBytes = Math.max(1, (bytes * leastArea) / (width * height));
  const data: Data = { place, isRest: false, bytes, parts: partsOf(tree, place, 0, leastBytes) };
  const root = hierarchy(data, (each) => each.parts).sum((each) => (each.parts.length > 0 ? 0 : each.bytes));
  const layout = treemap<Data>()
    .tile(treemapSquarify)
    .size([width, height])
    .paddingInner(2)
    .paddingOuter(2)
    .paddingTop((node) => (node.y1 - node.y0 > 2 * headHeight ? headHeight : 2))
    .round(true);
  return layout(root).descendants().map(tileOf);
}

function tileOf(node: HierarchyRectangularNode<Data>): Tile {
  const { place, isRest, bytes, parts } = node.data;
  return {
    place,
    isRest,
    bytes,
    level: node.depth,
    hasTiles: parts.length > 0,
    x: node.x0,
    y: node.y0,
    width: node.x1 - node.x0,
    height: node.y1 - node.y0,
  };
}

/** The innermost tile at a point, or null. */
export function tileAt(tiles: readonly Tile[], x: number, y: number): Tile | null {
  let found: Tile | null = null;
  for (const tile of tiles) if (x >= tile.x && x < tile.x + tile.width && y >= tile.y && y < tile.y + tile.height) found = tile;
  return found;
}

export type TileMove = "next" | "previous" | "in" | "out";

/** From tile `at` to its neighbour by size, its largest part, or what it is a part of; `at` itself where there is none. */
export function tileMoved(tree: Tree, tiles: readonly Tile[], at: number, move: TileMove): number {
  const tile = tiles[at];
  if (!tile) return 0;
  const parentOf = (each: Tile) => (each.isRest ? each.place : tree.parent[each.place]!);
  const isPartOf = (each: Tile, level: number, place: number) => each.level === level && parentOf(each) === place;
  const find = (wanted: (each: Tile) => boolean) => tiles.findIndex(wanted);
  if (move === "out")
    return tile.level === 0
      ? at
      : Math.max(
          0,
          find((each) => each.level === tile.level - 1 && !each.isRest && each.place === parentOf(tile)),
        );
  if (move === "in") {
    const first = tile.hasTiles ? find((each) => isPartOf(each, tile.level + 1, tile.place)) : -1;
    return first >= 0 ? first : at;
  }
  if (tile.level === 0) return at;
  const siblings = tiles.flatMap((each, i) => (isPartOf(each, tile.level, parentOf(tile)) ? [i] : []));
  return siblings[siblings.indexOf(at) + (move === "next" ? 1 : -1)] ?? at;
}

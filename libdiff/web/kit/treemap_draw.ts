/*
 * Draws the tiles of the treemap: area is what is held after, the tint how it changed.
 */
import type { Ink, Inks } from "./icicle_inks.ts";
import type { Tree } from "./icicle_tree.ts";
import { headHeight, type Tile } from "./treemap_layout.ts";

export interface MapScene {
  readonly tree: Tree;
  readonly tiles: readonly Tile[];
  readonly inks: Inks;
  readonly ratio: number; /* device pixels for a pixel */
  readonly font: string; /* for a ratio of 1 */
  readonly label: (tile: Tile) => string;
  readonly amount: (tile: Tile) => string;
  readonly focus: number; /* indexes of tiles, or -1 */
  readonly hover: number;
}

/** How much of the larger side a place changed by: 1 = new, -1 = (nearly) gone. */
export function changeOf(tree: Tree, place: number): number {
  const before = tree.before[place]!;
  const after = tree.after[place]!;
  return before === after ? 0 : (after - before) / Math.max(before, after);
}

export function inkOfTile(scene: Pick<MapScene, "tree" | "inks">, tile: Tile): Ink {
  const change = tile.isRest ? 0 : changeOf(scene.tree, tile.place);
  const ramp = change < 0 ? scene.inks.shrunk : scene.inks.grown;
  return ramp[Math.round(Math.abs(change) * (ramp.length - 1))]!;
}

function hatch(context: CanvasRenderingContext2D, tile: Tile, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(tile.x, tile.y, tile.width, tile.height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = -tile.height; at < tile.width; at += 7) {
    context.moveTo(tile.x + at, tile.y + tile.height);
    context.lineTo(tile.x + at + tile.height, tile.y);
  }
  context.stroke();
  context.restore();
}

/* As many letters as fit, by bisection over the measure. */
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text];
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (context.measureText(`${letters.slice(0, middle).join("")}\u2026`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 1 ? `${letters.slice(0, low).join("")}\u2026` : "";
}

function write(context: CanvasRenderingContext2D, scene: MapScene, tile: Tile, ink: Ink): void {
  const margin = 5;
  const width = tile.width - 2 * margin;
  if (width < 24 || tile.height < 16) return;
  context.fillStyle = ink.text;
  const y = tile.y + (tile.height < headHeight ? tile.height / 2 : headHeight / 2 + 1);
  const amount = scene.amount(tile);
  const amountWidth = context.measureText(amount).width;
  const isBeside = tile.hasTiles || tile.height < 36;
  const name = fitted(context, scene.label(tile), isBeside && amountWidth + 60 < width ? width - amountWidth - 10 : width);
  context.fillText(name, tile.x + margin, y);
  if (!isBeside && amountWidth <= width) context.fillText(amount, tile.x + margin, y + 16);
  else if (isBeside && amountWidth + 60 < width) context.fillText(amount, tile.x + tile.width - margin - amountWidth, y);
}

function ring(context: CanvasRenderingContext2D, scene: MapScene, at: number, line: number): void {
  const tile = scene.tiles[at];
  if (!tile) return;
  context.strokeStyle = scene.inks.paper.css;
  context.lineWidth = 2 * line;
  context.strokeRect(tile.x + line, tile.y + line, tile.width - 2 * line, tile.height - 2 * line);
  context.strokeStyle = scene.inks.ring.css;
  context.lineWidth = line;
  context.strokeRect(tile.x + line / 2, tile.y + line / 2, tile.width - line, tile.height - line);
}

export function drawTiles(context: CanvasRenderingContext2D, scene: MapScene): void {
  const { inks, tiles, tree } = scene;
  context.setTransform(scene.ratio, 0, 0, scene.ratio, 0, 0);
  context.fillStyle = inks.paper.css;
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  context.font = scene.font;
  context.textBaseline = "middle";
  for (const tile of tiles) {
    const ink = inkOfTile(scene, tile);
    context.fillStyle = inks.paper.css; /* a line of paper around, so that a tile shows inside one of its own colour */
    context.fillRect(tile.x - 1, tile.y - 1, tile.width + 2, tile.height + 2);
    context.fillStyle = ink.css;
    context.fillRect(tile.x, tile.y, tile.width, tile.height);
    if (!tile.isRest && changeOf(tree, tile.place) < 0 && ink !== inks.shrunk[0]) hatch(context, tile, inks.hatch.css);
    write(context, scene, tile, ink);
  }
  ring(context, scene, scene.hover, 1);
  ring(context, scene, scene.focus, 2);
}

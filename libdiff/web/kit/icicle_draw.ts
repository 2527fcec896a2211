/*
 * Draws a window of the icicle. Each depth is painted as a line one pixel high (icicle_line.ts) into a small picture, which is
 * stretched to bands in one go; then come the few things that need more than colour: lines across a decrease, bars below what was
 * found, names, the ring of the focus. A frame so costs by the pixels of the canvas and not by the places of the tree.
 */
import { markedRuns, paintLine, type Box, type Brush } from "./icicle_line.ts";
import type { View } from "./icicle_layout.ts";

export interface Scene {
  readonly brush: Brush;
  readonly view: View;
  readonly top: number; /* depth at the upper edge; a fraction while it moves */
  readonly rowHeight: number; /* all lengths in pixels of the device */
  readonly pixelRatio: number;
  readonly font: string; /* one width for all letters */
  readonly letterWidth: number;
  readonly focus: number; /* places, or -1 */
  readonly hover: number;
  readonly label: (place: number, letters: number) => string;
}

interface Band {
  readonly y: number;
  readonly boxes: Box[];
}

/** A canvas with what it keeps from frame to frame. */
export class Painter {
  private readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private readonly strip = document.createElement("canvas");
  private image: ImageData | null = null;
  private letter = { font: "", width: 8 };
  private hatch: { readonly css: string; readonly pattern: CanvasPattern | null } | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false })!;
  }

  /** How wide a letter of `font` is; asked once for each font. */
  letterWidth(font: string): number {
    if (this.letter.font !== font) {
      this.context.font = font;
      this.letter = { font, width: this.context.measureText("0".repeat(64)).width / 64 };
    }
    return this.letter.width;
  }

  draw(scene: Scene): void {
    const bands = this.drawBands(scene);
    this.drawHatch(scene, bands);
    this.drawMarks(scene, bands);
    this.drawNames(scene, bands);
    this.drawRing(scene, scene.hover, 1);
    this.drawRing(scene, scene.focus, 2);
  }

  /* The picture of lines: as wide as the canvas, a pixel for each depth in sight. */
  private lines(rows: number): ImageData {
    const { width } = this.canvas;
    if (this.image && this.image.width === width && this.image.height >= rows) return this.image;
    this.strip.width = width;
    this.strip.height = rows;
    return (this.image = new ImageData(width, rows));
  }

  private drawBands(scene: Scene): Band[] {
    const { context, canvas } = this;
    const { rowHeight, brush, pixelRatio } = scene;
    const { depthCount } = brush.layout.tree;
    const first = Math.floor(scene.top);
    const offset = Math.round((scene.top - first) * rowHeight);
    const rows = Math.ceil(canvas.height / rowHeight) + 1;
    const shown = Math.max(0, Math.min(rows, depthCount - first));
    const image = this.lines(rows);
    const pixels = new Uint32Array(image.data.buffer);
    const bands: Band[] = [];
    context.fillStyle = brush.inks.paper.css;
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < shown; i++) {
      const band: Band = { y: i * rowHeight - offset, boxes: [] };
      const line = pixels.subarray(i * image.width, (i + 1) * image.width);
      paintLine(brush, first + i, scene.view, line, (box) => band.boxes.push(box));
      bands.push(band);
    }
    if (shown === 0) return bands;
    this.strip.getContext("2d")!.putImageData(image, 0, 0, 0, 0, image.width, shown);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.strip, 0, 0, image.width, shown, 0, -offset, image.width, shown * rowHeight);
    const gap = Math.max(1, Math.round(pixelRatio));
    for (const { y } of bands) context.fillRect(0, y + rowHeight - gap, canvas.width, gap);
    return bands;
  }

  /* ---- lines across what shrank ---- */

  private hatchOf(scene: Scene): CanvasPattern | null {
    const { css } = scene.brush.inks.hatch;
    const period = Math.max(6, Math.round(6 * scene.pixelRatio));
    if (this.hatch?.css === `${css} ${period}`) return this.hatch.pattern;
    const tile = document.createElement("canvas");
    tile.width = tile.height = period;
    const context = tile.getContext("2d")!;
    context.strokeStyle = css;
    context.lineWidth = Math.max(1.5, scene.pixelRatio * 1.5);
    context.beginPath();
    for (const at of [-period, 0, period]) {
      context.moveTo(at - 1, period + 1);
      context.lineTo(at + period + 1, -1);
    }
    context.stroke();
    this.hatch = { css: `${css} ${period}`, pattern: this.context.createPattern(tile, "repeat") };
    return this.hatch.pattern;
  }

  private drawHatch(scene: Scene, bands: readonly Band[]): void {
    const { context } = this;
    const { brush, rowHeight, pixelRatio } = scene;
    const pattern = this.hatchOf(scene);
    if (!pattern) return;
    const height = rowHeight - Math.max(1, Math.round(pixelRatio));
    context.fillStyle = pattern;
    for (const { y, boxes } of bands)
      for (const { share, left, split, ink } of boxes)
        if (share < 0 && split - left >= 4 && ink !== brush.inks.dim && ink !== brush.inks.shrunk[0])
          context.fillRect(left, y, split - left, height);
  }

  /* ---- what was found ---- */

  private drawMarks(scene: Scene, bands: readonly Band[]): void {
    const { context, canvas } = this;
    const { brush, rowHeight, pixelRatio } = scene;
    if (!brush.marks) return;
    const height = Math.round(4 * pixelRatio);
    const line = Math.max(1, Math.round(pixelRatio)); /* of paper above the bar, so that it is seen on any colour */
    const first = Math.floor(scene.top);
    bands.forEach(({ y }, i) =>
      markedRuns(brush, first + i, scene.view, canvas.width, (left, right) => {
        const width = Math.max(pixelRatio, right - left - line);
        context.fillStyle = brush.inks.paper.css;
        context.fillRect(left, y + rowHeight - height - line, width, line);
        context.fillStyle = brush.inks.mark.css;
        context.fillRect(left, y + rowHeight - height, width, height);
      }),
    );
  }

  /* ---- names ---- */

  private drawNames(scene: Scene, bands: readonly Band[]): void {
    const { context } = this;
    const { brush, rowHeight, pixelRatio, letterWidth } = scene;
    const margin = Math.round(5 * pixelRatio);
    const least = 3 * letterWidth + 2 * margin;
    context.font = scene.font;
    context.textBaseline = "middle";
    for (const { y, boxes } of bands)
      for (const box of boxes) {
        if (box.right - box.left < least) continue;
        const letters = Math.floor((box.right - box.left - 2 * margin) / letterWidth);
        const text = scene.label(box.place, letters);
        const at = box.left + margin;
        const middle = y + (rowHeight - pixelRatio) / 2;
        const end = Math.min(box.right, at + text.length * letterWidth);
        const isPlain = box.split >= end || box.split <= at;
        if (isPlain) this.drawName(text, at, middle, box.split <= at ? brush.inks.rest.text : box.ink.text, null);
        else {
          this.drawName(text, at, middle, box.ink.text, [box.left, y, box.split - box.left, rowHeight]);
          this.drawName(text, at, middle, brush.inks.rest.text, [box.split, y, box.right - box.split, rowHeight]);
        }
      }
  }

  private drawName(text: string, x: number, y: number, colour: string, clip: readonly [number, number, number, number] | null): void {
    const { context } = this;
    context.fillStyle = colour;
    if (!clip) {
      context.fillText(text, x, y);
      return;
    }
    context.save();
    context.beginPath();
    context.rect(...clip);
    context.clip();
    context.fillText(text, x, y);
    context.restore();
  }

  /* ---- focus ---- */

  private drawRing(scene: Scene, place: number, thickness: number): void {
    if (place < 0) return;
    const { context, canvas } = this;
    const { brush, view, rowHeight, pixelRatio } = scene;
    const { layout, inks } = brush;
    const scale = canvas.width / view.span;
    const line = Math.max(1, Math.round(thickness * pixelRatio));
    const left = Math.max(0, (layout.left[place]! - view.from) * scale);
    const right = Math.min(canvas.width, (layout.left[place]! + layout.width[place]! - view.from) * scale);
    if (right < 0 || left > canvas.width || right < left) return;
    const width = Math.max(4 * line, right - left);
    const x = Math.min(left, canvas.width - width);
    const y = Math.round((layout.tree.depth[place]! - scene.top) * rowHeight);
    const height = rowHeight - Math.max(1, Math.round(pixelRatio));
    context.strokeStyle = inks.paper.css; /* a line of each, so that it is seen on any colour */
    context.lineWidth = 2 * line;
    context.strokeRect(x + line, y + line, width - 2 * line, height - 2 * line);
    context.strokeStyle = inks.ring.css;
    context.lineWidth = line;
    context.strokeRect(x + line / 2, y + line / 2, width - line, height - line);
  }
}

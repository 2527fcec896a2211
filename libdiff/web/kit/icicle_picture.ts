/*
 * The icicle on a canvas: what is zoomed to, what has the focus, and how pointer, touch and keys change both. A tree of 64 depths is
 * taller than its frame, so the frame scrolls and the canvas, which is as high as the frame, stays in sight.
 *
 * To assistive technology the frame is a tree with one item at a time, the one with the focus; the same in full is the table
 * (icicle_grid.ts).
 */
import { el } from "./dom.ts";
import { Painter } from "./icicle_draw.ts";
import { coloursIn, inksOf, watchTheme, type Inks } from "./icicle_inks.ts";
import { depthsShown, placeAt, viewBetween, viewOf, type Layout, type View } from "./icicle_layout.ts";
import type { Marks } from "./icicle_line.ts";
import { isBelow, moved, type Direction } from "./icicle_move.ts";
import { hasChildren } from "./icicle_tree.ts";
import { boxText } from "./icicle_words.ts";

export interface Events {
  readonly focused: (place: number) => void;
  readonly zoomed: (place: number) => void;
  readonly hovered: (place: number) => void; /* -1 = nothing */
  readonly describe: (place: number) => string;
}

interface Motion {
  readonly from: View;
  readonly to: View;
  readonly fromTop: number;
  readonly toTop: number;
  readonly milliseconds: number;
  start: number; /* 0 until its first frame */
}

const rowHeight = 24;
const leastPixels = 2; /* a box that is narrower is not worth a row of paper */
const leastRows = 4;
const directions: { readonly [key: string]: Direction } = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

function easedOf(t: number): number {
  return t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2;
}

export class Picture {
  readonly frame: HTMLElement;
  zoom = 0;
  focus = 0;
  private readonly canvas = el("canvas", { "aria-hidden": "true" });
  private readonly space = el("div", { class: "icicle-space" }, this.canvas);
  private readonly items = [0, 1].map((i) => el("div", { id: `icicle-item-${i}`, role: "treeitem", class: "unseen" }));
  private readonly painter = new Painter(this.canvas);
  private readonly texts = new Map<number, string>(); /* names cut to so many letters */
  private readonly events: Events;
  private layout: Layout;
  private inks: Inks | null = null;
  private marks: Marks | null = null;
  private view: View;
  private top = 0;
  private hover = -1;
  private motion: Motion | null = null;
  private isAsked = false;
  private item = 0;
  private isTouch = false;

  constructor(layout: Layout, events: Events) {
    this.layout = layout;
    this.events = events;
    this.view = viewOf(layout, 0);
    this.frame = el(
      "div",
      { class: "icicle-frame", tabindex: "0", role: "tree", "aria-label": "Retained growth by path" },
      this.space,
      ...this.items,
    );
    this.tellItem();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.frame);
    watchTheme(() => {
      this.inks = null;
      this.ask();
    });
  }

  /* ---- what it shows ---- */

  /** The same tree by other widths. */
  setLayout(layout: Layout): void {
    const { zoom } = this;
    this.layout = layout;
    this.texts.clear();
    while (this.zoom !== 0 && layout.width[this.zoom] === 0) this.zoom = layout.tree.parent[this.zoom]!;
    this.hover = -1;
    this.settle();
    if (this.zoom !== zoom) this.events.zoomed(this.zoom);
  }

  setMarks(marks: Marks | null): void {
    this.marks = marks;
    this.ask();
  }

  /** Makes `place` fill the width, unless it has none in this mode. */
  zoomTo(place: number, animate = true): boolean {
    if (place !== 0 && !(this.layout.width[place]! > 0)) return false;
    if (place !== this.zoom) {
      this.zoom = place;
      if (!isBelow(this.layout, this.focus, place)) this.focusOn(place);
      this.hover = -1;
      this.move(animate);
      this.events.zoomed(place);
    }
    return true;
  }

  /** Moves the focus; what is not in sight is zoomed out to, or scrolled to. */
  focusOn(place: number): void {
    this.focus = place;
    let zoom = this.zoom;
    while (!isBelow(this.layout, place, zoom)) zoom = this.layout.tree.parent[zoom]!;
    if (zoom !== this.zoom) this.zoomTo(zoom);
    this.scrollToFocus();
    this.tellItem();
    this.events.focused(place);
    this.ask();
  }

  /* ---- moving ---- */

  private milliseconds(): number {
    const text = getComputedStyle(this.frame).getPropertyValue("--zoom-time").trim();
    return parseFloat(text) * (text.endsWith("ms") ? 1 : 1000) || 0;
  }

  private move(animate: boolean): void {
    const milliseconds = animate ? this.milliseconds() : 0;
    if (milliseconds === 0) {
      this.settle();
      return;
    }
    const depth = this.layout.tree.depth;
    this.motion = {
      from: this.view,
      to: viewOf(this.layout, this.zoom),
      fromTop: this.top,
      toTop: depth[this.zoom]!,
      milliseconds,
      start: 0,
    };
    this.fitSpace();
    this.frame.scrollTop = 0;
    this.ask();
  }

  private settle(): void {
    this.motion = null;
    this.view = viewOf(this.layout, this.zoom);
    this.fitSpace();
    this.frame.scrollTop = 0;
    this.top = this.layout.tree.depth[this.zoom]!;
    this.ask();
  }

  private step(now: number): void {
    const { motion } = this;
    if (!motion) return;
    if (motion.start === 0) motion.start = now;
    const t = easedOf(Math.min(1, (now - motion.start) / motion.milliseconds));
    this.view = viewBetween(motion.from, motion.to, t);
    this.top = motion.fromTop + (motion.toTop - motion.fromTop) * t;
    if (t >= 1) this.motion = null;
    else this.ask();
  }

  /* As high as the depths that can be seen there, and the frame no higher: below them is nothing but paper. */
  private fitSpace(): void {
    const view = viewOf(this.layout, this.zoom);
    const least = (leastPixels * view.span) / Math.max(1, this.canvas.width);
    const depths = depthsShown(this.layout, view, this.layout.tree.depth[this.zoom]!, least);
    this.space.style.height = `${Math.max(depths, 1) * rowHeight}px`;
    this.frame.style.maxHeight = `${Math.max(leastRows, depths) * rowHeight + 2}px`;
  }

  private scrollToFocus(): void {
    const y = (this.layout.tree.depth[this.focus]! - this.layout.tree.depth[this.zoom]!) * rowHeight;
    const { scrollTop, clientHeight } = this.frame;
    if (y < scrollTop) this.frame.scrollTop = y;
    else if (y + rowHeight > scrollTop + clientHeight) this.frame.scrollTop = y + rowHeight - clientHeight;
  }

  /* ---- drawing ---- */

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.frame.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.frame.clientHeight * ratio));
    if (width !== this.canvas.width || height !== this.canvas.height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.canvas.style.height = `${this.frame.clientHeight}px`;
      this.texts.clear();
    }
    this.fitSpace();
    this.ask();
  }

  private ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame((now) => {
      this.isAsked = false;
      this.step(now);
      this.draw();
    });
  }

  private draw(): void {
    if (this.canvas.width <= 1 || this.layout.tree.count === 0) return;
    const ratio = devicePixelRatio || 1;
    const style = getComputedStyle(this.canvas);
    const fontSize = parseFloat(style.fontSize) * ratio;
    const font = `${fontSize}px ${style.fontFamily}`;
    this.inks ??= inksOf(coloursIn(this.frame));
    this.painter.draw({
      brush: { layout: this.layout, inks: this.inks, marks: this.marks, gap: Math.max(1, Math.round(ratio)) },
      view: this.view,
      top: this.top,
      rowHeight: Math.round(rowHeight * ratio),
      pixelRatio: ratio,
      font,
      letterWidth: this.painter.letterWidth(font),
      focus: document.activeElement === this.frame ? this.focus : -1,
      hover: this.hover,
      label: (place, letters) => this.text(place, letters),
    });
  }

  private text(place: number, letters: number): string {
    const key = place * 512 + Math.min(letters, 511);
    let text = this.texts.get(key);
    if (text === undefined) {
      if (this.texts.size > 20000) this.texts.clear();
      text = boxText(this.layout, place, letters);
      this.texts.set(key, text);
    }
    return text;
  }

  /* The other of the two items, so that it is read out again. */
  private tellItem(): void {
    const { tree } = this.layout;
    const item = this.items[(this.item = 1 - this.item)]!;
    item.textContent = this.events.describe(this.focus);
    item.setAttribute("aria-level", String(tree.depth[this.focus]! + 1));
    if (hasChildren(tree, this.focus)) item.setAttribute("aria-expanded", "true");
    else item.removeAttribute("aria-expanded");
    item.setAttribute("aria-selected", "true");
    item.hidden = false;
    this.items[1 - this.item]!.hidden = true;
    this.frame.setAttribute("aria-activedescendant", item.id);
  }

  /* ---- pointer and keys ---- */

  private listen(): void {
    const { frame } = this;
    frame.addEventListener("pointerdown", (event) => (this.isTouch = event.pointerType !== "mouse"));
    frame.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.hoverAt(this.hit(event)));
    frame.addEventListener("pointerleave", () => this.hoverAt(-1));
    frame.addEventListener("click", (event) => this.click(this.hit(event)));
    frame.addEventListener("keydown", (event) => this.key(event));
    frame.addEventListener("focus", () => this.focusOn(this.focus));
    frame.addEventListener("blur", () => this.ask());
    frame.addEventListener("scroll", () => {
      if (this.motion) return;
      this.top = this.layout.tree.depth[this.zoom]! + frame.scrollTop / rowHeight;
      this.ask();
    });
  }

  private hit(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const depth = Math.floor(this.top + (event.clientY - box.top) / rowHeight);
    return placeAt(this.layout, depth, this.view.from + ((event.clientX - box.left) / box.width) * this.view.span);
  }

  private hoverAt(place: number): void {
    if (place === this.hover) return;
    this.hover = place;
    this.frame.classList.toggle("can-zoom", place >= 0);
    this.events.hovered(place);
    this.ask();
  }

  /* A finger has no hover: its first tap shows what is there, the second zooms. */
  private click(place: number): void {
    if (place < 0) return;
    const wasFocused = place === this.focus;
    this.focusOn(place);
    if (this.isTouch && !wasFocused) return;
    if (place === this.zoom) this.zoomOut();
    else this.zoomTo(place);
  }

  private zoomOut(): boolean {
    if (this.zoom === 0) return false;
    return this.zoomTo(this.layout.tree.parent[this.zoom]!);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.act(event.key)) event.preventDefault();
  }

  private act(key: string): boolean {
    const direction = directions[key];
    if (direction) {
      this.focusOn(moved(this.layout, this.focus, direction, this.zoom));
      return true;
    }
    if (key === "Enter" || key === " ") return this.zoomTo(this.focus) || true;
    if (key === "Escape" || key === "Backspace") return this.zoomOut();
    if (key !== "Home") return false;
    this.zoomTo(0);
    this.focusOn(0);
    return true;
  }
}

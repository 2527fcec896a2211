/*
 * The section "What the heap is now": a treemap of what is held after, with a tint of how it changed, and the table that is its equal. What is
 * shown stands in the address: map.at (row of the tree), map.as.
 */
import { plainRow, plainTable } from "./chart_table.ts";
import { button, el, fill, type Child } from "./dom.ts";
import * as format from "./format.ts";
import { coloursIn, inksOf, watchTheme, type Inks } from "./icicle_inks.ts";
import { childrenAt, growthOf, hasChildren, labelOf, pathTo, treeOf, type Tree } from "./icicle_tree.ts";
import { growthText, sentence, shortLabel, showPlace, toneOf } from "./icicle_words.ts";
import type { Model } from "./model.ts";
import { shorten } from "./names.ts";
import type { Page } from "./page.ts";
import { replaceBelowHeading } from "./shell_parts.ts";
import { drawTiles } from "./treemap_draw.ts";
import { tileAt, tileMoved, tilesOf, type Tile, type TileMove } from "./treemap_layout.ts";

const rowsAtFirst = 50;
const moves: { readonly [key: string]: TileMove } = { ArrowRight: "next", ArrowLeft: "previous", ArrowDown: "in", ArrowUp: "out" };

/** Whether anything is held after. */
export function hasMap(model: Model): boolean {
  return model.tree.length > 1 && (model.tree[0]?.total.after.bytes ?? 0) > 0;
}

class MapSection {
  readonly parts: Child[];
  private readonly tree: Tree;
  private readonly page: Page;
  private readonly canvas = el("canvas", { "aria-hidden": "true" });
  private readonly items = [0, 1].map((i) => el("div", { id: `map-item-${i}`, role: "treeitem", class: "unseen" }));
  private readonly frame = el(
    "div",
    { class: "map-frame", tabindex: "0", role: "tree", "aria-label": "What is held after" },
    this.canvas,
    ...this.items,
  );
  private readonly crumbs = el("ol", { class: "crumbs" });
  private readonly details = el("div", { class: "icicle-details" });
  private readonly body = el("tbody");
  private readonly more = el("p");
  private readonly table = el("div", { class: "table-box map-table" });
  private readonly asTable = el("input", { type: "checkbox", id: "map-as-table" });
  private inks: Inks | null = null;
  private tiles: Tile[] = [];
  private shown = 0;
  private focus = 0; /* indexes of tiles */
  private hover = -1;
  private item = 0;
  private isAsked = false;
  private isTouch = false;

  constructor(tree: Tree, page: Page) {
    this.tree = tree;
    this.page = page;
    this.table.append(
      plainTable(
        "What is held after",
        [
          ["Name", 12],
          ["After", 6],
          ["Share", 4.5],
          ["Growth", 9.5],
        ],
        this.body,
      ),
    );
    this.parts = [
      el("div", { class: "tools icicle-tools" }, this.legend(), el("label", { class: "check" }, this.asTable, "As table")),
      el("nav", { "aria-label": "Path to what the map shows" }, this.crumbs),
      this.frame,
      this.table,
      this.more,
      this.details,
    ];
    this.listen();
    this.showAs();
    this.showAt();
  }

  /* ---- state ---- */

  private listen(): void {
    const { state } = this.page;
    state.listen("map.at", () => this.showAt());
    state.listen("map.as", () => this.showAs());
    this.asTable.addEventListener("change", () => state.set("map.as", this.asTable.checked ? "table" : null));
    new ResizeObserver(() => this.resize()).observe(this.frame);
    watchTheme(() => {
      this.inks = null;
      this.ask();
    });
    const { frame } = this;
    frame.addEventListener("pointerdown", (event) => (this.isTouch = event.pointerType !== "mouse"));
    frame.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.hoverAt(this.hit(event)));
    frame.addEventListener("pointerleave", () => this.hoverAt(-1));
    frame.addEventListener("click", (event) => this.click(this.hit(event)));
    frame.addEventListener("focus", () => this.focusOn(this.focus));
    frame.addEventListener("blur", () => this.ask());
    frame.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.act(event.key)) event.preventDefault();
    });
  }

  private showAs(): void {
    const isTable = this.page.state.get("map.as") === "table";
    this.asTable.checked = isTable;
    this.frame.hidden = isTable;
    this.table.hidden = !isTable;
    this.more.hidden = !isTable;
  }

  private showAt(): void {
    const place = this.tree.placeOfRow[Number(this.page.state.get("map.at") ?? 0)] ?? -1;
    this.shown = place >= 0 && this.tree.after[place]! > 0 ? place : 0;
    this.focus = 0;
    this.hover = -1;
    this.lay();
    this.showCrumbs();
    this.showRows(rowsAtFirst);
    showPlace(this.details, this.tree, this.shown);
  }

  private zoomTo(place: number): void {
    if (place === this.shown || !(this.tree.after[place]! > 0) || !hasChildren(this.tree, place)) return;
    this.page.state.set("map.at", place === 0 ? null : String(this.tree.row[place]!), true);
    this.page.announce(`The map shows ${sentence(this.tree, place)}`);
    this.tellItem();
  }

  /* ---- drawing ---- */

  private lay(): void {
    this.tiles = tilesOf(this.tree, this.shown, this.frame.clientWidth, this.frame.clientHeight);
    this.tellItem();
    this.ask();
  }

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.frame.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.frame.clientHeight * ratio));
    this.focus = 0;
    this.hover = -1;
    this.lay();
  }

  private ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw();
    });
  }

  private draw(): void {
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context || this.frame.clientWidth === 0) return;
    const { fontSize, fontFamily } = getComputedStyle(this.canvas);
    this.inks ??= inksOf(coloursIn(this.frame));
    drawTiles(context, {
      tree: this.tree,
      tiles: this.tiles,
      inks: this.inks,
      ratio: this.canvas.width / this.frame.clientWidth,
      font: `${fontSize} ${fontFamily}`,
      label: (tile) =>
        tile.isRest ? "the rest" : shortLabel(this.tree, tile.place, Math.max(12, Math.floor(tile.width / 6.5))).replace(/^-> /, ""),
      amount: (tile) => format.bytes(tile.bytes),
      focus: document.activeElement === this.frame ? this.focus : -1,
      hover: this.hover,
    });
  }

  /* ---- pointer and keys ---- */

  private hit(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const tile = tileAt(this.tiles, event.clientX - box.left, event.clientY - box.top);
    return tile ? this.tiles.indexOf(tile) : -1;
  }

  private hoverAt(at: number): void {
    if (at === this.hover) return;
    this.hover = at;
    this.frame.classList.toggle("can-zoom", at >= 0);
    const tile = this.tiles[at >= 0 ? at : this.focus];
    if (tile) showPlace(this.details, this.tree, tile.place);
    this.ask();
  }

  private click(at: number): void {
    const tile = this.tiles[at];
    if (!tile) return;
    const wasFocused = at === this.focus;
    this.focusOn(at);
    if (this.isTouch && !wasFocused) return;
    if (tile.level === 0 || (tile.isRest && tile.place === this.shown)) this.zoomTo(this.tree.parent[this.shown]!);
    else this.zoomTo(this.nearest(tile.place));
  }

  /* A tile without parts leads to what it lies in. */
  private nearest(place: number): number {
    return hasChildren(this.tree, place) ? place : this.tree.parent[place]!;
  }

  private focusOn(at: number): void {
    const tile = this.tiles[at];
    if (!tile) return;
    this.focus = at;
    showPlace(this.details, this.tree, tile.place);
    this.tellItem();
    this.ask();
  }

  private tellItem(): void {
    const tile = this.tiles[this.focus] ?? { place: this.shown, isRest: false, level: 0, bytes: 0 };
    const item = this.items[(this.item = 1 - this.item)]!;
    item.textContent = tile.isRest
      ? `the rest of ${labelOf(this.tree, tile.place)}: ${format.bytes(tile.bytes)}`
      : sentence(this.tree, tile.place);
    item.setAttribute("aria-level", String(tile.level + 1));
    item.setAttribute("aria-selected", "true");
    item.hidden = false;
    this.items[1 - this.item]!.hidden = true;
    this.frame.setAttribute("aria-activedescendant", item.id);
  }

  private act(key: string): boolean {
    const move = moves[key];
    const tile = this.tiles[this.focus];
    if (move) this.focusOn(tileMoved(this.tree, this.tiles, this.focus, move));
    else if (key === "Enter" || key === " ") this.zoomTo(tile?.place ?? 0);
    else if (key === "Home") this.zoomTo(0);
    else if (key === "Escape" || key === "Backspace") {
      if (this.shown === 0) return false;
      this.zoomTo(this.tree.parent[this.shown]!);
    } else return false;
    return true;
  }

  /* ---- pieces ---- */

  private legend(): HTMLElement {
    const ramp = el(
      "span",
      { class: "ramp", "aria-hidden": "true" },
      ...["decrease", "rest", "growth"].map((name) => el("i", { class: `swatch-${name}` })),
    );
    return el("p", { class: "map-legend" }, "Area: bytes after. Tint: shrank", ramp, "grew or new");
  }

  private showCrumbs(): void {
    const path = pathTo(this.tree, this.shown);
    const crumb = (place: number) => {
      const text = shorten(labelOf(this.tree, place), 28);
      const title = labelOf(this.tree, place);
      return el(
        "li",
        null,
        place === this.shown
          ? el("span", { class: "here", "aria-current": "location", title }, text)
          : button(text, () => this.zoomTo(place), { title }),
      );
    };
    fill(this.crumbs, ...(path.length > 6 ? [crumb(path[0]!), el("li", null, "\u2026"), ...path.slice(-4).map(crumb)] : path.map(crumb)));
  }

  private showRows(most: number): void {
    const { tree, shown } = this;
    const children = childrenAt(tree, shown)
      .filter((child) => tree.after[child]! > 0)
      .sort((a, b) => tree.after[b]! - tree.after[a]! || a - b);
    const rest = tree.after[shown]! - children.slice(0, most).reduce((sum, child) => sum + tree.after[child]!, 0);
    const row = (name: Child, bytes: number, growth: Child, tone: string) =>
      plainRow(name, ["", format.bytes(bytes)], ["", format.share(bytes, tree.after[shown]!)], [tone, growth]);
    const nameOf = (child: number): Child =>
      hasChildren(tree, child) ? button(labelOf(tree, child), () => this.zoomTo(child), { class: "link" }) : labelOf(tree, child);
    fill(
      this.body,
      ...children
        .slice(0, most)
        .map((child) => row(nameOf(child), tree.after[child]!, growthText(tree, child), toneOf(growthOf(tree, child)))),
      rest > 0 ? row(children.length > most ? "the rest" : "itself", rest, "", "same") : null,
      row(shown === 0 ? "TOTAL" : labelOf(tree, shown), tree.after[shown]!, growthText(tree, shown), toneOf(growthOf(tree, shown))),
    );
    const hidden = children.length - most;
    fill(
      this.more,
      hidden > 0
        ? button(`Show ${format.count(Math.min(hidden, 200))} more of ${format.count(hidden)}`, () => this.showRows(most + 200))
        : null,
    );
  }
}

export function showMap(host: HTMLElement, model: Model, page: Page): void {
  replaceBelowHeading(host, "What the heap is now", ...new MapSection(treeOf(model.tree), page).parts);
}

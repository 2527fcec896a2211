/*
 * The section "What grew, and where": the icicle of retained growth with its mode, search, path and numbers, and the table that is its
 * equal. What is shown stands in the address: picture.mode, picture.at (row of the tree), picture.find, picture.as.
 */
import { button, clear, el, fill, type Child } from "./dom.ts";
import * as format from "./format.ts";
import { Grid } from "./icicle_grid.ts";
import { layoutOf, type Layout, type Mode } from "./icicle_layout.ts";
import { Picture } from "./icicle_picture.ts";
import { Labels, search, type Found } from "./icicle_search.ts";
import { labelOf, pathTo, treeOf, type Tree } from "./icicle_tree.ts";
import { sentence, showPlace } from "./icicle_words.ts";
import type { Model } from "./model.ts";
import { shorten } from "./names.ts";
import type { Page } from "./page.ts";
import { replaceBelowHeading } from "./shell_parts.ts";

const modes: readonly (readonly [Mode, string, string])[] = [
  ["both", "Change", "Width: what grew and what shrank below, so that nothing cancels out of sight"],
  ["before", "Before", "Width: bytes before"],
  ["after", "After", "Width: bytes after"],
];
const crumbsAtEnd = 4;
const crumbLetters = 28;

/** Whether there is a tree to show. */
export function hasIcicle(model: Model): boolean {
  return model.tree.length > 1;
}

class Section {
  readonly parts: Child[];
  private readonly tree: Tree;
  private readonly page: Page;
  private readonly labels: Labels;
  private readonly layouts = new Map<Mode, Layout>();
  private readonly picture: Picture;
  private readonly grid: Grid;
  private readonly crumbs = el("ol", { class: "crumbs" });
  private readonly details = el("div", { class: "icicle-details" });
  private readonly count = el("output", { class: "icicle-count", for: "icicle-find" });
  private readonly find = el("input", {
    type: "search",
    id: "icicle-find",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Find a name",
  });
  private readonly asTable = el("input", { type: "checkbox", id: "icicle-as-table" });
  private found: Found | null = null;
  private allCrumbs = false;

  constructor(tree: Tree, page: Page) {
    this.tree = tree;
    this.page = page;
    this.labels = new Labels(tree);
    this.grid = new Grid(tree, { focused: (place) => this.focusedInGrid(place) });
    this.picture = new Picture(this.layoutOf(this.mode()), {
      focused: (place) => this.showDetails(place),
      zoomed: (place) => this.zoomed(place),
      hovered: (place) => this.showDetails(place >= 0 ? place : this.picture.focus),
      describe: (place) => sentence(tree, place),
    });
    this.parts = [
      this.tools(),
      this.legend(),
      el("nav", { "aria-label": "Path to what is shown" }, this.crumbs),
      this.picture.frame,
      this.grid.element,
      this.details,
    ];
    this.listen();
    this.readState();
  }

  /* ---- state ---- */

  private mode(): Mode {
    const wanted = this.page.state.get("picture.mode");
    return modes.find(([mode]) => mode === wanted)?.[0] ?? this.firstMode();
  }

  /* Where nothing changed, there is nothing to see of it. */
  private firstMode(): Mode {
    return this.tree.grown[0]! + this.tree.shrunk[0]! > 0 ? "both" : "after";
  }

  private layoutOf(mode: Mode): Layout {
    const known = this.layouts.get(mode);
    if (known) return known;
    const made = layoutOf(this.tree, mode);
    this.layouts.set(mode, made);
    return made;
  }

  private readState(): void {
    this.showMode();
    this.showAs();
    this.showCrumbs();
    this.showDetails(0);
    this.find.value = this.page.state.get("picture.find") ?? "";
    this.showFound();
    this.showAt(false);
  }

  private listen(): void {
    const { state } = this.page;
    let timer = 0;
    this.find.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => state.set("picture.find", this.find.value), 150);
    });
    this.find.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.goToFound();
    });
    this.asTable.addEventListener("change", () => state.set("picture.as", this.asTable.checked ? "table" : null));
    state.listen("picture.mode", () => this.showMode());
    state.listen("picture.as", () => this.showAs());
    state.listen("picture.at", () => this.showAt(true));
    state.listen("picture.find", (text) => {
      if (this.find.value !== (text ?? "")) this.find.value = text ?? "";
      this.showFound();
    });
  }

  private showMode(): void {
    const mode = this.mode();
    this.picture.setLayout(this.layoutOf(mode));
    for (const input of this.modeInputs) input.checked = input.value === mode;
  }

  private showAs(): void {
    const isTable = this.page.state.get("picture.as") === "table";
    this.asTable.checked = isTable;
    this.grid.element.hidden = !isTable;
    this.picture.frame.hidden = isTable;
    if (isTable) this.grid.focusOn(this.picture.focus);
  }

  private showAt(animate: boolean): void {
    const row = Number(this.page.state.get("picture.at") ?? 0);
    const place = this.tree.placeOfRow[row] ?? -1;
    if (place < 0 || place === this.picture.zoom) return;
    if (this.picture.zoomTo(place, animate) && !this.grid.element.hidden) this.grid.focusOn(place);
  }

  /* ---- what picture and table tell ---- */

  private zoomed(place: number): void {
    this.page.state.set("picture.at", place === 0 ? null : String(this.tree.row[place]!), true);
    this.allCrumbs = false;
    this.showCrumbs();
    this.page.announce(`Shows ${sentence(this.tree, place)}`);
  }

  private focusedInGrid(place: number): void {
    this.picture.focusOn(place);
  }

  private showDetails(place: number): void {
    showPlace(this.details, this.tree, place);
  }

  /* ---- pieces ---- */

  private readonly modeInputs = modes.map(([mode]) =>
    el("input", {
      type: "radio",
      name: "picture-mode",
      value: mode,
      onchange: () => this.page.state.set("picture.mode", mode === this.firstMode() ? null : mode),
    }),
  );

  private tools(): HTMLElement {
    return el(
      "div",
      { class: "tools icicle-tools" },
      el(
        "fieldset",
        { class: "choice" },
        el("legend", { class: "unseen" }, "Width of a box"),
        ...modes.map(([, title, hint], i) => el("label", { title: hint }, this.modeInputs[i]!, el("span", null, title))),
      ),
      el("label", { class: "unseen", for: "icicle-find" }, "Find in the picture"),
      this.find,
      this.count,
      el("label", { class: "check" }, this.asTable, "As table"),
    );
  }

  private legend(): HTMLElement {
    const swatch = (name: string, title: string) =>
      el("li", null, el("span", { class: `swatch swatch-${name}`, "aria-hidden": "true" }), title);
    return el(
      "div",
      { class: "icicle-legend" },
      el("ul", null, swatch("growth", "grew"), swatch("decrease", "shrank"), swatch("rest", "as before, or cancels inside")),
      el("p", { class: "keys for-mouse" }, "Click or Enter: closer. Escape: back. Arrows: along and across. Home: all."),
      el("p", { class: "keys for-touch" }, "Tap: numbers. Tap again: closer, and at the top back."),
    );
  }

  private showCrumbs(): void {
    const path = pathTo(this.tree, this.picture.zoom);
    const cut = !this.allCrumbs && path.length > crumbsAtEnd + 2;
    const crumb = (place: number, i: number) =>
      el(
        "li",
        null,
        i === path.length - 1
          ? el(
              "span",
              { class: "here", "aria-current": "location", title: labelOf(this.tree, place) },
              shorten(labelOf(this.tree, place), crumbLetters),
            )
          : button(shorten(labelOf(this.tree, place), crumbLetters), () => this.goTo(place), { title: labelOf(this.tree, place) }),
      );
    const more = button("\u2026", () => this.openCrumbs(), {
      "aria-label": `Show ${format.plural(path.length - crumbsAtEnd - 1, "step")} between`,
    });
    const items = path.map(crumb);
    fill(this.crumbs, ...(cut ? [items[0]!, el("li", null, more), ...items.slice(-crumbsAtEnd)] : items));
  }

  private openCrumbs(): void {
    this.allCrumbs = true;
    this.showCrumbs();
    this.crumbs.querySelector("button")?.focus();
  }

  private goTo(place: number): void {
    this.picture.zoomTo(place);
    this.picture.focusOn(place);
    if (!this.grid.element.hidden) this.grid.focusOn(place);
  }

  /* ---- search ---- */

  private showFound(): void {
    this.found = search(this.tree, this.labels, this.find.value);
    this.picture.setMarks(this.found?.marks ?? null);
    this.grid.setMarks(this.found?.marks ?? null);
    clear(this.count);
    if (!this.found) return;
    const { places, before, after } = this.found;
    fill(
      this.count,
      places === 0
        ? "nothing found"
        : `${format.plural(places, "place")}, ${format.bytes(before)} \u2192 ${format.bytes(after)} (${format.bytesSigned(after - before)})`,
    );
  }

  private goToFound(): void {
    if (!this.found || this.found.first < 0) return;
    this.picture.focusOn(this.found.first);
    if (this.grid.element.hidden) this.picture.frame.focus();
    else this.grid.focusOn(this.found.first);
  }
}

export function showIcicle(host: HTMLElement, model: Model, page: Page): void {
  const tree = treeOf(model.tree);
  if (tree.count === 0) return;
  replaceBelowHeading(host, "What grew, and where", ...new Section(tree, page).parts);
}

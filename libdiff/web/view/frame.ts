/*
 * What stands around every view: the bar with the views, the sides and the search box, and a line that tells how far the work is or
 * what went wrong.
 */
import { append, byId, el, fill } from "../kit/dom.ts";
import { visible } from "../kit/names.ts";
import { themeSwitch } from "../kit/topbar.ts";
import type { Side, State } from "./api.ts";
import { progressText } from "./opening.ts";
import type { Place, ViewName } from "./place.ts";
import { problemBox, type Trouble } from "./problem.ts";
import type { Search } from "./search.ts";
import type { Viewer } from "./viewer.ts";
import { reasonOf } from "./why_not.ts";

const tabs: readonly { readonly view: ViewName; readonly text: string; readonly within: readonly ViewName[] }[] = [
  { view: "growth", text: "Growth", within: ["growth"] },
  { view: "types", text: "Types", within: ["types", "objects"] },
  { view: "tree", text: "Dominators", within: ["tree"] },
];

export interface Shown {
  readonly view: ViewName | null /* null = opening, or a problem */;
  readonly side: Side;
  /** Where the switch of the other side leads; null = nowhere. */
  readonly otherSide: Partial<Place> | null;
}

export class Frame {
  readonly main: HTMLElement;
  private readonly viewer: Viewer;
  private readonly search: Search;
  private readonly links = tabs.map((tab) => el("a", { hidden: true }, tab.text));
  private readonly nav = el("nav", { class: "tabs", "aria-label": "Views" }, ...this.links);
  private readonly sides = el("div", { class: "sides", role: "group", "aria-label": "Side" });
  private readonly names = el("p", { class: "names" });
  private readonly strip = el("div", { class: "strip" });
  private sidesDrawn = ""; /* what they were drawn from */
  private trouble: Trouble | null = null;

  constructor(viewer: Viewer, search: Search) {
    this.viewer = viewer;
    this.search = search;
    this.main = byId("main") ?? document.body.appendChild(el("main", { id: "main" }));
    const bar = document.body.insertBefore(el("div", { class: "viewer-bar", role: "banner" }), this.main);
    append(
      bar,
      el(
        "div",
        { class: "bar-line" },
        el("a", { class: "brand", href: "#" }, "hsdiff"),
        this.nav,
        this.sides,
        this.search.element,
        themeSwitch(),
      ),
      this.names,
    );
    bar.after(this.strip);
    fill(this.main);
    for (const event of ["pointerdown", "focusin"]) this.nav.addEventListener(event, () => this.aimTabs());
  }

  /** Draws the bar anew for what is shown. */
  show(shown: Shown): void {
    const { state } = this.viewer;
    this.drawTabs(shown, state);
    this.drawSides(shown);
    const names = state.captures.map((capture) => visible(capture.name)).join(" \u2192 ");
    this.names.textContent = names;
    this.names.title = names;
    this.search.element.hidden = this.viewer.sides.length === 0;
    this.drawStrip(shown, state);
  }

  /** Trouble that concerns the whole page; null takes it away. */
  tell(trouble: Trouble | null, again: (() => void) | null): void {
    if (trouble !== null && this.trouble?.text === trouble.text) return;
    this.trouble = trouble;
    if (trouble) fill(this.strip, problemBox(trouble, again));
    else fill(this.strip);
    this.strip.hidden = trouble === null;
  }

  /* The links stay the elements they are: this happens while the work goes on, and one of them may have the focus. */
  private drawTabs(shown: Shown, state: State): void {
    const hasReport = state.report !== null || (state.phase === "working" && state.captures.length > 1);
    const canBrowse = (state.phase === "working" && state.captures.length > 0) || state.sides.length > 0;
    tabs.forEach((tab, i) => {
      const link = this.links[i]!;
      link.hidden = tab.view === "growth" ? !hasReport : !canBrowse;
      if (shown.view !== null && tab.within.includes(shown.view)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
    this.aimTabs();
  }

  /* The report changes the address, and what it keeps there goes along. */
  private aimTabs(): void {
    tabs.forEach((tab, i) => (this.links[i]!.href = this.viewer.link({ view: tab.view })));
  }

  private drawSides(shown: Shown): void {
    const isPair = this.viewer.sides.length > 1 || (this.viewer.state.sides.length > 1 && shown.view !== "growth");
    this.sides.hidden = !isPair || shown.view === "growth" || shown.view === null;
    const from = JSON.stringify([shown.side, shown.otherSide, this.viewer.sides.length]);
    if (from === this.sidesDrawn) return;
    this.sidesDrawn = from;
    fill(this.sides);
    for (const side of ["before", "after"] as const) {
      const isHere = side === shown.side;
      const to = isHere ? null : shown.otherSide;
      const canGo = to !== null && this.viewer.sides.some((each) => each.side === side);
      append(
        this.sides,
        isHere || !canGo
          ? el(
              "span",
              {
                class: "side",
                "aria-current": isHere ? "true" : null,
                "aria-disabled": isHere ? null : "true",
                title: isHere ? null : "it is not on this side",
              },
              side,
            )
          : el("a", { class: "side", href: this.viewer.link(to) }, side),
      );
    }
  }

  private drawStrip(shown: Shown, state: State): void {
    if (this.trouble) return;
    const isWaiting = state.phase === "working" && shown.view === "growth";
    this.strip.hidden =
      !isWaiting && !(state.phase === "ready" && state.report !== null && this.viewer.sides.length === 0);
    if (isWaiting)
      fill(this.strip, el("p", { class: "working" }, `Objects can be browsed soon: ${progressText(state)}.`));
    else if (!this.strip.hidden)
      fill(
        this.strip,
        el(
          "p",
          { class: "working" },
          `Single objects cannot be browsed: ${visible(reasonOf(this.viewer, shown.side))}.`,
        ),
      );
  }
}

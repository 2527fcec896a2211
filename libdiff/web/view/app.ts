/*
 * The viewer: asks how far the server is, shows the view that the address names, and keeps both together.
 */
import { el, fill } from "../kit/dom.ts";
import { visible } from "../kit/names.ts";
import { makeAnnounce } from "../report/shell.ts";
import { State as PageState } from "../kit/state.ts";
import { ApiError, type Api, type Side, type SideState, type State } from "./api.ts";
import { Frame } from "./frame.ts";
import { Growth } from "./growth.ts";
import { keepKey } from "./key.ts";
import { openObject } from "./object_view.ts";
import { openObjects } from "./objects_view.ts";
import { Opening } from "./opening.ts";
import { addressOf, nowhere, placeOf, takeToken, type Place, type ViewName } from "./place.ts";
import { problemBox, troubleOf } from "./problem.ts";
import { Search } from "./search.ts";
import { openTree } from "./tree_view.ts";
import { openTypes } from "./types_view.ts";
import type { Open, Screen, Viewer } from "./viewer.ts";
import { whyNotScreen } from "./why_not.ts";

const pollMs = 300;
/* So often the page says that it is still there: the server ends when nobody has asked for a while. A tab that nobody looks at is allowed
 * one timer a minute by browsers. */
const aliveMs = 60_000;

const opens: { readonly [view in Exclude<ViewName, "growth">]: Open } = {
  types: openTypes,
  objects: openObjects,
  object: openObject,
  tree: openTree,
};

const unknown: State = {
  phase: "working",
  stage: "",
  done: 0,
  total: 0,
  captures: [],
  report: null,
  sides: [],
  why_not: null,
  error: null,
  version: "",
};

export class App implements Viewer {
  readonly api: Api;
  state: State = unknown;
  readonly announce = makeAnnounce();
  private readonly pageState = new PageState();
  private readonly frame: Frame;
  private readonly growth: Growth;
  private readonly host = el("div", { class: "host" });
  private screen: Screen | null = null;
  private shownAs = ""; /* of what `screen` is made: another one needs another screen */
  private place: Place = nowhere;
  private updatedTo = ""; /* find and order that `screen` shows */
  private titleKnown = "";
  private isPolling = false;
  private isLost = false;

  constructor(api: Api) {
    this.api = api;
    api.onAnswer = () => this.answered();
    this.growth = new Growth(this, this.pageState);
    this.frame = new Frame(this, new Search(this, () => this.side()));
    this.growth.element.hidden = true;
    this.frame.main.append(this.growth.element, this.host);
    addEventListener("hashchange", () => this.moved());
    addEventListener("popstate", () => this.moved());
    document.addEventListener("click", (event) => this.jumped(event));
    this.show(false);
    void this.poll();
    setInterval(() => void this.poll(), aliveMs);
  }

  get sides(): readonly SideState[] {
    return this.state.sides.filter((side) => side.browsable);
  }

  link(place: Partial<Place>): string {
    return addressOf({ side: this.place.side ? this.side() : null, ...place }, location.hash);
  }

  go(place: Partial<Place>): void {
    location.hash = this.link(place);
  }

  adjust(place: Place): void {
    this.pageState.set("order", place.order === "retained" ? null : place.order);
    this.pageState.set("find", place.find);
    this.show(false);
  }

  met(error: unknown): boolean {
    const isOfAll = error instanceof ApiError && (error.isGone || error.status === 403);
    if (isOfAll) this.lose(error);
    return isOfAll;
  }

  /* The server does not answer, or not to this page. */
  private lose(error: unknown): void {
    this.isLost = true;
    this.frame.tell(troubleOf(error), () => void this.poll());
  }

  private answered(): void {
    if (!this.isLost) return;
    this.isLost = false;
    this.tellTrouble();
  }

  /* What went wrong with the work; without a report it is all there is to show, and the screen says it. */
  private tellTrouble(): void {
    const { error, report } = this.state;
    this.frame.tell(error && report ? { text: error.error, hint: error.hint } : null, null);
  }

  /* ---- the server ---- */

  private async poll(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    try {
      while (await this.askState()) await new Promise((resolve) => setTimeout(resolve, pollMs));
    } catch (error) {
      this.lose(error);
      if (this.state !== unknown) return;
      this.shownAs = ""; /* nothing is being opened */
      fill(this.host);
    } finally {
      this.isPolling = false;
    }
  }

  /* True while there is more to come. */
  private async askState(): Promise<boolean> {
    const before = this.state;
    this.state = await this.api.state();
    this.tellTrouble();
    this.changed(before);
    return this.state.phase === "working";
  }

  private changed(before: State): void {
    const { state } = this;
    if (before.report === null && state.report !== null) this.announce("The report is there.");
    if (before.phase === "working" && state.phase === "ready" && this.sides.length > 0)
      this.announce("Objects can be browsed.");
    if (before.phase === "working" && state.phase === "failed") this.announce("It failed.");
    this.show(false);
  }

  /* ---- the place ---- */

  private side(): Side {
    const wanted = this.place.side;
    const known = this.state.sides;
    if (wanted && (known.length === 0 || known.some((each) => each.side === wanted))) return wanted;
    return this.sides.length > 0 ? this.sides[this.sides.length - 1]!.side : "after";
  }

  /* The view of the place, or what is shown instead: null = the captures are still being opened. */
  private view(): ViewName | null {
    const { state, place } = this;
    const wanted = place.view ?? (state.report || state.captures.length > 1 ? "growth" : "types");
    if (wanted === "growth" && state.report) return wanted;
    if (state.sides.length === 0 && state.phase === "working") return null;
    return wanted === "growth" ? "types" : wanted;
  }

  private moved(): void {
    const { token, rest } = takeToken(location.hash);
    if (token !== null) {
      history.replaceState(null, "", `#${rest}`);
      keepKey(token);
      this.api.renew(token);
      void this.poll();
    }
    this.show(true);
  }

  /* Jumps within the report ("#holders") must not change the place. */
  private jumped(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const address = link?.getAttribute("href") ?? "";
    if (!/^#[^=]+$/.test(address)) return;
    const target = document.getElementById(address.slice(1));
    event.preventDefault();
    if (!target) return;
    if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  }

  /* ---- what is shown ---- */

  private show(isStep: boolean): void {
    this.place = placeOf(location.hash);
    const view = this.view();
    const side = this.side();
    const shownAs =
      view === null
        ? `opening ${this.state.phase}`
        : view === "growth"
          ? view
          : `${view} ${side} ${this.place.name} ${this.place.of} ${this.canBrowse(side)}`;
    if (shownAs !== this.shownAs) this.replace(view, side, shownAs, isStep);
    else if (this.screen instanceof Opening) this.screen.show(this.state);
    else this.update();
    this.drawFrame(view, side);
  }

  private update(): void {
    const key = `${this.place.find} ${this.place.order}`;
    if (key === this.updatedTo) return;
    this.updatedTo = key;
    this.screen?.update?.(this.place);
  }

  private canBrowse(side: Side): boolean {
    return this.sides.some((each) => each.side === side);
  }

  private replace(view: ViewName | null, side: Side, shownAs: string, isStep: boolean): void {
    this.screen?.close();
    const screen = this.open(view, side);
    this.screen = screen;
    this.shownAs = shownAs;
    this.updatedTo = `${this.place.find} ${this.place.order}`;
    this.growth.element.hidden = screen !== this.growth;
    if (screen === this.growth) fill(this.host);
    else fill(this.host, screen.element);
    document.body.classList.toggle("fills-window", screen.fillsWindow);
    this.setTitle(screen.title);
    screen.titled?.((title) => {
      this.setTitle(title);
      this.drawFrame(view, side);
    });
    if (isStep) this.arrive(screen);
  }

  private open(view: ViewName | null, side: Side): Screen {
    if (view === null) return new Opening(this);
    if (view === "growth") {
      this.growth.show();
      return this.growth;
    }
    if (!this.canBrowse(side)) return whyNotScreen(this, side);
    return opens[view](this, { place: this.place, side });
  }

  /* The focus follows the reader: to where he was in a list, else to the heading. */
  private arrive(screen: Screen): void {
    if (screen.focus?.()) return;
    scrollTo(0, 0);
    const heading = screen.element.querySelector<HTMLElement>("h1");
    if (!heading) return;
    if (!heading.hasAttribute("tabindex")) heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }

  private setTitle(title: string): void {
    this.titleKnown = title;
    const names = this.state.captures.map((capture) => visible(capture.name)).join(" \u2192 ");
    document.title = [title, names, "hsdiff"].filter((part) => part !== "").join(" \u00b7 ");
  }

  private drawFrame(view: ViewName | null, side: Side): void {
    const other: Side = side === "before" ? "after" : "before";
    const own = this.screen?.otherSide;
    const otherSide = own ? own() : { ...this.place, side: other };
    this.frame.show({ view, side, otherSide });
    if (this.titleKnown !== "") this.setTitle(this.titleKnown);
  }
}

/** Without the key of the server there is nothing to show. */
export function showLost(): void {
  const main = document.getElementById("main") ?? document.body.appendChild(el("main", { id: "main" }));
  const trouble = {
    text: "This page has no key to the viewer.",
    hint: "The key stands in the address that “hsdiff view” printed, behind the #, and is taken out of it at once: a copy of the page's address has none. Open the printed address once more.",
  };
  fill(main, el("h1", null, "hsdiff"), problemBox(trouble));
  document.title = "hsdiff";
}

/*
 * The search box: types, roots and objects by id, as one types; "/" leads to it from anywhere. A combobox whose list is moved
 * through by arrows while the focus stays in the box.
 */
import { el, fill, type Child } from "../kit/dom.ts";
import { bytes, plural } from "../kit/format.ts";
import { isGivenUp, type Found, type HeapNode, type Side, type TypeRow } from "./api.ts";
import type { Place } from "./place.ts";
import { troubleOf } from "./problem.ts";
import type { Viewer } from "./viewer.ts";
import { badge, nameText } from "./words.ts";

const typingMs = 150;

interface Option {
  readonly element: HTMLElement;
  readonly place: Partial<Place>;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export class Search {
  readonly element: HTMLElement;
  private viewer: Viewer;
  private side: () => Side;
  private input = el("input", {
    type: "search",
    id: "search",
    role: "combobox",
    placeholder: "type, root or id  /",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "Search types, roots and ids",
    "aria-expanded": "false",
    "aria-controls": "search-found",
    "aria-autocomplete": "list",
    "aria-keyshortcuts": "/",
  });
  private list = el("div", { id: "search-found", role: "listbox", "aria-label": "Found" });
  private note = el("p", { class: "found-none", hidden: true }); /* in place of a list */
  private found = el("div", { class: "found", hidden: true }, this.list, this.note);
  private options: Option[] = [];
  private chosen = -1;
  private timer = 0;
  private asked: AbortController | null = null;
  private shownFor = ""; /* what the list answers */
  private goesWhenFound = false; /* Enter came before the answer */

  constructor(viewer: Viewer, side: () => Side) {
    this.viewer = viewer;
    this.side = side;
    this.element = el("div", { class: "search", role: "search" }, this.input, this.found);
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node) || !this.element.contains(event.relatedTarget)) this.fold();
    });
    this.input.addEventListener("focus", () => {
      if (this.options.length > 0) this.unfold();
    });
    document.addEventListener("keydown", (event) => this.anywhere(event));
  }

  private anywhere(event: KeyboardEvent): void {
    if (
      event.key !== "/" ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      isTyping(event.target) ||
      this.element.hidden
    )
      return;
    event.preventDefault();
    this.input.focus();
    this.input.select();
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.goesWhenFound = false;
    this.timer = setTimeout(() => void this.ask(), typingMs);
  }

  private async ask(): Promise<void> {
    this.asked?.abort();
    const text = this.input.value.trim();
    if (text === "") {
      this.options = [];
      this.fold();
      return;
    }
    const asked = new AbortController();
    this.asked = asked;
    try {
      const side = this.side();
      const found = await this.viewer.api.search(side, text, asked.signal);
      if (this.asked === asked) this.show(found, side, text);
    } catch (error) {
      if (isGivenUp(error) || this.asked !== asked) return;
      this.viewer.met(error);
      this.options = [];
      this.unfold(troubleOf(error).text);
    } finally {
      if (this.asked === asked) this.asked = null;
    }
  }

  private show(found: Found, side: Side, text: string): void {
    this.options = [];
    this.chosen = -1;
    this.shownFor = text;
    fill(
      this.list,
      this.group("Object", found.object ? [this.nodeOption(found.object, side)] : []),
      this.group(
        "Types",
        found.types.map((type) => this.typeOption(type, side)),
      ),
      this.group(
        "Roots",
        found.roots.map((root) => this.nodeOption(root, side)),
      ),
    );
    const many = this.options.length;
    this.unfold(many === 0 ? "Nothing has that in its name, and no object has that id." : "");
    this.viewer.announce(many === 0 ? "nothing found" : `${plural(many, "place")} found`);
    if (this.goesWhenFound && many > 0) this.go(0);
  }

  private group(title: string, options: readonly HTMLElement[]): Child {
    if (options.length === 0) return null;
    return el(
      "div",
      { role: "group", "aria-label": title },
      el("div", { class: "found-title", "aria-hidden": "true" }, title),
      ...options,
    );
  }

  private option(place: Partial<Place>, ...children: Child[]): HTMLElement {
    const at = this.options.length;
    const element = el(
      "div",
      { role: "option", id: `found-${at}`, class: "found-option", "aria-selected": "false" },
      ...children,
    );
    element.addEventListener("mousedown", (event) => event.preventDefault()); /* the focus stays in the box */
    element.addEventListener("click", () => this.go(at));
    this.options.push({ element, place });
    return element;
  }

  private typeOption(type: TypeRow, side: Side): HTMLElement {
    return this.option(
      { view: "objects", side, name: type.name },
      el("span", { class: "type-name" }, nameText(type.name, 60)),
      el("span", { class: "n" }, `${plural(type.objects, "object")}, ${bytes(type.bytes)}`),
    );
  }

  private nodeOption(node: HeapNode, side: Side): HTMLElement {
    const what = el(
      "span",
      { class: "type-name" },
      node.is_root ? el("span", { class: "kind" }, `${node.kind ?? "root"} `) : null,
      nameText(node.type, 60),
      node.id === null ? null : ` ${node.id}`,
      badge(node.state),
    );
    return this.option(
      { view: "object", side, of: node.of },
      what,
      el("span", { class: "n" }, `retains ${bytes(node.retained)}`),
    );
  }

  private unfold(note = ""): void {
    this.note.textContent = note;
    this.note.hidden = note === "";
    this.list.hidden = this.options.length === 0;
    this.found.hidden = false;
    this.input.setAttribute("aria-expanded", String(this.options.length > 0));
  }

  private fold(): void {
    this.found.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.choose(-1);
  }

  private choose(at: number): void {
    this.options[this.chosen]?.element.setAttribute("aria-selected", "false");
    this.chosen = at;
    const chosen = this.options[at]?.element;
    chosen?.setAttribute("aria-selected", "true");
    chosen?.scrollIntoView({ block: "nearest" });
    if (chosen) this.input.setAttribute("aria-activedescendant", chosen.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private go(at: number): void {
    const option = this.options[at];
    if (!option) return;
    this.goesWhenFound = false;
    this.fold();
    this.viewer.go(option.place);
  }

  private pressed(event: KeyboardEvent): void {
    const many = this.options.length;
    if (event.key === "ArrowDown" && many > 0) this.choose((this.chosen + 1) % many);
    else if (event.key === "ArrowUp" && many > 0)
      this.choose((this.chosen + many - 1 + (this.chosen < 0 ? 1 : 0)) % many);
    else if (event.key === "Escape" && !this.found.hidden) this.fold();
    else if (event.key === "Enter") this.entered();
    else return;
    event.preventDefault();
    if (event.key.startsWith("Arrow")) this.unfold();
  }

  private entered(): void {
    if (this.shownFor === this.input.value.trim() && !this.found.hidden) {
      this.go(Math.max(0, this.chosen));
      return;
    }
    this.goesWhenFound = true;
    clearTimeout(this.timer);
    void this.ask();
  }
}

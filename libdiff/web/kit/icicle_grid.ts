/*
 * The icicle as a table: an ARIA treegrid of the same places, opened level by level. Only rows in sight exist. It shares the focus with the
 * picture: what is focused in one is opened and focused in the other.
 *
 *      rows     places in sight of the opened ones, in preorder; opening a place puts its children behind it
 */
import { columnOf } from "./chart_table.ts";
import { clear, el } from "./dom.ts";
import * as format from "./format.ts";
import type { Marks } from "./icicle_line.ts";
import { childrenAt, growthOf, hasChildren, labelOf, pathTo, totalsOf, type Tree } from "./icicle_tree.ts";
import { sentence, toneOf } from "./icicle_words.ts";
import { moveRow, scrollTo, windowOf } from "./table_logic.ts";

const rowHeight = 28;
const indent = 1.1; /* rem for a level; deep ones stop growing so that names stay in sight */
const mostIndent = 12;
const rowsAround = 12; /* more than are in sight, so that scrolling shows no gap */
const nameWidth = 22; /* rem, at least */

/** The rows of a treegrid: which places are opened and stand where. */
export class OpenRows {
  readonly rows: number[];
  private readonly tree: Tree;
  private readonly open = new Set<number>();

  constructor(tree: Tree) {
    this.tree = tree;
    this.rows = tree.count > 0 ? [0] : [];
    if (tree.count > 0) this.setOpen(0, true);
  }

  isOpen(place: number): boolean {
    return this.open.has(place);
  }

  indexOf(place: number): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.rows[middle]! < place) low = middle + 1;
      else high = middle;
    }
    return this.rows[low] === place ? low : -1;
  }

  setOpen(place: number, isOpen: boolean): void {
    const at = this.indexOf(place);
    if (at < 0 || isOpen === this.open.has(place) || !hasChildren(this.tree, place)) return;
    if (isOpen) {
      this.open.add(place);
      this.replace(at + 1, 0, this.below(place));
    } else {
      let end = at + 1;
      while (end < this.rows.length && this.rows[end]! < this.tree.end[place]!) end++;
      this.open.delete(place);
      this.replace(at + 1, end - at - 1, []);
    }
  }

  /** Opens all above `place`; its row. */
  reveal(place: number): number {
    for (const each of pathTo(this.tree, place)) if (each !== place) this.setOpen(each, true);
    return this.indexOf(place);
  }

  /* Rows below an opened place: what was opened there before is again. */
  private below(place: number): number[] {
    const rows: number[] = [];
    const stack = childrenAt(this.tree, place).reverse();
    while (stack.length > 0) {
      const next = stack.pop()!;
      rows.push(next);
      if (this.open.has(next)) stack.push(...childrenAt(this.tree, next).reverse());
    }
    return rows;
  }

  private replace(at: number, count: number, added: readonly number[]): void {
    const tail = this.rows.slice(at + count);
    this.rows.length = at;
    for (const each of added) this.rows.push(each);
    for (const each of tail) this.rows.push(each);
  }
}

/* Title, width in rem, text. */
const columns: readonly (readonly [string, number, (tree: Tree, place: number) => string])[] = [
  ["Growth", 6.5, (tree, place) => format.bytesSigned(growthOf(tree, place))],
  ["%", 5, (tree, place) => format.percent(tree.before[place]!, tree.after[place]!)],
  ["Before", 6.5, (tree, place) => format.bytes(tree.before[place]!)],
  ["After", 6.5, (tree, place) => format.bytes(tree.after[place]!)],
  ["Objects", 7, (tree, place) => format.countSigned(totalsOf(tree, place).after.objects - totalsOf(tree, place).before.objects)],
  ["New", 6.5, (tree, place) => knownBytes(totalsOf(tree, place).new, 1)],
  ["Freed", 6.5, (tree, place) => knownBytes(totalsOf(tree, place).freed, -1)],
];

function knownBytes(amount: { readonly bytes: number } | null, sign: number): string {
  return amount ? format.bytesSigned(sign * amount.bytes) : "";
}

export interface GridEvents {
  readonly focused: (place: number) => void;
}

export class Grid {
  readonly element: HTMLElement;
  private readonly tree: Tree;
  private readonly events: GridEvents;
  private readonly rows: OpenRows;
  private readonly body = el("tbody");
  private readonly table: HTMLTableElement;
  private marks: Marks | null = null;
  private active = 0; /* a row */
  private isAsked = false;

  constructor(tree: Tree, events: GridEvents) {
    this.tree = tree;
    this.events = events;
    this.rows = new OpenRows(tree);
    const head = el(
      "tr",
      { "aria-rowindex": "1" },
      el("th", { scope: "col", class: "name" }, "Path"),
      ...columns.map(([title]) => el("th", { scope: "col", class: "number" }, title)),
    );
    this.table = el(
      "table",
      {
        role: "treegrid",
        class: "data icicle-grid",
        "aria-label": "Retained growth by path",
        tabindex: "0",
        "aria-colcount": columns.length + 1,
      },
      el("colgroup", null, el("col"), ...columns.map(([, width]) => columnOf(width))),
      el("thead", null, head),
      this.body,
    );
    this.table.style.minWidth = `${columns.reduce((sum, [, width]) => sum + width, nameWidth)}rem`;
    this.element = el("div", { class: "table-box icicle-box" }, this.table);
    this.listen();
  }

  /** Opens what is above `place` and makes it the active row. */
  focusOn(place: number): void {
    this.active = Math.max(0, this.rows.reveal(place));
    this.show();
  }

  setMarks(marks: Marks | null): void {
    this.marks = marks;
    this.ask();
  }

  private listen(): void {
    this.element.addEventListener("scroll", () => this.ask(), { passive: true });
    new ResizeObserver(() => this.show()).observe(this.element);
    this.table.addEventListener("focus", () => this.ask());
    this.table.addEventListener("blur", () => this.ask());
    this.table.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || !this.act(event.key)) return;
      event.preventDefault();
    });
    this.body.addEventListener("click", (event) => {
      const row = (event.target as Element).closest("tr")?.dataset["row"];
      if (row === undefined) return;
      const place = this.rows.rows[Number(row)]!;
      if ((event.target as Element).closest(".twist")) this.rows.setOpen(place, !this.rows.isOpen(place));
      this.go(Number(row));
    });
  }

  /* ---- keys of the treegrid pattern ---- */

  private act(key: string): boolean {
    const place = this.rows.rows[this.active];
    if (place === undefined) return false;
    if (key === "ArrowRight") return this.right(place);
    if (key === "ArrowLeft") return this.left(place);
    if (key === "Enter" || key === " ") {
      this.rows.setOpen(place, !this.rows.isOpen(place));
      this.ask();
      return true;
    }
    const page = Math.max(1, Math.floor(this.element.clientHeight / rowHeight) - 2);
    const row = moveRow(key, this.active, this.rows.rows.length, page);
    if (row === null) return false;
    this.go(row);
    return true;
  }

  private right(place: number): boolean {
    if (!this.rows.isOpen(place)) this.rows.setOpen(place, true);
    else if (hasChildren(this.tree, place)) this.go(this.active + 1);
    this.ask();
    return true;
  }

  private left(place: number): boolean {
    if (this.rows.isOpen(place)) this.rows.setOpen(place, false);
    else this.go(this.rows.indexOf(this.tree.parent[place]!));
    this.ask();
    return true;
  }

  private go(row: number): void {
    this.active = row;
    this.show();
    this.events.focused(this.rows.rows[row]!);
  }

  private show(): void {
    const body = Math.max(rowHeight, this.element.clientHeight - (this.table.tHead?.offsetHeight ?? 0));
    const top = scrollTo(this.active, this.element.scrollTop, body, rowHeight);
    if (this.element.clientHeight > 0 && top !== null) {
      this.draw(top); /* rows first, so that there is something to scroll to */
      this.element.scrollTop = top;
    }
    this.ask();
  }

  /* ---- drawing ---- */

  private ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw(this.element.scrollTop);
    });
  }

  private draw(scrollTop: number): void {
    const { rows } = this.rows;
    if (this.element.clientHeight === 0) return;
    const { first, end } = windowOf(scrollTop, this.element.clientHeight, rowHeight, rows.length, rowsAround);
    clear(this.body);
    this.body.append(gap(first));
    for (let row = first; row < end; row++) this.body.append(this.makeRow(row));
    this.body.append(gap(rows.length - end));
    this.table.setAttribute("aria-rowcount", String(rows.length + 1));
    if (this.active >= first && this.active < end) this.table.setAttribute("aria-activedescendant", `icicle-row-${this.active}`);
    else this.table.removeAttribute("aria-activedescendant");
  }

  private makeRow(row: number): HTMLElement {
    const place = this.rows.rows[row]!;
    const { tree } = this;
    const canOpen = hasChildren(tree, place);
    const isActive = row === this.active && document.activeElement === this.table;
    const twist = el(
      "span",
      { class: canOpen ? "twist" : "twist none", "aria-hidden": "true" },
      canOpen ? (this.rows.isOpen(place) ? "\u25be" : "\u25b8") : "",
    );
    const name = el("th", { scope: "row", class: "name", title: sentence(tree, place) }, twist, labelOf(tree, place));
    name.style.paddingInlineStart = `${Math.min(mostIndent, tree.depth[place]! * indent) + 0.3}rem`;
    return el(
      "tr",
      {
        id: `icicle-row-${row}`,
        "data-row": row,
        "aria-rowindex": row + 2,
        "aria-level": tree.depth[place]! + 1,
        "aria-expanded": canOpen ? String(this.rows.isOpen(place)) : null,
        "aria-selected": String(row === this.active),
        class: [isActive ? "active" : "", this.marks?.isMarked[place] ? "found" : ""].filter(Boolean).join(" ") || null,
      },
      name,
      ...columns.map(([title, , text], i) =>
        el("td", { class: i === 0 ? `number ${toneOf(growthOf(tree, place))}` : "number", "data-title": title }, text(tree, place)),
      ),
    );
  }
}

function gap(rows: number): HTMLElement {
  const row = el("tr", { class: "gap", "aria-hidden": "true", hidden: rows <= 0 });
  row.style.height = `${Math.max(0, rows) * rowHeight}px`;
  return row;
}

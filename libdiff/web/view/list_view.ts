/*
 * A list of the server's as rows of the page: pages come as they are looked at, a row that is on its way is told apart, an error
 * stands above with a button.
 */
import { clear, el } from "../kit/dom.ts";
import { count } from "../kit/format.ts";
import { Pages, type Fetcher } from "./pages.ts";
import { errorBox } from "./problem.ts";
import { Rows, type RowLook, type RowsLook } from "./rows.ts";
import type { Viewer } from "./viewer.ts";

export interface ListLook<T> extends RowsLook {
  draw(row: T, index: number): RowLook;
  follow(row: T): void;
  /** "type", "types". */
  readonly noun: readonly [string, string];
  /** What stands there when the list is empty. */
  readonly empty: string;
}

interface Position {
  readonly first: number;
  readonly active: number;
}

/* Where lists were left, for coming back; the oldest are forgotten. */
const left = new Map<string, Position>();
const mostLeft = 100;

export class ListView<T> {
  readonly element: HTMLElement;
  private viewer: Viewer;
  private look: ListLook<T>;
  private rows: Rows;
  private pages: Pages<T>;
  private key: string;
  private tail: HTMLElement; /* how many, and trouble */
  private wanted: Position | null; /* a place to come back to, once the length is known */
  private toFocus = false;

  constructor(viewer: Viewer, look: ListLook<T>, key: string, fetcher: Fetcher<T>) {
    this.viewer = viewer;
    this.look = look;
    this.key = key;
    this.wanted = left.get(key) ?? null;
    this.pages = this.pagesOf(fetcher);
    this.rows = new Rows(look, {
      count: () => this.pages.total ?? 0,
      data: (index) => this.pages.row(index),
      draw: (index) => this.draw(index),
      seen: (from, to) => this.pages.need(from, to),
      follow: (index) => {
        const row = this.pages.row(index);
        if (row !== undefined) look.follow(row);
      },
    });
    this.tail = el("div", { class: "list-tail", "aria-live": "polite" });
    this.element = el("div", { class: "list" }, this.tail, this.rows.element);
    this.changed();
    this.pages.need(0, 1);
  }

  /** Another list in the same place. */
  show(key: string, fetcher: Fetcher<T>): void {
    this.pages.close();
    this.pages = this.pagesOf(fetcher);
    this.key = key;
    this.wanted = null;
    this.rows.restart();
    this.pages.need(0, 1);
  }

  /** Back to where the reader was; false if he was not here. */
  focus(): boolean {
    this.toFocus = this.wanted !== null;
    return this.toFocus;
  }

  close(): void {
    left.delete(this.key);
    const position = this.rows.position();
    if (position.active > 0 || position.first > 0) left.set(this.key, position);
    for (const oldest of left.keys()) {
      if (left.size <= mostLeft) break;
      left.delete(oldest);
    }
    this.pages.close();
    this.rows.close();
  }

  /** The first row, of what is there. */
  first(): T | undefined {
    return this.pages.row(0);
  }

  private pagesOf(fetcher: Fetcher<T>): Pages<T> {
    const pages = new Pages(fetcher);
    pages.onChange = () => this.changed();
    return pages;
  }

  private draw(index: number): RowLook {
    const row = this.pages.row(index);
    if (row !== undefined) return this.look.draw(row, index);
    return { cells: [el("span", { role: "gridcell", class: "waiting" }, "…")], attributes: { "aria-busy": "true" } };
  }

  private changed(): void {
    const { total, error, isTotalKnown } = this.pages;
    clear(this.tail);
    if (error !== null) this.tail.append(errorBox(this.viewer, error, () => this.again()));
    else if (total === null) this.tail.append(el("p", { class: "count" }, "Looking it up…"));
    else
      this.tail.append(
        el("p", { class: "count" }, total === 0 ? this.look.empty : this.countText(total, isTotalKnown)),
      );
    this.rows.element.hidden = total === 0 || (total === null && error !== null);
    if (total !== null && this.wanted) this.comeBack(this.wanted);
    this.rows.draw();
  }

  private countText(total: number, isKnown: boolean): string {
    const [one, many] = this.look.noun;
    return `${isKnown ? "" : "at least "}${count(total)} ${total === 1 ? one : many}`;
  }

  private comeBack(wanted: Position): void {
    this.wanted = null;
    this.rows.restore(wanted);
    if (this.toFocus) this.rows.move(wanted.active);
    this.toFocus = false;
  }

  private again(): void {
    this.pages.retry();
    this.pages.need(0, 1);
  }
}

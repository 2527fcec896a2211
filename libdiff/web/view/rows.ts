/*
 * A list of any length on the page: only the rows that are seen are elements. One row is the active one: arrows, Page Up and
 * Down, Home and End move it, Enter follows it, Tab leaves the list. It stays an element when it is scrolled away, so that the
 * focus is not lost.
 */
import { el, type Child } from "../kit/dom.ts";
import { firstAt, firstToShow, isSqueezed, mostFirst, scrollAt, stripPixels, type Scale } from "./scale.ts";

export interface RowSource {
  /** Rows there are. */
  count(): number;
  /** What row `index` is drawn from: drawn again when this is another value than before. */
  data(index: number): unknown;
  /** The cells, and attributes of the row by name. */
  draw(index: number): RowLook;
  /** Told which rows are seen, [from, to), before they are drawn. */
  seen?(from: number, to: number): void;
  /** Enter, or a double click. */
  follow(index: number): void;
  /** Another key of the active row; true when it was for the list. */
  key?(index: number, key: string): boolean;
}

export interface RowLook {
  readonly cells: readonly Child[];
  readonly attributes: { readonly [name: string]: string | number | null };
}

export interface RowsLook {
  readonly role: "grid" | "treegrid";
  readonly kind: string /* class that gives the columns their widths */;
  readonly label: string;
  readonly head: readonly HTMLElement[];
}

interface Drawn {
  readonly element: HTMLElement;
  readonly data: unknown;
}

const overscan = 4;

export class Rows {
  readonly element: HTMLElement;
  active = 0;
  private source: RowSource;
  private scroller: HTMLElement;
  private strip: HTMLElement;
  private drawn = new Map<number, Drawn>();
  private first = 0; /* row at the upper edge, with its fraction */
  private setScroll = -1; /* scrollTop that was set last, to know its own event */
  private frame = 0;
  private watch: ResizeObserver;

  constructor(look: RowsLook, source: RowSource) {
    this.source = source;
    this.strip = el("div", { class: "rows-strip", role: "presentation" });
    this.scroller = el("div", { class: "rows-scroll", role: "rowgroup" }, this.strip);
    const head = el(
      "div",
      { class: "rows-head", role: "rowgroup" },
      el("div", { class: "rows-line", role: "row", "aria-rowindex": 1 }, ...look.head),
    );
    this.element = el(
      "div",
      { class: `rows ${look.kind}`, role: look.role, "aria-label": look.label, "aria-colcount": look.head.length },
      head,
      this.scroller,
    );
    this.scroller.addEventListener("scroll", () => this.scrolled());
    this.scroller.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    this.scroller.addEventListener("keydown", (event) => this.pressed(event));
    this.scroller.addEventListener("focusin", (event) => this.focused(event));
    this.scroller.addEventListener("dblclick", (event) => this.followed(event));
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.scroller);
  }

  close(): void {
    this.watch.disconnect();
    if (this.frame) cancelAnimationFrame(this.frame);
  }

  /** Draws with the next frame; may be called as often as anything changes. */
  draw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.drawNow());
  }

  /** Back to the first row: another list is shown. */
  restart(): void {
    this.active = 0;
    this.first = 0;
    this.scrollTo(0);
    this.draw();
  }

  /** Where the list is scrolled to, for `restore` after coming back. */
  position(): { readonly first: number; readonly active: number } {
    return { first: this.first, active: this.active };
  }

  restore(position: { readonly first: number; readonly active: number }): void {
    this.active = position.active;
    this.first = position.first;
    this.draw();
  }

  /** Makes a row the active one, brings it into view and focuses it. */
  move(row: number): void {
    const count = this.source.count();
    if (count === 0) return;
    this.active = Math.min(Math.max(0, row), count - 1);
    this.first = firstToShow(this.scale(), this.first, this.active);
    this.drawNow();
    this.drawn.get(this.active)?.element.focus({ preventScroll: true });
  }

  hasFocus(): boolean {
    return this.scroller.contains(document.activeElement);
  }

  private scale(): Scale {
    const rowPixels = parseFloat(getComputedStyle(this.element).getPropertyValue("--row-pixels")) || 32;
    return { rows: this.source.count(), rowPixels, viewPixels: this.scroller.clientHeight };
  }

  private scrollTo(top: number): void {
    this.scroller.scrollTop = top;
    this.setScroll = this.scroller.scrollTop; /* as the browser rounds it */
  }

  private scrolled(): void {
    if (Math.abs(this.scroller.scrollTop - this.setScroll) < 1) return;
    this.setScroll = -1;
    this.first = firstAt(this.scale(), this.scroller.scrollTop);
    this.draw();
  }

  /* On a squeezed strip a pixel is many rows: the wheel moves by rows instead. */
  private wheeled(event: WheelEvent): void {
    const scale = this.scale();
    if (!isSqueezed(scale) || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const pixels =
      event.deltaMode === 1
        ? event.deltaY * scale.rowPixels
        : event.deltaMode === 2
          ? event.deltaY * scale.viewPixels
          : event.deltaY;
    this.first = Math.min(Math.max(0, this.first + pixels / scale.rowPixels), mostFirst(scale));
    this.draw();
  }

  private drawNow(): void {
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = 0;
    const scale = this.scale();
    this.element.setAttribute("aria-rowcount", String(scale.rows + 1));
    this.strip.style.height = `${stripPixels(scale)}px`;
    this.active = Math.min(this.active, Math.max(0, scale.rows - 1));
    this.first = Math.min(this.first, mostFirst(scale));
    const top = scrollAt(scale, this.first);
    if (this.setScroll !== -1 || Math.abs(this.scroller.scrollTop - top) > 1) this.scrollTo(top);
    this.setScroll = this.scroller.scrollTop;
    const from = Math.max(0, Math.floor(this.first) - overscan);
    const to = Math.min(scale.rows, Math.ceil(this.first + scale.viewPixels / scale.rowPixels) + overscan);
    this.source.seen?.(from, to);
    this.place(from, to, top, scale);
  }

  private place(from: number, to: number, top: number, scale: Scale): void {
    const wanted = new Set<number>();
    for (let row = from; row < to; row++) wanted.add(row);
    if (this.active < scale.rows) wanted.add(this.active);
    for (const [row, drawn] of this.drawn)
      if (!wanted.has(row)) {
        drawn.element.remove();
        this.drawn.delete(row);
      }
    let after: Element | null = null; /* in the order of reading */
    for (const row of [...wanted].sort((a, b) => a - b)) {
      const element = this.rowElement(row);
      const at = top + (row - this.first) * scale.rowPixels;
      element.style.transform = `translateY(${Math.round(at)}px)`;
      element.tabIndex = row === this.active ? 0 : -1;
      if (element.previousElementSibling !== after || element.parentNode !== this.strip)
        this.strip.insertBefore(element, after ? after.nextSibling : this.strip.firstChild);
      after = element;
    }
  }

  private rowElement(row: number): HTMLElement {
    const data = this.source.data(row);
    const known = this.drawn.get(row);
    if (known && known.data === data) return known.element;
    const look = this.source.draw(row);
    const element = el(
      "div",
      { class: "rows-line rows-row", role: "row", "aria-rowindex": row + 2, ...look.attributes },
      ...look.cells,
    );
    element.dataset["row"] = String(row);
    if (known) {
      const hadFocus = known.element.contains(document.activeElement);
      known.element.replaceWith(element);
      element.tabIndex = row === this.active ? 0 : -1;
      if (hadFocus) element.focus({ preventScroll: true });
    }
    this.drawn.set(row, { element, data });
    return element;
  }

  private rowOf(event: Event): number {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>(".rows-row") : null;
    return target ? Number(target.dataset["row"]) : -1;
  }

  private focused(event: FocusEvent): void {
    const row = this.rowOf(event);
    if (row < 0 || row === this.active) return;
    this.active = row;
    this.draw();
  }

  private followed(event: Event): void {
    const row = this.rowOf(event);
    if (row >= 0) this.source.follow(row);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const scale = this.scale();
    const page = Math.max(1, Math.floor(scale.viewPixels / scale.rowPixels) - 1);
    const steps: { readonly [key: string]: number } = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + page,
      PageUp: this.active - page,
      Home: 0,
      End: scale.rows - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) this.move(to);
    else if (
      event.key === "Enter" &&
      event.target instanceof HTMLElement &&
      event.target.classList.contains("rows-row")
    )
      this.source.follow(this.active);
    else if (!this.source.key?.(this.active, event.key)) return;
    event.preventDefault();
  }
}

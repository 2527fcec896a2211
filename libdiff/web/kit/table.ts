/*
 * A table of any length. Only the rows in sight exist; two empty rows stand for those above and below. It is an ARIA grid: the box is
 * focused once, the arrow keys move the active row (aria-activedescendant), Enter opens it. Header and footer stay in sight.
 *
 *      box (scrolls) > table > thead (sticky) · tbody: gap, rows…, gap · tfoot (sticky): others, TOTAL
 */
import { el, fill, type Child } from "./dom.ts";
import { covers, moveRow, readOrder, scrollTo, sortIndexes, windowOf, writeOrder, type Order, type Window } from "./table_logic.ts";
import type { Page } from "./page.ts";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** What the numbers are, for the title of the header. */
  readonly hint: string;
  readonly isText?: boolean;
  /** rem; the column of names takes what is left, and no less than its width. */
  readonly width: number;
  /** What it sorts by; null = not known, stands last. */
  readonly sortKey: (row: Row) => number | string | null;
  readonly cell: (row: Row) => Child;
  readonly className?: (row: Row) => string;
  /** In copied text: exact. */
  readonly copied: (row: Row) => string | number | null;
}

export interface FootRow {
  readonly label: string;
  readonly cells: readonly Child[];
  readonly copied: readonly (string | number | null)[];
}

export interface TableOptions<Row> {
  readonly id: string;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly firstOrder: Order;
  /** Called with a row that is opened by a click or Enter. */
  readonly open?: (row: Row) => void;
  readonly foot: (shown: readonly Row[]) => readonly FootRow[];
  readonly nameOf: (row: Row) => string;
}

const rowHeight = 28;
/* A browser draws no box of more than about 17 million pixels; so many rows fit. */
const mostRows = 500000;
const rowsInPrint = 50;
/* Rows that are drawn beyond those in sight: scrolling shows no gap, and draws only every so many rows. */
const rowsBeyond = 24;
const rowsBeyondJump = 4;

export class Table<Row> {
  readonly element: HTMLElement;
  private readonly table: HTMLTableElement;
  private readonly body = el("tbody");
  private readonly foot = el("tfoot");
  private readonly above = el("tr", { class: "gap", "aria-hidden": "true" });
  private readonly below = el("tr", { class: "gap", "aria-hidden": "true" });
  private readonly headers = new Map<string, HTMLTableCellElement>();
  private rows: readonly Row[] = [];
  private order: Order;
  private sorted: Row[] = [];
  private active = 0;
  private drawn: Window = { first: 0, end: 0 };
  private drawnRows = new Map<number, HTMLElement>();
  private isPrinting = false;
  private isOpen: (row: Row) => boolean = () => false;

  private readonly options: TableOptions<Row>;
  private readonly page: Page;

  constructor(options: TableOptions<Row>, page: Page) {
    this.options = options;
    this.page = page;
    this.table = el("table", { role: "grid", class: "data", "aria-label": options.label, tabindex: "0" });
    this.element = el("div", { class: "table-box" }, this.table);
    this.order = this.orderOfState();
    this.table.append(this.makeColumns(), this.makeHead(), this.body, this.foot);
    this.listen();
  }

  /** All rows that pass the filter; they are sorted here. */
  setRows(rows: readonly Row[]): void {
    this.rows = rows.slice(0, mostRows);
    this.active = 0;
    this.sort();
  }

  /** Marks the rows that are open elsewhere in the page. */
  markOpen(isOpen: (row: Row) => boolean): void {
    this.isOpen = isOpen;
    this.draw(true);
  }

  /** Header, rows in their order, footer: exact, in bytes. */
  copied(): (string | number | null)[][] {
    const { columns, foot } = this.options;
    return [
      columns.map((column) => column.title),
      ...this.sorted.map((row) => columns.map((column) => column.copied(row))),
      ...foot(this.rows).map((row) => [row.label, ...row.copied]),
    ];
  }

  /* ---- making ---- */

  private makeColumns(): HTMLElement {
    return el(
      "colgroup",
      null,
      ...this.options.columns.map((column) => {
        const col = el("col");
        if (!column.isText) col.style.width = `${column.width}rem`;
        return col;
      }),
    );
  }

  private makeHead(): HTMLElement {
    const least = this.options.columns.reduce((sum, column) => sum + column.width, 0);
    this.table.style.minWidth = `${least}rem`;
    return el("thead", null, el("tr", { "aria-rowindex": "1" }, ...this.options.columns.map((column) => this.makeHeader(column))));
  }

  private makeHeader(column: Column<Row>): HTMLTableCellElement {
    const header = el(
      "th",
      { scope: "col", class: column.isText ? "name" : "number", title: column.hint },
      el("button", { type: "button", onclick: () => this.orderBy(column) }, column.title, el("span", { class: "sort-mark", "aria-hidden": "true" })),
    );
    this.headers.set(column.key, header);
    return header;
  }

  private listen(): void {
    let asked = false;
    const later = (): void => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        this.draw(false);
      });
    };
    this.element.addEventListener("scroll", later, { passive: true });
    new ResizeObserver(later).observe(this.element);
    this.table.addEventListener("keydown", (event) => this.onKey(event));
    this.table.addEventListener("focus", () => {
      this.element.classList.toggle("focused", this.table.matches(":focus-visible"));
      this.draw(true);
    });
    this.table.addEventListener("blur", () => {
      this.element.classList.remove("focused");
      this.draw(true);
    });
    this.body.addEventListener("click", (event) => this.onClick(event));
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    this.page.state.listen(`${this.options.id}.sort`, () => {
      this.order = this.orderOfState();
      this.sort();
    });
  }

  private print(isPrinting: boolean): void {
    this.isPrinting = isPrinting;
    this.drawFoot();
    this.draw(true);
  }

  /* ---- order ---- */

  private orderOfState(): Order {
    const keys = this.options.columns.map((column) => column.key);
    return readOrder(this.page.state.get(`${this.options.id}.sort`), keys, this.options.firstOrder);
  }

  private orderBy(column: Column<Row>): void {
    const isSame = this.order.column === column.key;
    const order = { column: column.key, descending: isSame ? !this.order.descending : !column.isText };
    const isFirst = writeOrder(order) === writeOrder(this.options.firstOrder);
    this.page.state.set(`${this.options.id}.sort`, isFirst ? null : writeOrder(order));
    this.page.announce(`Sorted by ${column.title}, ${order.descending ? "largest first" : "smallest first"}`);
  }

  private sort(): void {
    const column = this.options.columns.find((each) => each.key === this.order.column) ?? this.options.columns[0]!;
    this.sorted = sortIndexes(this.rows.map(column.sortKey), this.order.descending).map((i) => this.rows[i]!);
    for (const [key, header] of this.headers)
      header.setAttribute("aria-sort", key !== column.key ? "none" : this.order.descending ? "descending" : "ascending");
    this.drawFoot();
    this.draw(true);
  }

  /* ---- drawing ---- */

  private drawFoot(): void {
    const rows = this.options.foot(this.isPrinting ? this.sorted.slice(0, rowsInPrint) : this.rows);
    const first = 2 + this.sorted.length;
    this.table.setAttribute("aria-rowcount", String(1 + this.sorted.length + rows.length));
    this.table.setAttribute("aria-colcount", String(this.options.columns.length));
    fill(
      this.foot,
      ...rows.map((row, i) =>
        el(
          "tr",
          { "aria-rowindex": first + i },
          el("th", { scope: "row", class: "name" }, row.label),
          ...row.cells.map((cell) => el("td", { class: "number" }, cell)),
        ),
      ),
    );
  }

  private bodyHeight(): number {
    const fixed = (this.table.tHead?.offsetHeight ?? 0) + this.foot.offsetHeight;
    return Math.max(rowHeight, this.element.clientHeight - fixed);
  }

  private windowWith(margin: number): Window {
    if (this.isPrinting) return { first: 0, end: Math.min(this.sorted.length, rowsInPrint) };
    return windowOf(this.element.scrollTop, this.element.clientHeight || 600, rowHeight, this.sorted.length, margin);
  }

  /** `isForced`: the rows themselves have changed; else rows that are there already are kept. */
  private draw(isForced: boolean): void {
    if (!isForced && covers(this.drawn, this.windowWith(0))) return;
    const total = this.sorted.length;
    const sight = this.windowWith(0);
    const isJump = sight.end <= this.drawn.first || sight.first >= this.drawn.end; /* all rows are new: no more than needed */
    const seen = this.windowWith(isJump ? rowsBeyondJump : rowsBeyond);
    const hasFocus = document.activeElement === this.table;
    const kept = isForced ? new Map<number, HTMLElement>() : this.drawnRows;
    const rows = new Map<number, HTMLElement>();
    for (let i = seen.first; i < seen.end; i++) rows.set(i, kept.get(i) ?? this.makeRow(this.sorted[i]!, i, hasFocus));
    this.drawn = seen;
    this.drawnRows = rows;
    this.above.style.height = `${seen.first * rowHeight}px`;
    this.below.style.height = `${this.isPrinting ? 0 : Math.max(0, total - seen.end) * rowHeight}px`;
    this.above.hidden = seen.first === 0;
    this.below.hidden = this.isPrinting || seen.end >= total;
    this.place(rows);
    if (hasFocus && rows.has(this.active)) this.table.setAttribute("aria-activedescendant", this.idOf(this.active));
    else this.table.removeAttribute("aria-activedescendant");
  }

  /* Rows that stay are not touched: a browser lays out again only what is put in. */
  private place(rows: ReadonlyMap<number, HTMLElement>): void {
    const staying = new Set<Node>(rows.values());
    for (const node of [...this.body.childNodes]) if (!staying.has(node) && node !== this.above && node !== this.below) node.remove();
    if (this.above.parentNode !== this.body) this.body.append(this.above, this.below);
    let next = this.above.nextSibling;
    for (const row of rows.values()) {
      if (row === next) next = next.nextSibling;
      else this.body.insertBefore(row, next);
    }
  }

  private idOf(row: number): string {
    return `${this.options.id}-row-${row}`;
  }

  private makeRow(row: Row, i: number, hasFocus: boolean): HTMLElement {
    const open = this.isOpen(row);
    const names = [i % 2 === 1 ? "odd" : "", open ? "open" : "", hasFocus && i === this.active ? "active" : ""].filter(Boolean).join(" ");
    return el(
      "tr",
      { id: this.idOf(i), "aria-rowindex": i + 2, "data-row": i, class: names || null, "aria-selected": this.options.open ? String(open) : null },
      ...this.options.columns.map((column) => {
        const className = column.className?.(row);
        return column.isText
          ? el("th", { scope: "row", class: "name", title: this.options.nameOf(row) }, column.cell(row))
          : el("td", { class: className ? `number ${className}` : "number" }, column.cell(row));
      }),
    );
  }

  /* ---- acting ---- */

  private onKey(event: KeyboardEvent): void {
    if (event.target !== this.table || event.altKey || event.ctrlKey || event.metaKey || this.sorted.length === 0) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.open(this.active);
      return;
    }
    const page = Math.max(1, Math.floor(this.bodyHeight() / rowHeight) - 1);
    const row = moveRow(event.key, this.active, this.sorted.length, page);
    if (row === null) return;
    event.preventDefault();
    this.active = row;
    const top = scrollTo(row, this.element.scrollTop, this.bodyHeight(), rowHeight);
    if (top !== null) this.element.scrollTop = top;
    this.draw(true);
  }

  private onClick(event: MouseEvent): void {
    const row = (event.target as Element).closest("tr")?.getAttribute("data-row");
    if (row === null || row === undefined || String(getSelection() ?? "") !== "") return;
    this.active = Number(row);
    this.open(this.active);
  }

  private open(i: number): void {
    const row = this.sorted[i];
    if (row !== undefined) this.options.open?.(row);
  }
}

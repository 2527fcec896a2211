/*
 * A long list of which only what is looked at is there: pages are fetched as rows come into view, the oldest are dropped, so memory
 * is bounded however long the list is. A page that failed stays failed until it is asked for again.
 */
import { isGivenUp } from "./api.ts";

export const pageRows = 100;
const mostPages = 60;

export interface Page<T> {
  readonly total: number;
  readonly isTotalKnown: boolean;
  readonly rows: readonly T[];
}

export type Fetcher<T> = (from: number, count: number, signal: AbortSignal) => Promise<Page<T>>;

export class Pages<T> {
  total: number | null = null; /* null = not known yet */
  isTotalKnown = true;
  error: unknown = null; /* of the page that failed last */
  onChange: () => void = () => {};
  private fetch: Fetcher<T>;
  private pages = new Map<number, readonly T[]>(); /* in the order of their use */
  private asked = new Map<number, AbortController>();
  private isClosed = false;

  constructor(fetcher: Fetcher<T>) {
    this.fetch = fetcher;
  }

  row(index: number): T | undefined {
    return this.pages.get(Math.floor(index / pageRows))?.[index % pageRows];
  }

  /** Asks for what is missing of [from, to), and gives up what was asked for and lies elsewhere. */
  need(from: number, to: number): void {
    const first = Math.floor(Math.max(0, from) / pageRows);
    const last = Math.floor(Math.max(0, to - 1) / pageRows);
    for (const [page, asked] of this.asked) if (page < first || page > last) this.giveUp(page, asked);
    for (let page = first; page <= last; page++) {
      const rows = this.pages.get(page);
      if (rows) {
        this.pages.delete(page); /* now the youngest */
        this.pages.set(page, rows);
      } else if (!this.asked.has(page) && this.error === null && (this.total === null || page * pageRows < this.total))
        void this.load(page);
    }
  }

  /** After an error: asks again as rows are needed. */
  retry(): void {
    this.error = null;
    this.onChange();
  }

  close(): void {
    this.isClosed = true;
    for (const [page, asked] of this.asked) this.giveUp(page, asked);
  }

  private giveUp(page: number, asked: AbortController): void {
    this.asked.delete(page);
    asked.abort();
  }

  private async load(page: number): Promise<void> {
    const asked = new AbortController();
    this.asked.set(page, asked);
    try {
      const answer = await this.fetch(page * pageRows, pageRows, asked.signal);
      if (this.isClosed || this.asked.get(page) !== asked) return;
      this.keep(page, answer);
    } catch (error) {
      if (this.isClosed || isGivenUp(error)) return;
      this.error = error;
    } finally {
      if (this.asked.get(page) === asked) this.asked.delete(page);
    }
    this.onChange();
  }

  private keep(page: number, answer: Page<T>): void {
    this.pages.set(page, answer.rows);
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= mostPages) break;
      this.pages.delete(oldest);
    }
    const shown = page * pageRows + answer.rows.length;
    /* A list of unknown length goes on as long as its pages are full; an empty page ends it where it is. */
    this.isTotalKnown = answer.isTotalKnown;
    this.total = answer.rows.length === 0 ? Math.min(answer.total, page * pageRows) : Math.max(answer.total, shown);
  }
}

/*
 * The dominator tree as a flat list of the rows that are unfolded: children come in pages as branches are opened, and a row "more"
 * stands where there are further ones. Nothing here knows of the page; tree_view.ts draws it.
 */
import type { HeapNode, NodeList } from "./api.ts";

export const branchRows = 50; /* children that are fetched at a time */

export interface NodeRow {
  readonly kind: "node";
  readonly node: HeapNode;
  readonly parent: NodeRow | null;
  readonly level: number /* 1 = top */;
  readonly place: number /* 1 = first of its siblings */;
  isOpen: boolean;
  isBusy: boolean;
  isLeaf: boolean /* known to dominate nothing */;
  loaded: number /* children fetched so far */;
  total: number | null /* children there are; null = not asked yet */;
}

export interface MoreRow {
  readonly kind: "more";
  readonly parent: NodeRow | null;
  readonly level: number;
  readonly left: number;
}

export type Row = NodeRow | MoreRow;
export type Ask = (of: string, from: number, count: number) => Promise<NodeList>;

function rowOf(node: HeapNode, parent: NodeRow | null, place: number): NodeRow {
  const level = parent ? parent.level + 1 : 1;
  const isLeaf = !node.is_root && node.retained_objects <= 1;
  return { kind: "node", node, parent, level, place, isOpen: false, isBusy: false, isLeaf, loaded: 0, total: null };
}

export class Tree {
  readonly rows: Row[] = [];
  total: number | null = null; /* top rows there are */
  onChange: () => void = () => {};
  private ask: Ask;
  private loaded = 0;
  private isClosed = false;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  close(): void {
    this.isClosed = true;
  }

  /** How many siblings a row has, itself included. */
  siblings(row: NodeRow): number {
    return (row.parent ? row.parent.total : this.total) ?? 1;
  }

  start(): Promise<void> {
    return this.fetch(null, 0);
  }

  async open(row: NodeRow): Promise<void> {
    if (row.isOpen || row.isLeaf || row.isBusy) return;
    await this.fetch(row, this.rows.indexOf(row) + 1);
  }

  shut(row: NodeRow): void {
    if (!row.isOpen) return;
    const at = this.rows.indexOf(row);
    this.rows.splice(at + 1, this.end(at) - at - 1);
    row.isOpen = false;
    row.loaded = 0;
    this.onChange();
  }

  /** Fetches what a row "more" stands for, a page of it. */
  async more(row: MoreRow): Promise<void> {
    const at = this.rows.indexOf(row);
    if (at < 0 || row.parent?.isBusy) return;
    await this.fetch(row.parent, at);
  }

  parentOf(row: Row): number {
    return row.parent ? this.rows.indexOf(row.parent) : -1;
  }

  /* Behind the last row below the one at `at`. */
  private end(at: number): number {
    const level = this.rows[at]?.level ?? 0;
    let end = at + 1;
    while (end < this.rows.length && (this.rows[end]?.level ?? 0) > level) end++;
    return end;
  }

  private async fetch(parent: NodeRow | null, at: number): Promise<void> {
    const from = parent ? parent.loaded : this.loaded;
    if (parent) parent.isBusy = true;
    this.onChange();
    try {
      const answer = await this.ask(parent ? parent.node.of : "all", from, branchRows);
      if (this.isClosed) return;
      this.add(parent, at, from, answer);
    } finally {
      if (parent) parent.isBusy = false;
      if (!this.isClosed) this.onChange();
    }
  }

  private add(parent: NodeRow | null, at: number, from: number, answer: NodeList): void {
    /* Rows may have come or gone above while the answer was on its way. */
    const anchor = parent ? this.rows.indexOf(parent) : 0;
    if (parent && anchor < 0) return;
    const place = from === 0 ? (parent ? anchor + 1 : 0) : this.moreOf(parent, at);
    if (place < 0) return;
    const rows: Row[] = answer.nodes.map((node, i) => rowOf(node, parent, from + i + 1));
    const loaded = from + answer.nodes.length;
    const left = answer.nodes.length > 0 ? answer.total - loaded : 0;
    const level = parent ? parent.level + 1 : 1;
    if (left > 0) rows.push({ kind: "more", parent, level, left });
    this.rows.splice(place, from === 0 ? 0 : 1, ...rows);
    if (!parent) {
      this.loaded = loaded;
      this.total = Math.max(answer.total, loaded);
      return;
    }
    parent.loaded = loaded;
    parent.total = Math.max(answer.total, loaded);
    parent.isOpen = parent.total > 0;
    parent.isLeaf = parent.total === 0;
  }

  private moreOf(parent: NodeRow | null, hint: number): number {
    const there = this.rows[hint];
    if (there?.kind === "more" && there.parent === parent) return hint;
    return this.rows.findIndex((row) => row.kind === "more" && row.parent === parent);
  }
}

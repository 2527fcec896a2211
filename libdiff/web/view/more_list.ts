/*
 * A list inside a page of several: its first lines, and a button for further ones.
 */
import { button, el } from "../kit/dom.ts";
import { bytes, count, exact } from "../kit/format.ts";
import { isGivenUp, type HeapNode, type NodeList, type Side } from "./api.ts";
import { errorBox } from "./problem.ts";
import type { Viewer } from "./viewer.ts";
import { nodeLine } from "./words.ts";

const firstLines = 10;
const furtherLines = 100;

/** One node as a line: what it is at the left, its size or what it retains at the right. */
export function nodeItem(viewer: Viewer, side: Side, node: HeapNode): HTMLElement {
  const amount = node.state === "unreached" ? node.bytes : node.retained;
  const title = node.state === "unreached" ? exact(amount) : `retains ${exact(amount)}`;
  return el(
    "li",
    { class: "node" },
    el("span", { class: "node-name" }, ...nodeLine(viewer, side, node)),
    el("span", { class: "n", title }, bytes(amount)),
  );
}

export interface MoreLook {
  readonly title: string;
  readonly hint: string /* what the list means */;
  readonly total: number /* as far as known */;
  readonly empty: string;
  ask(from: number, count: number, signal: AbortSignal): Promise<NodeList>;
}

export class MoreList {
  readonly element: HTMLElement;
  private viewer: Viewer;
  private side: Side;
  private look: MoreLook;
  private list: HTMLElement;
  private tail = el("div", { class: "more-tail" });
  private shown = 0;
  private stop = new AbortController();

  constructor(viewer: Viewer, side: Side, look: MoreLook) {
    this.viewer = viewer;
    this.side = side;
    this.look = look;
    this.list = el("ul", { class: "nodes", "aria-label": look.title });
    const title = el("h2", null, look.title, " ", el("span", { class: "how-many" }, count(look.total)));
    this.element = el(
      "section",
      { class: "part" },
      title,
      el("p", { class: "about" }, look.hint),
      this.list,
      this.tail,
    );
    if (look.total === 0) this.tail.append(el("p", { class: "count" }, look.empty));
    else void this.load(firstLines);
  }

  close(): void {
    this.stop.abort();
  }

  private async load(number: number, toFocus = false): Promise<void> {
    this.tail.replaceChildren(el("p", { class: "count" }, "Looking it up…"));
    try {
      const answer = await this.look.ask(this.shown, number, this.stop.signal);
      if (this.stop.signal.aborted) return;
      this.add(answer, toFocus);
    } catch (error) {
      if (isGivenUp(error)) return;
      this.tail.replaceChildren(errorBox(this.viewer, error, () => void this.load(number, true)));
    }
  }

  private add(answer: NodeList, toFocus: boolean): void {
    const items = answer.nodes.map((node) => nodeItem(this.viewer, this.side, node));
    this.list.append(...items);
    this.shown += items.length;
    if (toFocus) items[0]?.querySelector<HTMLElement>("a")?.focus();
    const left = items.length === 0 ? 0 : answer.total - this.shown;
    this.tail.replaceChildren();
    if (left <= 0) return;
    const next = Math.min(left, furtherLines);
    const rest = `${answer.total_known ? "" : "at least "}${count(left)}`;
    const label =
      next === left && answer.total_known ? `Show ${count(left)} more` : `Show ${count(next)} more of ${rest}`;
    this.tail.append(button(label, () => void this.load(furtherLines, true), { class: "more" }));
  }
}

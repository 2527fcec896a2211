/*
 * Objects, roots and types as the viewer writes them: a badge for what became of it, the edge it hangs on, a link, its id. Names are
 * foreign and only ever become text.
 */
import { el, type Child } from "../kit/dom.ts";
import { bytes, count, exact, share } from "../kit/format.ts";
import { shorten, visible } from "../kit/names.ts";
import type { HeapNode, NodeState, Side } from "./api.ts";
import type { Viewer } from "./viewer.ts";

interface StateWords {
  readonly word: string;
  readonly sign: string;
  readonly long: string;
}

export const stateWords: { readonly [state in NodeState]: StateWords } = {
  live: { word: "", sign: "", long: "live" },
  kept: { word: "kept", sign: "=", long: "kept: live before and after" },
  new: { word: "new", sign: "+", long: "new: live only after" },
  freed: { word: "freed", sign: "\u2212", long: "freed: live only before" },
  unreached: { word: "garbage", sign: "\u00d7", long: "garbage: no root reaches it; it was not collected yet, or is lost" },
};

/** The badge of a state; null where there is nothing to say. */
export function badge(state: NodeState): HTMLElement | null {
  const words = stateWords[state];
  if (!words || words.word === "") return null;
  return el(
    "span",
    { class: `mark mark-${state}`, title: words.long },
    el("span", { class: "mark-sign", "aria-hidden": "true" }, words.sign),
    words.word,
  );
}

/** A name that fits into a line; whole in its title. */
export function nameText(name: string, width = 96): Child {
  const whole = visible(name);
  const cut = shorten(whole, width);
  return cut === whole ? whole : el("span", { title: whole }, cut);
}

export function typeLink(viewer: Viewer, side: Side, name: string, tabIndex = 0): HTMLElement {
  return el(
    "a",
    { class: "type-name", href: viewer.link({ view: "objects", side, name }), tabindex: tabIndex },
    nameText(name),
  );
}

/** What a node is called where there is room for text alone. */
export function nodeTitle(node: HeapNode): string {
  if (node.is_root) return `${node.kind ?? ""} root ${visible(node.type)}`.trim();
  return `${visible(node.type)} ${node.name ? visible(node.name) : (node.id ?? "")}`.trim();
}

/** A link to a node: its type or the name of the root, and its id. */
export function nodeLink(viewer: Viewer, side: Side, node: HeapNode, tabIndex = 0): HTMLElement {
  const href = viewer.link({ view: "object", side, of: node.of });
  return el(
    "a",
    { class: node.is_root ? "node-link root-link" : "node-link", href, tabindex: tabIndex },
    node.is_root ? el("span", { class: "kind" }, node.kind ?? "root", " ") : null,
    el("span", { class: "type-name" }, nameText(node.type)),
    node.name ? el("span", { class: "type-name object-name" }, " ", nameText(node.name)) : null,
    node.id === null ? null : el("span", { class: "id" }, ` ${node.id}`),
  );
}

/** The edge that leads to a node, or how it refers: ".buf"; null when no single reference does. */
export function edgeText(node: HeapNode): HTMLElement | null {
  return node.edge === "" ? null : el("span", { class: "edge" }, nameText(node.edge, 48));
}

/** All that a line says of a node: badge, edge, link. */
export function nodeLine(viewer: Viewer, side: Side, node: HeapNode, tabIndex = 0): Child[] {
  return [
    edgeText(node),
    nodeLink(viewer, side, node, tabIndex),
    badge(node.state),
    node.weak
      ? el("span", { class: "mark mark-weak", title: "a weak reference: it does not keep alive" }, "weak")
      : null,
    node.part
      ? el(
          "span",
          { class: "mark", title: "counted as a part of another object: its bytes are not in what others retain" },
          "part",
        )
      : null,
  ];
}

/** A size; exact in its title. */
export function sizeCell(value: number, name: string): HTMLElement {
  return el("span", { role: "gridcell", class: `n ${name}`, title: exact(value) }, bytes(value));
}

export function countCell(value: number, name: string): HTMLElement {
  return el("span", { role: "gridcell", class: `n ${name}` }, count(value));
}

/** A size with a bar that is its share of `whole`, and the share in words where `whole` is the heap. */
export function barCell(value: number, whole: number, says: boolean): HTMLElement {
  const fill = el("span", { class: "gauge-fill" });
  fill.style.width = `${whole > 0 ? Math.min(100, (100 * value) / whole) : 0}%`;
  return el(
    "span",
    { role: "gridcell", class: "n retained", title: exact(value) },
    el("span", { class: "gauge", "aria-hidden": "true" }, fill),
    el("span", { class: "gauge-size" }, bytes(value)),
    says ? el("span", { class: "gauge-share" }, whole > 0 ? share(value, whole) : "") : null,
  );
}

export function head(text: string, name: string): HTMLElement {
  return el("span", { role: "columnheader", class: name }, text);
}

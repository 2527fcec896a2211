/*
 * How a holder is reached and what hangs below it, as lists: root, steps, and the edges through which it grew.
 *
 *      global.sessions  SessionCache
 *        .entries  Entry<string,Session>      1 new         +7.87 MiB
 *          .next   Entry<string,Session>      1,999 -> 13,999
 */
import { el, type Child } from "./dom.ts";
import * as format from "./format.ts";
import type { Holder, HolderEdge, Step } from "./model.ts";
import { shorten, visible } from "./names.ts";

/** No object and no root: held by no one object. */
export function isNobody(holder: Holder): boolean {
  return holder.kind === null;
}

/** "global.app.sessions", as in the text report: the root and the names of the edges. */
export function placeText(holder: Holder): string {
  let text = visible(holder.root);
  holder.path.forEach((step, i) => {
    if (holder.pathCut > 0 && i === Math.floor(holder.path.length / 2)) text += `{${format.count(holder.pathCut)} more}`;
    if (i === 0 && step.edge === "" && step.repeat <= 1) return;
    text += step.edge === "" ? ` -> ${visible(step.type)}` : visible(step.edge);
    if (step.repeat > 1) text += `{x${format.count(step.repeat)}}`;
  });
  return text;
}

/** The steps of a path, each with the type it leads to. */
export function pathList(root: string, kind: string | null, steps: readonly Step[], cut: number): HTMLElement {
  const items: Child[] = [
    el("li", null, el("span", { class: "root" }, visible(root)), kind && kind !== "unknown" ? el("small", null, kind === "shared" ? "shared root" : `${kind} root`) : null),
  ];
  steps.forEach((step, i) => {
    if (cut > 0 && i === Math.floor(steps.length / 2)) items.push(el("li", { class: "cut" }, `${format.count(cut)} more`));
    items.push(
      el(
        "li",
        null,
        step.edge === "" ? null : el("span", { class: "edge" }, visible(step.edge)),
        el("span", { class: "type", title: visible(step.type) }, shorten(visible(step.type), 60)),
        step.repeat > 1 ? el("small", null, `x${format.count(step.repeat)}`) : null,
      ),
    );
  });
  return el("ol", { class: "path", "aria-label": "Path from the root" }, ...items);
}

function isItem(edge: string): boolean {
  return edge.startsWith("[");
}

/** How many are in this place: "1,999 -> 13,999 items", "12,000 new"; one that was there and is there needs no words. */
export function fanOut(edge: HolderEdge): string {
  const before = edge.before.objects;
  const after = edge.after.objects;
  const fresh = edge.new?.objects ?? 0;
  const item = isItem(edge.edge);
  if (before === 0 && fresh > 0 && fresh === after) return `${format.count(fresh)} new`;
  if (before !== after) return `${format.count(before)} \u2192 ${format.count(after)}${item ? " items" : ""}`;
  if (item || after > 1) return item ? format.plural(after, "item") : format.plural(after, "object");
  return "";
}

/** The largest `most` edges with all that lead to them, in their order. */
export function chooseEdges(edges: readonly HolderEdge[], most: number): HolderEdge[] {
  if (edges.length <= most) return [...edges];
  const parents = parentsOf(edges);
  const chosen = new Set<number>();
  const byGrowth = edges.map((_, i) => i).sort((a, b) => Math.abs(edges[b]!.growthBytes) - Math.abs(edges[a]!.growthBytes) || a - b);
  for (const i of byGrowth) {
    const line: number[] = [];
    for (let at = i; at >= 0 && !chosen.has(at); at = parents[at]!) line.push(at);
    if (chosen.size + line.length > most) continue;
    for (const each of line) chosen.add(each);
  }
  return edges.filter((_, i) => chosen.has(i));
}

/* The edge that each hangs from, -1 for the holder itself: the last before it that is less deep. */
function parentsOf(edges: readonly HolderEdge[]): number[] {
  const open: number[] = [];
  return edges.map((edge, i) => {
    while (open.length > 0 && edges[open[open.length - 1]!]!.depth >= edge.depth) open.pop();
    const parent = open.length > 0 ? open[open.length - 1]! : -1;
    open.push(i);
    return parent;
  });
}

const deepest = 12;

/** Edges below a holder with what they fan out to and their growth; indented by depth. */
export function edgeList(edges: readonly HolderEdge[]): HTMLElement {
  const least = edges.reduce((depth, edge) => Math.min(depth, edge.depth), deepest);
  return el(
    "ul",
    { class: "edge-list", "aria-label": "Below it" },
    ...edges.map((edge) => {
      const item = el(
        "li",
        null,
        el(
          "span",
          { class: "edge-name" },
          el("span", { class: "edge" }, edge.edge === "" ? "\u2192" : visible(edge.edge)),
          el("span", { class: "type", title: visible(edge.type) }, shorten(visible(edge.type), 60)),
        ),
        el("span", { class: "fan" }, fanOut(edge)),
        el("span", { class: `amount ${edge.growthBytes < 0 ? "shrunk" : edge.growthBytes > 0 ? "grown" : ""}` }, format.bytesSigned(edge.growthBytes)),
      );
      item.style.setProperty("--depth", String(Math.min(edge.depth - least, deepest)));
      return item;
    }),
  );
}

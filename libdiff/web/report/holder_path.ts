/*
 * How a holder is reached and what hangs below it, as lists: root, steps, and the edges through which it grew.
 *
 *      global.sessions  SessionCache
 *        .entries  Entry<string,Session>      1 new         +7.87 MiB
 *          .next   Entry<string,Session>      1,999 -> 13,999
 */
import { el, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { HeldBy, Holder, HolderEdge, Step } from "../kit/model.ts";
import { shorten, visible } from "../kit/names.ts";

/** No object and no root, and nothing says by what it is held together: held by no one object. */
export function isNobody(holder: Holder): boolean {
  return holder.kind === null && holder.heldBy.length === 0;
}

/** What has a place: a holder, or one of several. */
export type Placed = Pick<Holder, "root" | "path" | "pathCut">;

const namedTogether = 3;

function sameStep(a: Step, b: Step | undefined): boolean {
  return b !== undefined && a.edge === b.edge && a.type === b.type && a.repeat === b.repeat;
}

/* The way to it leads on from the holder: then its own part says enough. */
function isBelow(by: HeldBy, holder: Holder): boolean {
  if (holder.type === null || by.pathCut > 0 || holder.pathCut > 0 || by.root !== holder.root) return false;
  const next = by.path[holder.path.length];
  return next !== undefined && next.edge !== "" && holder.path.every((step, i) => sameStep(step, by.path[i]));
}

/** "app.byId: Map and app.byName: Map, together": several hold it. */
function togetherText(holder: Holder): string {
  const { heldBy } = holder;
  const shown = heldBy.length > namedTogether + 1 ? heldBy.slice(0, namedTogether) : heldBy;
  const leadsOn = heldBy.every((by) => isBelow(by, holder));
  const names = shown.map((by) => {
    if (leadsOn) return placeText({ root: "", path: by.path.slice(holder.path.length), pathCut: 0 });
    return placeText(by) + (by.type === null || by.path.length === 0 ? "" : `: ${visible(by.type)}`);
  });
  const last = shown.length < heldBy.length ? `${format.count(heldBy.length - shown.length)} more` : names.pop()!;
  const together = names.length === 0 ? last : `${names.join(", ")} and ${last}`;
  const text = leadsOn ? `${placeText(holder)}: ${visible(holder.type ?? "")}, by ${together}` : together;
  return heldBy.length > 1 ? `${text}, together` : text;
}

/** What holds, as the text report calls it; the type of one object apart. */
export function holderText(holder: Holder): { readonly place: string; readonly type: string | null } {
  const threads = holder.threads > 0 ? `, in ${format.count(holder.threads)} threads` : "";
  if (holder.heldBy.length > 0) return { place: togetherText(holder) + threads, type: null };
  return { place: placeText(holder) + threads, type: holder.type };
}

/** Each of several that hold together, with what it reaches. */
export function heldByList(holder: Holder): HTMLElement {
  const item = (by: HeldBy): HTMLElement =>
    el(
      "li",
      null,
      pathList(by.root, by.kind, by.path, by.pathCut),
      el("span", { class: "fan" }, "reaches"),
      el("span", { class: "amount grown" }, format.bytesSigned(by.bytes)),
    );
  return el("ul", { class: "edge-list held-by", "aria-label": "What holds it together" }, ...holder.heldBy.map(item));
}

/** "global.app.sessions", as in the text report: the root and the names of the edges. */
export function placeText(holder: Placed): string {
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

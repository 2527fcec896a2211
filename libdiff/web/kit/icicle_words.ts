/*
 * The icicle in words: numbers of a place beside the picture, and the sentence that stands for it where it is not seen.
 */
import { el, fill, type Child } from "./dom.ts";
import * as format from "./format.ts";
import type { Layout } from "./icicle_layout.ts";
import { growthOf, labelOf, pathTo, rowOf, totalsOf, type Tree } from "./icicle_tree.ts";
import { shorten, visible } from "./names.ts";

/** "+7.87 MiB (+600%)", "+1.96 MiB [NEW]", "no change". */
export function growthText(tree: Tree, place: number): string {
  const growth = growthOf(tree, place);
  if (growth === 0) return "no change";
  const percent = format.percent(tree.before[place]!, tree.after[place]!);
  return `${format.bytesSigned(growth)} ${percent.startsWith("[") ? percent : `(${percent})`}`;
}

/** "8,042 → 56,042". */
function objectsText(tree: Tree, place: number): string {
  const { before, after } = totalsOf(tree, place);
  return `${format.count(before.objects)} \u2192 ${format.count(after.objects)}`;
}

export function toneOf(growth: number): string {
  return growth > 0 ? "grown" : growth < 0 ? "shrunk" : "same";
}

/** For a screen reader: name, growth, bytes of both sides. */
export function sentence(tree: Tree, place: number): string {
  const bytes = `${format.bytes(tree.before[place]!)} before, ${format.bytes(tree.after[place]!)} after`;
  return `${labelOf(tree, place)}: ${growthText(tree, place)}, ${bytes}`;
}

/* ---- in a box ---- */

/* "java.util.HashMap$Node[]" without the packages, "app::Session" likewise; names that are no plain path stay. */
const packages = /^(?:[\w$-]+(?:\.|\/|::))+(?=[\w$]+(?:\[\])*$)/;

/** The name of a place in at most `letters`: what says least goes first, its packages, then its type, then its middle. */
export function shortLabel(tree: Tree, place: number, letters: number): string {
  const full = labelOf(tree, place);
  if (full.length <= letters) return full;
  const { isRoot, edge, type } = rowOf(tree, place);
  if (isRoot) return shorten(full, letters);
  const shortType = visible(type).replace(packages, "");
  const shortEdge = visible(edge);
  const choices = edge === "" ? [`-> ${shortType}`, shortType] : [`${shortEdge}: ${shortType}`, shortEdge, shortType];
  return choices.find((each) => each.length <= letters) ?? shorten(edge === "" ? shortType : shortEdge, letters);
}

const amountLetters = 4; /* between name and amount at least */

/** What stands in a box that has room for `letters`: its name, and its amount at the right end if there is room for it too. */
export function boxText(layout: Layout, place: number, letters: number): string {
  const { tree, mode } = layout;
  const amount = mode === "both" ? format.bytesSigned(growthOf(tree, place)) : format.bytes(layout.width[place]!);
  const room = letters - amount.length - amountLetters;
  const label = shortLabel(tree, place, Math.max(room, Math.min(letters, labelOf(tree, place).length)));
  return label.length <= room ? label.padEnd(letters - amount.length) + amount : label;
}

/* ---- beside the picture ---- */

function line(title: string, value: Child, tone = ""): HTMLElement {
  return el("div", null, el("dt", null, title), el("dd", { class: tone || null }, value));
}

/* What cancels inside a place is what its net growth hides. */
function churn(tree: Tree, place: number): Child {
  const hidden = Math.min(tree.grown[place]!, tree.shrunk[place]!);
  if (hidden === 0) return null;
  return line("Inside", `${format.bytesSigned(tree.grown[place]!)} and ${format.bytesSigned(-tree.shrunk[place]!)}`);
}

/** The numbers of a place with the way to it, in `host`. */
export function showPlace(host: HTMLElement, tree: Tree, place: number): void {
  const { new: fresh, freed } = totalsOf(tree, place);
  const growth = growthOf(tree, place);
  const path = pathTo(tree, place)
    .slice(1)
    .map((each) => labelOf(tree, each))
    .join("  \u203a  ");
  fill(
    host,
    el("p", { class: "icicle-name" }, place === 0 ? labelOf(tree, 0) : path),
    el(
      "dl",
      { class: "icicle-numbers" },
      line("Growth", growthText(tree, place), toneOf(growth)),
      line("Bytes", `${format.bytes(tree.before[place]!)} \u2192 ${format.bytes(tree.after[place]!)}`),
      line("Objects", objectsText(tree, place)),
      fresh ? line("New", `${format.bytesSigned(fresh.bytes)} in ${format.plural(fresh.objects, "object")}`) : null,
      freed ? line("Freed", `${format.bytesSigned(-freed.bytes)} in ${format.plural(freed.objects, "object")}`) : null,
      churn(tree, place),
      growthOf(tree, 0) > 0 && growth > 0 ? line("Of all growth", format.share(growth, growthOf(tree, 0))) : null,
    ),
  );
}

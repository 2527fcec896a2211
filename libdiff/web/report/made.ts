/*
 * How it was made: what hsdiff was told, the captures, how objects were recognised, what counts as noise, and what the signs mean.
 */
import { el } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Capture, Model } from "../kit/model.ts";
import { visible } from "../kit/names.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";

function captureRow(capture: Capture): HTMLElement {
  const cells = [capture.runtime, capture.taken ?? "", format.bytes(capture.bytes), format.count(capture.objects), capture.isComplete ? "complete" : "incomplete"];
  return el(
    "tr",
    null,
    el("th", { scope: "row", class: "name" }, capture.side ? el("small", null, `${capture.side} `) : null, visible(capture.label ?? capture.path)),
    ...cells.map((cell, i) => el("td", { class: i === 2 || i === 3 ? "number" : null }, visible(cell))),
  );
}

function captureTable(captures: readonly Capture[]): HTMLElement {
  const titles = ["Capture", "Runtime", "Taken", "Size", "Objects", ""];
  return el(
    "div",
    { class: "table-box plain", tabindex: "0", role: "region", "aria-label": "Captures" },
    el(
      "table",
      { class: "data" },
      el("thead", null, el("tr", null, ...titles.map((title, i) => el(title === "" ? "td" : "th", { scope: title === "" ? null : "col", class: i === 3 || i === 4 ? "number" : i === 0 ? "name" : null }, title)))),
      el("tbody", null, ...captures.map(captureRow)),
    ),
  );
}

/* What is only here. */
const ownWords: readonly (readonly [string, string])[] = [
  ["Overweight", "Growth of a row as a multiple of what it would be if all had grown alike: x1 is in proportion."],
  ["Retained", "What would be freed if all objects of a row went. Such sums overlap, so they have no total."],
];

export function showMade(host: HTMLElement, model: Model): void {
  /* what was told comes escaped from hsdiff: it is text already */
  const lines = [...model.about.made.map(({ label, text }) => [label, text.replace(/\s+/g, " ").trim()] as const), ...(model.types.length > 0 ? ownWords : [])];
  replaceBelowHeading(
    host,
    "How it was made",
    captureTable(model.captures),
    el("dl", { class: "made" }, ...lines.map(([label, text]) => el("div", null, el("dt", null, label), el("dd", null, text)))),
  );
}

/*
 * Lists of places, those that grew most first: of each a line with its name, its share of the growth and its growth, that opens for more.
 * Further ones come behind a button, those that neither grew nor shrank all of them, and what the page has no line for is one line, so that all of them
 * add up.
 */
import { append, el, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Model } from "../kit/model.ts";
import { proofOf } from "./proof.ts";

const perPage = 20;

/** "91%", "<1%", "-7%"; "" where the heap did not grow. */
export function shareText(bytes: number, growth: number): string {
  if (growth <= 0) return "";
  const percent = format.percentOf(bytes, growth);
  return percent === 0 && bytes !== 0 ? "<1%" : `${bytes < 0 ? "-" : ""}${percent}%`;
}

export function toneOf(bytes: number): string {
  return bytes < 0 ? "shrunk" : bytes > 0 ? "grown" : "same";
}

/** The cells of a line. */
export function placeLine(name: HTMLElement, bytes: number, model: Model): HTMLElement[] {
  const isProven = proofOf(model)(bytes);
  return [
    name,
    el("span", { class: "share" }, isProven ? shareText(bytes, model.total?.growth.bytes ?? 0) : ""),
    el("span", { class: `amount ${isProven ? toneOf(bytes) : "same"}` }, isProven ? format.bytesSigned(bytes) : "?"),
  ];
}

/** A line that opens; what it opens is made when it does so for the first time. */
export function placeItem(line: readonly HTMLElement[], isOpen: boolean, makeBody: () => HTMLElement): HTMLElement {
  const details = el("details", { class: "holder", open: isOpen }, el("summary", null, ...line));
  const body = (): void => {
    if (details.open && details.children.length === 1) details.append(makeBody());
  };
  details.addEventListener("toggle", body);
  body();
  return el("li", null, details);
}

/** The list and its button. Of rows that are sorted by growth `bytesOf` tells the first ones that have any; at least one is shown. */
export function placeList<T>(rows: readonly T[], makeItem: (row: T, at: number) => HTMLElement, bytesOf: (row: T) => number): HTMLElement[] {
  const list = el("ol", { class: "holders" });
  const more = el("button", { type: "button", class: "quiet" });
  const moved = Math.max(1, rows.filter((row) => bytesOf(row) !== 0).length);
  let shown = 0;
  const showMore = (): void => {
    const next = rows.slice(shown, shown < moved ? Math.min(shown + perPage, moved) : shown + perPage);
    append(list, ...next.map((row, i) => makeItem(row, shown + i)));
    shown += next.length;
    const left = rows.length - shown;
    more.textContent = `Show ${format.count(Math.min(perPage, left))} more of ${format.count(left)}`;
    more.hidden = left === 0;
  };
  more.addEventListener("click", showMore);
  showMore();
  return [list, more];
}

/** "1,204 other sites", with what they grew by together. */
export function restLine(rows: number, one: string, bytes: number, model: Model): Child {
  return restLineOf(rows, placeLine(el("span", { class: "holder-name" }, format.plural(rows, `other ${one}`)), bytes, model));
}

/** The same of cells that somebody else made. */
export function restLineOf(rows: number, cells: readonly HTMLElement[]): Child {
  return rows === 0 ? null : el("p", { class: "holder-rest" }, ...cells);
}

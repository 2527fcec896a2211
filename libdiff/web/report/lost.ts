/*
 * What no root reaches: lost, where nothing but the program frees memory, by what heads it and who allocated that; or not collected yet, by
 * type. Both as the text report has them.
 */
import { el, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Amount, LostRow, Model, UncollectedRow } from "../kit/model.ts";
import { shorten, visible } from "../kit/names.ts";
import { placeItem, placeList, restLineOf, shareText, toneOf } from "./places.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";
import { frameText } from "./sites.ts";

/** By how much more no root reaches. */
export function unreachedGrowth(model: Model): Amount {
  const of = (side: string): Amount => model.captures.find((capture) => capture.side === side)?.unreached ?? { objects: 0, bytes: 0 };
  const before = of("before");
  const after = of("after");
  return { objects: after.objects - before.objects, bytes: after.bytes - before.bytes };
}

function isNews(model: Model): boolean {
  const { bytes } = unreachedGrowth(model);
  return bytes > 0 && bytes >= model.about.noiseBytes;
}

export function hasLost(model: Model): boolean {
  return model.lost.some((row) => row.growth.bytes > 0);
}

/** True where more is lost than live memory grew by, and that is more than noise: then it comes first. */
export function lostLeads(model: Model): boolean {
  return hasLost(model) && isNews(model) && unreachedGrowth(model).bytes > (model.total?.growth.bytes ?? 0);
}

/** Where it says something: less comes and goes with each collection. */
export function hasUncollected(model: Model): boolean {
  return model.uncollected.length > 0 && isNews(model) && unreachedGrowth(model).bytes >= Math.abs(model.total?.growth.bytes ?? 0) / 10;
}

/** "<=64 B at push, with 7,999 objects below", "cycle: Account and Session": what heads a row. */
export function whatText(row: LostRow): string {
  if (row.cycle !== null) return `cycle: ${visible(row.cycle)}`;
  const type = row.type === "" ? "(no type)" : visible(row.type);
  return row.below ? `${type}, with ${format.plural(row.below, "object")} below` : type;
}

/** Who allocated what heads a row; "" where that is not known. */
export function lostPlace(row: LostRow): string {
  const frame = row.frames[row.wanted];
  return frame ? frameText(frame) : "";
}

function line(name: HTMLElement, growth: Amount, whole: number): HTMLElement[] {
  return [
    name,
    el("span", { class: "share" }, shareText(growth.bytes, whole)),
    el("span", { class: `amount ${toneOf(growth.bytes)}` }, format.bytesSigned(growth.bytes)),
  ];
}

function nameOf(title: string, ...more: Child[]): HTMLElement {
  return el("span", { class: "holder-name", title }, el("span", { class: "place" }, shorten(title, 120)), ...more);
}

function fromTo(before: Amount, after: Amount): HTMLElement {
  return el("small", null, `${format.bytes(before.bytes)} \u2192 ${format.bytes(after.bytes)}, ${format.count(before.objects)} \u2192 ${format.plural(after.objects, "object")}`);
}

/* ---- what is lost ---- */

function lostItem(row: LostRow, whole: number, isOpen: boolean): HTMLElement {
  const place = lostPlace(row);
  const what = whatText(row);
  const callers = row.frames.slice(row.wanted + 1);
  const name = nameOf(place === "" ? what : place, place === "" ? null : el("span", { class: "type" }, shorten(what, 90)), fromTo(row.before, row.after));
  const cells = line(name, row.growth, whole);
  if (callers.length === 0) return el("li", null, el("p", { class: "holder-rest" }, ...cells));
  return placeItem(cells, isOpen, () => el("ol", { class: "frames", "aria-label": "Callers" }, ...callers.map((frame) => el("li", { title: visible(frame.file) || null }, frameText(frame)))));
}

export function showLost(host: HTMLElement, model: Model): void {
  const whole = unreachedGrowth(model).bytes;
  const rest = model.otherLost;
  replaceBelowHeading(
    host,
    "Lost: no pointer to it is left",
    ...placeList(model.lost, (row, at) => lostItem(row, whole, at === 0 && row.growth.bytes > 0), (row) => row.growth.bytes),
    rest && restLineOf(rest.rows, line(el("span", { class: "holder-name" }, format.plural(rest.rows, "other row")), rest.growth, whole)),
  );
}

/* ---- what is not collected yet ---- */

function uncollectedItem(row: UncollectedRow, whole: number): HTMLElement {
  const revived = row.revived;
  const again = revived && revived.objects > 0 ? `${format.count(revived.objects)} of those before, ${format.bytes(revived.bytes)}, ${revived.objects === 1 ? "is" : "are"} live again` : "";
  const name = nameOf(visible(row.type), fromTo(row.before, row.after), again === "" ? null : el("small", null, again));
  return el("li", null, el("p", { class: "holder-rest" }, ...line(name, row.growth, whole)));
}

export function showUncollected(host: HTMLElement, model: Model): void {
  const whole = unreachedGrowth(model).bytes;
  const rest = model.otherUncollected;
  replaceBelowHeading(
    host,
    "Not yet collected: no root reaches it",
    ...placeList(model.uncollected, (row) => uncollectedItem(row, whole), (row) => row.growth.bytes),
    rest && restLineOf(rest.rows, line(el("span", { class: "holder-name" }, format.plural(rest.rows, "other type")), rest.growth, whole)),
  );
}

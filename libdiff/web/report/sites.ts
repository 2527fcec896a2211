/*
 * Where it was allocated: the stacks, by what they grew, of captures that do not say what keeps their objects alive. A line opens the
 * callers of its innermost function.
 */
import { el } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Frame, Model, Site } from "../kit/model.ts";
import { shorten, visible } from "../kit/names.ts";
import { placeItem, placeLine, placeList, restLine } from "./places.ts";
import { proofOf } from "./proof.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";

/** "main.fill (main.go:31)", as in the text report. */
export function frameText({ function: name, file, line }: Frame): string {
  const base = file.slice(file.lastIndexOf("/") + 1);
  return (name === "" ? "(no name)" : visible(name)) + (base === "" ? "" : ` (${visible(base)}${line > 0 ? `:${line}` : ""})`);
}

function objectsText(growth: number): string {
  return `${format.countSigned(growth)} object${Math.abs(growth) === 1 ? "" : "s"}`;
}

function siteItem(site: Site, model: Model, isOpen: boolean): HTMLElement {
  const first = site.frames[site.wanted];
  const callers = site.frames.slice(site.wanted + 1);
  const text = first ? frameText(first) : "(no stack)";
  const { bytes, objects } = site.growth;
  const name = el(
    "span",
    { class: "holder-name", title: first ? `${visible(first.function)} ${visible(first.file)}` : null },
    el("span", { class: "place" }, shorten(text, 120)),
    proofOf(model)(objects) ? el("small", null, objectsText(objects)) : null,
  );
  const line = placeLine(name, bytes, model);
  if (callers.length === 0) return el("li", null, el("p", { class: "holder-rest" }, ...line));
  return placeItem(line, isOpen, () => el("ol", { class: "frames", "aria-label": "Callers" }, ...callers.map((frame) => el("li", { title: visible(frame.file) || null }, frameText(frame)))));
}

/** Where they say something: with nothing else to go by all of them do. */
export function hasSites(model: Model): boolean {
  return model.sites.length > 0 && (model.whyNoHolders !== null || model.sites.some((site) => site.growth.bytes !== 0));
}

export function showSites(host: HTMLElement, model: Model): void {
  const rest = model.otherSites;
  replaceBelowHeading(
    host,
    "Where it was allocated",
    ...placeList(model.sites.filter((site) => model.whyNoHolders !== null || site.growth.bytes !== 0 || site.growth.objects !== 0), (site, at) => siteItem(site, model, at === 0 && site.growth.bytes > 0), (site) => site.growth.bytes),
    rest && restLine(rest.rows, "site", rest.growth.bytes, model),
  );
}

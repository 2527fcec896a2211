/*
 * Where it was allocated, when the captures know: growth by the innermost frames.
 */
import { el } from "./dom.ts";
import * as format from "./format.ts";
import type { Frame, Model, Site } from "./model.ts";
import { shorten, visible } from "./names.ts";
import { replaceBelowHeading } from "./shell_parts.ts";

const shownAtFirst = 20;

function frameText(frame: Frame): string {
  const place = frame.file === "" ? "" : ` ${visible(frame.file)}${frame.line > 0 ? `:${frame.line}` : ""}`;
  return `${visible(frame.function)}${place}`;
}

function siteItem(site: Site): HTMLElement {
  const [first, ...others] = site.frames;
  const tone = site.growth.bytes > 0 ? "grown" : site.growth.bytes < 0 ? "shrunk" : "same";
  const name = first ? frameText(first) : "site not known";
  const head = [
    el("span", { class: "holder-name", title: name }, el("span", { class: "place" }, shorten(name, 90))),
    el("span", { class: "share" }, format.countSigned(site.growth.objects)),
    el("span", { class: `amount ${tone}` }, format.bytesSigned(site.growth.bytes)),
  ];
  if (others.length === 0) return el("li", null, el("p", { class: "holder-rest" }, ...head));
  return el(
    "li",
    null,
    el("details", { class: "holder" }, el("summary", null, ...head), el("ol", { class: "frames" }, ...others.map((frame) => el("li", null, frameText(frame))))),
  );
}

export function showSites(host: HTMLElement, model: Model): void {
  const shown = model.sites.slice(0, shownAtFirst);
  const rest = model.sites.length - shown.length;
  replaceBelowHeading(
    host,
    "Where it was allocated",
    el("ol", { class: "holders" }, ...shown.map(siteItem)),
    rest > 0 ? el("p", { class: "rest" }, `and ${format.plural(rest, "other site")}`) : null,
  );
}

/*
 * What must be known before the numbers are believed.
 */
import { el } from "../kit/dom.ts";
import type { Model } from "../kit/model.ts";
import { visible } from "../kit/names.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";

export function warningsOf(model: Model): string[] {
  const incomplete = model.captures
    .filter((capture) => !capture.isComplete && capture.whyIncomplete && !model.warnings.some((text) => text.startsWith(capture.path)))
    .map((capture) => `${visible(capture.path)} is incomplete: ${visible(capture.whyIncomplete ?? "")}`);
  return [...model.problems.map(visible), ...incomplete, ...model.warnings.map(visible)];
}

export function showWarnings(host: HTMLElement, model: Model): void {
  replaceBelowHeading(host, "Know before you believe a number", el("ul", { class: "warnings" }, ...warningsOf(model).map((text) => el("li", null, text))));
}

/*
 * The numbers that matter, and what the captures are: process, time apart, completeness, values inside.
 */
import { el, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Capture, Model, Total } from "../kit/model.ts";
import { shorten, visible } from "../kit/names.ts";
import { proofOf } from "./proof.ts";

function figure(title: string, value: Child, small: Child, className = ""): HTMLElement {
  return el("div", { class: className || null }, el("dt", null, title), el("dd", null, value, small === null || small === "" ? null : el("small", null, small)));
}

function toneOf(value: number): string {
  return value > 0 ? "grown" : value < 0 ? "shrunk" : "same";
}

/* Two bars of one scale: what was there, and what is; what went and what came stands out. */
function picture(total: Total): HTMLElement {
  const most = Math.max(total.before.bytes, total.after.bytes, 1);
  const part = (className: string, bytes: number): HTMLElement => {
    const bar = el("span", { class: `flow-${className}` });
    bar.style.width = `${(100 * Math.max(0, bytes)) / most}%`;
    return bar;
  };
  const freed = total.freed?.bytes ?? 0;
  const fresh = total.new?.bytes ?? Math.max(0, total.growth.bytes);
  return el(
    "div",
    { class: "flow", "aria-hidden": "true" },
    el("div", null, part("kept", total.before.bytes - freed), part("freed", freed)),
    el("div", null, part("kept", total.after.bytes - fresh), part("new", fresh)),
  );
}

function diffNumbers(total: Total, isProven: boolean): Child {
  const percent = format.percent(total.before.bytes, total.after.bytes);
  return el(
    "div",
    { class: "numbers" },
    el(
      "dl",
      { class: "figures" },
      figure("Before", format.bytes(total.before.bytes), format.plural(total.before.objects, "object")),
      figure("After", format.bytes(total.after.bytes), format.plural(total.after.objects, "object")),
      !isProven ? figure("Growth", "not known", null) : figure("Growth", format.bytesSigned(total.growth.bytes), `${percent}, ${format.countSigned(total.growth.objects)}`, toneOf(total.growth.bytes)),
      total.new ? figure("New", format.bytesSigned(total.new.bytes), format.plural(total.new.objects, "object")) : null,
      total.freed ? figure("Freed", format.bytesSigned(-total.freed.bytes), format.plural(total.freed.objects, "object")) : null,
    ),
    isProven ? picture(total) : null,
  );
}

function seriesNumbers(model: Model): Child {
  const row = model.series.total;
  if (!row || row.bytes.length === 0) return null;
  const first = row.bytes[0]!;
  const last = row.bytes[row.bytes.length - 1]!;
  const objects = row.objects[row.objects.length - 1] ?? 0;
  const rate = row.trend?.perHour ?? row.trend?.perStep ?? null;
  return el(
    "div",
    { class: "numbers" },
    el(
      "dl",
      { class: "figures" },
      figure("Captures", format.count(model.series.count), null),
      figure("First", format.bytes(first), format.plural(row.objects[0] ?? 0, "object")),
      figure("Last", format.bytes(last), format.plural(objects, "object")),
      figure("Growth", format.bytesSigned(last - first), format.percent(first, last), toneOf(last - first)),
      rate === null ? null : figure(row.trend?.perHour === null ? "Per step" : "Per hour", format.bytesSigned(rate), row.verdict ?? "", toneOf(rate)),
    ),
  );
}

export function keyNumbers(model: Model): Child {
  return model.series.count > 0 ? seriesNumbers(model) : model.total ? diffNumbers(model.total, proofOf(model)(model.total.growth.bytes)) : null;
}

/* ---- facts in words ---- */

function processWords(before: Capture, after: Capture): string {
  const both = before.pid !== null && after.pid !== null;
  if (before.domain !== null && after.domain !== null) return before.domain === after.domain ? "same process" : "different processes";
  if (before.started !== null && after.started !== null && both)
    return before.started === after.started && before.pid === after.pid ? "same process" : "different processes";
  if (both) return before.pid === after.pid ? "same process number" : "different processes";
  return "not known if the same process";
}

function processName(before: Capture, after: Capture): string {
  const facts: string[] = [];
  if (after.process !== null && before.process === after.process) facts.push(shorten(visible(after.process), 40));
  if (after.pid !== null && before.pid === after.pid) facts.push(`pid ${after.pid}`);
  if (facts.length === 0 && after.runtime !== "" && before.runtime === after.runtime) facts.push(visible(after.runtime));
  return facts.length > 0 ? ` (${facts.join(", ")})` : "";
}

function apart(before: Capture, after: Capture): string | null {
  const from = format.moment(before.taken);
  const to = format.moment(after.taken);
  if (from === null || to === null) return null;
  if (from === to) return "taken in the same second";
  return to > from ? `${format.duration(to - from)} apart` : `in reverse order, ${format.duration(from - to)} apart`;
}

function completeness(captures: readonly Capture[]): { text: string; isWhole: boolean } {
  const broken = captures.filter((capture) => !capture.isComplete);
  const lost = captures.reduce((sum, capture) => sum + capture.lost + capture.damagedBlocks, 0);
  if (broken.length === 0 && lost === 0) return { text: captures.length === 2 ? "both complete" : "all complete", isWhole: true };
  if (broken.length === 0) return { text: `${format.count(lost)} lost records or blocks`, isWhole: false };
  const names = broken.map((capture) => capture.side ?? shorten(visible(capture.label ?? capture.path), 30));
  return { text: `${names.slice(0, 3).join(" and ")} incomplete`, isWhole: false };
}

function valuesWords(captures: readonly Capture[]): { text: string; isWarning: boolean } | null {
  if (captures.every((capture) => capture.hasValues === null)) return null;
  return captures.some((capture) => capture.hasValues === true)
    ? { text: "values inside (strings, keys)", isWarning: true }
    : { text: "no values inside", isWarning: false };
}

/** "same process (shop, pid 4121) · 1h 00m apart · both complete · no values inside" */
export function factList(model: Model): Child {
  const { captures } = model;
  if (captures.length === 0) return null;
  const first = captures[0]!;
  const last = captures[captures.length - 1]!;
  const whole = completeness(captures);
  const values = valuesWords(captures);
  const time = captures.length > 1 ? apart(first, last) : null;
  const process = captures.length === 2 ? processWords(first, last) + processName(first, last) : model.series.oneProcess ? `one process${processName(first, last)}` : null;
  return el(
    "ul",
    { class: "facts", "aria-label": "About the captures" },
    process ? el("li", null, process) : null,
    time ? el("li", null, time) : null,
    el("li", { class: whole.isWhole ? null : "caution" }, whole.text),
    model.total?.isPartial ? el("li", { class: "caution" }, "partial: lower bounds only") : null,
    values ? el("li", { class: values.isWarning ? "caution" : null }, values.text) : null,
  );
}

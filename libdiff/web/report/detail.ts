/*
 * What is known of one type, in a panel at the side: numbers, sizes of its objects, examples, holders that hold it. Which type is open stands in
 * the state ("type"), so that a link opens it again.
 */
import { percentText } from "./change_columns.ts";
import { overweight, overweightText } from "./change_logic.ts";
import { append, clear, el, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import { exampleList } from "./holders.ts";
import { placeText } from "./holder_path.ts";
import type { Amount, Model, TypeRow } from "../kit/model.ts";
import { shorten, visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { proofOf } from "./proof.ts";

const holdersShown = 6;

function line(title: string, value: string, tone = ""): HTMLElement {
  return el("div", null, el("dt", null, title), el("dd", { class: tone || null }, value));
}

function toneOf(value: number): string {
  return value > 0 ? "grown" : value < 0 ? "shrunk" : "";
}

function numbers(type: TypeRow, model: Model): HTMLElement {
  const isProven = proofOf(model);
  const times = model.total && isProven(-1) ? overweight(type, model.total) : null;
  const { before, after, growth } = type;
  const retained = type.retained ? type.retained.after - type.retained.before : 0;
  return el(
    "dl",
    { class: "lines" },
    isProven(growth.bytes) ? line("Growth", `${format.bytesSigned(growth.bytes)} (${percentText(type, model.about.noiseBytes, isProven)})`, toneOf(growth.bytes)) : line("Growth", "not known"),
    line("Bytes", `${format.bytes(before.bytes)} \u2192 ${format.bytes(after.bytes)}`),
    line("Objects", `${format.count(before.objects)} \u2192 ${format.count(after.objects)}`),
    type.new ? line("New", `${format.bytesSigned(type.new.bytes)} in ${format.plural(type.new.objects, "object")}`) : "",
    type.freed ? line("Freed", `${format.bytesSigned(-type.freed.bytes)} in ${format.plural(type.freed.objects, "object")}`) : "",
    type.resizedBytes ? line("Grew in place", format.bytesSigned(type.resizedBytes)) : "",
    type.retained ? line("Retained", `${format.bytes(type.retained.before)} \u2192 ${format.bytes(type.retained.after)} (${format.bytesSigned(retained)})`) : "",
    times !== null ? line("Overweight", overweightText(times)) : "",
    line("Exactly", `${format.exact(before.bytes)} \u2192 ${format.exact(after.bytes)}`),
  );
}

function part(title: string, ...children: readonly Child[]): HTMLElement {
  return el("section", null, el("h3", null, title), ...children);
}

function holdersOf(type: TypeRow, model: Model): Child {
  const found = model.holders
    .map((holder) => ({ holder, growth: holder.types.find((each) => each.type === type.name)?.growth ?? null }))
    .filter(({ growth }) => growth !== null && growth.bytes !== 0);
  if (found.length === 0) return null;
  const rest = found.length - holdersShown;
  return part(
    "Held by",
    el(
      "ul",
      { class: "edge-list flat" },
      ...found.slice(0, holdersShown).map(({ holder, growth }) =>
        el(
          "li",
          null,
          el("span", { class: "edge-name", title: placeText(holder) }, shorten(placeText(holder), 44)),
          el("span", { class: "fan" }, format.countSigned(growth!.objects)),
          el("span", { class: `amount ${toneOf(growth!.bytes)}` }, format.bytesSigned(growth!.bytes)),
        ),
      ),
    ),
    rest > 0 ? el("p", { class: "rest" }, `and ${format.plural(rest, "other holder")}`) : null,
  );
}

function browseButtons(type: TypeRow, page: Page): Child {
  const { browser } = page;
  if (!browser) return null;
  const side = (which: "before" | "after", amount: Amount): Child =>
    amount.objects > 0 ? el("button", { type: "button", onclick: () => browser.openType(which, type.name) }, `Objects ${which}`) : null;
  return el("p", { class: "tools" }, side("before", type.before), side("after", type.after));
}

/** Adds more about a type to the panel: the histogram of sizes does. */
export type Extra = (host: HTMLElement, name: string, model: Model, page: Page) => void;

/** Makes the panel and keeps it in step with the state. */
export function keepDetail(main: HTMLElement, model: Model, page: Page, extras: readonly Extra[]): void {
  const byName = new Map(model.types.map((type) => [type.name, type]));
  const panel = el("aside", { id: "detail", class: "detail", "aria-labelledby": "detail-title", hidden: true });
  let cameFrom: HTMLElement | null = null;
  const close = (): void => page.state.set("type", null);
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });

  const fillPanel = (type: TypeRow): void => {
    const title = el("h2", { id: "detail-title", tabindex: "-1" }, visible(type.name));
    const examples = exampleList(type.examples, page);
    clear(panel);
    append(
      panel,
      el("header", null, title, el("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "\u00d7")),
      numbers(type, model),
      browseButtons(type, page),
      ...extras.map((extra) => {
        const host = el("section", { class: "extra" });
        extra(host, type.name, model, page);
        return host.childNodes.length > 0 ? host : null;
      }),
      holdersOf(type, model),
      examples ? part("New objects, for example", examples) : null,
    );
    title.focus({ preventScroll: true });
  };

  const show = (name: string | null): void => {
    const type = name === null ? undefined : byName.get(name);
    const wasHidden = panel.hidden;
    panel.hidden = type === undefined;
    document.documentElement.classList.toggle("with-detail", type !== undefined);
    if (type) {
      if (wasHidden) cameFrom = document.activeElement as HTMLElement | null;
      fillPanel(type);
    } else if (!wasHidden) {
      cameFrom?.focus({ preventScroll: true });
      if (name !== null) page.announce("This page does not know that type.");
    }
  };
  main.append(panel);
  page.state.listen("type", show);
  if (page.state.get("type") !== null) show(page.state.get("type"));
}

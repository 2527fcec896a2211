/*
 * What keeps it alive: the places that the growth hangs from, each with its path, the references through which it grew, and the types
 * that grew there. The rest is one line, so that the rows add up to the growth.
 */
import { el, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import { edgeList, heldByList, holderText, isNobody, pathList } from "./holder_path.ts";
import type { Holder, HolderType, Model } from "../kit/model.ts";
import { shorten, visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { placeItem, placeLine, placeList, restLine, toneOf } from "./places.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";

const openAtFirst = 3;
const typesShown = 6;
const examplesShown = 3;

/** A name that opens the details of its type. */
export function typeLink(name: string, page: Page, width = 60): HTMLElement {
  return el("button", { type: "button", class: "link", title: visible(name), onclick: () => page.openType(name) }, shorten(visible(name), width));
}

function typeRow(type: HolderType, page: Page): HTMLElement {
  return el(
    "li",
    null,
    typeLink(type.type, page, 44),
    el("span", { class: "fan" }, format.countSigned(type.growth.objects)),
    el("span", { class: `amount ${toneOf(type.growth.bytes)}` }, format.bytesSigned(type.growth.bytes)),
  );
}

function typesThatGrew(holder: Holder, page: Page): Child {
  if (holder.types.length === 0) return null;
  const rest = holder.types.slice(typesShown);
  return el(
    "div",
    { class: "holder-part" },
    el("h3", null, "What grew there"),
    el("ul", { class: "edge-list flat" }, ...holder.types.slice(0, typesShown).map((type) => typeRow(type, page))),
    rest.length > 0 ? el("p", { class: "rest" }, `and ${format.plural(rest.length, "other type")}`) : null,
  );
}

function openButton(side: "before" | "after", of: string, page: Page): Child {
  if (!page.browser) return el("code", null, of);
  return el("button", { type: "button", class: "link", onclick: () => page.browser?.open(side, of) }, el("code", null, of));
}

/** Ids of new objects of a type: to be looked at in the viewer, or with hsdiff paths. */
export function exampleList(ids: readonly string[], page: Page): Child {
  if (ids.length === 0) return null;
  return el("ul", { class: "ids" }, ...ids.slice(0, examplesShown).map((id) => el("li", null, openButton("after", id, page))));
}

/* Objects of the type that grew most here which are new: enough to look at one. */
function examples(holder: Holder, model: Model, page: Page): Child {
  for (const type of holder.types) {
    if (type.growth.bytes <= 0) continue;
    const row = model.types.find((each) => each.name === type.type);
    if (row === undefined || row.examples.length === 0) continue;
    return el(
      "div",
      { class: "holder-part" },
      el("h3", null, `New ${shorten(visible(type.type), 32)}, for example`),
      exampleList(row.examples, page),
    );
  }
  return null;
}

function nameOf(holder: Holder): HTMLElement {
  const { place, type } = holderText(holder);
  return el(
    "span",
    { class: "holder-name", title: place },
    el("span", { class: "place" }, holder.heldBy.length > 0 ? place : shorten(place, 90)),
    type === null ? (isNobody(holder) ? el("small", null, "held by no one object") : null) : el("span", { class: "type" }, shorten(visible(type), 50)),
  );
}

function bodyOf(holder: Holder, model: Model, page: Page): HTMLElement {
  return el(
    "div",
    { class: "holder-body" },
    el(
      "div",
      { class: "holder-part wide" },
      el("h3", null, holder.heldBy.length > 0 ? "What holds it together, and what grew below" : holder.path.length > 0 ? "How it is reached, and what grew below" : "How it is reached"),
      holder.heldBy.length > 0 ? heldByList(holder) : pathList(holder.root, holder.kind, holder.path, holder.pathCut),
      holder.object !== null ? el("p", { class: "rest" }, "object ", openButton("after", holder.object, page)) : null,
      holder.edges.length > 0 ? edgeList(holder.edges) : null,
    ),
    el("div", { class: "holder-side" }, typesThatGrew(holder, page), examples(holder, model, page)),
  );
}

function holderItem(holder: Holder, model: Model, page: Page, isOpen: boolean): HTMLElement {
  return placeItem(placeLine(nameOf(holder), holder.growthBytes, model), isOpen, () => bodyOf(holder, model, page));
}

/* What has a hundredth of the growth, or any where the heap did not grow. */
function isWorthOpening(holder: Holder, model: Model): boolean {
  return holder.growthBytes > 0 && holder.growthBytes * 100 >= (model.total?.growth.bytes ?? 0);
}

export function showHolders(host: HTMLElement, model: Model, page: Page): void {
  const { holders, otherHolders: rest, whyNoHolders: why } = model;
  replaceBelowHeading(
    host,
    "What keeps it alive",
    ...(holders.every((holder) => holder.growthBytes === 0)
      ? [el("p", { class: "nothing" }, why ? `Holders are not known: ${visible(why)}.` : "No place holds more than it did.")]
      : placeList(
          [...holders.filter((holder) => holder.growthBytes !== 0), ...holders.filter((holder) => holder.growthBytes === 0)],
          (holder, at) => holderItem(holder, model, page, at < openAtFirst && isWorthOpening(holder, model)),
          (holder) => holder.growthBytes,
        )),
    rest && restLine(rest.rows, "holder", rest.growthBytes, model),
  );
}

/*
 * The first screen: the sentence (it stands there without script), the numbers that matter, and the place that holds most of the growth.
 */
import { el, fill, type Child } from "../kit/dom.ts";
import { factList, keyNumbers } from "./facts.ts";
import * as format from "../kit/format.ts";
import { chooseEdges, edgeList, heldByList, isNobody, pathList } from "./holder_path.ts";
import type { Holder, Model } from "../kit/model.ts";
import { visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { shareText } from "./places.ts";

const edgesInCard = 5;
const stepsInCard = 4;

/* The place that the answer names: the first that grew and is somebody. */
function topHolder(model: Model): Holder | null {
  return model.holders.find((holder) => holder.growthBytes > 0 && !isNobody(holder)) ?? null;
}

/* A long path shows its start and its end. */
function shortPath(holder: Holder): { steps: Holder["path"]; cut: number } {
  if (holder.path.length <= stepsInCard) return { steps: holder.path, cut: holder.pathCut };
  const half = stepsInCard / 2;
  return {
    steps: [...holder.path.slice(0, half), ...holder.path.slice(-half)],
    cut: holder.pathCut + holder.path.length - stepsInCard,
  };
}

function holderCard(model: Model): Child {
  const holder = topHolder(model);
  if (!holder) return null;
  const share = shareText(holder.growthBytes, model.total?.growth.bytes ?? 0);
  const { steps, cut } = shortPath(holder);
  const edges = chooseEdges(holder.edges, edgesInCard);
  return el(
    "div",
    { class: "card top-holder" },
    el(
      "p",
      { class: "card-head" },
      el("span", { class: "label" }, "What keeps it alive"),
      el("span", { class: "amount grown" }, format.bytesSigned(holder.growthBytes), share ? el("small", null, ` ${share}`) : null),
    ),
    holder.heldBy.length > 0 ? heldByList(holder) : pathList(holder.root, holder.kind, steps, cut),
    edges.length > 0 ? edgeList(edges) : null,
    el("p", { class: "card-foot" }, el("a", { href: "#holders" }, model.holders.length > 1 ? `All ${format.count(model.holders.length + (model.otherHolders?.rows ?? 0))} holders` : "Details")),
  );
}

/** The first sentence is the heading, the others stand below. */
export function splitSentences(text: string): readonly [string, string] {
  const end = text.search(/[.!?] (?=\S)/);
  return end < 0 ? [text, ""] : [text.slice(0, end + 1), text.slice(end + 2)];
}

function heading(host: HTMLElement, model: Model): Child[] {
  const text = host.querySelector("h1")?.textContent ?? visible(model.answer);
  const [first, others] = splitSentences(text.replace(/\s+/g, " ").trim());
  host.setAttribute("aria-labelledby", "answer-title");
  return [el("h1", { id: "answer-title" }, first), others === "" ? null : el("p", { class: "where" }, others)];
}

/* Where a series leads: what grows in every step, and when a limit is reached. The page says it, and the data do not. */
function leads(host: HTMLElement, model: Model): Child[] {
  if (model.about.kind !== "series") return [];
  return [...host.querySelectorAll(":scope > p:not([class])")].map((text) => el("p", null, text.textContent ?? ""));
}

export function showAnswer(host: HTMLElement, model: Model, _page: Page): void {
  const text = el("div", { class: "answer-text" }, ...heading(host, model), keyNumbers(model), factList(model), ...leads(host, model));
  fill(host, text, holderCard(model));
  host.classList.toggle("with-card", host.querySelector(".top-holder") !== null);
}

/*
 * The first screen: the sentence (it stands there without script), the numbers that matter, and the place that holds most of the growth.
 */
import { el, fill, type Child } from "../kit/dom.ts";
import { factList, keyNumbers } from "./facts.ts";
import * as format from "../kit/format.ts";
import { chooseEdges, edgeList, heldByList, holderText, isNobody, pathList } from "./holder_path.ts";
import { lostLeads, lostSentence } from "./lost.ts";
import type { Holder, Model } from "../kit/model.ts";
import { visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { shareText } from "./places.ts";
import { proofOf } from "./proof.ts";

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

/* "All of the growth hangs from a.b: Map.", where one place has half of it. */
function whereText(model: Model): string {
  const holder = model.holders[0];
  const growth = model.total?.growth.bytes ?? 0;
  if (!holder || isNobody(holder) || growth < Math.max(1, model.about.noiseBytes) || holder.growthBytes <= 0) return "";
  const percent = format.percentOf(holder.growthBytes, growth);
  const { place, type } = holderText(holder);
  return percent < 50 ? "" : ` ${percent >= 100 ? "All" : `${percent}%`} of the growth hangs from ${place}${type === null ? "" : `: ${visible(type)}`}.`;
}

/* Said by the data, else by the numbers: what the viewer's page, which has no static sentence, begins with. */
function sentencesOf(model: Model): string {
  if (model.about.answer.length > 0) return model.about.answer.join(" ");
  const live = liveSentence(model);
  const lost = lostSentence(model);
  if (lost === "") return live + whereText(model);
  return lostLeads(model) ? `${lost} ${live}${whereText(model)}` : `${live}${whereText(model)} ${lost}`;
}

function liveSentence(model: Model): string {
  const change = model.total;
  if (!change) return model.series.count > 0 ? `${format.plural(model.series.count, "capture")} of one heap.` : "A comparison of heaps.";
  const { bytes } = change.growth;
  if (!proofOf(model)(bytes)) return "Growth is not known, because a part of the captures is missing.";
  const how = bytes === 0 ? "has the same size" : `${bytes > 0 ? "grew" : "shrank"} ${format.bytes(Math.abs(bytes))}`;
  const percent = bytes === 0 ? "" : ` (${format.percent(change.before.bytes, change.after.bytes)})`;
  const parts = change.new && change.freed ? `: ${format.bytes(change.new.bytes)} new, ${format.bytes(change.freed.bytes)} freed` : "";
  return `${change.isSummary ? "Heap" : "Live heap"} ${how}${percent}${parts}.`;
}

/** The first sentence is the heading, the others stand below. */
export function splitSentences(text: string): readonly [string, string] {
  const end = text.search(/[.!?] (?=\S)/);
  return end < 0 ? [text, ""] : [text.slice(0, end + 1), text.slice(end + 2)];
}

function heading(host: HTMLElement, model: Model): Child[] {
  const text = host.querySelector("h1")?.textContent ?? visible(sentencesOf(model));
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

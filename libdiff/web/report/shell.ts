/*
 * What the report and the viewer's page about the report share: the sections are found or made, filled one by one with a breath
 * between, and told to screen readers.
 */
import { keepDetail } from "./detail.ts";
import { byId, el } from "../kit/dom.ts";
import { tellEveryByte } from "../kit/format.ts";
import type { Model } from "../kit/model.ts";
import type { Page } from "../kit/page.ts";
import { sections, typeExtras, type Section } from "./sections.ts";

/** A place that a screen reader reads out when its text changes. */
export function makeAnnounce(): (text: string) => void {
  const live = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
  document.body.appendChild(live);
  return (text) => {
    live.textContent = text;
  };
}

/** Goes to a section; the fragment of the address holds the state and stays as it is. */
export function jumpTo(id: string): boolean {
  const target = byId(id);
  if (!target) return false;
  if (!target.hasAttribute("tabindex")) target.setAttribute("tabindex", "-1");
  target.focus({ preventScroll: true });
  target.scrollIntoView();
  return true;
}

/** Links inside the page (#holders) jump without touching the state. */
export function keepJumps(): void {
  document.addEventListener("click", (event) => {
    const href = (event.target as Element).closest?.("a")?.getAttribute("href");
    if (href?.startsWith("#") && jumpTo(href.slice(1))) event.preventDefault();
  });
}

function titleOf(section: Section): HTMLElement | null {
  return section.title === "" ? null : el("h2", { id: `${section.id}-title` }, section.title);
}

/* The section of the static page, or a new one; moved to where the table of sections has it. */
function placeHost(main: HTMLElement, section: Section, previous: Element | null): HTMLElement {
  const host = byId(section.id) ?? el("section", { id: section.id, "aria-labelledby": `${section.id}-title` }, titleOf(section));
  const next = previous ? previous.nextElementSibling : main.firstElementChild;
  if (next !== host) main.insertBefore(host, next);
  return host;
}

/* What this page has nothing for, and what the static page only announces. */
function dropUnshown(main: HTMLElement, shown: readonly Section[]): void {
  for (const host of [...main.children]) {
    if (shown.some((each) => each.id === host.id)) continue;
    if (sections.some((each) => each.id === host.id) || host.querySelector(".noscript")) host.remove();
  }
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Fills all sections that `model` has something for, takes the others away, and makes the panel about a type. Returns those shown. */
export async function showSections(main: HTMLElement, model: Model, page: Page): Promise<Section[]> {
  const shown = sections.filter((section) => section.isFor(model));
  if (model.about.exactBytes) tellEveryByte();
  dropUnshown(main, shown);
  let previous: Element | null = null;
  for (const section of shown) {
    const host = placeHost(main, section, previous);
    section.show(host, model, page);
    previous = host;
    await breathe();
  }
  keepDetail(main, model, page, typeExtras);
  return shown;
}

/*
 * The script of a report: unpacks the data that stands in the page and fills the sections. Without it, or when it fails, the static
 * page stands as it is.
 */
import "./report.css";
import { byId, el } from "../kit/dom.ts";
import type { Page } from "../kit/page.ts";
import { keepJumps, makeAnnounce, showSections } from "./shell.ts";
import { State } from "../kit/state.ts";
import { showTopbar, startTheme } from "../kit/topbar.ts";
import { readEmbedded } from "../kit/unpack.ts";

function complain(main: HTMLElement, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  const text = `This page shows only its summary: ${why}.`;
  main.insertBefore(el("p", { class: "failure", role: "alert" }, text), main.firstChild);
}

async function start(): Promise<void> {
  const main = byId("main");
  const data = byId("data");
  if (!main || !data) return;
  startTheme();
  keepJumps();
  const state = new State();
  const page: Page = {
    state,
    browser: null,
    announce: makeAnnounce(),
    openType: (name) => state.set("type", name, true),
  };
  try {
    const shown = await showSections(main, await readEmbedded(data), page);
    showTopbar(
      shown.filter((section) => section.title !== ""),
      page,
    );
    document.documentElement.dataset["ready"] = "true"; /* for tests and printing */
  } catch (error) {
    complain(main, error);
  }
}

void start();

/*
 * The report inside the viewer: the sections of the file, filled once, whose names lead into browsing. It is fetched when it is first
 * looked at, and stays.
 */
import { el, fill } from "../kit/dom.ts";
import type { Browser, Page } from "../kit/page.ts";
import { showSections } from "../report/shell.ts";
import type { State as PageState } from "../kit/state.ts";
import { readPacked } from "../kit/unpack.ts";
import { errorBox } from "./problem.ts";
import type { Screen, Viewer } from "./viewer.ts";

export class Growth implements Screen {
  readonly element = el("div", { class: "growth" });
  readonly title = "Growth";
  readonly fillsWindow = false;
  private viewer: Viewer;
  private page: Page;
  private isFilled = false;

  constructor(viewer: Viewer, state: PageState) {
    this.viewer = viewer;
    const canOpen = (side: "before" | "after"): boolean => viewer.sides.some((each) => each.side === side);
    const browser: Browser = {
      canOpen,
      open: (side, of) => viewer.go({ view: "object", side, of }),
      openType: (side, name) => viewer.go({ view: "objects", side, name }),
    };
    this.page = {
      state,
      browser,
      announce: (text) => viewer.announce(text),
      openType: (name) => state.set("type", name, true),
    };
  }

  /** Fetches the report if it is not there yet. */
  show(): void {
    if (this.isFilled) return;
    this.isFilled = true;
    void this.load();
  }

  close(): void {}

  private async load(): Promise<void> {
    fill(this.element, el("p", { class: "count" }, "Unpacking the report…"));
    try {
      const packed = await this.viewer.api.report();
      const model = await readPacked(new Uint8Array(packed));
      const report = el("div", { class: "report" });
      fill(this.element, report);
      const shown = await showSections(report, model, this.page);
      const jumps = shown
        .filter((section) => section.title !== "")
        .map((section) => el("a", { href: `#${section.id}` }, section.title));
      this.element.insertBefore(el("nav", { class: "jumps", "aria-label": "Sections" }, ...jumps), report);
      document.documentElement.dataset["ready"] = "true"; /* for tests and printing */
    } catch (error) {
      fill(
        this.element,
        errorBox(this.viewer, error, () => void this.load()),
      );
    }
  }
}

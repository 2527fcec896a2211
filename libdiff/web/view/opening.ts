/*
 * What is seen while captures are read: which they are, how far it is, and what will be possible when.
 */
import { el, fill } from "../kit/dom.ts";
import { percentOf, plural } from "../kit/format.ts";
import { visible } from "../kit/names.ts";
import type { State } from "./api.ts";
import type { Screen, Viewer } from "./viewer.ts";

/** "walking before.hs, 45%". */
export function progressText(state: State): string {
  const stage = state.stage === "" ? "starting" : visible(state.stage);
  return state.total > 0 ? `${stage}, ${percentOf(Math.min(state.done, state.total), state.total)}%` : stage;
}

interface Step {
  readonly text: string;
  readonly state: "done" | "now" | "later";
}

function stepsOf(state: State): Step[] {
  const canBrowse = state.sides.some((side) => side.browsable);
  const report: Step = { text: "Report: what grew, and what keeps it alive", state: state.report ? "done" : "now" };
  const browse: Step = {
    text: "Browsing: any object, how it is reached, what it keeps alive",
    state: canBrowse ? "done" : state.report || state.captures.length === 1 ? "now" : "later",
  };
  return state.captures.length === 1 ? [browse] : [report, browse];
}

const stepWords = { done: "ready", now: "now", later: "next" };

function stepLine(step: Step): HTMLElement {
  return el(
    "li",
    { class: `step step-${step.state}` },
    el("span", { class: "mark" }, stepWords[step.state]),
    ` ${step.text}`,
  );
}

export class Opening implements Screen {
  readonly element: HTMLElement;
  readonly title = "Opening";
  readonly fillsWindow = false;
  private names = el("ul", { class: "captures" });
  private progress = el("div", { class: "progress" });
  private steps = el("ol", { class: "steps" });
  private heading = el("h1", { tabindex: -1 });
  private bar = el("progress", { "aria-label": "Progress" });
  private text = el("p", { class: "count" });

  constructor(viewer: Viewer) {
    this.progress.append(this.bar, this.text);
    this.element = el(
      "section",
      { class: "screen opening" },
      this.heading,
      this.names,
      this.progress,
      el("h2", null, "What comes"),
      this.steps,
    );
    this.show(viewer.state);
  }

  show(state: State): void {
    const many = state.captures.length;
    this.heading.textContent = many === 0 ? "Opening the captures" : `Reading ${plural(many, "capture")}`;
    fill(this.names, ...state.captures.map((capture) => el("li", null, visible(capture.name))));
    if (state.total > 0) {
      this.bar.max = state.total;
      this.bar.value = Math.min(state.done, state.total);
    } else this.bar.removeAttribute("value");
    this.text.textContent = progressText(state);
    fill(this.steps, ...stepsOf(state).map(stepLine));
  }

  close(): void {}
}

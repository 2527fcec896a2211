/*
 * Why there is nothing to browse: on a side, or at all.
 */
import { el } from "../kit/dom.ts";
import { visible } from "../kit/names.ts";
import type { Side } from "./api.ts";
import { problemBox, type Trouble } from "./problem.ts";
import { sideWord, type Screen, type Viewer } from "./viewer.ts";

/** The reason as the server gives it, of the side or of the whole. */
export function reasonOf(viewer: Viewer, side: Side): string {
  const known = viewer.state.sides.find((each) => each.side === side);
  return known?.why_not ?? viewer.state.why_not ?? viewer.state.error?.error ?? "there is no index of its objects";
}

function failedScreen(viewer: Viewer, trouble: Trouble): Screen {
  const what =
    viewer.state.captures.length === 1 ? "The capture could not be opened" : "The captures could not be opened";
  const element = el("section", { class: "screen" }, el("h1", { tabindex: -1 }, what), problemBox(trouble));
  return { element, title: what, fillsWindow: false, close: () => {} };
}

export function whyNotScreen(viewer: Viewer, side: Side): Screen {
  const { error, report } = viewer.state;
  if (error && !report) return failedScreen(viewer, { text: error.error, hint: error.hint });
  const word = sideWord(viewer, side);
  const what = word === "" ? "This capture cannot be browsed" : `The capture ${word} cannot be browsed`;
  const other = viewer.sides.find((each) => each.side !== side);
  const element = el(
    "section",
    { class: "screen" },
    el("h1", { tabindex: -1 }, what),
    el("p", { class: "reason" }, `Why: ${visible(reasonOf(viewer, side))}.`),
    word === ""
      ? el(
          "p",
          null,
          el("code", null, "hsdiff top"),
          " lists the types in it, ",
          el("code", null, "hsdiff info"),
          " what it holds and where it is from.",
        )
      : null,
    other
      ? el(
          "p",
          null,
          "The other one can: ",
          el("a", { href: viewer.link({ view: "types", side: other.side }) }, `types ${other.side}`),
          ".",
        )
      : null,
    viewer.state.report === null
      ? null
      : el("p", null, el("a", { href: viewer.link({ view: "growth" }) }, "Back to what grew")),
  );
  return { element, title: what, fillsWindow: false, close: () => {} };
}

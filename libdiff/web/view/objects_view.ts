/*
 * All live objects of one type, those that retain most first.
 */
import { el } from "../kit/dom.ts";
import { visible } from "../kit/names.ts";
import type { HeapNode, Side } from "./api.ts";
import { ListView, type ListLook } from "./list_view.ts";
import { liveBytes, sideWord, type At, type Screen, type Viewer } from "./viewer.ts";
import { badge, barCell, countCell, head, nameText, sizeCell } from "./words.ts";

function lookOf(viewer: Viewer, side: Side, type: string): ListLook<HeapNode> {
  const whole = liveBytes(viewer, side);
  return {
    role: "grid",
    kind: "rows-objects",
    label: `Objects of ${type}`,
    head: [
      head("Object", "name"),
      head("Size", "n size"),
      head("Keeps alive", "n objects"),
      head("Retained", "n retained"),
    ],
    noun: ["object", "objects"],
    empty: "No object of this type is live on this side.",
    follow: (node) => viewer.go({ view: "object", side, of: node.of }),
    draw: (node) => ({
      cells: [
        el(
          "span",
          { role: "gridcell", class: "name" },
          el(
            "a",
            { class: "id", tabindex: -1, href: viewer.link({ view: "object", side, of: node.of }) },
            node.id ?? visible(node.type),
          ),
          badge(node.state),
        ),
        sizeCell(node.bytes, "size"),
        countCell(node.retained_objects, "objects"),
        barCell(node.retained, whole, whole > 0),
      ],
      attributes: {},
    }),
  };
}

export function openObjects(viewer: Viewer, at: At): Screen {
  const { side } = at;
  const type = at.place.name;
  const list = new ListView<HeapNode>(
    viewer,
    lookOf(viewer, side, type),
    `objects ${side} ${type}`,
    async (from, count, signal) => {
      const answer = await viewer.api.objects(side, type, from, count, signal);
      return { total: answer.total, isTotalKnown: answer.total_known, rows: answer.nodes };
    },
  );
  const word = sideWord(viewer, side);
  const element = el(
    "section",
    { class: "screen" },
    el(
      "div",
      { class: "screen-head" },
      el(
        "h1",
        { tabindex: -1 },
        el("span", { class: "over" }, word === "" ? "Objects of" : `Objects of, ${word}`),
        " ",
        el("span", { class: "type-name" }, nameText(type, 120)),
      ),
    ),
    list.element,
  );
  return { element, title: visible(type), fillsWindow: true, focus: () => list.focus(), close: () => list.close() };
}

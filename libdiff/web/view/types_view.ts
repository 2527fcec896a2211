/*
 * All types of live objects of one side: found as one types, in the order one wants.
 */
import { el } from "../kit/dom.ts";
import type { Side, TypeOrder, TypeRow } from "./api.ts";
import { ListView, type ListLook } from "./list_view.ts";
import type { Fetcher } from "./pages.ts";
import type { Place } from "./place.ts";
import { liveBytes, sideWord, type At, type Screen, type Viewer } from "./viewer.ts";
import { barCell, countCell, sizeCell, typeLink } from "./words.ts";

const typingMs = 160;

const columns: readonly { readonly order: TypeOrder; readonly text: string; readonly name: string }[] = [
  { order: "name", text: "Type", name: "name" },
  { order: "objects", text: "Objects", name: "n objects" },
  { order: "bytes", text: "Size", name: "n size" },
  { order: "retained", text: "Retained", name: "n retained" },
];

function fetcherOf(viewer: Viewer, side: Side, find: string, order: TypeOrder): Fetcher<TypeRow> {
  return async (from, count, signal) => {
    const answer = await viewer.api.types(side, find, order, from, count, signal);
    return { total: answer.total, isTotalKnown: true, rows: answer.types };
  };
}

function keyOf(side: Side, place: Place): string {
  return `types ${side} ${place.order} ${place.find}`;
}

/* Heads that sort; the one in force says so. */
function heads(viewer: Viewer, current: () => Place): { readonly cells: HTMLElement[]; mark(order: TypeOrder): void } {
  const cells = columns.map(({ order, text, name }) => {
    const act = el(
      "button",
      { type: "button", class: "sort", onclick: () => viewer.adjust({ ...current(), order }) },
      text,
    );
    return el("span", { role: "columnheader", class: name }, act);
  });
  const mark = (order: TypeOrder): void =>
    columns.forEach((column, i) => {
      const sort = column.order !== order ? "none" : order === "name" ? "ascending" : "descending";
      cells[i]!.setAttribute("aria-sort", sort);
    });
  return { cells, mark };
}

function lookOf(viewer: Viewer, side: Side, cells: HTMLElement[]): ListLook<TypeRow> {
  const whole = liveBytes(viewer, side);
  return {
    role: "grid",
    kind: "rows-types",
    label: `Types ${sideWord(viewer, side)}`.trim(),
    head: cells,
    noun: ["type", "types"],
    empty: "No type has that in its name.",
    follow: (row) => viewer.go({ view: "objects", side, name: row.name }),
    draw: (row) => ({
      cells: [
        el("span", { role: "gridcell", class: "name" }, typeLink(viewer, side, row.name, -1)),
        countCell(row.objects, "objects"),
        sizeCell(row.bytes, "size"),
        barCell(row.retained, whole, whole > 0),
      ],
      attributes: {},
    }),
  };
}

export function openTypes(viewer: Viewer, at: At): Screen {
  const { side } = at;
  let place = at.place;
  const head = heads(viewer, () => place);
  head.mark(place.order);
  const list = new ListView(
    viewer,
    lookOf(viewer, side, head.cells),
    keyOf(side, place),
    fetcherOf(viewer, side, place.find, place.order),
  );
  const input = el("input", {
    type: "search",
    class: "find",
    placeholder: "part of a name",
    autocomplete: "off",
    spellcheck: "false",
    value: place.find,
  });
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => viewer.adjust({ ...place, find: input.value }), typingMs);
  });
  const title = sideWord(viewer, side) === "" ? "Types" : `Types ${side}`;
  const element = el(
    "section",
    { class: "screen" },
    el(
      "div",
      { class: "screen-head" },
      el("h1", { tabindex: -1 }, title),
      el("label", { class: "find-label" }, "Types with ", input),
    ),
    list.element,
  );
  return {
    element,
    title,
    fillsWindow: true,
    focus: () => list.focus(),
    update(next) {
      place = next;
      head.mark(next.order);
      if (input.value !== next.find && document.activeElement !== input) input.value = next.find;
      list.show(keyOf(side, next), fetcherOf(viewer, side, next.find, next.order));
    },
    close() {
      clearTimeout(timer);
      list.close();
    },
  };
}

/*
 * The section "What stays": a heat map of ages, which is a table: a row for what came with a capture, a column for each later one, and in a
 * cell how much of it was still alive, as a number and as colour. Healthy work fades to the right; a leak does not.
 */
import { ageRows, stayed, type AgeCell, type AgeRow } from "./cohorts_logic.ts";
import { el, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Model, Survivor } from "../kit/model.ts";
import { shorten, visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";

const steps = 5; /* of colour: charts.css */
const survivorsShown = 20;

export function hasAges(model: Model): boolean {
  return model.series.cohorts.length > 1;
}

function cellOf(cell: AgeCell | null, row: AgeRow): HTMLElement {
  if (!cell) return el("td", { class: "none" });
  const step = cell.bytes === 0 ? 0 : Math.max(1, Math.round(cell.share * steps));
  return el(
    "td",
    { class: `age age-${row.isFirst ? "first" : step}`, title: `${format.bytes(cell.bytes)} in ${format.plural(cell.objects, "object")}` },
    el("b", null, format.share(cell.bytes, Math.max(row.came, cell.bytes))),
    el("span", null, format.bytes(cell.bytes)),
  );
}

function heatMap(rows: readonly AgeRow[]): HTMLElement {
  const heads = rows.map((row) => el("th", { scope: "col", title: visible(row.title) }, shorten(visible(row.title), 16)));
  return el(
    "div",
    { class: "table-box ages-box", tabindex: "0", role: "region", "aria-label": "Ages" },
    el(
      "table",
      { class: "ages", "aria-label": "How much of what came with a capture was alive at later ones" },
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Came with"), ...heads)),
      el(
        "tbody",
        null,
        ...rows.map((row) =>
          el(
            "tr",
            null,
            el(
              "th",
              { scope: "row", title: visible(row.title) },
              row.isFirst ? `${shorten(visible(row.title), 16)} or before` : shorten(visible(row.title), 20),
            ),
            ...row.cells.map((cell) => cellOf(cell, row)),
          ),
        ),
      ),
    ),
  );
}

function sentence(rows: readonly AgeRow[]): Child {
  const { came, alive } = stayed(rows);
  if (came === 0) return null;
  return el(
    "p",
    null,
    `Of ${format.bytes(came)} that came in between, ${format.bytes(alive)} (${format.share(alive, came)}) were still alive at the end.`,
  );
}

function survivorTable(survivors: readonly Survivor[], page: Page): Child {
  const shown = survivors.filter((each) => each.stayed.bytes > 0).slice(0, survivorsShown);
  if (shown.length === 0) return null;
  const row = ({ type, came, stayed: left }: Survivor) =>
    el(
      "tr",
      null,
      el(
        "th",
        { scope: "row" },
        el(
          "button",
          { type: "button", class: "link", title: visible(type), onclick: () => page.openType(type) },
          shorten(visible(type), 60),
        ),
      ),
      el("td", null, format.bytes(came.bytes)),
      el("td", null, format.bytes(left.bytes)),
      el("td", null, format.share(left.bytes, came.bytes)),
      el("td", null, format.count(left.objects)),
    );
  return el(
    "div",
    { class: "table-box ages-box", tabindex: "0", role: "region", "aria-label": "Types that stay" },
    el(
      "table",
      { class: "sizes" },
      el("caption", null, "What came in between and stayed, by type"),
      el(
        "thead",
        null,
        el("tr", null, ...["Type", "Came", "Stayed", "Share", "Objects"].map((title) => el("th", { scope: "col" }, title))),
      ),
      el("tbody", null, ...shown.map(row)),
    ),
  );
}

export function showAges(host: HTMLElement, model: Model, page: Page): void {
  const { cohorts, survivors } = model.series;
  const rows = ageRows(cohorts, model.captures);
  const how = cohorts.some((cohort) => cohort.byStructure) ? el("p", { class: "rest" }, "Objects were recognised by structure.") : null;
  const legend = el(
    "p",
    { class: "map-legend" },
    "Each row: how much of what came with a capture was alive at later ones. Healthy work fades to the right.",
  );
  replaceBelowHeading(host, "What stays", sentence(rows), legend, heatMap(rows), how, survivorTable(survivors, page));
}

/*
 * The section "How it grew": small charts of a series on one axis, the whole heap and what grew most, each with its slope, its verdict and the
 * capture at which growth began; and the same values as a table.
 */
import type uPlot from "uplot";
import { plainRow, plainTable } from "../kit/chart_table.ts";
import { el, fill, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import { coloursIn, inksOf, watchTheme, type Inks } from "../kit/icicle_inks.ts";
import type { Model, SeriesRow } from "../kit/model.ts";
import { shorten, visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";
import { makeChart, type ChartData, type Look } from "./trends_chart.ts";
import { axisOf, eventsOf, growthBegan, slopeLine, slopeText, worthCharts } from "./trends_logic.ts";

const chartsShown = 11; /* besides the whole heap */

export function hasTrends(model: Model): boolean {
  return model.series.count > 1 && (model.series.total?.bytes.length ?? 0) > 1;
}

interface Row {
  readonly name: string;
  readonly row: SeriesRow;
  readonly data: ChartData;
}

function captureName(model: Model, i: number): string {
  const capture = model.captures[i];
  return visible(capture?.label ?? capture?.path ?? `capture ${i + 1}`);
}

function rowsOf(model: Model): Row[] {
  const { series, captures } = model;
  const axis = axisOf(series, captures, series.total!.bytes.length);
  const events = eventsOf(series, captures);
  const chosen = worthCharts(series.types, chartsShown).filter((row) => row.bytes.length === axis.at.length);
  return [["Whole heap", series.total!] as const, ...chosen.map((row) => [visible(row.name), row] as const)].map(([name, row]) => ({
    name,
    row,
    data: {
      axis,
      values: row.bytes,
      slope: slopeLine(row, axis, series.warmup),
      began: series.beforeCount > 0 ? null : growthBegan(row.bytes, series.warmup, series.noiseBytes),
      events,
    },
  }));
}

/* ---- words ---- */

function contrastText(row: SeriesRow): string {
  const { contrast } = row;
  if (!contrast) return "";
  const spread = (side: { median: number; spread: number }) => `${format.bytes(side.median)} \u00b1 ${format.bytes(side.spread)}`;
  return `${spread(contrast.before)} \u2192 ${spread(contrast.after)}, ${contrast.isSignificant ? "they differ" : "may be chance"} (p ${contrast.p.toFixed(3)})`;
}

function words(model: Model, { row, data }: Row): string[] {
  const first = row.bytes[model.series.warmup] ?? 0;
  const last = row.bytes[row.bytes.length - 1] ?? 0;
  if (row.contrast) return [contrastText(row)];
  return [
    `${format.bytes(first)} \u2192 ${format.bytes(last)} (${format.bytesSigned(last - first)})`,
    [row.verdict ?? "", slopeText(row)].filter(Boolean).join(", "),
    data.began === null ? "" : `\u25b2 began after ${captureName(model, data.began)}`,
  ].filter(Boolean);
}

/* ---- charts ---- */

class Charts {
  readonly element: HTMLElement;
  private readonly charts: uPlot[] = [];
  private readonly plots: HTMLElement[];
  private readonly rows: readonly Row[];
  private readonly model: Model;
  private inks: Inks | null = null;

  constructor(rows: readonly Row[], model: Model) {
    this.rows = rows;
    this.model = model;
    this.plots = rows.map(() => el("div", { class: "trend-plot" }));
    this.element = el("div", { class: "trends" }, ...rows.map((row, i) => this.card(row, i)));
    new ResizeObserver(() => this.fit()).observe(this.element);
    watchTheme(() => {
      this.inks = null;
      for (const chart of this.charts) chart.redraw(false);
    });
  }

  private card(row: Row, i: number): HTMLElement {
    const lines = words(this.model, row);
    this.plots[i]!.setAttribute("role", "img");
    this.plots[i]!.setAttribute("aria-label", `${row.name}: ${lines.join(", ")}`);
    return el(
      "figure",
      { class: "trend" },
      el("figcaption", null, el("b", { title: row.name }, shorten(row.name, 44)), ...lines.map((line) => el("span", null, line))),
      this.plots[i]!,
      el("output", { class: "trend-value" }),
    );
  }

  private look(row: Row, output: Element): Look {
    return {
      inks: () => (this.inks ??= inksOf(coloursIn(this.element))),
      ink: () => getComputedStyle(this.element).color,
      font: `11px ${getComputedStyle(this.element).fontFamily}`,
      hovered: (capture) => {
        output.textContent = capture === null ? "" : `${captureName(this.model, capture)}: ${format.bytes(row.row.bytes[capture] ?? 0)}`;
      },
    };
  }

  /* All charts have the width of their card. */
  private fit(): void {
    this.plots.forEach((plot, i) => {
      const width = plot.clientWidth;
      const known = this.charts[i];
      if (width === 0) return;
      if (known) known.setSize({ width, height: known.height });
      else this.charts[i] = makeChart(plot, this.rows[i]!.data, width, this.look(this.rows[i]!, plot.nextElementSibling!));
    });
  }
}

/* ---- the table ---- */

function makeTable(rows: readonly Row[], model: Model): HTMLElement {
  const body = el("tbody");
  rows[0]!.row.bytes.forEach((_, i) => {
    const cells = rows.map(({ row, data }): readonly [string, Child] => [
      data.began === i ? "began" : "",
      `${format.bytes(row.bytes[i] ?? 0)}${data.began === i ? " \u25b2" : ""}`,
    ]);
    body.append(plainRow(captureName(model, i), ["", model.captures[i]?.taken ?? ""], ...cells));
  });
  body.append(plainRow("Verdict", ["", ""], ...rows.map(({ row }): readonly [string, Child] => ["", row.verdict ?? ""])));
  body.append(plainRow("Slope", ["", ""], ...rows.map(({ row }): readonly [string, Child] => ["", slopeText(row)])));
  const columns = rows.map(({ name }): readonly [string, number] => [shorten(name, 28), 11]);
  return el(
    "div",
    { class: "table-box trend-table", tabindex: "0", role: "region", "aria-label": "Values of the series" },
    plainTable("Bytes at each capture", [["Capture", 10], ["Taken", 12], ...columns], body),
  );
}

function eventLine(model: Model): Child {
  const texts = eventsOf(model.series, model.captures).map(({ capture, text }) => `${text} before ${captureName(model, capture)}`);
  return texts.length > 0 ? el("p", { class: "rest" }, `Dotted lines: ${texts.join("; ")}.`) : null;
}

export function showTrends(host: HTMLElement, model: Model, page: Page): void {
  const rows = rowsOf(model);
  const charts = new Charts(rows, model);
  const table = makeTable(rows, model);
  const asTable = el("input", { type: "checkbox", id: "trends-as-table" });
  const show = (): void => {
    asTable.checked = page.state.get("trends.as") === "table";
    charts.element.hidden = asTable.checked;
    table.hidden = !asTable.checked;
  };
  asTable.addEventListener("change", () => page.state.set("trends.as", asTable.checked ? "table" : null));
  page.state.listen("trends.as", show);
  show();
  const legend = el("p", { class: "map-legend" }, "Line: bytes at each capture. Dashes: slope. \u25b2: where growth began.");
  const slot = el("div", null);
  fill(
    slot,
    el("div", { class: "tools icicle-tools" }, legend, el("label", { class: "check" }, asTable, "As table")),
    eventLine(model),
    charts.element,
    table,
  );
  replaceBelowHeading(host, "How it grew", slot);
}

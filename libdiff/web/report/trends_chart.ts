/*
 * One chart of a series by uPlot: values as a line with points, the line of the slope, marks of events and of the capture at which growth began.
 */
import uPlot from "uplot";
import type { Inks } from "../kit/icicle_inks.ts";
import { momentText, rangeOf, tickText, type Axis, type EventMark } from "./trends_logic.ts";

export interface ChartData {
  readonly axis: Axis;
  readonly values: readonly number[];
  readonly slope: readonly (number | null)[];
  readonly began: number | null; /* capture, from 0 */
  readonly events: readonly EventMark[];
}

/** What the chart takes from the page, asked anew for each drawing. */
export interface Look {
  readonly inks: () => Inks;
  readonly ink: () => string; /* of text and axes */
  readonly font: string;
  readonly hovered: (capture: number | null) => void;
}

const height = 170;
const powersOfTwo = Array.from({ length: 60 }, (_, i) => 2 ** i);

/* Lines from top to bottom, in CSS pixels of the plot. */
function upright(chart: uPlot, at: number, colour: string, dash: readonly number[]): void {
  const { ctx, bbox } = chart;
  const x = Math.round(chart.valToPos(at, "x", true)) + 0.5;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((each) => each * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/* A triangle at the foot of the chart. */
function foot(chart: uPlot, at: number, colour: string): void {
  const { ctx, bbox } = chart;
  const x = chart.valToPos(at, "x", true);
  const y = bbox.top + bbox.height;
  const size = 6 * devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x - size, y);
  ctx.lineTo(x + size, y);
  ctx.lineTo(x, y - 1.4 * size);
  ctx.fill();
  ctx.restore();
}

function drawMarks(chart: uPlot, data: ChartData, look: Look): void {
  const { at } = data.axis;
  for (const { capture } of data.events) {
    const before = at[capture - 1];
    const after = at[capture];
    if (before !== undefined && after !== undefined) upright(chart, (before + after) / 2, look.ink(), [2, 3]);
  }
  const began = data.began === null ? undefined : at[data.began];
  if (began !== undefined) foot(chart, began, look.inks().growth[0]!.css);
}

function axes(data: ChartData, look: Look): uPlot.Axis[] {
  const grid = { stroke: () => look.inks().dim.css, width: 1 };
  const common = { stroke: look.ink, font: look.font, grid, ticks: { show: false } };
  const moments = {
    values: (_: uPlot, ticks: number[], __: number, ___: number, step: number) => ticks.map((tick) => momentText(tick, step)),
  };
  const whole = { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500], values: (_: uPlot, ticks: number[]) => ticks.map(String) };
  return [
    { ...common, size: 30, space: 54, ...(data.axis.isTime ? moments : whole) },
    { ...common, size: 72, space: 30, incrs: powersOfTwo, values: (_, ticks, __, ___, step) => ticks.map((tick) => tickText(tick, step)) },
  ];
}

/** Makes a chart in `host`, `width` pixels wide. The caller destroys it. */
export function makeChart(host: HTMLElement, data: ChartData, width: number, look: Look): uPlot {
  const line = () => look.inks().growth[0]!.css;
  const options: uPlot.Options = {
    width,
    height,
    padding: [10, 8, 0, 0],
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { size: 9, width: 2, stroke: line, fill: () => look.inks().paper.css },
    },
    scales: {
      x: { time: data.axis.isTime, range: (_, low, high) => [low - (high - low) * 0.03, high + (high - low) * 0.03] },
      y: { range: () => rangeOf(data.values) },
    },
    axes: axes(data, look),
    series: [
      {},
      { stroke: line, width: 2, points: { show: data.values.length <= 60, size: 5, fill: line } },
      { stroke: look.ink, width: 1, dash: [6, 4], points: { show: false } },
    ],
    hooks: {
      draw: [(chart) => drawMarks(chart, data, look)],
      setCursor: [(chart) => look.hovered(chart.cursor.idx ?? null)],
    },
  };
  return new uPlot(options, [[...data.axis.at], [...data.values], [...data.slope]], host);
}

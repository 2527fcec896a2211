/*
 * What a chart of a series shows besides its values: where on the axis they stand, since when a row grows, the line of its slope, and what
 * happened in between. Pure.
 */
import * as format from "../kit/format.ts";
import type { Capture, Series, SeriesRow } from "../kit/model.ts";

export interface Axis {
  readonly isTime: boolean; /* seconds since 1970, else numbers of captures from 1 */
  readonly at: readonly number[];
}

/** Times where every capture has one and they ascend, else numbers. */
export function axisOf(series: Series, captures: readonly Capture[], count: number): Axis {
  const times = captures.slice(0, count).map((capture) => format.moment(capture.taken));
  const areKnown = series.hasTimes && times.length === count;
  const ascend = times.every((time, i) => time !== null && (i === 0 || time > (times[i - 1] ?? Infinity)));
  if (areKnown && ascend) return { isTime: true, at: times.map((time) => time! / 1000) };
  return { isTime: false, at: Array.from({ length: count }, (_, i) => i + 1) };
}

const nearLow = 0.05; /* of the growth: what still counts as the low */

/**
 * The capture (from 0) at which growth began: the last that was no higher above the low than 5 % of the growth since. null where nothing grew
 * by more than the noise.
 */
export function growthBegan(values: readonly number[], warmup: number, noiseBytes: number): number | null {
  const seen = values.slice(warmup);
  const low = Math.min(...seen);
  const range = Math.max(...seen.slice(seen.lastIndexOf(low))) - low;
  if (seen.length < 2 || range <= noiseBytes) return null;
  for (let i = seen.length - 2; i >= 0; i--) if (seen[i]! <= low + nearLow * range) return i + warmup;
  return null;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Values of the line of the slope, through the middle of the values behind the warm-up; null before it, and all null without a slope. */
export function slopeLine(row: SeriesRow, axis: Axis, warmup: number): (number | null)[] {
  const { trend, bytes } = row;
  const slope = !trend ? null : axis.isTime ? (trend.perHour === null ? null : trend.perHour / 3600) : trend.perStep;
  if (slope === null) return bytes.map(() => null);
  const middle = median(bytes.slice(warmup).map((value, i) => value - slope * axis.at[i + warmup]!));
  return bytes.map((_, i) => (i < warmup ? null : Math.max(0, middle + slope * axis.at[i]!)));
}

export interface EventMark {
  readonly capture: number; /* it stands right before this one (from 0) */
  readonly text: string;
}

/** Ends of the warm-up, restarts, the second group. */
export function eventsOf(series: Series, captures: readonly Capture[]): EventMark[] {
  const events: EventMark[] = [];
  if (series.warmup > 0) events.push({ capture: series.warmup, text: "warm-up ends" });
  if (series.beforeCount > 0) events.push({ capture: series.beforeCount, text: "second group" });
  for (let i = 1; i < captures.length; i++) {
    const one = captures[i - 1]!;
    const two = captures[i]!;
    const isOther = one.pid !== null && two.pid !== null && (one.pid !== two.pid || one.started !== two.started);
    if (isOther && series.beforeCount !== i) events.push({ capture: i, text: "another process" });
  }
  return events;
}

/** "+25.2 MiB an hour", "+3.1 KiB a step"; "" without a trend. */
export function slopeText(row: SeriesRow): string {
  if (!row.trend) return "";
  const { perHour, perStep } = row.trend;
  return perHour === null ? `${format.bytesSigned(perStep)} a step` : `${format.bytesSigned(perHour)} an hour`;
}

const leastCharts = 3;

/** The rows worth a chart: what left the noise, most growth first; where that are few, also what grew inside of it. */
export function worthCharts(rows: readonly SeriesRow[], most: number): SeriesRow[] {
  const growth = (row: SeriesRow) => Math.abs(row.contrast?.growth ?? row.trend?.growth ?? 0);
  const changed = rows.filter((row) => row.bytes.length > 1 && growth(row) > 0).sort((a, b) => growth(b) - growth(a));
  const moved = changed.filter((row) => row.verdict !== "steady");
  return (
    moved.length >= leastCharts ? moved : [...moved, ...changed.filter((row) => row.verdict === "steady")].slice(0, leastCharts)
  ).slice(0, most);
}

/** The part of the axis that shows how values move: from 0 where they do so by much, else a little around them. */
export function rangeOf(values: readonly number[]): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = Math.max((high - low) * 0.12, high * 0.002, 1);
  return [low - margin < high * 0.4 ? 0 : low - margin, high + margin];
}

/** A size for an axis with a tick each `step` bytes: "1.5 MiB", "9.484 MiB", "2 GiB". */
export function tickText(bytes: number, step: number): string {
  if (bytes <= 0) return "0";
  const unit = Math.min(6, Math.floor(Math.log2(bytes) / 10));
  const size = 2 ** (10 * unit);
  const decimals = Math.min(4, Math.max(0, Math.ceil(-Math.log10(step / size))));
  const figures = (bytes / size).toFixed(decimals);
  return `${decimals > 0 ? figures.replace(/\.?0+$/, "") : figures} ${unit === 0 ? "B" : `${"KMGTPE"[unit - 1]}iB`}`;
}

const day = 86400;

/** A moment for an axis with a tick each `step` seconds, UTC: "14:30", at midnight and for whole days the day, "11-20". */
export function momentText(seconds: number, step: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  if (step >= day || seconds % day === 0) return iso.slice(5, 10);
  return step < 60 ? iso.slice(11, 19) : iso.slice(11, 16);
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyModel, type Capture, type SeriesRow } from "../kit/model.ts";
import { axisOf, eventsOf, growthBegan, momentText, rangeOf, slopeLine, slopeText, tickText, worthCharts } from "../report/trends_logic.ts";

const hour = 3600;

function captureOf(taken: string | null, pid: number | null = 1): Capture {
  return { taken, pid, started: null } as unknown as Capture;
}

function rowOf(bytes: readonly number[], more: Partial<SeriesRow> = {}): SeriesRow {
  return {
    name: "T",
    root: null,
    kind: null,
    path: [],
    objects: [],
    bytes,
    trend: null,
    contrast: null,
    verdict: null,
    ...more,
  } as SeriesRow;
}

const trend = { growth: 30, perStep: 10, perHour: 20, steps: 3, up: 3, down: 0, p: 0.1 };
const seriesOf = (more: object) => ({ ...emptyModel().series, ...more });

test("growth began at the last capture that was near the low", () => {
  assert.equal(growthBegan([0, 100, 200, 300], 0, 1), 0);
  assert.equal(growthBegan([100, 100, 101, 500, 900], 0, 10), 2);
  assert.equal(growthBegan([900, 100, 100, 500], 0, 10), 2);
  assert.equal(growthBegan([0, 50, 100, 100, 100], 2, 10), null);
  assert.equal(growthBegan([100, 105, 102], 0, 10), null);
  assert.equal(growthBegan([500, 400, 300], 0, 10), null);
  assert.equal(growthBegan([1], 0, 0), null);
});

test("the axis is time where every capture has one and they ascend", () => {
  const captures = ["2026-11-20 09:00:00Z", "2026-11-20 10:00:00Z", "2026-11-20 12:00:00Z"].map((taken) => captureOf(taken));
  const axis = axisOf(seriesOf({ hasTimes: true }), captures, 3);
  assert.equal(axis.isTime, true);
  assert.deepEqual(
    axis.at.map((at) => at - axis.at[0]!),
    [0, hour, 3 * hour],
  );
  assert.deepEqual(axisOf(seriesOf({ hasTimes: false }), captures, 3).at, [1, 2, 3]);
  assert.equal(axisOf(seriesOf({ hasTimes: true }), [captures[0]!, captures[0]!], 2).isTime, false);
  assert.equal(axisOf(seriesOf({ hasTimes: true }), [captureOf(null), captures[1]!], 2).isTime, false);
});

test("the line of a slope goes through the middle of the values behind the warm-up", () => {
  const row = rowOf([999, 10, 20, 30], { trend });
  assert.deepEqual(slopeLine(row, { isTime: false, at: [1, 2, 3, 4] }, 1), [null, 10, 20, 30]);
  const byTime = slopeLine(rowOf([0, 20, 40], { trend }), { isTime: true, at: [0, hour, 2 * hour] }, 0);
  assert.deepEqual(
    byTime.map((value) => Math.round(value!)),
    [0, 20, 40],
  );
  assert.deepEqual(slopeLine(rowOf([1, 2]), { isTime: false, at: [1, 2] }, 0), [null, null]);
});

test("events are the end of the warm-up, another process, the second group", () => {
  const captures = [captureOf(null, 1), captureOf(null, 1), captureOf(null, 2), captureOf(null, null)];
  assert.deepEqual(eventsOf(seriesOf({ warmup: 1 }), captures), [
    { capture: 1, text: "warm-up ends" },
    { capture: 2, text: "another process" },
  ]);
  assert.deepEqual(eventsOf(seriesOf({ beforeCount: 2 }), captures), [{ capture: 2, text: "second group" }]);
});

test("what moved most has charts, what is steady has none", () => {
  const rows = [
    rowOf([1, 2], { verdict: "steady", trend }),
    rowOf([1, 2], { verdict: "each step", trend }),
    rowOf([9, 2], { name: "S", verdict: "shrinking", trend: { ...trend, growth: -90 } }),
  ];
  const many = [...rows, rowOf([1, 5], { name: "U", verdict: "growing", trend: { ...trend, growth: 40 } })];
  assert.deepEqual(
    worthCharts(many, 5).map((row) => row.name),
    ["S", "U", "T"],
  );
  assert.equal(worthCharts(rows, 1).length, 1);
});

test("slopes are told by the hour where times are known", () => {
  assert.equal(slopeText(rowOf([], { trend })), "+20 B an hour");
  assert.equal(slopeText(rowOf([], { trend: { ...trend, perHour: null } })), "+10 B a step");
});

test("sizes and moments at an axis are as long as the ticks need", () => {
  const mib = 1 << 20;
  assert.equal(tickText(0, 1), "0");
  assert.equal(tickText(mib, mib), "1 MiB");
  assert.equal(tickText(1.5 * mib, mib / 2), "1.5 MiB");
  assert.equal(tickText(10 * mib, mib), "10 MiB");
  assert.notEqual(tickText(9 * mib + 16384, 16384), tickText(9 * mib + 32768, 16384));
  assert.equal(momentText(1763629200, 3600), "09:00");
  assert.equal(momentText(1763596800, 3600), "11-20");
  assert.equal(momentText(1763629205, 5), "09:00:05");
});

test("an axis begins at 0 unless that would hide how values move", () => {
  assert.equal(rangeOf([10, 100])[0], 0);
  const [low, high] = rangeOf([1000, 1010]);
  assert.ok(low > 900 && low < 1000 && high > 1010);
  assert.ok(rangeOf([0, 0])[1] > 0);
});

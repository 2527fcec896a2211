/*
 * Records of a series (schema hsdiff.series/1): one value for each capture, in their order, and what they prove.
 */
import { readAmount, readSteps, type Amount, type Step } from "./model_pieces.ts";
import { flag, list, natural, number, numberOrNull, numbers, object, text, textOrNull, type Json } from "./wire.ts";

/** Bytes per step of the captures, per hour if their times are known. */
export interface Trend {
  readonly growth: number;
  readonly perStep: number;
  readonly perHour: number | null;
  readonly steps: number;
  readonly up: number;
  readonly down: number;
  readonly p: number;
}

/** Repeated captures on both sides: medians and their spread. */
export interface Contrast {
  readonly before: { readonly median: number; readonly spread: number };
  readonly after: { readonly median: number; readonly spread: number };
  readonly growth: number;
  readonly p: number;
  readonly isSignificant: boolean;
}

export interface SeriesRow {
  /** Of a type, a root, or of the type of a holder. */
  readonly name: string;
  readonly root: string | null;
  readonly kind: string | null;
  readonly path: readonly Step[];
  /** Of what is lost: who allocated what heads it, and the types round a cycle. */
  readonly place: string | null;
  readonly cycle: string | null;
  readonly objects: readonly number[];
  readonly bytes: readonly number[];
  readonly trend: Trend | null;
  readonly contrast: Contrast | null;
  /** "each step", "levelled", "no trend", "steady", …; null in a contrast. */
  readonly verdict: string | null;
}

/** What came with captures first..last (from 0), and how much of it was alive at the end of each cohort from its own on. */
export interface Cohort {
  readonly first: number;
  readonly last: number;
  readonly byStructure: boolean;
  readonly alive: readonly Amount[];
}

export interface Survivor {
  readonly type: string;
  readonly came: Amount;
  readonly stayed: Amount;
}

export interface SeriesFacts {
  /** Captures; 0 when the page is not about a series. */
  readonly count: number;
  /** Captures on the left of "--"; 0 = one row of captures. */
  readonly beforeCount: number;
  readonly warmup: number;
  readonly hasTimes: boolean;
  readonly oneProcess: boolean;
  readonly noiseBytes: number;
}

export interface Series extends SeriesFacts {
  total: SeriesRow | null;
  unreached: SeriesRow | null;
  types: SeriesRow[];
  roots: SeriesRow[];
  holders: SeriesRow[];
  /** What is lost: rows are named by what heads it, and place is who allocated that. */
  lost: SeriesRow[];
  /** By table: "type", "root", "holder". */
  others: Map<string, { readonly rows: number; readonly row: SeriesRow }>;
  /** Why a table is not there, by its name: "root", "holder", "cohort". */
  unknown: Map<string, string>;
  cohorts: Cohort[];
  survivors: Survivor[];
}

export function emptySeries(): Series {
  return {
    ...readFacts({}),
    total: null,
    unreached: null,
    types: [],
    roots: [],
    holders: [],
    lost: [],
    others: new Map(),
    unknown: new Map(),
    cohorts: [],
    survivors: [],
  };
}

export function readFacts(json: Json): SeriesFacts {
  return {
    count: natural(json["captures"]),
    beforeCount: natural(json["before_count"]),
    warmup: natural(json["warmup"]),
    hasTimes: flag(json["has_times"]),
    oneProcess: flag(json["one_process"]),
    noiseBytes: natural(json["noise_bytes"]),
  };
}

function readTrend(value: unknown): Trend | null {
  if (value === null || value === undefined) return null;
  const json = object(value);
  return {
    growth: number(json["growth"]),
    perStep: number(json["per_step"]),
    perHour: numberOrNull(json["per_hour"]),
    steps: natural(json["steps"]),
    up: natural(json["up"]),
    down: natural(json["down"]),
    p: number(json["p"]),
  };
}

function readMedian(value: unknown): { median: number; spread: number } {
  const json = object(value);
  return { median: number(json["median"]), spread: number(json["spread"]) };
}

function readContrast(value: unknown): Contrast | null {
  if (value === null || value === undefined) return null;
  const json = object(value);
  return {
    before: readMedian(json["before"]),
    after: readMedian(json["after"]),
    growth: number(json["growth"]),
    p: number(json["p"]),
    isSignificant: flag(json["significant"]),
  };
}

/** `name` is the field that names the row. */
export function readSeriesRow(json: Json, name: "type" | "root"): SeriesRow {
  return {
    name: text(json[name]),
    root: textOrNull(json["root"]),
    kind: textOrNull(json["kind"]),
    path: readSteps(json["path"]),
    place: textOrNull(json["place"]),
    cycle: textOrNull(json["cycle"]),
    objects: numbers(json["objects"]),
    bytes: numbers(json["bytes"]),
    trend: readTrend(json["trend"]),
    contrast: readContrast(json["contrast"]),
    verdict: textOrNull(json["verdict"]),
  };
}

export function readCohort(json: Json): Cohort {
  return {
    first: natural(json["first"]),
    last: natural(json["last"]),
    byStructure: flag(json["by_structure"]),
    alive: list(json["alive"]).map(readAmount),
  };
}

export function readSurvivor(json: Json): Survivor {
  return { type: text(json["type"]), came: readAmount(json["came"]), stayed: readAmount(json["stayed"]) };
}

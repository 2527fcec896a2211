/*
 * What a page knows: the records of hsdiff's NDJSON (schemas hsdiff.page/1, diff/1, series/1, check/1) as typed rows. Records come in any order;
 * unknown ones and unknown fields are skipped. Numbers are exact up to 2^53 - 1.
 *
 * `null` means "not known" wherever a type allows it: new and freed are null when single objects cannot be recognised.
 */
import { readCheck, readFinding, readRule, type Check, type Finding, type Rule } from "./model_check.ts";
import * as diff from "./model_diff.ts";
import { readAmount, readChange } from "./model_pieces.ts";
import { emptySeries, readCohort, readFacts, readSeriesRow, readSurvivor, type Series } from "./model_series.ts";
import { flag, list, natural, number, object, text, texts, type Json } from "./wire.ts";

export type { Allowance, Check, Finding, FoundSite, Limit, Rule } from "./model_check.ts";
export type * from "./model_diff.ts";
export type { Amount, Change, Sides, Step } from "./model_pieces.ts";
export type { Cohort, Contrast, Series, SeriesRow, Survivor, Trend } from "./model_series.ts";

/** A line of "how it was made". */
export interface Made {
  readonly label: string;
  readonly text: string;
}

export interface About {
  readonly kind: "diff" | "series" | "check";
  readonly version: string;
  readonly generatedBy: string;
  readonly noiseBytes: number;
  readonly made: readonly Made[];
  /** Sizes are told in bytes, as --bytes asks. */
  readonly exactBytes: boolean;
}

export interface Model {
  about: About;
  /** The sentences that a report begins with; names in it are as they are */
  answer: string;
  captures: diff.Capture[];
  match: diff.Match | null;
  total: diff.Total | null;
  warnings: string[];
  /** Problems and notes of a check. */
  problems: string[];
  notes: string[];
  types: diff.TypeRow[];
  otherTypes: diff.Others | null;
  roots: diff.RootRow[];
  otherRoots: diff.Others | null;
  holders: diff.Holder[];
  otherHolders: diff.HolderRest | null;
  /** null: they are known. "": the first sentences say why they are not. */
  whyNoHolders: string | null;
  tree: diff.Place[];
  sizes: Map<string, diff.Sizes>;
  sites: diff.Site[];
  otherSites: diff.Others | null;
  lost: diff.LostRow[];
  otherLost: diff.Others | null;
  uncollected: diff.UncollectedRow[];
  otherUncollected: diff.Others | null;
  check: Check | null;
  rules: Rule[];
  findings: Finding[];
  /** Empty unless has(series) */
  series: Series;
}

export function emptyModel(): Model {
  return {
    about: { kind: "diff", version: "", generatedBy: "", noiseBytes: 0, made: [], exactBytes: false },
    answer: "",
    captures: [],
    match: null,
    total: null,
    warnings: [],
    problems: [],
    notes: [],
    types: [],
    otherTypes: null,
    roots: [],
    otherRoots: null,
    holders: [],
    otherHolders: null,
    whyNoHolders: null,
    tree: [],
    sizes: new Map(),
    sites: [],
    otherSites: null,
    lost: [],
    otherLost: null,
    uncollected: [],
    otherUncollected: null,
    check: null,
    rules: [],
    findings: [],
    series: emptySeries(),
  };
}

/* ---- records ---- */

function readMade(value: unknown): Made {
  const json = object(value);
  return { label: text(json["label"]), text: text(json["text"]) };
}

function readAbout(json: Json): About {
  const kind = json["kind"];
  return {
    kind: kind === "series" || kind === "check" ? kind : "diff",
    version: text(json["version"]),
    generatedBy: text(json["generated_by"]),
    noiseBytes: natural(json["noise_bytes"]),
    made: list(json["made"]).map(readMade),
    exactBytes: flag(json["exact_bytes"]),
  };
}

type Put = (model: Model, json: Json) => void;

function putOthers(model: Model, json: Json): void {
  const rows = natural(json["rows"]);
  if (isSeries(json)) model.series.others.set(text(json["table"]), { rows, row: readSeriesRow(json, "type") });
  else if (json["of"] === "type") model.otherTypes = { rows, ...readChange(json) };
  else if (json["of"] === "root") model.otherRoots = { rows, ...readChange(json) };
  else if (json["of"] === "site") model.otherSites = { rows, ...readChange(json) };
  else if (json["of"] === "lost") model.otherLost = { rows, ...readChange(json) };
  else if (json["of"] === "uncollected") model.otherUncollected = { rows, ...readChange(json) };
  else if (json["of"] === "holder")
    model.otherHolders = { rows, net: readAmount(json["net"]), growthBytes: number(json["growth_bytes"]) };
}

function isSeries(json: Json): boolean {
  return text(json["schema"]).startsWith("hsdiff.series/");
}

/* A check's records say the same captures as those of the diff or series that follows: each stands once. */
function putCapture(model: Model, json: Json): void {
  const capture = diff.readCapture(json);
  const known = model.captures.findIndex((each) => each.path === capture.path && each.side === capture.side && each.label === capture.label && capture.side !== null);
  if (known >= 0) model.captures[known] = capture;
  else if (text(json["schema"]).startsWith("hsdiff.check/") && capture.side === null) return;
  else model.captures.push(capture);
}

const records: { readonly [record: string]: Put } = {
  page: (model, json) => (model.about = readAbout(json)),
  answer: (model, json) => {
    if (model.answer === "") model.answer = text(json["text"]); /* that of a check stands before that of its captures */
  },
  capture: putCapture,
  match: (model, json) => {
    model.match = diff.readMatch(json);
    putTexts(model.warnings, texts(json["warnings"]));
  },
  total: (model, json) => {
    if (isSeries(json)) model.series.total = readSeriesRow(json, "type");
    else model.total = diff.readTotal(json);
  },
  warning: (model, json) => putTexts(model.warnings, [text(json["text"])]),
  problem: (model, json) => putTexts(model.problems, [text(json["text"])]),
  note: (model, json) => putTexts(model.notes, [text(json["text"])]),
  type: (model, json) => {
    if (isSeries(json)) model.series.types.push(readSeriesRow(json, "type"));
    else model.types.push(diff.readType(json));
  },
  root: (model, json) => {
    if (isSeries(json)) model.series.roots.push(readSeriesRow(json, "root"));
    else model.roots.push(diff.readRoot(json));
  },
  others: putOthers,
  holder: (model, json) => {
    if (isSeries(json)) model.series.holders.push(readSeriesRow(json, "type"));
    else model.holders.push(diff.readHolder(json));
  },
  no_holders: (model, json) => (model.whyNoHolders = text(json["text"])),
  tree: (model, json) => {
    model.tree.push(diff.readPlace(json));
  },
  sizes: (model, json) => model.sizes.set(text(json["type"]), diff.readSizes(json)),
  site: (model, json) => model.sites.push(diff.readSite(json)),
  lost: (model, json) => {
    if (!isSeries(json)) model.lost.push(diff.readLost(json));
    else model.series.lost.push(readSeriesRow(json, "type"));
  },
  uncollected: (model, json) => model.uncollected.push(diff.readUncollected(json)),
  series: (model, json) => Object.assign(model.series, readFacts(json)),
  unreached: (model, json) => (model.series.unreached = readSeriesRow(json, "type")),
  unknown: (model, json) => model.series.unknown.set(text(json["table"]), text(json["why"])),
  cohort: (model, json) => model.series.cohorts.push(readCohort(json)),
  survivor: (model, json) => model.series.survivors.push(readSurvivor(json)),
  check: (model, json) => (model.check = readCheck(json)),
  rule: (model, json) => model.rules.push(readRule(json)),
  finding: (model, json) => model.findings.push(readFinding(json)),
};

function putTexts(into: string[], added: readonly string[]): void {
  for (const each of added) if (each !== "" && !into.includes(each)) into.push(each);
}

/* ---- reading ---- */

/** Adds one line of NDJSON. A line that is no JSON is an error that names its number. */
export function addLine(model: Model, line: string, lineNumber: number): void {
  if (line === "") return;
  let json: Json;
  try {
    json = JSON.parse(line) as Json;
  } catch {
    throw new Error(`line ${lineNumber} of the data inside this page is damaged`);
  }
  if (typeof json !== "object" || json === null) return;
  const record = text(json["record"]);
  if (Object.prototype.hasOwnProperty.call(records, record)) records[record]!(model, json);
}

/* Rows of the tree may have been left out, so that row and parent are numbers of their own: here they become indexes. */
function numberTree(model: Model): void {
  const index = new Map<number, number>();
  const places: diff.Place[] = [];
  for (const place of [...model.tree].sort((a, b) => a.row - b.row)) {
    const parent = place.parent < 0 ? -1 : index.get(place.parent);
    if (parent === undefined || index.has(place.row) || (parent < 0) !== (places.length === 0)) continue; /* hangs from nothing */
    index.set(place.row, places.length);
    places.push({ ...place, row: places.length, parent });
  }
  model.tree = places;
}

/** Call when all lines are in. */
export function finish(model: Model): void {
  numberTree(model);
}

/** All of it at once: for tests and small pages. */
export function parse(ndjson: string): Model {
  const model = emptyModel();
  ndjson.split("\n").forEach((line, i) => addLine(model, line, i + 1));
  finish(model);
  return model;
}

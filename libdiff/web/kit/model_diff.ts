/*
 * Records of a diff (schema hsdiff.diff/1): captures, how objects were recognised, types, roots, holders, the dominator tree, sites.
 */
import {
  readAmount,
  readAmountOrNull,
  readChange,
  readSides,
  readSteps,
  type Amount,
  type Change,
  type Sides,
  type Step,
} from "./model_pieces.ts";
import { flag, list, natural, number, numberOrNull, object, text, textOrNull, texts, type Json } from "./wire.ts";

export interface Capture {
  readonly side: "before" | "after" | null;
  readonly label: string | null;
  readonly path: string;
  readonly runtime: string;
  readonly format: string;
  readonly isComplete: boolean;
  readonly whyIncomplete: string | null;
  readonly identity: string;
  readonly process: string | null;
  readonly pid: number | null;
  readonly started: string | null;
  readonly taken: string | null;
  readonly domain: string | null;
  readonly objects: number;
  readonly bytes: number;
  readonly unreached: Amount;
  readonly hasRoots: boolean;
  readonly hasReferences: boolean;
  readonly dangling: number;
  readonly lost: number;
  readonly damagedBlocks: number;
  /** Values inside the capture (strings, keys): null when the record does not say. */
  readonly hasValues: boolean | null;
  readonly isBaseline: boolean;
  readonly metrics: readonly { readonly name: string; readonly unit: string; readonly value: number }[];
}

export interface Match {
  readonly basis: string;
  readonly reason: string | null;
  readonly exact: number;
  readonly address: number;
  readonly structure: number;
  readonly unmatchedBefore: number;
  readonly unmatchedAfter: number;
  readonly ambiguous: number;
  readonly rungs: readonly { readonly rung: string; readonly objects: number; readonly bytes: number }[];
}

export interface TypeRow extends Change {
  readonly name: string;
  readonly retained: Sides | null;
  /** Up to three ids of new objects, "0x1f". */
  readonly examples: readonly string[];
}

export interface RootRow extends Change {
  readonly name: string;
  readonly kind: string;
  readonly retained: Sides | null;
}

export interface Others extends Change {
  readonly rows: number;
}

export interface HolderType {
  readonly type: string;
  readonly growth: Amount;
  readonly new: Amount | null;
  readonly freed: Amount | null;
}

export interface HolderEdge {
  readonly depth: number;
  readonly edge: string;
  readonly type: string;
  readonly before: Amount;
  readonly after: Amount;
  readonly new: Amount | null;
  readonly growthBytes: number;
}

/** One of several things that hold growth together; what several reach counts for each. */
export interface HeldBy {
  readonly type: string | null;
  readonly root: string;
  readonly kind: string | null;
  readonly path: readonly Step[];
  readonly pathCut: number;
  readonly bytes: number;
}

export interface Holder {
  /** Of the object that holds; null when it is no object but the root itself. */
  readonly type: string | null;
  readonly object: string | null;
  readonly root: string;
  readonly kind: string | null;
  readonly path: readonly Step[];
  /** Steps of the path that were left out of its middle. */
  readonly pathCut: number;
  /** It stands for one in each of so many threads of a pool; 0 = for itself. */
  readonly threads: number;
  /** By what its new objects are held together, those that reach most first; none where one thing holds them. */
  readonly heldBy: readonly HeldBy[];
  readonly heldTogetherBytes: number;
  readonly new: Amount | null;
  readonly freed: Amount | null;
  readonly net: Amount;
  readonly growthBytes: number;
  readonly types: readonly HolderType[];
  readonly edges: readonly HolderEdge[];
}

export interface HolderRest {
  readonly rows: number;
  readonly net: Amount;
  readonly growthBytes: number;
}

/** Amounts of a place of the dominator tree. */
export interface PlaceAmounts {
  readonly before: Amount;
  readonly after: Amount;
  readonly new: Amount | null;
  readonly freed: Amount | null;
}

/** `row` and `parent` are indexes into model.tree; row 0 is the whole heap (parent -1). Parents come before their children. */
export interface Place {
  readonly row: number;
  readonly depth: number;
  readonly parent: number;
  readonly isRoot: boolean;
  readonly edge: string;
  readonly type: string;
  readonly own: PlaceAmounts;
  readonly total: PlaceAmounts;
}

/** One column of a histogram: objects of 2^log2 to 2^(log2+1) - 1 bytes; log2 -1: objects of no bytes. */
export interface SizeClass {
  readonly log2: number;
  readonly count: number;
  readonly bytes: number;
}

export interface Sizes {
  readonly before: readonly SizeClass[];
  readonly after: readonly SizeClass[];
}

export interface Frame {
  readonly function: string;
  readonly file: string;
  readonly line: number;
}

export interface Site {
  /** Innermost first; empty: no site is known. */
  readonly frames: readonly Frame[];
  /** The one that wanted the memory and did not allocate it for others. */
  readonly wanted: number;
  readonly before: Amount;
  readonly after: Amount;
  readonly growth: Amount;
}

/** What no pointer leads to any more, by what heads it and who allocated that. */
export interface LostRow extends Site {
  readonly type: string;
  /** The types round a cycle; null where the heads are on none. */
  readonly cycle: string | null;
  /** Objects that hang below the heads after; null where nothing says what heads what. */
  readonly below: number | null;
}

/** What a collector has not freed yet. */
export interface UncollectedRow {
  readonly type: string;
  readonly before: Amount;
  readonly after: Amount;
  readonly growth: Amount;
  /** Of before: live after; null where that is not known. */
  readonly revived: Amount | null;
}

export interface Total extends Change {
  readonly identityKnown: boolean;
  readonly isPartial: boolean;
  readonly isSummary: boolean;
}

function readSide(value: unknown): "before" | "after" | null {
  return value === "before" || value === "after" ? value : null;
}

export function readCapture(json: Json): Capture {
  return {
    side: readSide(json["side"]),
    label: textOrNull(json["label"]),
    path: text(json["path"]),
    runtime: text(json["runtime"]),
    format: text(json["format"]),
    isComplete: json["complete"] !== false,
    whyIncomplete: textOrNull(json["incomplete_reason"]),
    identity: text(json["identity"]),
    process: textOrNull(json["process"]),
    pid: numberOrNull(json["pid"]),
    started: textOrNull(json["started"]),
    taken: textOrNull(json["taken"]),
    domain: textOrNull(json["domain"]),
    objects: natural(json["objects"]),
    bytes: natural(json["bytes"]),
    unreached: readAmount(json["unreached"]),
    hasRoots: flag(json["has_roots"]),
    hasReferences: flag(json["has_references"]),
    dangling: natural(json["dangling_references"]),
    lost: natural(json["lost"]),
    damagedBlocks: natural(json["damaged_blocks"]),
    hasValues: typeof json["has_values"] === "boolean" ? json["has_values"] : null,
    isBaseline: flag(json["baseline"]),
    metrics: list(json["metrics"]).map((each) => {
      const metric = object(each);
      return { name: text(metric["name"]), unit: text(metric["unit"]), value: number(metric["value"]) };
    }),
  };
}

export function readMatch(json: Json): Match {
  return {
    basis: text(json["basis"]),
    reason: textOrNull(json["reason"]),
    exact: natural(json["exact"]),
    address: natural(json["address"]),
    structure: natural(json["structure"]),
    unmatchedBefore: natural(json["unmatched_before"]),
    unmatchedAfter: natural(json["unmatched_after"]),
    ambiguous: natural(json["ambiguous"]),
    rungs: list(json["rungs"]).map((each) => {
      const rung = object(each);
      return { rung: text(rung["rung"]), objects: natural(rung["objects"]), bytes: natural(rung["bytes"]) };
    }),
  };
}

export function readTotal(json: Json): Total {
  return {
    ...readChange(json),
    identityKnown: flag(json["identity_known"]),
    isPartial: flag(json["partial"]),
    isSummary: flag(json["summary"]),
  };
}

function readHolderType(value: unknown): HolderType {
  const json = object(value);
  return {
    type: text(json["type"]),
    growth: readAmount(json),
    new: readAmountOrNull(json["new"]),
    freed: readAmountOrNull(json["freed"]),
  };
}

function readHolderEdge(value: unknown): HolderEdge {
  const json = object(value);
  return {
    depth: natural(json["depth"]),
    edge: text(json["edge"]),
    type: text(json["type"]),
    before: readAmount(json["before"]),
    after: readAmount(json["after"]),
    new: readAmountOrNull(json["new"]),
    growthBytes: number(json["growth_bytes"]),
  };
}

function readHeldBy(value: unknown): HeldBy {
  const json = object(value);
  return {
    type: textOrNull(json["type"]),
    root: text(json["root"]),
    kind: textOrNull(json["kind"]),
    path: readSteps(json["path"]),
    pathCut: natural(json["path_cut"]),
    bytes: natural(json["bytes"]),
  };
}

export function readHolder(json: Json): Holder {
  return {
    type: textOrNull(json["type"]),
    object: textOrNull(json["object"]),
    root: text(json["root"]),
    kind: textOrNull(json["kind"]),
    path: readSteps(json["path"]),
    pathCut: natural(json["path_cut"]),
    threads: natural(json["threads"]),
    heldBy: list(json["held_by"]).map(readHeldBy),
    heldTogetherBytes: natural(json["held_together_bytes"]),
    new: readAmountOrNull(json["new"]),
    freed: readAmountOrNull(json["freed"]),
    net: readAmount(json["net"]),
    growthBytes: number(json["growth_bytes"]),
    types: list(json["types"]).map(readHolderType),
    edges: list(json["edges"]).map(readHolderEdge),
  };
}

function readPlaceAmounts(value: unknown): PlaceAmounts {
  const json = object(value);
  return {
    before: readAmount(json["before"]),
    after: readAmount(json["after"]),
    new: readAmountOrNull(json["new"]),
    freed: readAmountOrNull(json["freed"]),
  };
}

export function readPlace(json: Json): Place {
  return {
    row: natural(json["row"]),
    depth: natural(json["depth"]),
    parent: numberOrNull(json["parent"]) ?? -1,
    isRoot: flag(json["is_root"]),
    edge: text(json["edge"]),
    type: text(json["type"]),
    own: readPlaceAmounts(json["own"]),
    total: readPlaceAmounts(json["total"]),
  };
}

function readSizeClasses(value: unknown): SizeClass[] {
  return list(value).map((each) => {
    const [bucket, objects, bytes] = list(each);
    return { log2: Math.min(63, natural(bucket) - 1), count: natural(objects), bytes: natural(bytes) };
  });
}

export function readSite(json: Json): Site {
  return {
    frames: list(json["frames"]).map((each) => {
      const frame = object(each);
      return { function: text(frame["function"]), file: text(frame["file"]), line: natural(frame["line"]) };
    }),
    wanted: natural(json["frame"]),
    before: readAmount(json["before"]),
    after: readAmount(json["after"]),
    growth: readAmount(json["growth"]),
  };
}

export function readLost(json: Json): LostRow {
  const site = readSite(json);
  const heads = readSides(json["heads"] === null ? null : json["heads"]);
  return {
    ...site,
    type: text(json["type"]),
    cycle: textOrNull(json["cycle"]),
    below: heads === null ? null : Math.max(0, site.after.objects - readAmount(object(json["heads"])["after"]).objects),
  };
}

export function readUncollected(json: Json): UncollectedRow {
  return {
    type: text(json["type"]),
    before: readAmount(json["before"]),
    after: readAmount(json["after"]),
    growth: readAmount(json["growth"]),
    revived: readAmountOrNull(json["revived"]),
  };
}

export function readType(json: Json): TypeRow {
  return {
    name: text(json["type"]),
    ...readChange(json),
    retained: readSides(json["retained"]),
    examples: texts(json["examples"]),
  };
}

export function readRoot(json: Json): RootRow {
  return { name: text(json["root"]), kind: text(json["kind"]), ...readChange(json), retained: readSides(json["retained"]) };
}

export function readSizes(json: Json): Sizes {
  return { before: readSizeClasses(json["before"]), after: readSizeClasses(json["after"]) };
}

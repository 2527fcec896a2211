/*
 * Arithmetic of rows that have a before and an after: sums, so that rows always add up to the total, and how far out of proportion a row grew.
 */
import type { Amount, Change } from "../kit/model.ts";

const none: Amount = { objects: 0, bytes: 0 };

function plus(a: Amount, b: Amount, sign: 1 | -1): Amount {
  return { objects: a.objects + sign * b.objects, bytes: a.bytes + sign * b.bytes };
}

function plusKnown(a: Amount | null, b: Amount | null, sign: 1 | -1): Amount | null {
  return a === null || b === null ? null : plus(a, b, sign);
}

function combine(a: Change, b: Change, sign: 1 | -1): Change {
  return {
    before: plus(a.before, b.before, sign),
    after: plus(a.after, b.after, sign),
    growth: plus(a.growth, b.growth, sign),
    new: plusKnown(a.new, b.new, sign),
    freed: plusKnown(a.freed, b.freed, sign),
    resizedBytes: a.resizedBytes === null || b.resizedBytes === null ? null : a.resizedBytes + sign * b.resizedBytes,
  };
}

export const noChange: Change = { before: none, after: none, growth: none, new: none, freed: none, resizedBytes: 0 };

export function sumOf(changes: Iterable<Change>): Change {
  let sum = noChange;
  for (const change of changes) sum = combine(sum, change, 1);
  return sum;
}

/** What is left of `whole` when `part` is taken away: "N other types". */
export function restOf(whole: Change, part: Change): Change {
  return combine(whole, part, -1);
}

/**
 * Growth as a multiple of what it would be if all had grown alike: 1 = in proportion, 5 = five times that. null where it says nothing: when
 * the whole did not grow, or when there was nothing before.
 */
export function overweight(change: Change, total: Change): number | null {
  if (total.growth.bytes <= 0 || total.before.bytes <= 0 || change.before.bytes <= 0) return null;
  return (change.growth.bytes * total.before.bytes) / (change.before.bytes * total.growth.bytes);
}

/** "x5.2", "x0", "-x0.4"; in tenths below ten, whole above. */
export function overweightText(value: number | null): string {
  if (value === null) return "";
  const magnitude = Math.abs(value);
  const tenths = Math.round(magnitude * 10);
  if (tenths === 0) return "x0";
  const digits = tenths < 100 ? `${Math.floor(tenths / 10)}.${tenths % 10}` : String(Math.round(magnitude)).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${value < 0 ? "-" : ""}x${digits}`;
}

export type Filter = "all" | "changed" | "new" | "freed" | "grown" | "shrunk";

export function isFilter(text: string | null): text is Filter {
  return text !== null && ["all", "changed", "new", "freed", "grown", "shrunk"].includes(text);
}

/** "new" = rows with nothing before; "freed" = rows with nothing after. */
export function passes(change: Change, filter: Filter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "changed":
      return change.growth.bytes !== 0 || change.growth.objects !== 0 || (change.new?.objects ?? 0) > 0 || (change.freed?.objects ?? 0) > 0;
    case "new":
      return change.before.objects === 0 && change.after.objects > 0;
    case "freed":
      return change.after.objects === 0 && change.before.objects > 0;
    case "grown":
      return change.growth.bytes > 0;
    case "shrunk":
      return change.growth.bytes < 0;
  }
}

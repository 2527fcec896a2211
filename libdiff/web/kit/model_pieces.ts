/*
 * What the records of every kind are made of: amounts, changes, paths.
 */
import { list, natural, number, numberOrNull, object, text, type Json } from "./wire.ts";

export interface Amount {
  readonly objects: number;
  readonly bytes: number;
}

/** Before and after of anything: growth = after - before = new - freed + resized. */
export interface Change {
  readonly before: Amount;
  readonly after: Amount;
  readonly growth: Amount;
  readonly new: Amount | null;
  readonly freed: Amount | null;
  readonly resizedBytes: number | null;
}

export interface Sides {
  readonly before: number;
  readonly after: number;
}

export interface Step {
  readonly edge: string;
  readonly type: string;
  readonly repeat: number;
}

const noAmount: Amount = { objects: 0, bytes: 0 };

export function readAmount(value: unknown): Amount {
  const json = object(value);
  const objects = number(json["objects"]);
  const bytes = number(json["bytes"]);
  return objects === 0 && bytes === 0 ? noAmount : { objects, bytes };
}

export function readAmountOrNull(value: unknown): Amount | null {
  return value === null || value === undefined ? null : readAmount(value);
}

export function readChange(json: Json): Change {
  const before = readAmount(json["before"]);
  const after = readAmount(json["after"]);
  const growth =
    json["growth"] === undefined
      ? { objects: after.objects - before.objects, bytes: after.bytes - before.bytes }
      : readAmount(json["growth"]);
  return {
    before,
    after,
    growth,
    new: readAmountOrNull(json["new"]),
    freed: readAmountOrNull(json["freed"]),
    resizedBytes: numberOrNull(json["resized_bytes"]),
  };
}

export function readSides(value: unknown): Sides | null {
  if (value === null || value === undefined) return null;
  const json = object(value);
  return { before: number(json["before"]), after: number(json["after"]) };
}

export function readSteps(value: unknown): Step[] {
  return list(value).map((each) => {
    const json = object(each);
    return { edge: text(json["edge"]), type: text(json["type"]), repeat: Math.max(1, natural(json["repeat"])) };
  });
}

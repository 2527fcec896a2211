/*
 * Records of a check (schema hsdiff.check/1): the sum, each rule, each finding. Numbers are in the unit that the rule names: bytes,
 * objects, or millionths of the whole.
 */
import { readAmount, readSteps, type Amount, type Step } from "./model_pieces.ts";
import { flag, list, natural, number, numberOrNull, object, text, textOrNull, type Json } from "./wire.ts";

export interface Check {
  readonly verdict: string;
  readonly exitStatus: number;
  readonly all: number;
  readonly failed: number;
  readonly warned: number;
  readonly passed: number;
  readonly unknown: number;
  readonly off: number;
  readonly config: string;
  readonly isBuiltIn: boolean;
}

export interface Limit {
  readonly unit: string;
  readonly amount: number | null;
  readonly millionths: number | null;
}

export interface Rule {
  readonly name: string;
  /** "fail", "warn", "ok", "unknown", "off". */
  readonly outcome: string;
  readonly level: string;
  readonly line: number | null;
  readonly subject: string;
  readonly pattern: string | null;
  readonly measure: string;
  readonly metric: string | null;
  readonly unit: string;
  readonly limits: readonly Limit[];
  readonly found: number | null;
  readonly limit: number | null;
  readonly over: number | null;
  readonly perRound: boolean;
  readonly whyUnknown: string | null;
  readonly otherFindings: number;
}

export interface Allowance {
  readonly pattern: string;
  readonly reason: string;
  readonly until: string | null;
}

export interface FoundSite {
  readonly type: string;
  readonly before: Amount;
  readonly after: Amount;
  readonly frames: readonly { readonly function: string; readonly file: string; readonly line: number }[];
}

export interface Finding {
  readonly rule: string;
  readonly unit: string;
  readonly name: string;
  readonly root: string | null;
  readonly path: readonly Step[];
  readonly place: string | null;
  readonly state: string;
  readonly before: number;
  readonly after: number;
  readonly growth: number;
  readonly limit: number;
  readonly perRound: number;
  readonly rounds: number;
  readonly roundsUp: number;
  readonly allowed: Allowance | null;
  readonly sites: readonly FoundSite[];
}

export function readCheck(json: Json): Check {
  const rules = object(json["rules"]);
  const config = object(json["config"]);
  return {
    verdict: text(json["verdict"]),
    exitStatus: natural(json["exit_status"]),
    all: natural(rules["all"]),
    failed: natural(rules["failed"]),
    warned: natural(rules["warned"]),
    passed: natural(rules["passed"]),
    unknown: natural(rules["unknown"]),
    off: natural(rules["off"]),
    config: text(config["name"]),
    isBuiltIn: flag(config["built_in"]),
  };
}

export function readRule(json: Json): Rule {
  return {
    name: text(json["rule"]),
    outcome: text(json["outcome"]),
    level: text(json["level"]),
    line: numberOrNull(json["line"]),
    subject: text(json["subject"]),
    pattern: textOrNull(json["pattern"]),
    measure: text(json["measure"]),
    metric: textOrNull(json["metric"]),
    unit: text(json["unit"]),
    limits: list(json["limits"]).map((each) => {
      const limit = object(each);
      return { unit: text(limit["unit"]), amount: numberOrNull(limit["amount"]), millionths: numberOrNull(limit["millionths"]) };
    }),
    found: numberOrNull(json["found"]),
    limit: numberOrNull(json["limit"]),
    over: numberOrNull(json["over"]),
    perRound: flag(json["per_round"]),
    whyUnknown: textOrNull(json["why_unknown"]),
    otherFindings: natural(json["other_findings"]),
  };
}

function readAllowance(value: unknown): Allowance | null {
  if (value === null || value === undefined) return null;
  const json = object(value);
  return { pattern: text(json["pattern"]), reason: text(json["reason"]), until: textOrNull(json["until"]) };
}

function readFoundSite(value: unknown): FoundSite {
  const json = object(value);
  return {
    type: text(json["type"]),
    before: readAmount(json["before"]),
    after: readAmount(json["after"]),
    frames: list(json["frames"]).map((each) => {
      const frame = object(each);
      return { function: text(frame["function"]), file: text(frame["file"]), line: natural(frame["line"]) };
    }),
  };
}

export function readFinding(json: Json): Finding {
  return {
    rule: text(json["rule"]),
    unit: text(json["unit"]),
    name: text(json["name"]),
    root: textOrNull(json["root"]),
    path: readSteps(json["path"]),
    place: textOrNull(json["place"]),
    state: text(json["state"]),
    before: number(json["before"]),
    after: number(json["after"]),
    growth: number(json["growth"]),
    limit: number(json["limit"]),
    perRound: number(json["per_round"]),
    rounds: natural(json["rounds"]),
    roundsUp: natural(json["rounds_up"]),
    allowed: readAllowance(json["allowed"]),
    sites: list(json["sites"]).map(readFoundSite),
  };
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { ageRows, stayed } from "../report/cohorts_logic.ts";
import type { Capture, Cohort, Finding, Rule } from "../kit/model.ts";
import { amountText, askedText, findingFacts, gaugeOf, rulesInOrder, valueText } from "../report/rules_logic.ts";

const rule: Rule = {
  name: "r",
  outcome: "fail",
  level: "error",
  line: 7,
  subject: "type",
  pattern: "Session*",
  measure: "bytes",
  metric: null,
  unit: "bytes",
  limits: [{ unit: "amount", amount: 1024, millionths: null }],
  found: 4096,
  limit: 1024,
  over: 3072,
  perRound: false,
  whyUnknown: null,
  otherFindings: 0,
} as Rule;

const finding = {
  rule: "r",
  name: "Session",
  growth: 4096,
  before: 0,
  after: 4096,
  state: "over",
  rounds: 0,
  roundsUp: 0,
  perRound: 0,
  allowed: null,
} as unknown as Finding;

test("what failed comes first, then what could not be judged; otherwise as configured", () => {
  const rules = ["ok", "unheard of", "warn", "fail", "off", "unknown", "fail"].map((outcome, i) => ({ ...rule, outcome, name: String(i) }));
  assert.deepEqual(
    rulesInOrder(rules).map(({ name }) => name),
    ["3", "6", "5", "2", "0", "4", "1"],
  );
});

test("values have the unit of the rule, and a sign where they are growth", () => {
  assert.equal(valueText(rule, 4096), "+4.00 KiB");
  assert.equal(valueText({ ...rule, unit: "objects", measure: "objects" }, 412310), "+412,310");
  assert.equal(valueText({ ...rule, unit: "types", measure: "new.types" }, 5), "5");
  assert.equal(valueText({ ...rule, measure: "survived.bytes" }, 4096), "4.00 KiB");
  assert.equal(amountText({ ...rule, perRound: true }, 1024), "+1.00 KiB/round");
  assert.equal(amountText(rule, null), "");
});

test("a rule is told by what it asks", () => {
  assert.equal(askedText(rule), "type Session*, bytes; at most +1.00 KiB; line 7");
  const perRound: Rule = {
    ...rule,
    subject: "heap",
    pattern: null,
    line: null,
    limits: [{ unit: "percent_per_round", amount: null, millionths: 12500 }],
  };
  assert.equal(askedText(perRound), "heap, bytes; at most 1.25% a round");
  assert.equal(
    askedText({ ...perRound, limits: [{ unit: "auto", amount: null, millionths: null }] }),
    "heap, bytes; at most what the rounds themselves show",
  );
});

test("a gauge shows the larger of found and limit in full", () => {
  assert.deepEqual(gaugeOf(rule), { found: 1, limit: 0.25 });
  assert.deepEqual(gaugeOf({ ...rule, found: -5 }), { found: 0, limit: 1 });
  assert.equal(gaugeOf({ ...rule, found: 0, limit: 0 }), null);
  assert.equal(gaugeOf({ ...rule, found: null }), null);
});

test("a finding says how it grew and why it may", () => {
  assert.deepEqual(findingFacts(rule, finding), ["+4.00 KiB", "0 \u2192 4.00 KiB"]);
  const rounds = { ...finding, rounds: 5, roundsUp: 4, perRound: 1024, state: "levelled" };
  assert.deepEqual(findingFacts(rule, rounds).slice(2), ["up in 4 of 5 rounds", "+1.00 KiB a round", "levelled off"]);
  const allowed = { ...finding, allowed: { pattern: "S", reason: "a cache", until: "2027-01-01" } };
  assert.equal(findingFacts(rule, allowed).pop(), "allowed: a cache, until 2027-01-01");
});

/* ---- ages ---- */

const amount = (bytes: number) => ({ objects: 1, bytes });
const cohorts: Cohort[] = [
  { first: 0, last: 0, byStructure: false, alive: [100, 90, 90].map(amount) },
  { first: 1, last: 2, byStructure: false, alive: [50, 10].map(amount) },
  { first: 3, last: 3, byStructure: false, alive: [7].map(amount) },
];
const captures = ["a", "b", "c", "d"].map((label) => ({ label }) as unknown as Capture);

test("an age stands in the row of what it came with and the column of when it was seen", () => {
  const rows = ageRows(cohorts, captures);
  assert.deepEqual(
    rows.map((row) => row.title),
    ["a", "b to c", "d"],
  );
  assert.deepEqual(
    rows.map((row) => row.cells.map((cell) => cell?.bytes ?? null)),
    [
      [100, 90, 90],
      [null, 50, 10],
      [null, null, 7],
    ],
  );
  assert.equal(rows[1]!.cells[2]!.share, 0.2);
  assert.deepEqual(stayed(rows), { came: 50, alive: 10 });
});

test("cohorts that are cut short leave cells empty", () => {
  const rows = ageRows([{ ...cohorts[0]!, alive: [] }, cohorts[1]!], captures);
  assert.equal(rows[0]!.cells[0], null);
  assert.equal(rows[0]!.came, 0);
});

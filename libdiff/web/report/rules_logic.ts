/*
 * Rules of a check in the order and the words in which they are shown; values as in libdiff/report/sentences/check_words.c. Pure.
 */
import * as format from "../kit/format.ts";
import type { Finding, Limit, Rule } from "../kit/model.ts";

const order = ["fail", "unknown", "warn", "ok", "off"];

/** "FAIL", "not judged", "warn", "ok", "off". */
export function outcomeText(outcome: string): string {
  if (outcome === "fail") return "FAIL";
  return outcome === "unknown" ? "not judged" : outcome;
}

/** What failed first, then what could not be judged, warnings, the rest; otherwise as in the configuration. */
export function rulesInOrder(rules: readonly Rule[]): Rule[] {
  const rank = (rule: Rule) => (order.includes(rule.outcome) ? order.indexOf(rule.outcome) : order.length);
  return rules
    .map((rule, i) => ({ rule, i }))
    .sort((a, b) => rank(a.rule) - rank(b.rule) || a.i - b.i)
    .map(({ rule }) => rule);
}

/* What came or stayed is no growth, and has no sign. */
function isGrowth(measure: string): boolean {
  return !measure.startsWith("new.") && !measure.startsWith("survived.");
}

/** "+259.3 MiB", "+412,310", "5". */
export function valueText(rule: Pick<Rule, "measure" | "unit">, value: number): string {
  const isBytes = rule.unit === "bytes";
  if (value > 0 && !isGrowth(rule.measure)) return isBytes ? format.bytes(value) : format.count(value);
  return isBytes ? format.bytesSigned(value) : format.countSigned(value);
}

/** The same with "/round" behind it where a rule counts by rounds. "" for what is not known. */
export function amountText(rule: Rule, value: number | null): string {
  return value === null ? "" : `${valueText(rule, value)}${rule.perRound ? "/round" : ""}`;
}

function limitText(rule: Rule, limit: Limit): string {
  const share = limit.millionths === null ? "" : `${Number((limit.millionths / 10000).toFixed(4))}%`;
  const amount = limit.amount === null ? share : valueText(rule, limit.amount);
  if (limit.unit === "auto") return "what the rounds themselves show";
  return limit.unit.endsWith("_per_round") ? `${amount} a round` : amount;
}

/** "type Session*, bytes; at most 1% a round": what the rule asks. */
export function askedText(rule: Rule): string {
  const what = rule.pattern === null ? rule.subject : `${rule.subject} ${rule.pattern}`;
  const limits = rule.limits.map((limit) => limitText(rule, limit)).join(" and ");
  const line = rule.line === null ? "" : `; line ${rule.line}`;
  return `${what}, ${rule.metric ?? rule.measure}${limits === "" ? "" : `; at most ${limits}`}${line}`;
}

/** How far `found` reaches, and where its limit stands, of the larger of both; 0 to 1. null where there is nothing to compare. */
export function gaugeOf(rule: Rule): { readonly found: number; readonly limit: number } | null {
  if (rule.found === null || rule.limit === null) return null;
  const most = Math.max(rule.found, rule.limit);
  if (most <= 0) return null;
  return { found: Math.max(0, rule.found) / most, limit: Math.max(0, rule.limit) / most };
}

/** What is said of a finding besides its name: growth, rounds, why it is allowed. */
export function findingFacts(rule: Rule, finding: Finding): string[] {
  const facts = [valueText(rule, finding.growth)];
  if (isGrowth(rule.measure) && finding.before !== finding.after)
    facts.push(
      `${valueText({ ...rule, measure: "new." }, finding.before)} \u2192 ${valueText({ ...rule, measure: "new." }, finding.after)}`,
    );
  if (finding.rounds > 1) facts.push(`up in ${finding.roundsUp} of ${format.plural(finding.rounds, "round")}`);
  if (finding.perRound !== 0 && finding.rounds > 1) facts.push(`${valueText(rule, finding.perRound)} a round`);
  if (finding.state === "levelled") facts.push("levelled off");
  if (finding.allowed)
    facts.push(`allowed: ${finding.allowed.reason}${finding.allowed.until === null ? "" : `, until ${finding.allowed.until}`}`);
  return facts;
}

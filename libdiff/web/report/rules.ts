/*
 * The section "Rules" of a check: what each rule found, its limit, by how much it is over, and below it what broke it, with the path that holds
 * it. What failed comes first and is open.
 */
import { button, el, fill, svg, type Child } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import { pathList } from "./holder_path.ts";
import type { Finding, FoundSite, Model, Rule } from "../kit/model.ts";
import { visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { amountText, askedText, findingFacts, gaugeOf, outcomeText, rulesInOrder } from "./rules_logic.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";

const rulesAtFirst = 200;
const findingsAtFirst = 5;
const framesShown = 6;

export function hasRules(model: Model): boolean {
  return model.rules.length > 0;
}

/* Found as a bar, the limit as a line across it. */
function gauge(rule: Rule): Child {
  const reach = gaugeOf(rule);
  if (!reach) return null;
  const isOver = (rule.over ?? 0) > 0;
  return svg(
    "svg",
    { class: "gauge", viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "gauge-ground", x: 0, y: 3, width: 100, height: 6 }),
    svg("rect", { class: isOver ? "bar-grown" : "bar-before", x: 0, y: 3, width: Math.max(0.5, 98 * reach.found), height: 6 }),
    svg("rect", { class: "gauge-limit", x: Math.min(98, 98 * reach.limit), y: 0, width: 1.2, height: 12 }),
  );
}

/* ---- findings ---- */

function siteList(sites: readonly FoundSite[]): Child {
  const known = sites.filter((site) => site.frames.length > 0);
  if (known.length === 0) return null;
  const frame = ({ function: name, file, line }: FoundSite["frames"][number]) =>
    el("li", null, visible(name), file === "" ? null : el("small", null, ` ${visible(file)}${line > 0 ? `:${line}` : ""}`));
  return el(
    "div",
    { class: "finding-sites" },
    el("p", null, "Allocated at"),
    ...known.slice(0, 3).map((site) => el("ol", { class: "frames" }, ...site.frames.slice(0, framesShown).map(frame))),
  );
}

function findingItem(rule: Rule, finding: Finding, model: Model, page: Page): HTMLElement {
  const isType = rule.subject === "type" && model.types.some((type) => type.name === finding.name);
  const name = visible(finding.name);
  const held = finding.root !== null ? pathList(finding.root, null, finding.path, 0) : null;
  return el(
    "li",
    { class: `finding ${finding.state === "over" ? "over" : "excused"}` },
    el(
      "p",
      null,
      isType ? button(name, () => page.openType(finding.name), { class: "link" }) : el("b", null, name),
      ...findingFacts(rule, finding).map((fact) => el("span", { class: "fact" }, fact)),
    ),
    held,
    siteList(finding.sites),
  );
}

function findingList(rule: Rule, findings: readonly Finding[], model: Model, page: Page): HTMLElement {
  const list = el("ul", { class: "findings" });
  const show = (most: number): void => {
    const rest = findings.length - most;
    const more =
      rest > 0
        ? el(
            "li",
            null,
            button(`Show ${format.count(Math.min(rest, 100))} more of ${format.count(rest)}`, () => show(most + 100)),
          )
        : null;
    const unseen =
      rest <= 0 && rule.otherFindings > 0 ? el("li", { class: "rest" }, `and ${format.plural(rule.otherFindings, "other")}`) : null;
    fill(list, ...findings.slice(0, most).map((finding) => findingItem(rule, finding, model, page)), more, unseen);
  };
  show(findingsAtFirst);
  return list;
}

/* ---- a rule ---- */

function number(title: string, value: string, tone = ""): Child {
  return value === "" ? null : el("div", null, el("dt", null, title), el("dd", { class: tone || null }, value));
}

function ruleItem(rule: Rule, model: Model, page: Page): HTMLElement {
  const findings = model.findings.filter((finding) => finding.rule === rule.name);
  const isOpen = rule.outcome === "fail" || rule.outcome === "warn";
  const over = (rule.over ?? 0) > 0 ? amountText(rule, rule.over) : "";
  const item = el(
    "li",
    { class: `rule rule-${rule.outcome}` },
    el("h3", null, el("span", { class: `outcome ${rule.outcome}` }, outcomeText(rule.outcome)), " ", visible(rule.name)),
    el("p", { class: "asked" }, visible(askedText(rule))),
    rule.whyUnknown === null ? null : el("p", { class: "why" }, visible(rule.whyUnknown)),
    el(
      "dl",
      { class: "icicle-numbers" },
      number("Found", amountText(rule, rule.found)),
      number("Limit", amountText(rule, rule.limit)),
      number("Over by", over, "over"),
    ),
    gauge(rule),
  );
  if (findings.length === 0) return item;
  const heading = rule.outcome === "ok" ? "What came near it" : "What broke it";
  item.append(
    el(
      "details",
      { open: isOpen },
      el("summary", null, `${heading}: ${format.count(findings.length + rule.otherFindings)}`),
      findingList(rule, findings, model, page),
    ),
  );
  return item;
}

export function showRules(host: HTMLElement, model: Model, page: Page): void {
  const rules = rulesInOrder(model.rules);
  const list = el("ol", { class: "rules" });
  const show = (most: number): void => {
    const rest = rules.length - most;
    fill(
      list,
      ...rules.slice(0, most).map((rule) => ruleItem(rule, model, page)),
      rest > 0
        ? el(
            "li",
            null,
            button(`Show ${format.count(Math.min(rest, 500))} more of ${format.plural(rest, "rule")}`, () => show(most + 500)),
          )
        : null,
    );
  };
  show(rulesAtFirst);
  const { check } = model;
  const from = check
    ? el("p", { class: "rest" }, check.isBuiltIn ? "By the rules that are built in." : `By ${visible(check.config)}.`)
    : null;
  const notes = model.notes.map((note) => el("p", { class: "rest" }, visible(note)));
  replaceBelowHeading(host, "Rules", from, list, ...notes);
}

/*
 * Reports as pages: what the command under test writes of the captures, next to the same report as NDJSON.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { captures } from "./captures.mjs";
import { hostileNames, packed } from "./names.mjs";
import { build, diff, folder, run } from "./work.mjs";

const endings = { node: "heapsnapshot", hostile: "heapsnapshot", single: "heapsnapshot", sites: "pb.gz" };

/** Names of the two captures of a kind, in their folder. */
export function pairOf(kind) {
  const ending = endings[kind] ?? "hs";
  return [`before.${ending}`, `after.${ending}`];
}

/* Arguments of the command for each page, in the folder of its captures: the page, and the records that it shows. */
const reports = {
  node: { of: "node", args: pairOf("node") },
  jvm: { of: "jvm", args: pairOf("jvm") },
  native: { of: "native", args: pairOf("native") },
  series: { of: "series", args: seriesNames() },
  check: { of: "series", args: ["check", ...seriesNames()], status: 1 },
  hostile: { of: "hostile", args: pairOf("hostile") },
  partial: { of: "partial", args: ["--partial", ...pairOf("partial")], status: 3 },
  nothing: { of: "node", args: [pairOf("node")[1], pairOf("node")[1]] },
  single: { of: "single", args: pairOf("single") },
  sites: { of: "sites", args: pairOf("sites") },
};

function seriesNames() {
  return [0, 1, 2, 3, 4, 5, 6].map((round) => `c${round}.hs`);
}

export const kinds = Object.keys(reports);

/** The path of a page; makePages() wrote it. */
export function pagePath(kind) {
  return join(folder("pages"), `${kind}.html`);
}

export function pageAddress(kind, fragment = "") {
  return pathToFileURL(pagePath(kind)).href + fragment;
}

/** Opens a page and waits until its script has filled it. */
export async function openPage(page, kind, fragment = "") {
  await page.goto(pageAddress(kind, fragment));
  await page.waitForSelector("html[data-ready]", { state: "attached" });
}

/** Runs the command over the captures of a page with more arguments. */
export function report(kind, ...more) {
  const { of, args, status = 0 } = reports[kind];
  return diff(["-q", ...args, ...more], { status, cwd: captures(of) });
}

const listed = new Map();

/** The records of a report, all rows: by `record`, in their order. */
export function records(kind) {
  if (!listed.has(kind)) {
    const lines = report(kind, "--format", "ndjson", "--top", "all", ...(kind === "series" || kind === "check" ? [] : ["--tree"]));
    const groups = {};
    for (const line of lines.split("\n").filter(Boolean)) {
      const record = JSON.parse(line);
      (groups[record.record] ??= []).push(record);
    }
    listed.set(kind, groups);
  }
  return listed.get(kind);
}

/* Hand-built reports whose every text is hostile, bytes that are no UTF-8 among them. */
const samples = {
  "names-diff": ["cli/report_sample", ["names", "html", "tree"]],
  "names-sites": ["formats/format_sample", ["sites", "html", "usual"]],
  "names-check": ["formats/format_sample", ["check", "html", "mixed"]],
};

export const sampleKinds = Object.keys(samples);

/** Writes all pages. */
export function makePages() {
  for (const kind of kinds) report(kind, "--format", "html", "--force", "-o", pagePath(kind));
  const input = packed(hostileNames());
  for (const [kind, [program, args]] of Object.entries(samples))
    writeFileSync(pagePath(kind), run(join(build, "tests", program), args, { input, encoding: "buffer" }));
}

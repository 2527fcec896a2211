/*
 * A page says what the other formats say: its copied tables hold the numbers of the NDJSON report to the byte, its shown ones those of
 * the text report to the letter, and its answer is that of the text report. Nobody is shut out of it as it comes (axe-core): a page is opened once for both.
 */
import assert from "node:assert/strict";
import test, { after } from "node:test";
import { assertAccessible, closeBrowsers, engines, looksAt, withPage } from "./support/browsers.mjs";
import { openPage, records, report } from "./support/pages.mjs";
import { copiedRows, shownRows, textTable } from "./support/tables.mjs";

after(closeBrowsers);

const diffs = ["node", "jvm", "native", "partial", "nothing", "single", "sites"];
const series = ["series", "check"];

/* Names that every format writes as they are. */
const isPlain = (name) => /^[A-Za-z(<][\x20-\x5b\x5d-\x7e]*$/.test(name) && !/  /.test(name);

/* Columns of copied tables and the fields of a record that they show; a field that is not known is empty. */
const fields = {
  Before: (row) => row.before?.bytes,
  After: (row) => row.after?.bytes,
  Growth: (row) => row.growth?.bytes,
  Objects: (row) => row.growth?.objects,
  New: (row) => row.new?.bytes,
  Freed: (row) => (row.freed ? -row.freed.bytes : null),
  Retained: (row) => (row.retained ? row.retained.after - row.retained.before : null),
};

/* Of a partial capture only what came is proven; a cell of what is not is empty or "?". */
function isUnproven(total, value, cell) {
  return total.partial && (cell === "" || cell === "?") && value <= 0;
}

function assertCopied(table, rows, nameOf, total) {
  const [heads, ...body] = table;
  const byName = new Map(body.map((cells) => [cells[0], cells]));
  let compared = 0;
  const compare = (cells, row, what) => {
    for (const [at, head] of heads.entries()) {
      if (!(head in fields) || (what === "TOTAL" && head === "Retained")) continue;
      const wanted = fields[head](row);
      if (isUnproven(total, wanted, cells?.[at])) continue;
      assert.equal(cells?.[at], wanted === null || wanted === undefined ? "" : String(wanted + 0), `${head} of ${what}`);
      compared++;
    }
  };
  for (const row of rows) if (isPlain(nameOf(row))) compare(byName.get(nameOf(row)), row, nameOf(row));
  compare(byName.get("TOTAL"), total, "TOTAL");
  assert.ok(compared > rows.length, "nothing was compared");
}

/* Cells of both, by the columns that both have. */
function assertShown({ rows, foot }, heads, text) {
  let compared = 0;
  for (const cells of [...rows, ...foot]) {
    const wanted = text[cells[0]];
    if (!wanted) continue;
    heads.forEach((head, at) => {
      const cell = wanted[head.toUpperCase()];
      if (cells[at] === "?" && cell === "0") return; /* of a partial capture "unchanged" is not proven, either */
      if (at > 0 && cell !== undefined) assert.equal(cells[at], cell, `${head} of ${cells[0]}`);
    });
    compared++;
  }
  assert.ok(compared >= Math.min(2, rows.length), `${compared} rows were compared`);
}

function headsOf(page, section) {
  return page.locator(`${section} thead th`).evaluateAll((all) => all.map((each) => each.textContent.trim()));
}

/* The paragraph of the text report that begins with the answer, as one line. */
function answerOf(text) {
  return text.split("\n\n").find((each) => !/^(before|!|\d+ captures)/.test(each)).replace(/\s+/g, " ").trim();
}

async function assertAnswer(page, kind) {
  const said = await page.locator("h1, .where").allTextContents();
  assert.equal(said.join(" ").replace(/\s+/g, " ").trim(), answerOf(report(kind, "--top", "1")));
}

async function assertDiff(page, kind) {
  const { type: types, root: roots, total: [total], holder: holders = [] } = records(kind);
  const text = report(kind, "--top", "all");
  await assertAnswer(page, kind);
  assertCopied(await copiedRows(page, "#types"), types, (row) => row.type, total);
  const shown = await shownRows(page, "#types");
  assert.equal(shown.rows.length, types.length);
  if (kind !== "nothing") assertShown(shown, await headsOf(page, "#types"), textTable(text, "TYPE"));
  if (roots) assertCopied(await copiedRows(page, "#roots"), roots, (row) => row.root, total);
  const moved = holders.filter((holder) => holder.growth_bytes !== 0).length; /* where none did a sentence says so */
  assert.equal(await page.locator("#holders .holder").count(), Math.min(moved, 20), "those without a growth come behind the button");
}

const frameText = ({ function: name, file, line }) => `${name} (${file.split("/").pop()}:${line})`;

/* All lines, by pressing the button until none is left, opened; what stands below them is the rest. */
function siteLines(page) {
  return page.evaluate(() => {
    const section = document.querySelector("#sites");
    const texts = (host, selector) => [...host.querySelectorAll(selector)].map((each) => each.textContent);
    for (const more = section.querySelector("button"); !more.hidden; ) more.click();
    const lines = [...section.querySelectorAll("ol.holders > li")].map((item) => {
      for (const details of item.querySelectorAll("details")) {
        details.open = true;
        details.dispatchEvent(new Event("toggle")); /* which a browser does later */
      }
      return { cells: texts(item, ".place, small, .amount"), callers: texts(item, "ol.frames li") };
    });
    return { lines, rest: texts(section, ":scope > .holder-rest > *") };
  });
}

/* The sites of the page are those of the JSON document, its figures those of the text report, and all of them add up. */
async function assertSites(page, kind) {
  assert.equal(await page.locator("#holders").count(), 0, "nothing is claimed of what keeps it alive");
  const document = JSON.parse(report(kind, "--format", "json"));
  const text = textTable(report(kind, "--top", "all"), "SITE");
  const { lines, rest } = await siteLines(page);
  assert.equal(lines.length, document.sites.length);
  for (const [at, { cells: [name, objects, growth], callers }] of lines.entries()) {
    const { frames, growth: wanted } = document.sites[at];
    assert.equal(name, frames.length > 0 ? frameText(frames[0]) : "(no stack)");
    assert.deepEqual(callers, frames.slice(1).map(frameText));
    assert.deepEqual([objects.replace(/ objects?$/, ""), growth], [text[name].OBJECTS, text[name].GROWTH], name);
    assert.equal(Math.sign(parseFloat(growth)), Math.sign(wanted.bytes), name);
  }
  const others = document.other_sites;
  assert.deepEqual([rest[0], rest[2]], [`${others.rows} other sites`, text[`${others.rows} other sites`].GROWTH]);
  const sum = (key) => [...document.sites, others].reduce((all, row) => all + row.growth[key], 0);
  assert.deepEqual({ objects: sum("objects"), bytes: sum("bytes") }, document.total.growth);
}

/* First, last and growth of each row; a check shows the series that it judged. */
async function assertSeries(page, kind) {
  for (const [section, record, nameOf] of [["#types", "type", (row) => row.type], ["#roots", "root", (row) => row.root]]) {
    const [heads, ...body] = await copiedRows(page, section);
    const byName = new Map(body.map((cells) => [cells[0], cells]));
    const at = (name) => heads.indexOf(name);
    const rows = records("series")[record];
    for (const row of [...rows.filter((each) => isPlain(nameOf(each))), { ...records("series").total[0], [record]: "TOTAL" }]) {
      const cells = byName.get(nameOf(row));
      const [first, last] = [row.bytes[0], row.bytes.at(-1)];
      assert.deepEqual([cells?.[at("First")], cells?.[at("Last")], cells?.[at("Growth")]], [first, last, last - first].map(String), nameOf(row));
    }
  }
  if (kind === "series") await assertAnswer(page, kind);
  else await assertRules(page);
}

async function assertRules(page) {
  const text = await page.locator("#rules").innerText();
  for (const rule of records("check").rule) assert.ok(text.includes(rule.rule), rule.rule);
  for (const finding of records("check").finding) assert.ok(text.includes(finding.name), finding.name);
}

test("chromium: where it was allocated", async () => {
  await withPage("chromium", {}, async (page) => {
    await openPage(page, "sites");
    await assertSites(page, "sites");
  });
});

for (const engine of engines) {
  for (const kind of series.filter((each) => looksAt(engine, each))) {
    test(`${engine}: ${kind}`, async () => {
      await withPage(engine, {}, async (page) => {
        await openPage(page, kind);
        await assertAccessible(page);
        await assertSeries(page, kind);
      });
    });
  }
  for (const kind of diffs.filter((each) => looksAt(engine, each))) {
    test(`${engine}: ${kind}`, async () => {
      await withPage(engine, {}, async (page) => {
        await openPage(page, kind);
        await assertAccessible(page);
        await assertDiff(page, kind);
      });
    });
  }
}

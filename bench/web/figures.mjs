/*
 * What the page of a report costs in two browsers: a pair of captures with a million types (wide_heap) unless another page is named.
 *
 *      HSD_BUILD_DIR=build/release node bench/web/figures.mjs [PAGE.html]         after ctest -R web/prepare, which installs what drives the browsers
 *
 * Prints CSV, each figure the median of five: bytes of the file, first paint, the moment from which the table of types can be used, what it takes to filter it by a name
 * and to sort it by another column (until the frame with the rows is drawn), and the longest frame while the icicle zooms in and out.
 */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { closeBrowsers, engines, withPage } from "../../tests/web/support/browsers.mjs";
import { build, diff, folder, run } from "../../tests/web/support/work.mjs";

const rounds = 5;

/* A million types, once for each build folder. */
function widePage() {
  const where = folder("wide");
  const page = join(where, "wide.html");
  if (!existsSync(join(where, "b.hs"))) run(join(build, "bench/web/wide_heap"), ["1000000", where]);
  if (!existsSync(page)) diff(["-q", "a.hs", "b.hs", "--format", "html", "-o", page], { cwd: where });
  return page;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/* In the page: milliseconds until the frame after `act` is drawn. */
function timed(act) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return async (argument) => {
    const start = performance.now();
    act(argument);
    await frame();
    return performance.now() - start;
  };
}

const inPage = (act) => `(${timed.toString()})(${act.toString()})()`;

/* In the page: the longest frame while the picture zooms to what has the focus and back. */
async function zoom() {
  const frame = document.querySelector("#picture [role=tree]");
  if (!frame) return null;
  const press = (key) => frame.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  let longest = 0;
  frame.focus();
  for (const keys of [["ArrowDown", "ArrowDown", "Enter"], ["Escape"], ["Home"]]) {
    let last = performance.now();
    keys.forEach(press);
    for (let i = 0; i < 40; i++) {
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
  }
  return longest;
}

async function measure(engine, path) {
  return withPage(engine, {}, async (page) => {
    await page.goto(pathToFileURL(path).href);
    await page.waitForSelector("html[data-ready]", { state: "attached", timeout: 120000 });
    const usable = await page.evaluate(() => performance.now());
    const firstPaint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
    const sort = await page.evaluate(inPage(() => [...document.querySelectorAll("#types thead button")].find((each) => each.textContent === "After").click()));
    const filter = await page.evaluate(
      inPage(() => {
        const input = document.querySelector("#types input[type=search]");
        input.value = "leaf99";
        input.dispatchEvent(new Event("input"));
      }),
    );
    return { "first paint ms": firstPaint, "usable ms": usable, "sort ms": sort, "filter ms": filter, "longest frame of a zoom ms": await page.evaluate(zoom) };
  });
}

const path = process.argv[2] ? resolve(process.argv[2]) : widePage();
console.log("browser,figure,median");
console.log(`,file bytes,${statSync(path).size}`);
for (const engine of engines) {
  const taken = [];
  for (let i = 0; i < rounds; i++) taken.push(await measure(engine, path));
  for (const figure of Object.keys(taken[0])) console.log(`${engine},${figure},${median(taken.map((each) => each[figure])).toFixed(1)}`);
}
await closeBrowsers();

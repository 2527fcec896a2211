/*
 * How smoothly the icicle of a report zooms: a page with a tree of 100,000 places, zooms of one second each in headless Chromium, and of each
 * frame the time since the one before (requestAnimationFrame) and the time that the page's own work took. CSV on standard output.
 *
 *      node icicle.mjs PACKAGES [PLACES]       PACKAGES: a folder with the node_modules of tests/web (npm ci there); the bundle that
 *                                              stands beside web/ is measured, so build it first
 *
 * Columns: what was done, device pixels for a pixel, frames, median and 99th percentile and maximum of the interval in ms, of the work of a
 * frame likewise, and the processor time that all of the main thread took for each frame on average. Intervals and work are by the clock: on a busy
 * machine they tell about the machine.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { linesOf } from "./icicle_tree.mjs";

const bundle = join(dirname(fileURLToPath(import.meta.url)), "../../libdiff/web/bundle");
const [packages, places = "100000"] = process.argv.slice(2);
if (!packages) {
  console.error("icicle.mjs: needs the folder of the packages of tests/web: run npm ci there, then node icicle.mjs tests/web");
  process.exit(2);
}
const { chromium } = createRequire(join(resolve(packages), "package.json"))("playwright-core");
const rounds = 5;

function writePage(path) {
  const data = gzipSync(`${linesOf(Number(places)).join("\n")}\n`).toString("base64");
  const read = (name) => readFileSync(join(bundle, name), "utf8");
  writeFileSync(
    path,
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>icicle</title><style>${read("report.css")}</style></head>` +
      `<body data-kind="diff"><main id="main"></main><script type="application/octet-stream" id="data">${data}</script>` +
      `<script>${read("report.js")}</script></body></html>`,
  );
}

/* In the page: notes when each frame began and how long its callbacks took. */
function watchFrames() {
  const ask = window.requestAnimationFrame.bind(window);
  const frames = (window.frames_ = []);
  window.requestAnimationFrame = (callback) =>
    ask((now) => {
      const begin = performance.now();
      callback(now);
      frames.push([now, performance.now() - begin]);
    });
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function taskSeconds(client) {
  const { metrics } = await client.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value;
}

/* Presses `key`, waits for the zoom to end: the frames of that time. */
async function zoom(page, client, key) {
  await page.evaluate(() => (window.frames_.length = 0));
  const before = await taskSeconds(client);
  await page.keyboard.press(key);
  await page.waitForTimeout(1200);
  const frames = await page.evaluate(() => window.frames_);
  return { frames, task: (await taskSeconds(client)) - before };
}

function print(what, ratio, runs) {
  const intervals = runs.flatMap(({ frames }) => frames.slice(1).map(([now], i) => now - frames[i][0]));
  const work = runs.flatMap(({ frames }) => frames.map(([, took]) => took));
  const task = runs.reduce((sum, run) => sum + run.task, 0);
  const three = (values) => [0.5, 0.99, 1].map((share) => quantile(values, share).toFixed(1)).join(",");
  console.log(`${what},${ratio},${work.length},${three(intervals)},${three(work)},${((1000 * task) / work.length).toFixed(1)}`);
}

async function measure(browser, address, ratio) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: ratio });
  await page.addInitScript(watchFrames);
  const begin = performance.now();
  await page.goto(address);
  await page.waitForSelector("html[data-ready]", { state: "attached", timeout: 60000 });
  console.error(`ready after ${Math.round(performance.now() - begin)} ms`);
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.evaluate(() => document.documentElement.style.setProperty("--zoom-time", "1000ms"));
  const frame = page.locator(".icicle-frame");
  await frame.scrollIntoViewIfNeeded();
  await frame.focus();
  const into = [];
  const out = [];
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 2 + round; i++) await page.keyboard.press("ArrowDown");
    for (let i = 0; i < round; i++) await page.keyboard.press("ArrowRight");
    into.push(await zoom(page, client, "Enter"));
    out.push(await zoom(page, client, "Home"));
  }
  print("zoom in", ratio, into);
  print("zoom out", ratio, out);
  await page.close();
}

const folder = mkdtempSync(join(tmpdir(), "hsdiff-icicle-"));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  writePage(join(folder, "icicle.html"));
  console.log("what,ratio,frames,interval_median,interval_p99,interval_max,work_median,work_p99,work_max,main_thread_mean");
  for (const ratio of [1, 2]) await measure(browser, pathToFileURL(join(folder, "icicle.html")).href, ratio);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

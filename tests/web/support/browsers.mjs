/*
 * The browsers of Debian, driven by playwright-core: Chromium over its own protocol, Firefox ESR over WebDriver BiDi. A page is always
 * watched: whatever it asks of the network, complains about, is refused by its policy, or shows as a dialog, is an error at the end.
 */
import { load, textOf } from "./packages.mjs";
import { startProxy } from "./proxy.mjs";
import { isInstalled, skip } from "./work.mjs";

/* What a browser would ask on its own account; and the process that waits for a next page, which takes a tenth of what Chromium takes of the processor. */
const chromiumFeatures = "AutofillServerCommunication,MediaRouter,DialMediaRouteProvider,OptimizationHints,Translate,SpareRendererForSitePerProcess";

const chromiumArgs = ["--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", `--disable-features=${chromiumFeatures}`];

/* Firefox over BiDi knows no emulation of these: they are preferences of a browser of its own. */
function firefoxPreferences({ dark, script }) {
  return {
    "network.proxy.allow_hijacking_localhost": true,
    "layout.css.prefers-color-scheme.content-override": dark ? 0 : 1,
    ...(script ? {} : { "javascript.enabled": false }),
  };
}

/* No measure of anything: by then a browser of a machine under load has done what it was told, or never will. Playwright's own 30 s are too few. */
export const patienceMs = 240_000;

const launchers = {
  chromium: () => load("playwright-core").chromium.launch({ timeout: patienceMs, executablePath: "/usr/bin/chromium", args: chromiumArgs }),
  firefox: (options) =>
    load("playwright-core").firefox.launch({
      channel: "moz-firefox",
      timeout: patienceMs,
      executablePath: "/usr/bin/firefox-esr",
      headless: true,
      firefoxUserPrefs: firefoxPreferences(options),
    }),
};

export const engines = Object.keys(launchers);

/* The second browser looks at some pages alone, with HSD_LONG=1 at all: what is no question of the browser has one answer in both. */
const shared = ["node", "partial", "check", "names-diff"];

export function looksAt(engine, kind) {
  return engine === engines[0] || Boolean(process.env.HSD_LONG) || shared.includes(kind);
}
export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

for (const program of ["/usr/bin/chromium", "/usr/bin/firefox-esr"]) if (!isInstalled(program)) skip(`${program} is not installed`);

const running = new Map();

function browser(engine, options) {
  const key = engine === "chromium" ? engine : `${engine} ${options.dark} ${options.script}`;
  if (!running.has(key)) running.set(key, launchers[engine](options));
  return running.get(key);
}

/** Call when a file of tests is over. */
export async function closeBrowsers() {
  for (const each of unused.values()) await each.close();
  unused.clear();
  for (const each of running.values()) await (await each).close();
  running.clear();
}

/* What a page does that it must not do, as texts. `allowed`: beginnings of addresses that it may ask for. */
async function watch(page, allowed) {
  const seen = [];
  page.on("request", (request) => {
    if (!allowed.some((each) => request.url().startsWith(each))) seen.push(`request ${request.url()}`);
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) seen.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => seen.push(`error: ${error.stack ?? error}`));
  page.on("dialog", (dialog) => {
    seen.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on("popup", (popup) => seen.push(`popup ${popup.url()}`));
  page.on("download", (download) => seen.push(`download ${download.url()}`));
  return seen;
}

function noteViolations() {
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
}

/* A page in a context of its own, with what was seen of it. */
async function newPage(engine, { size, dark, script, allowed }) {
  const proxy = await startProxy(allowed);
  const context = await (await browser(engine, { dark, script })).newContext({
    viewport: size,
    proxy: proxy.options,
    colorScheme: dark ? "dark" : "light",
    ...(script ? {} : { javaScriptEnabled: false }),
    ...(engine === "chromium" ? { permissions: ["clipboard-read", "clipboard-write"] } : {}),
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const seen = await watch(page, [allowed ? `http://${allowed}/` : "file://", "about:blank", "data:", "blob:"]);
  if (script) await page.addInitScript(noteViolations);
  const close = async () => {
    await context.close();
    await proxy.close();
  };
  return { page, seen, proxy, close };
}

/* Pages that were given back. A context and its first page take over a second of the processor, and the next page in it half of that: its process has
 * compiled the script already. */
const unused = new Map();

async function giveBack(key, tab) {
  await tab.page.goto("about:blank"); /* else the same address with another fragment is no other page */
  tab.seen.length = tab.proxy.seen.length = 0;
  unused.set(key, tab);
}

/**
 * Gives `use` a page and checks afterwards that it kept to itself. Options: size (desktop), dark, script (true), allowed ("127.0.0.1:4711", the one host that
 * may be asked), picture (a path: what the page looks like in the end), own: `use` changes the page for good. A page that nobody changed and that
 * did no wrong is given out again, empty, to whoever wants one like it.
 */
export async function withPage(engine, options, use) {
  const { size = desktop, dark = false, script = true, allowed = null, picture = null, own = false } = options;
  const key = JSON.stringify([engine, size, dark, script, allowed]);
  const isShared = !own;
  const tab = (isShared && unused.get(key)) || (await newPage(engine, { size, dark, script, allowed }));
  if (isShared) unused.delete(key);
  const { page, seen, proxy } = tab;
  let isRight = false;
  try {
    const value = await use(page, seen);
    if (script) seen.push(...(await page.evaluate(() => window.violations ?? [])).map((each) => `policy: ${each}`));
    seen.push(...proxy.strays().map((each) => `proxy: ${each}`));
    const faults = seen.slice(0, 10); /* a picture of it comes later: in Firefox that puts a style into the page, which the policy refuses */
    if (picture) await page.screenshot({ path: picture, caret: "initial" });
    if (faults.length > 0) throw new Error(`the page did what it must not do:\n  ${faults.join("\n  ")}`);
    isRight = true;
    return value;
  } finally {
    if (isRight && isShared) await giveBack(key, tab);
    else await tab.close();
  }
}

/** Fails with what axe-core finds wrong with a page as it stands. */
export async function assertAccessible(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(textOf("axe-core/axe.min.js"));
  const faults = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap((rule) => rule.nodes.slice(0, 5).map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
  });
  if (faults.length > 0) throw new Error(`axe-core: ${faults.join("\n")}`);
}

/*
 * Whatever a capture holds, its page stays quiet: it asks nothing of the network, complains of nothing, its policy has nothing to refuse, no text
 * of it runs, and nobody is shut out (axe-core). In pages.test.mjs others have looked at some of them: what a page does that it must not do is an error
 * wherever it is opened. By itself this looks at all.
 */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import test, { after } from "node:test";
import { pathToFileURL } from "node:url";
import { assertAccessible, closeBrowsers, engines, looksAt, patienceMs, phone, withPage } from "./support/browsers.mjs";
import { kinds, openPage, sampleKinds } from "./support/pages.mjs";
import { folder } from "./support/work.mjs";

after(closeBrowsers);

/* How pages are looked at: most of them as they come, those that differ most in every way. */
const looks = {
  light: { options: {}, kinds: [...kinds, ...sampleKinds] },
  dark: { options: { dark: true }, kinds: ["node", "series", "check"] },
  phone: { options: { size: phone }, kinds: ["node", "series", "check", "sites", "names-diff"] },
};

/* What contents.test.mjs and screens.test.mjs look at in the same way. */
const lookedAt = {
  light: ["node", "jvm", "native", "partial", "nothing", "single", "sites", "series", "check"],
  phone: ["node", "sites"],
};
const isAlone = basename(process.argv[1]) === "safety.test.mjs";

/* A page that does all of it, so that the others cannot pass because nobody looked. */
const wicked = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'; img-src data:">
<title>wicked</title><h1>wicked</h1><img src="http://images.invalid/" alt=""><script>console.error("complaint"); setTimeout(() => alert("dialog"), 0); fetch("http://asked.invalid/").catch(() => {}).finally(() => { window.isAnswered = true; }); throw new Error("thrown")</script>`;

/* Until it has done all of it, or so late that what was noticed by then is told. */
async function untilDone(page, seen) {
  const isSeen = () => ["console: ", "dialog: ", "error: "].every((kind) => seen.some((each) => each.startsWith(kind)));
  const isDone = async () => isSeen() && (await page.evaluate(() => window.isAnswered && window.violations.length > 0));
  for (const end = Date.now() + patienceMs; Date.now() < end && !(await isDone()); ) await page.waitForTimeout(50);
}

for (const engine of engines) {
  test(`${engine}: a wicked page is found out`, async () => {
    const path = join(folder("pages"), `wicked-${engine}.html`);
    writeFileSync(path, wicked);
    const found = await withPage(engine, { own: true }, async (page, seen) => {
      await page.goto(pathToFileURL(path).href);
      await untilDone(page, seen);
    }).then(
      () => "",
      (error) => error.message,
    );
    for (const trace of ["console: complaint", "dialog: dialog", "thrown", "policy: img-src", "proxy: GET http://asked.invalid/"])
      if (!found.includes(trace)) throw new Error(`"${trace}" was not noticed: ${found}`);
  });
}

for (const engine of engines) {
  for (const [look, { options, kinds: shown }] of Object.entries(looks)) {
    for (const kind of shown.filter((each) => looksAt(engine, each) && (isAlone || !lookedAt[look]?.includes(each)))) {
      test(`${engine}, ${look}: ${kind}`, async () => {
        await withPage(engine, options, async (page) => {
          await openPage(page, kind);
          await assertAccessible(page);
        });
      });
    }
  }
}

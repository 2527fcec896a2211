/*
 * What a reader sees before anything is touched: the answer, the numbers, and the place that was planted in each program, with how it is reached.
 * A picture of each first screen stays in the folder screens of the build. On a phone nobody is shut out of it, either (axe-core).
 */
import { join } from "node:path";
import test, { after } from "node:test";
import { assertAccessible, closeBrowsers, desktop, engines, phone, withPage } from "./support/browsers.mjs";
import { openPage } from "./support/pages.mjs";
import { assertInSight } from "./support/sight.mjs";
import { folder } from "./support/work.mjs";

after(closeBrowsers);

/* What was planted: the root, and what hangs below it (a text of its own). */
const planted = {
  node: ["global.sessions", "Session"],
  jvm: ["Shop.openOrders", "Shop$Order"],
  native: ["thread-local notes", "\nnote\n"],
};
const sizes = { desktop, phone };

for (const engine of engines) {
  for (const [sizeName, size] of Object.entries(sizes)) {
    for (const [kind, names] of Object.entries(planted)) {
      test(`${engine}, ${sizeName}: ${kind}`, async () => {
        const picture = join(folder("screens"), `${kind}-${sizeName}-${engine}.png`);
        await withPage(engine, { size, picture }, async (page) => {
          await openPage(page, kind);
          await assertInSight(page, "h1", ["grew"]);
          await assertInSight(page, "#answer", ["Before", "After", "Growth", "New", "Freed"]);
          await assertInSight(page, ".top-holder", names);
          if (size === phone && kind === "node") await assertAccessible(page);
        });
      });
    }
  }
}

/* Profiles do not say what keeps anything alive: the place that allocated it is what a reader must see first. */
for (const [sizeName, size] of Object.entries(sizes)) {
  test(`chromium, ${sizeName}: sites`, async () => {
    await withPage("chromium", { size, picture: join(folder("screens"), `sites-${sizeName}-chromium.png`) }, async (page) => {
      await openPage(page, "sites");
      await assertInSight(page, "h1", ["grew"]);
      await assertInSight(page, "#answer", ["Before", "After", "Growth"]);
      await assertInSight(page, "#sites", ["main.(*Cache).Put (cache.go:31)", "+45.9 MiB"]);
      if (size === phone) await assertAccessible(page);
    });
  });
}

for (const engine of engines) {
  test(`${engine}: the picture begins on the first screen`, async () => {
    await withPage(engine, {}, async (page) => {
      await openPage(page, "node");
      const top = await page.evaluate(() => document.querySelector("#picture canvas").getBoundingClientRect().top);
      if (!(top < desktop.height - 40)) throw new Error(`the picture begins at ${top} of ${desktop.height}`);
    });
  });
}

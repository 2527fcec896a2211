/*
 * The pictures of the README: the report of the shop in Node, light and dark, and the viewer at one of its sessions. Run it after web/prepare when the pages have
 * changed, and look at what it wrote before it is committed:
 *
 *      HSD_BUILD_DIR=build/release node tests/web/pictures.mjs         writes doc/images/*.png, at most 250 KiB each
 */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { closeBrowsers, withPage } from "./support/browsers.mjs";
import { openPage } from "./support/pages.mjs";
import { closeViewers, openViewer, withViewer } from "./support/viewer.mjs";
import { source } from "./support/work.mjs";

const images = join(source, "doc/images");
const size = { width: 1200, height: 820 };
const mostBytes = 250 * 1024;

async function report(name, dark) {
  const picture = join(images, name);
  await withPage("chromium", { size, dark, picture }, (page) => openPage(page, "node"));
  return picture;
}

/* A session that is new, with what it holds and what holds it. */
async function viewer(name) {
  const picture = join(images, name);
  await withViewer("node", async (view) => {
    await withPage("chromium", { size, allowed: view.host, picture }, async (page) => {
      await openViewer(page, view);
      const { nodes } = await view.ask("objects", { side: "after", type: "Session", from: 0, count: 1 });
      await page.evaluate((of) => (location.hash = `view=object&side=after&of=${of}`), nodes[0].of);
      await page.locator(".object-body .facts").waitFor();
      await page.locator(".object-body .ways li").first().waitFor();
    });
  });
  return picture;
}

mkdirSync(images, { recursive: true });
for (const path of [await report("report.png", false), await report("report-dark.png", true), await viewer("view.png")]) {
  const { size: bytes } = statSync(path);
  console.log(`${path}: ${(bytes / 1024).toFixed(1)} KiB`);
  if (bytes > mostBytes) throw new Error(`${path} weighs more than ${mostBytes / 1024} KiB`);
}
await closeBrowsers();
await closeViewers();

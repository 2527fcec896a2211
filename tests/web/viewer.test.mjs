/*
 * The viewer in browsers: from the report to a type, to an object, along its path to the root, against what the server answers to a script; the tree of
 * what holds what; search; by keyboard; hostile names; and nothing asked of anybody but the server that printed the address.
 */
import assert from "node:assert/strict";
import test, { after } from "node:test";
import { assertAccessible, closeBrowsers, engines, phone, withPage } from "./support/browsers.mjs";
import { records } from "./support/pages.mjs";
import { closeViewers, openViewer, withViewer } from "./support/viewer.mjs";

after(closeBrowsers);
after(closeViewers);

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const row = (page, at) => page.locator(`.rows-row[aria-rowindex="${at + 2}"]`);
const heading = (page) => page.locator("h1:visible").first().textContent();
const headingHolds = (page, text) => page.locator("h1:visible", { hasText: text }).waitFor();

async function see(page, fragment) {
  await page.evaluate((to) => (location.hash = to), fragment);
}

/* Types as the server tells them, then the objects of the type that retains most of the program's own. */
async function walkDown(page, view) {
  await see(page, "view=types&side=after&find=Session");
  const { types } = await view.ask("types", { side: "after", text: "Session", order: "retained", from: 0, count: 5 });
  await row(page, 0).waitFor();
  for (const [at, type] of types.entries()) {
    const text = await row(page, at).textContent();
    assert.ok(text.includes(type.name) && text.includes(grouped(type.objects)), `${text} is not ${JSON.stringify(type)}`);
  }
  await row(page, types.findIndex((type) => type.name === "Session")).locator("a").click();
  const { nodes, total } = await view.ask("objects", { side: "after", type: "Session", from: 0, count: 3 });
  assert.equal(total, records("node").type.find((type) => type.type === "Session").after.objects);
  await page.locator(".rows-objects .rows-row").first().waitFor();
  assert.ok((await row(page, 0).textContent()).includes(nodes[0].id));
  await row(page, 0).locator("a").click();
  await headingHolds(page, nodes[0].id);
  await page.locator(".object-body .ways").first().waitFor();
  assert.match(await heading(page), /Session/);
  return nodes[0];
}

/* The path on the page is the one that the server tells; its first step leads to the root. */
async function walkUp(page, view, node) {
  const { nodes } = await view.ask("path", { side: "after", of: node.of });
  const shown = await page.locator(".object-body .ways").first().locator("li:not(.gap)").allTextContents();
  assert.equal(shown.length, nodes.length);
  const root = nodes.find((each) => each.is_root) ?? nodes[0];
  assert.ok(shown.some((text) => text.includes(root.type)), `${root.type} is not in ${shown.join(" | ")}`);
  await page.locator(".object-body .ways").first().locator("a").first().click();
  await page.locator("h1:visible", { hasNotText: node.id }).waitFor();
}

async function tree(page, view) {
  await see(page, "view=tree&side=after");
  const { nodes } = await view.ask("dominated", { side: "after", of: "all", from: 0, count: 3 });
  await page.locator(".rows-tree .rows-row").first().waitFor();
  assert.ok((await row(page, 0).textContent()).includes(nodes[0].type), nodes[0].type);
  const lines = () => page.locator(".rows-tree").getAttribute("aria-rowcount");
  const before = await lines();
  await row(page, 0).focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((count) => document.querySelector(".rows-tree").getAttribute("aria-rowcount") !== count, before);
}

async function search(page) {
  await page.keyboard.press("/");
  await page.keyboard.type("CartItem");
  await page.locator("#search-found [role=option]").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await headingHolds(page, "CartItem");
}

for (const engine of engines) {
  test(`${engine}: from the report to an object and to its root`, async () => {
    await withViewer("node", async (view) => {
      await withPage(engine, { allowed: view.host }, async (page) => {
        await openViewer(page, view);
        await page.locator("#answer h1").waitFor();
        assert.match(await heading(page), /^Live heap grew [^:]*: .* new, .* freed(, .* by kept objects that grew)?\.$/);
        assert.match(await page.locator("#answer .where").textContent(), /hangs from one place: /); // the words of the text report
        assert.ok(!page.url().includes(view.token), "the token stands in the address");
        await walkUp(page, view, await walkDown(page, view));
        await tree(page, view);
        await search(page);
      });
    });
  });
  test(`${engine}: everybody can use it`, async () => {
    await withViewer("node", async (view) => {
      for (const options of engine === "chromium" ? [{}, { dark: true }, { size: phone }] : [{}]) {
        await withPage(engine, { ...options, allowed: view.host }, async (page) => {
          await openViewer(page, view);
          for (const place of ["view=types&side=after", "view=objects&side=after&name=Session", "view=tree&side=after"]) {
            await see(page, place);
            await row(page, 0).waitFor();
            await assertAccessible(page);
          }
        });
      }
    });
  });
  test(`${engine}: hostile names`, async () => {
    await withViewer("hostile", async (view) => {
      await withPage(engine, { allowed: view.host }, async (page) => {
        await openViewer(page, view);
        const { types } = await view.ask("types", { side: "after", order: "name", from: 0, count: 1000 });
        for (const at of [0, 0.25, 0.5, 0.75, 1]) {
          await see(page, "view=types&side=after&order=name");
          await page.locator(".rows-types .rows-row").first().waitFor();
          await page.locator(".rows-scroll").evaluate((box, part) => (box.scrollTop = part * box.scrollHeight), at);
          await page.waitForTimeout(100);
          await see(page, `view=objects&side=after&name=${encodeURIComponent(types[Math.floor(at * (types.length - 1))].name)}`);
          await page.locator(".rows-objects .rows-row").first().waitFor();
        }
        await see(page, "view=tree&side=after");
        await page.locator(".rows-tree .rows-row").first().waitFor();
      });
    });
  });
  test(`${engine}: loaded again, and in a second tab`, async () => {
    await withViewer("node", async (view) => {
      await withPage(engine, { allowed: view.host, own: true }, async (page) => {
        await openViewer(page, view);
        await see(page, "view=types&side=after");
        await row(page, 0).waitFor();
        await page.reload();
        await row(page, 0).waitFor();
        const second = await page.context().newPage();
        await second.goto(page.url()); /* as a link that is opened in another tab: without the token */
        await row(second, 0).waitFor();
        await second.reload();
        await row(second, 0).waitFor();
        assert.ok(!second.url().includes(view.token), "the token stands in the address");
      });
    });
  });
  test(`${engine}: without its token it says so`, async () => {
    await withViewer("single", async (view) => {
      await withPage(engine, { allowed: view.host }, async (page) => {
        await page.goto(view.address.replace(/#.*/, ""));
        await page.locator("h1").waitFor();
        assert.match(await page.locator("main").textContent(), /address/);
      });
    });
  });
}

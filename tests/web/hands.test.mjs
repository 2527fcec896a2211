/*
 * A page in use: by mouse and by keyboard alone. What a reader chose stands in the address, and the address brings it back.
 */
import assert from "node:assert/strict";
import test, { after } from "node:test";
import { closeBrowsers, engines, withPage } from "./support/browsers.mjs";
import { openPage, records } from "./support/pages.mjs";

after(closeBrowsers);

const firstName = (page) => page.locator("#types tbody tr[data-row='0'] th").textContent();
const fragment = (page) => page.evaluate(() => decodeURIComponent(location.hash));
const types = () => records("node").type;
const largest = (key) => types().reduce((most, row) => (key(row) > key(most) ? row : most)).type;

/* Presses Tab until the element that `selector` names has the focus. */
async function tabTo(page, selector) {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
  }
  throw new Error(`${selector} cannot be reached with Tab`);
}

async function sortAndFilter(page) {
  assert.equal(await firstName(page), largest((row) => row.growth.bytes));
  await page.locator("#types thead button", { hasText: "After" }).click();
  assert.equal(await firstName(page), largest((row) => row.after.bytes));
  assert.equal(await page.locator("#types th[aria-sort='descending']").textContent(), "After");
  await page.locator("#types input[type=search]").fill("cart item");
  assert.equal(await page.locator("#types tbody tr[data-row]").count(), 2); // CartItem and its constructor, Function CartItem (shop.js:…)
  assert.equal(await firstName(page), "CartItem");
  assert.match(await page.locator("#types tfoot").textContent(), /other types.*TOTAL/s);
  assert.match(await fragment(page), /types\.sort=after/);
  assert.match(await fragment(page), /types\.text=cart item/);
}

async function assertBroughtBack(page) {
  assert.equal(await page.locator("#types input[type=search]").inputValue(), "cart item");
  assert.equal(await firstName(page), "CartItem");
  assert.equal(await page.locator("#types th[aria-sort='descending']").textContent(), "After");
}

/* From the top of the page to the details of a type and back, and into the picture and out, without a mouse. */
async function walk(page) {
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await tabTo(page, "#picture [role=tree]");
  const shown = () => page.locator("#picture .crumbs").textContent();
  const before = await shown();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  assert.notEqual(await shown(), before);
  assert.match(await fragment(page), /picture\.at=/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  assert.equal(await shown(), before);
  await tabTo(page, "#types table");
  for (const key of ["End", "Home", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  const second = await page.locator("#types tbody tr[data-row='1'] th").textContent();
  assert.equal(await fragment(page), `#type=${second}`);
  assert.ok((await page.locator("#detail").textContent()).includes(second));
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#detail").isVisible(), false);
}

/* The picture's twin: the same tree as a table. */
async function treeAsTable(page) {
  await page.locator("#picture label", { hasText: "As table" }).click();
  const rows = page.locator("#picture [role=treegrid] tbody tr[aria-level]");
  const [root] = records("node").tree;
  assert.match(await rows.first().textContent(), /whole heap/);
  const count = await rows.count();
  await page.locator("#picture [role=treegrid]").focus();
  for (const key of ["Home", "ArrowRight", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  assert.ok((await rows.count()) >= count);
  assert.equal(root.total.after.bytes, records("node").total[0].after.bytes);
}

async function findInPicture(page) {
  await page.locator("#icicle-find").fill("CartItem");
  await page.waitForFunction(() => /\d/.test(document.querySelector(".icicle-count").textContent));
  await page.waitForFunction(() => location.hash.includes("picture.find=CartItem")); /* it is written when the typing ends */
}

for (const engine of engines) {
  test(`${engine}: sorted and filtered, and the link shows it again`, async () => {
    const link = await withPage(engine, {}, async (page) => {
      await openPage(page, "node");
      await sortAndFilter(page);
      return page.evaluate(() => location.hash);
    });
    await withPage(engine, {}, async (page) => {
      await openPage(page, "node", link);
      await assertBroughtBack(page);
    });
  });
  test(`${engine}: by keyboard alone`, async () => {
    await withPage(engine, {}, async (page) => {
      await openPage(page, "node");
      await walk(page);
    });
  });
  test(`${engine}: the picture as a table, and names found in it`, async () => {
    await withPage(engine, {}, async (page) => {
      await openPage(page, "node");
      await treeAsTable(page);
      await findInPicture(page);
    });
  });
}

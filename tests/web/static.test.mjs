/*
 * A page where no script runs: the answer, what keeps it alive and the top of the tables stand there all the same, and are what is printed.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { after } from "node:test";
import { closeBrowsers, engines, withPage } from "./support/browsers.mjs";
import { openPage, pageAddress, pagePath, records } from "./support/pages.mjs";

after(closeBrowsers);

for (const engine of engines) {
  test(`${engine}: without script`, async () => {
    await withPage(engine, { script: false }, async (page) => {
      await page.goto(pageAddress("node"));
      const words = (selector) => page.locator(selector).first().textContent();
      assert.match(await words("h1"), /^Live heap grew .* hangs from one place: global\.sessions/s);
      assert.match(await words("#holders"), /global\.sessions: Map.*\[\*\]: Session.*\.cart: Array/s);
      const types = await words("#types");
      for (const { type } of records("node").type.slice(0, 8)) assert.ok(types.includes(type), type);
      assert.match(types, /TOTAL/);
      assert.match(await words("#roots"), /global\.sessions.*TOTAL/s);
      assert.match(await words("#made"), /before\.heapsnapshot/);
      assert.ok((await page.locator("#types").first().boundingBox()).height > 100, "the table is not shown");
    });
  });
}

test("chromium: without script, and with nothing that says what keeps it alive", async () => {
  await withPage("chromium", { script: false }, async (page) => {
    await page.goto(pageAddress("sites"));
    const rows = await page.locator("#sites tbody tr").allTextContents();
    assert.equal(rows.length, 12);
    assert.match(rows[0], /^main\.\(\*Cache\)\.Put \(cache\.go:31\)main\.checkout \(main\.go:88\).*1 more.*\+45\.9 MiB/s);
    const { site: sites, others } = records("sites");
    const rest = sites.length - 10 + others.find((each) => each.of === "site").rows;
    assert.ok(rows[10].startsWith(`${rest.toLocaleString("en")} other sites`), rows[10]);
    assert.match(rows[11], /^TOTAL/);
    const isFirst = await page.evaluate(() => document.querySelector("#answer ~ section:not(#warnings)").id === "sites");
    assert.ok(isFirst, "it stands behind the answer");
    assert.equal(await page.locator("#holders").count(), 0, "nothing is claimed of what keeps it alive");
  });
});

/* Firefox over WebDriver BiDi has no emulation of paper. */
test("chromium: in print no table is cut, and there is nothing to press", async () => {
  await withPage("chromium", { own: true }, async (page) => {
    await openPage(page, "node");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const shown = await page.evaluate(() => ({
      buttons: [...document.querySelectorAll(".tools button, .bar-tools button, input")].filter((each) => each.getClientRects().length > 0).length,
      hasRows: document.querySelectorAll("#types tbody tr[data-row]").length >= 20,
      isCut: [...document.querySelectorAll(".table-box")].some((box) => box.scrollHeight > box.clientHeight + 2),
    }));
    assert.deepEqual(shown, { buttons: 0, hasRows: true, isCut: false });
  });
});

test("what stands in a page is text: no element, attribute or address of a name", () => {
  for (const kind of ["hostile", "names-diff", "names-sites", "names-check"]) {
    const page = readFileSync(pagePath(kind), "utf8");
    const markup = page.replace(/<style>.*?<\/style>/s, "").replace(/<script>.*?<\/script>\s*<\/body>/s, "</body>");
    const tags = new Set([...markup.matchAll(/<([a-z!][^\s>]*)/gi)].map((each) => each[1].toLowerCase()));
    for (const each of ["img", "iframe", "svg", "object", "embed", "form"]) assert.ok(!tags.has(each), `<${each}> in ${kind}`);
    assert.equal([...markup.matchAll(/<script/gi)].length, 1, `scripts in ${kind}`);
    assert.doesNotMatch(markup, /<[^>]*\s(on\w+|style|srcdoc)\s*=/i, kind);
    assert.doesNotMatch(markup, /(href|src)="(?!#)/i, kind);
  }
});

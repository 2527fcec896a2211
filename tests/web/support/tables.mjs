/*
 * Tables of a page, read the way a reader gets at them: row by row as they scroll by, and as the text that is copied.
 */

/** The rows of the table in `section` as arrays of texts: all of them, by scrolling through; the last ones (sums) too. */
export async function shownRows(page, section) {
  return page.evaluate(async (selector) => {
    const box = document.querySelector(`${selector} .table-box`);
    const texts = (row) => [...row.cells].map((cell) => cell.textContent.trim());
    const rows = [];
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    for (let top = 0; ; top += box.clientHeight / 2) {
      box.scrollTop = top;
      await frame();
      for (const row of box.querySelectorAll("tbody tr[data-row]")) rows[Number(row.dataset.row)] = texts(row);
      if (top + box.clientHeight >= box.scrollHeight) break;
    }
    box.scrollTop = 0;
    await frame();
    return { rows, foot: [...box.querySelectorAll("tfoot tr")].map(texts) };
  }, section);
}

/** What "Copy as TSV" puts on the clipboard, as rows of fields: pressed, and pasted into a field of the page. */
export async function copiedRows(page, section) {
  await page.locator('[role="status"]').evaluate((status) => (status.textContent = ""));
  await page.locator(`${section} button`, { hasText: "Copy as TSV" }).click();
  await page.locator('[role="status"]', { hasText: "Copied" }).waitFor({ state: "attached" });
  await page.evaluate(() => {
    const field = document.body.appendChild(document.createElement("textarea"));
    field.id = "paste-here";
    field.focus();
  });
  await page.keyboard.press("Control+V");
  const text = await page.locator("#paste-here").inputValue();
  await page.evaluate(() => document.getElementById("paste-here").remove());
  return text.split("\n").slice(0, -1).map((line) => line.split("\t"));
}

/** Rows of a table of the text report, by name: {name: {BEFORE: "38.1 MiB", …}}. `title` is its first column. */
export function textTable(report, title) {
  const lines = report.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`${title} `));
  const heads = lines[start].trim().split(/\s+/);
  const table = {};
  for (let i = start + 1; lines[i] !== undefined && lines[i] !== ""; i++) {
    const cells = lines[i].trim().split(/\s{2,}/);
    if (cells.length === heads.length) table[cells[0]] = Object.fromEntries(cells.map((cell, at) => [heads[at], cell]));
  }
  return table;
}

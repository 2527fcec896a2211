import assert from "node:assert/strict";
import { test } from "node:test";
import { pageRows, Pages, type Page } from "../view/pages.ts";

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/* A list of so many numbers, and the pages that were asked for. */
function numbers(total: number): { pages: Pages<number>; asked: number[] } {
  const asked: number[] = [];
  const pages = new Pages<number>(async (from, count) => {
    asked.push(from);
    return {
      total,
      isTotalKnown: true,
      rows: Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, i) => from + i),
    };
  });
  return { pages, asked };
}

test("a row is there after it was needed", async () => {
  const { pages } = numbers(1000);
  assert.equal(pages.row(250), undefined);
  pages.need(240, 260);
  await settled();
  assert.equal(pages.row(250), 250);
  assert.equal(pages.total, 1000);
});

test("a page is asked for once", async () => {
  const { pages, asked } = numbers(1000);
  pages.need(0, 10);
  pages.need(0, 10);
  await settled();
  pages.need(5, 20);
  await settled();
  assert.deepEqual(asked, [0]);
});

test("nothing behind the end is asked for", async () => {
  const { pages, asked } = numbers(150);
  pages.need(0, 1);
  await settled();
  pages.need(100, 1000);
  await settled();
  assert.deepEqual(asked, [0, 100]);
});

test("pages that were not looked at for long are dropped", async () => {
  const { pages, asked } = numbers(1_000_000);
  for (let page = 0; page < 200; page++) {
    pages.need(page * pageRows, page * pageRows + 1);
    await settled();
  }
  assert.equal(pages.row(0), undefined);
  assert.equal(pages.row(199 * pageRows), 199 * pageRows);
  assert.equal(asked.length, 200);
});

test("what scrolled past is given up", async () => {
  const signals: AbortSignal[] = [];
  const pages = new Pages<number>((_from, _count, signal) => {
    signals.push(signal);
    return new Promise<Page<number>>(() => {});
  });
  pages.need(0, 1);
  pages.need(5000, 5001);
  assert.equal(signals[0]?.aborted, true);
  assert.equal(signals[1]?.aborted, false);
  pages.close();
  assert.equal(signals[1]?.aborted, true);
});

test("an error stays until it is tried again", async () => {
  let isBroken = true;
  let asked = 0;
  const pages = new Pages<number>(async () => {
    asked++;
    if (isBroken) throw new Error("broken");
    return { total: 1, isTotalKnown: true, rows: [7] };
  });
  pages.need(0, 1);
  await settled();
  assert.ok(pages.error instanceof Error);
  pages.need(0, 1);
  await settled();
  assert.equal(asked, 1);
  isBroken = false;
  pages.retry();
  pages.need(0, 1);
  await settled();
  assert.equal(pages.error, null);
  assert.equal(pages.row(0), 7);
});

test("a list whose length is not known grows until a page is empty", async () => {
  const pages = new Pages<number>(async (from, count) => ({
    total: from + count + 1,
    isTotalKnown: false,
    rows: from < 200 ? Array.from({ length: count }, (_, i) => from + i) : [],
  }));
  pages.need(0, 1);
  await settled();
  assert.equal(pages.total, 101);
  pages.need(100, 101);
  await settled();
  assert.equal(pages.total, 201);
  pages.need(200, 201);
  await settled();
  assert.equal(pages.total, 200);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as format from "../kit/format.ts";

/* What the C code writes (tests/web/make_numbers.c). */
const lines = readFileSync(`${import.meta.testFolder}/numbers.txt`, "utf8").trimEnd().split("\n");

type Form = (a: number, b: number) => string | number;
const forms: { readonly [name: string]: Form } = {
  bytes: format.bytes,
  bytesSigned: format.bytesSigned,
  count: format.count,
  countSigned: format.countSigned,
  exact: format.exact,
  exactSigned: format.exactSigned,
  percent: format.percent,
  percentOf: format.percentOf,
  share: format.share,
  duration: format.duration,
};

test("numbers are written as the C code writes them", () => {
  const tried = new Map<string, number>();
  for (const line of lines) {
    const [name, numbers, text] = line.split("\t") as [string, string, string];
    const [a, b] = numbers.split(" ").map(Number) as [number, number];
    assert.equal(String(forms[name]!(a, b)), text, line);
    tried.set(name, (tried.get(name) ?? 0) + 1);
  }
  for (const name of Object.keys(forms)) assert.ok((tried.get(name) ?? 0) > 50, `${name} was tried`);
});

test("one thing is not plural", () => {
  assert.equal(format.plural(1, "object"), "1 object");
  assert.equal(format.plural(0, "object"), "0 objects");
  assert.equal(format.plural(1234, "other type"), "1,234 other types");
});

test("moments are read back", () => {
  assert.equal(format.moment("1970-01-01 00:00:01Z"), 1000);
  assert.equal(format.moment("2026-11-20 10:14:05Z")! - format.moment("2026-11-20 09:14:02Z")!, 3603000);
  assert.equal(format.moment("yesterday"), null);
  assert.equal(format.moment(null), null);
});

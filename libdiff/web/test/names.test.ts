import assert from "node:assert/strict";
import { test } from "node:test";
import { shorten, visible } from "../kit/names.ts";

test("what is hidden in a name is shown", () => {
  assert.equal(visible("plain Type<int>"), "plain Type<int>");
  assert.equal(visible("a\u001b[31mb"), "a\\x1b[31mb");
  assert.equal(visible("a\nb\u0000"), "a\\x0ab\\x00");
  assert.equal(visible("x\u202ey"), "x\\u202ey");
  assert.equal(visible("\u200b\ufeff"), "\\u200b\\ufeff");
  assert.equal(visible("\u{e0041}"), "\\U000e0041");
  assert.equal(visible("\ud800"), "\\ud800");
  assert.equal(visible("\u00e9\u4e2d\u{1f600}"), "\u00e9\u4e2d\u{1f600}");
});

test("a backslash is doubled only where it would be read as a mark", () => {
  assert.equal(visible("App\\Model"), "App\\Model");
  assert.equal(visible("a\\x1b"), "a\\\\x1b");
  assert.equal(visible("a\\xzz"), "a\\xzz");
  assert.equal(visible("a\\\\b"), "a\\\\\\b");
  assert.equal(visible("a\\\u0007"), "a\\\\\\x07");
});

test("different names never look equal, whatever is hidden in them", () => {
  const pieces = ["\\", "x", "1b", "\u001b", "\\x1b", "\\\\", "u202e", "\u202e", "a"];
  const seen = new Map<string, string>();
  const tryAll = (name: string, depth: number): void => {
    const text = visible(name);
    assert.equal(seen.get(text) ?? name, name, JSON.stringify(text));
    seen.set(text, name);
    if (depth > 0) for (const piece of pieces) tryAll(name + piece, depth - 1);
  };
  tryAll("", 4);
});

test("long names lose what stands in <> first, then their middle", () => {
  const name = "java.util.HashMap$Node<java.lang.String,com.shop.Session>";
  assert.equal(shorten(name, 80), name);
  assert.equal(shorten(name, 30), "java.util.HashMap$Node<\u2026>");
  assert.equal([...shorten(name, 20)].length, 20);
  assert.equal(shorten(name, 20), "java.util.\u2026p$Node<\u2026>");
  assert.equal([...shorten("\u{1f600}".repeat(50), 9)].length, 9);
  assert.equal(shorten("abcdefgh<<", 5), "ab\u2026<<");
});

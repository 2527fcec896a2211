import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFragment, writeFragment } from "../kit/state.ts";

function roundTrip(values: readonly (readonly [string, string])[]): [string, string][] {
  return [...parseFragment(`#${writeFragment(new Map(values))}`)];
}

test("state stands in the fragment and is read back", () => {
  const hostile: [string, string][] = [
    ["type", "Entry<string,Session>&x=1#y%20\u202e\u{1f600}"],
    ["types.sort", "-growth"],
    ["types.text", "a b+c"],
  ];
  assert.deepEqual(roundTrip(hostile), hostile);
});

test("the same state gives the same link", () => {
  assert.equal(writeFragment(new Map([["b", "2"], ["a", "1"]])), "a=1&b=2");
  assert.equal(writeFragment(new Map()), "");
});

test("commas and slashes stay readable", () => {
  assert.equal(writeFragment(new Map([["type", "Map<a,b>/c"]])), "type=Map%3Ca,b%3E/c");
});

test("a damaged fragment costs what is damaged", () => {
  assert.deepEqual([...parseFragment("#a=%E0%A4%A&b=2&=3&c&d=")], [["b", "2"], ["d", ""]]);
  assert.deepEqual([...parseFragment("#types")], []);
  assert.deepEqual([...parseFragment("")], []);
  assert.deepEqual([...parseFragment("#__proto__=1")], [["__proto__", "1"]]);
});

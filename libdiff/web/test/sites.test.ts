import assert from "node:assert/strict";
import { test } from "node:test";
import { shareText } from "../report/places.ts";
import { frameText } from "../report/sites.ts";

test("a frame reads as in the text report", () => {
  assert.equal(frameText({ function: "main.fill", file: "/src/main.go", line: 31 }), "main.fill (main.go:31)");
  assert.equal(frameText({ function: "main.fill", file: "main.go", line: 0 }), "main.fill (main.go)");
  assert.equal(frameText({ function: "f", file: "", line: 7 }), "f");
  assert.equal(frameText({ function: "f", file: "folder/", line: 7 }), "f");
  assert.equal(frameText({ function: "", file: "/a.c", line: 1 }), "(no name) (a.c:1)");
  assert.equal(frameText({ function: "f\u202e", file: "/x/\u001b.c", line: 1 }), "f\\u202e (\\x1b.c:1)");
});

test("a share is of the growth, where there is any", () => {
  assert.equal(shareText(91, 100), "91%");
  assert.equal(shareText(1, 1000), "<1%");
  assert.equal(shareText(-7, 100), "-7%");
  assert.equal(shareText(5, 0), "");
});

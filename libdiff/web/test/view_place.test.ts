import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, nowhere, placeOf, takeToken, type Place } from "../view/place.ts";
import { hostileNames } from "./view_fake.ts";

const token = "0123456789abcdef0123456789abcdef";

test("the token is taken out and the rest stays", () => {
  assert.deepEqual(takeToken(`#${token}`), { token, rest: "" });
  assert.deepEqual(takeToken(`#${token}&view=tree&side=before`), { token, rest: "view=tree&side=before" });
});

test("what is no token is left alone", () => {
  for (const fragment of [
    "",
    "#",
    "#view=types",
    "#main",
    "#view=objects&name=0123456789abcdef0123456789abcdef",
    "#<script>alert(1)</script>",
  ])
    assert.equal(takeToken(fragment).token, null, fragment);
});

test("a place comes back from its address, whatever its names are", () => {
  for (const name of hostileNames.slice(0, -1)) {
    const place: Place = { view: "objects", side: "before", name, of: "root:3", find: name, order: "bytes" };
    assert.deepEqual(placeOf(addressOf(place, "")), place);
  }
});

test("an address holds no more than it needs", () => {
  assert.equal(addressOf(nowhere, ""), "#");
  assert.equal(addressOf({ view: "object", of: "0x1f" }, ""), "#view=object&of=0x1f");
});

test("keys of the report are kept, those of the last place are not", () => {
  const address = addressOf({ view: "tree" }, "#view=types&find=x&order=name&types.sort=growth");
  assert.equal(address, "#view=tree&types.sort=growth");
});

test("a panel of the report does not follow into browsing", () => {
  assert.equal(addressOf({ view: "tree" }, "#type=Session"), "#view=tree");
  assert.equal(addressOf({ view: "growth" }, "#type=Session"), "#view=growth&type=Session");
});

test("an address that makes no sense is the first page", () => {
  assert.deepEqual(placeOf("#view=shell&side=left&order=random&%zz=%"), nowhere);
});

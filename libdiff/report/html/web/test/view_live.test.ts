import assert from "node:assert/strict";
import { test } from "node:test";
import { Api } from "../src/view/api.ts";
import { withLive } from "../src/view/live.ts";
import { fakePair } from "./view_fake.ts";

test("what is at the top of the tree adds up to what is live", async () => {
  const server = fakePair(500, ["A", "B", "C"]);
  const api = new Api(server.token, server.fetch);
  const state = await withLive(api, await api.state());
  let live = 0;
  for (const row of (await api.types("after", "", "bytes", 0, 1000)).types) live += row.bytes;
  assert.equal(state.sides.find((side) => side.side === "after")?.bytes, live);
});

test("a side that cannot be browsed, or is not answered for, has no sum", async () => {
  const server = fakePair(10, ["A"]);
  const api = new Api(server.token, server.fetch);
  const state = {
    ...(await api.state()),
    sides: [{ side: "after" as const, browsable: false, why_not: "it has no references" }],
  };
  const asked = server.asked.length;
  assert.equal((await withLive(api, state)).sides[0]?.bytes, undefined);
  assert.equal(server.asked.length, asked);
  server.failure = { status: 500, error: "broken", hint: "" };
  assert.equal((await withLive(api, await api.state())).sides[1]?.bytes, undefined);
});

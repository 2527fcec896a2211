import assert from "node:assert/strict";
import { test } from "node:test";
import { Api, ApiError, isGivenUp } from "../view/api.ts";
import { fakePair, hostileNames } from "./view_fake.ts";

function wrongKey(): Api {
  return new Api("another-token-of-somebody", fakePair(10, ["T"]).fetch);
}

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
  return assert.fail("it should have failed");
}

test("the token goes out as a header and never in an address", async () => {
  const server = fakePair(100, ["Session"]);
  const api = new Api(server.token, server.fetch);
  await api.state();
  await api.types("after", "", "retained", 0, 10);
  await api.object("after", "0x10");
  assert.deepEqual(server.tokens, [server.token, server.token, server.token]);
  assert.ok(server.asked.every((path) => !path.includes(server.token)));
});

test("names of any kind arrive as they are", async () => {
  const server = fakePair(300, hostileNames);
  const api = new Api(server.token, server.fetch);
  for (const name of hostileNames.slice(0, -1)) {
    const answer = await api.objects("after", name, 0, 5);
    assert.ok(answer.total > 0, `no object of ${JSON.stringify(name.slice(0, 40))}`);
    assert.equal(answer.nodes[0]?.type, name);
  }
});

test("a wrong key is told with the address to open", async () => {
  const error = await failureOf(wrongKey().state());
  assert.equal(error.status, 403);
  assert.match(error.hint, /address that “hsdiff view” printed/);
});

test("a server that is gone is told with the next command", async () => {
  const server = fakePair(10, ["T"]);
  server.isGone = true;
  const error = await failureOf(new Api(server.token, server.fetch).state());
  assert.ok(error.isGone);
  assert.match(error.hint, /hsdiff view/);
});

test("an error of the server is told in its words", async () => {
  const server = fakePair(10, ["T"]);
  server.failure = {
    status: 500,
    error: "the index cannot be read: I/O error",
    hint: "look at the disk of the temporary files",
  };
  const error = await failureOf(new Api(server.token, server.fetch).object("after", "0x10"));
  assert.equal(error.message, "the index cannot be read: I/O error");
  assert.equal(error.hint, "look at the disk of the temporary files");
});

test("an answer that is no JSON is an error with its status", async () => {
  const api = new Api("k", async () => new Response("<html>", { status: 502 }));
  assert.match((await failureOf(api.state())).message, /502/);
  const cut = new Api("k", async () => new Response('{"phase":', { status: 200 }));
  assert.ok((await failureOf(cut.state())).isGone);
});

test("a question that was given up is no error of the server", async () => {
  const server = fakePair(10, ["T"]);
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(new Api(server.token, server.fetch).objects("after", "T", 0, 1, stop.signal), (error) =>
    isGivenUp(error),
  );
});

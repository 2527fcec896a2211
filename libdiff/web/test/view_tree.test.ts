import assert from "node:assert/strict";
import { test } from "node:test";
import { Api } from "../view/api.ts";
import { branchRows, Tree, type MoreRow, type NodeRow, type Row } from "../view/tree.ts";
import { FakeHeap, FakeServer, fakePair } from "./view_fake.ts";

function treeOf(server: FakeServer): Tree {
  const api = new Api(server.token, server.fetch);
  return new Tree((of, from, count) => api.list("dominated", "after", of, from, count));
}

function node(tree: Tree, at: number): NodeRow {
  const row = tree.rows[at];
  assert.equal(row?.kind, "node");
  return row as NodeRow;
}

/* The rows as they are read: "2 0x10+" is level 2 and open. */
function shape(rows: readonly Row[]): string[] {
  return rows.map((row) =>
    row.kind === "more" ? `${row.level} …${row.left}` : `${row.level} ${row.node.of}${row.isOpen ? "+" : ""}`,
  );
}

test("it starts with what nothing dominates", async () => {
  const tree = treeOf(fakePair(100, ["T"]));
  await tree.start();
  assert.deepEqual(shape(tree.rows), ["1 root:0", "1 root:1", "1 root:2"]);
  assert.equal(tree.siblings(node(tree, 1)), 3);
});

test("a branch is unfolded below its row and folded again", async () => {
  const tree = treeOf(fakePair(100, ["T"]));
  await tree.start();
  await tree.open(node(tree, 0));
  await tree.open(node(tree, 1));
  assert.equal(node(tree, 0).isOpen, true);
  assert.deepEqual(shape(tree.rows.slice(0, 2)), ["1 root:0+", "2 0x10+"]);
  assert.equal(tree.rows.filter((row) => row.level === 3).length, 5);
  assert.equal(tree.parentOf(tree.rows[3]!), 1);
  tree.shut(node(tree, 0));
  assert.deepEqual(shape(tree.rows), ["1 root:0", "1 root:1", "1 root:2"]);
});

test("an object that keeps nothing else alive cannot be unfolded", async () => {
  const server = fakePair(4, ["T"]);
  const tree = treeOf(server);
  await tree.start();
  await tree.open(node(tree, 1));
  const leaf = tree.rows.find((row): row is NodeRow => row.kind === "node" && row.level === 2)!;
  const before = server.asked.length;
  assert.equal(leaf.isLeaf, true);
  await tree.open(leaf);
  assert.equal(server.asked.length, before);
});

test("a wide branch comes in pages", async () => {
  const heap = new FakeHeap(3 + 2 * branchRows + 5, 2 * branchRows + 5, ["T"]);
  const tree = treeOf(new FakeServer(new Map([["after", heap]]), null));
  await tree.start();
  await tree.open(node(tree, 0));
  await tree.open(node(tree, 1));
  const more = (): MoreRow => tree.rows.find((row): row is MoreRow => row.kind === "more")!;
  assert.equal(more().left, branchRows + 5);
  await tree.more(more());
  assert.equal(more().left, 5);
  await tree.more(more());
  const places = tree.rows
    .filter((row): row is NodeRow => row.kind === "node" && row.level === 3)
    .map((row) => row.place);
  assert.deepEqual(
    places,
    Array.from({ length: 2 * branchRows + 5 }, (_, i) => i + 1),
  );
  assert.equal(
    tree.rows.some((row) => row.kind === "more"),
    false,
  );
});

test("answers that come late find their place, or none", async () => {
  const waiting: (() => void)[] = [];
  const server = fakePair(100, ["T"]);
  const api = new Api(server.token, server.fetch);
  const tree = new Tree(async (of, from, count) => {
    if (of !== "all") await new Promise<void>((resolve) => waiting.push(resolve));
    return api.list("dominated", "after", of, from, count);
  });
  await tree.start();
  const second = tree.open(node(tree, 1));
  const first = tree.open(node(tree, 0));
  for (const go of waiting.splice(0).reverse()) go();
  await Promise.all([first, second]);
  assert.deepEqual(
    shape(tree.rows).filter((row) => row.startsWith("1")),
    ["1 root:0+", "1 root:1+", "1 root:2"],
  );
  const inner = tree.open(node(tree, 1));
  tree.shut(node(tree, 0));
  for (const go of waiting.splice(0)) go();
  await inner;
  assert.deepEqual(shape(tree.rows).slice(0, 2), ["1 root:0", "1 root:1+"]);
});

test("an error leaves the branch as it was, to be tried again", async () => {
  const server = fakePair(100, ["T"]);
  const tree = treeOf(server);
  await tree.start();
  server.failure = { status: 500, error: "the disk is gone", hint: "" };
  await assert.rejects(tree.open(node(tree, 0)));
  assert.equal(node(tree, 0).isBusy, false);
  server.failure = null;
  await tree.open(node(tree, 0));
  assert.equal(node(tree, 0).isOpen, true);
});

/*
 * A server of `hsdiff view` for tests of its page: a heap that is made up, and the questions of the API answered from it by the plainest
 * means. Its dominator tree is its graph: a node refers to what it dominates, and to the first node (which is shared, so held by no
 * single root).
 */
import type { Fetch, HeapNode, NodeList, Side, State, TypeRow } from "../view/api.ts";

export interface FakeNode {
  readonly of: string;
  readonly type: string;
  readonly isRoot: boolean;
  readonly bytes: number;
  readonly parent: number /* -1 = top */;
  readonly children: number[];
  retained: number;
  retainedObjects: number;
}

export const hostileNames: readonly string[] = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(1)</script>",
  "a&b=c#d?e%zz+f g",
  "\u202egnp.exe",
  "x\u0000y\u001b[31m",
  "__proto__",
  "constructor",
  "javascript:alert(1)",
  "a".repeat(5000),
  "\u{1f600}\u0301 \ud83d",
];

export class FakeHeap {
  readonly nodes: FakeNode[] = [];
  readonly top: number[] = [];

  /* `fan` children a node, breadth first, until there are so many. */
  constructor(objects: number, fan: number, names: readonly string[]) {
    const roots = 3;
    for (let i = 0; i < roots; i++) this.add(-1, `root:${i}`, i === 0 ? hostileNames[0]! : `registry ${i}`, 0);
    for (let i = 0; i < objects; i++) {
      const parent = i < roots ? i : roots + Math.floor((i - roots) / fan);
      this.add(parent, `0x${(i + 16).toString(16)}`, names[i % names.length]!, 16 + (i % 7) * 8);
    }
    for (let i = this.nodes.length - 1; i >= 0; i--) {
      const node = this.nodes[i]!;
      const parent = this.nodes[node.parent];
      if (!parent) continue;
      parent.retained += node.retained;
      parent.retainedObjects += node.retainedObjects;
    }
    for (const node of this.nodes) node.children.sort((a, b) => this.nodes[b]!.retained - this.nodes[a]!.retained);
  }

  private add(parent: number, of: string, type: string, bytes: number): void {
    const isRoot = parent < 0;
    this.nodes.push({
      of,
      type,
      isRoot,
      bytes,
      parent,
      children: [],
      retained: bytes,
      retainedObjects: isRoot ? 0 : 1,
    });
    (parent < 0 ? this.top : this.nodes[parent]!.children).push(this.nodes.length - 1);
  }

  get bytes(): number {
    return this.top.reduce((sum, i) => sum + this.nodes[i]!.retained, 0);
  }

  find(of: string): number {
    return this.nodes.findIndex((node) => node.of === of);
  }

  shown(index: number, edge = ""): HeapNode {
    const node = this.nodes[index]!;
    return {
      of: node.of,
      is_root: node.isRoot,
      kind: node.isRoot ? "global" : null,
      id: node.isRoot ? null : node.of,
      type: node.type,
      edge,
      bytes: node.bytes,
      retained: node.retained,
      retained_objects: node.retainedObjects,
      state: node.isRoot ? "live" : index % 3 === 0 ? "new" : "kept",
      weak: false,
    };
  }

  typeRows(): TypeRow[] {
    const rows = new Map<string, { objects: number; bytes: number; retained: number }>();
    for (const node of this.nodes) {
      if (node.isRoot) continue;
      const row = rows.get(node.type) ?? { objects: 0, bytes: 0, retained: 0 };
      row.objects++;
      row.bytes += node.bytes;
      row.retained = Math.min(this.bytes, row.retained + node.retained);
      rows.set(node.type, row);
    }
    return [...rows].map(([name, row]) => ({ name, ...row }));
  }
}

interface Failure {
  readonly status: number;
  readonly error: string;
  readonly hint: string;
}

export class FakeServer {
  readonly token = "0123456789abcdef0123456789abcdef";
  readonly asked: string[] = [];
  readonly tokens: (string | null)[] = [];
  isGone = false;
  failure: Failure | null = null; /* what every question but the state gets */
  state: State;
  private readonly heaps: ReadonlyMap<Side, FakeHeap>;
  private readonly report: Uint8Array | null;

  constructor(heaps: ReadonlyMap<Side, FakeHeap>, report: Uint8Array | null) {
    this.heaps = heaps;
    this.report = report;
    const sides = [...heaps].map(([side, heap]) => ({ side, browsable: true, why_not: null, live_bytes: heap.bytes }));
    const captures = heaps.size === 2 ? [{ name: "before.hs" }, { name: "after.hs" }] : [{ name: "after.hs" }];
    this.state = {
      phase: "ready",
      stage: "",
      done: 0,
      total: 0,
      captures,
      report: report ? "diff" : null,
      sides,
      why_not: null,
      error: null,
      version: "1.0.0",
    };
  }

  /** As `fetch`: what the page calls. */
  readonly fetch: Fetch = async (path, init) => {
    init.signal?.throwIfAborted();
    if (this.isGone) throw new TypeError("Failed to fetch");
    const token = new Headers(init.headers).get("X-Hsdiff-Token");
    const { status, body } = this.answer(path, token);
    return new Response(body as BodyInit, { status });
  };

  /** Status and body of a request. */
  answer(path: string, token: string | null): { status: number; body: string | Uint8Array } {
    this.asked.push(path);
    this.tokens.push(token);
    if (token !== this.token) return this.refuse({ status: 403, error: "", hint: "" });
    const url = new URL(path, "http://127.0.0.1");
    const name = url.pathname.replace("/api/", "");
    if (name === "state") return { status: 200, body: JSON.stringify(this.state) };
    if (this.failure) return this.refuse(this.failure);
    if (name === "report")
      return this.report
        ? { status: 200, body: this.report }
        : this.refuse({ status: 404, error: "there is no report", hint: "" });
    const heap = this.heaps.get((url.searchParams.get("side") ?? "") as Side);
    if (!heap) return this.refuse({ status: 404, error: "there is no such side", hint: "" });
    const answer = this.ask(name, heap, url.searchParams);
    if (answer === null)
      return this.refuse({ status: 404, error: "no object has the id 0xdead", hint: "ids are those of this side" });
    return { status: 200, body: JSON.stringify(answer) };
  }

  private refuse(failure: Failure): { status: number; body: string } {
    return { status: failure.status, body: JSON.stringify({ error: failure.error, hint: failure.hint }) };
  }

  private ask(name: string, heap: FakeHeap, query: URLSearchParams): unknown {
    const from = Number(query.get("from") ?? 0);
    const count = Number(query.get("count") ?? 100);
    const part = <T>(all: readonly T[]): T[] => all.slice(from, from + count);
    if (name === "types") {
      const rows = this.types(heap, query.get("text") ?? "", query.get("order") ?? "retained");
      return { from, total: rows.length, types: part(rows) };
    }
    if (name === "search") return this.search(heap, query.get("text") ?? "");
    if (name === "objects") {
      const all = heap.nodes
        .map((_, i) => i)
        .filter((i) => !heap.nodes[i]!.isRoot && heap.nodes[i]!.type === query.get("type"));
      all.sort((a, b) => heap.nodes[b]!.retained - heap.nodes[a]!.retained);
      return list(
        part(all).map((i) => heap.shown(i)),
        from,
        all.length,
      );
    }
    const of = query.get("of") ?? "";
    if (of === "all")
      return list(
        part(heap.top).map((i) => heap.shown(i)),
        from,
        heap.top.length,
      );
    const at = heap.find(of);
    return at < 0 ? null : this.around(name, heap, at, from, part);
  }

  private around(name: string, heap: FakeHeap, at: number, from: number, part: <T>(all: readonly T[]) => T[]): unknown {
    const node = heap.nodes[at]!;
    const above: number[] = [];
    for (let i = node.parent; i >= 0; i = heap.nodes[i]!.parent) above.unshift(i);
    if (name === "object")
      return {
        node: heap.shown(at),
        length: node.children.length > 3 ? node.children.length : null,
        owner: "registry 1",
        referents: node.children.length,
        referrers: node.isRoot ? 0 : 1,
        dominated: node.children.length,
        fields: [{ name: "count", value: String(node.children.length) }],
        frames: [{ function: "make_session", file: "sessions.c", line: 12, column: 0 }],
        other: node.isRoot ? null : { side: "before", id: node.of, of: node.of, bytes: node.bytes },
      };
    if (name === "dominated" || name === "referents")
      return list(
        part(node.children).map((i, k) => heap.shown(i, `[${from + k}]`)),
        from,
        node.children.length,
      );
    if (name === "referrers")
      return list(
        part(above.slice(-1)).map((i) => heap.shown(i, ".field")),
        from,
        above.length > 0 ? 1 : 0,
      );
    if (name === "path")
      return list(
        [...above, at].map((i) => heap.shown(i, i === at ? ".field" : "")),
        0,
        above.length + 1,
      );
    return list(
      above.map((i) => heap.shown(i)),
      0,
      above.length,
    );
  }

  private types(heap: FakeHeap, text: string, order: string): TypeRow[] {
    const rows = heap.typeRows().filter((row) => row.name.toLowerCase().includes(text.toLowerCase()));
    const key = order as "retained" | "bytes" | "objects";
    return rows.sort((a, b) =>
      order === "name" ? (a.name < b.name ? -1 : 1) : b[key] - a[key] || (a.name < b.name ? -1 : 1),
    );
  }

  private search(heap: FakeHeap, text: string): unknown {
    const at = heap.find(text);
    const roots = heap.top.filter((i) => heap.nodes[i]!.type.includes(text));
    return {
      types: this.types(heap, text, "retained").slice(0, 10),
      roots: roots.map((i) => heap.shown(i)),
      object: at >= 0 ? heap.shown(at) : null,
    };
  }
}

function list(nodes: readonly HeapNode[], from: number, total: number): NodeList {
  return { from, total, total_known: true, nodes };
}

export function fakePair(objects: number, names: readonly string[], report: Uint8Array | null = null): FakeServer {
  const heaps = new Map<Side, FakeHeap>([
    ["before", new FakeHeap(Math.floor(objects / 2), 5, names)],
    ["after", new FakeHeap(objects, 5, names)],
  ]);
  return new FakeServer(heaps, report);
}

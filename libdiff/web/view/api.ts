/*
 * Questions to the server of `hsdiff view`, and its answers (doc/view.md). The token came with the address of the page (key.ts): it
 * goes out as a header, never into an address or a cookie. Every failure is an ApiError: a sentence and
 * what to do next.
 */

export type Side = "before" | "after";
export type NodeState = "live" | "kept" | "new" | "freed" | "unreached";
export type TypeOrder = "retained" | "bytes" | "objects" | "name";

/** One object or root as a line of a list says it. */
export interface HeapNode {
  readonly of: string /* what to ask about it: an id, "root:NUMBER", "all" */;
  readonly is_root: boolean;
  readonly kind: string | null /* of a root: "global", "stack" … */;
  readonly id: string | null;
  readonly type: string /* of a root: its name */;
  readonly name?: string /* of the object, where it has one: a class, a function, a thread */;
  readonly edge: string /* how the one asked about and this one are connected */;
  readonly bytes: number;
  readonly retained: number;
  readonly retained_objects: number;
  readonly state: NodeState;
  readonly weak: boolean;
  readonly part?: boolean /* counted as a part of another object: in no other's retained bytes */;
}

export interface NodeList {
  readonly from: number;
  readonly total: number;
  readonly total_known: boolean;
  readonly nodes: readonly HeapNode[];
}

export interface TypeRow {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  readonly retained: number;
}

export interface TypeList {
  readonly from: number;
  readonly total: number;
  readonly types: readonly TypeRow[];
}

export interface Frame {
  readonly function: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

export interface ObjectAnswer {
  readonly node: HeapNode;
  readonly length: number | null;
  readonly owner: string | null;
  readonly referents: number;
  readonly referrers: number;
  readonly dominated: number;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly frames: readonly Frame[];
  readonly other: { readonly side: Side; readonly id: string; readonly bytes: number; readonly of: string } | null;
}

export interface SideState {
  readonly side: Side;
  readonly browsable: boolean;
  readonly why_not: string | null;
  readonly live_bytes: number /* of this side, for shares of the heap */;
}

export interface State {
  readonly phase: "working" | "ready" | "failed";
  readonly stage: string;
  readonly done: number;
  readonly total: number /* 0 = not known */;
  readonly captures: readonly { readonly name: string }[];
  readonly report: "diff" | "series" | null;
  readonly sides: readonly SideState[];
  readonly why_not: string | null;
  readonly error: { readonly error: string; readonly hint: string } | null;
  readonly version: string;
}

export interface Found {
  readonly types: readonly TypeRow[];
  readonly roots: readonly HeapNode[];
  readonly object: HeapNode | null;
}

export type ListName = "dominated" | "referents" | "referrers";
export type PathName = "path" | "dominators";

/** Why a question has no answer, in the words of the server where it gave any. */
export class ApiError extends Error {
  readonly status: number; /* 0 = nobody answered */
  readonly hint: string;

  constructor(status: number, message: string, hint: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }

  get isGone(): boolean {
    return this.status === 0;
  }
}

export type Fetch = (path: string, init: RequestInit) => Promise<Response>;
export type Query = { readonly [name: string]: string | number | undefined };

const goneHint =
  "It ends by itself when nobody asks for a while, and with Ctrl-C. Run “hsdiff view” on the same captures again, and open the address that it prints.";
const keyHint = "Open the address that “hsdiff view” printed, with all that stands behind the #.";

async function errorOf(response: Response): Promise<ApiError> {
  let said: { error?: unknown; hint?: unknown } = {};
  try {
    said = (await response.json()) as typeof said;
  } catch {
    /* Not JSON: the status has to do. */
  }
  const fallback =
    response.status === 403
      ? "The viewer refused the key of this page."
      : `The viewer answered with status ${response.status}.`;
  const message = typeof said.error === "string" && said.error !== "" ? said.error : fallback;
  const hint = typeof said.hint === "string" && said.hint !== "" ? said.hint : response.status === 403 ? keyHint : "";
  return new ApiError(response.status, message, hint);
}

/** True for the error of a question that was given up because nobody waits for its answer. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

export class Api {
  /** Called with each answer that is none of an error: the server is there. */
  onAnswer: () => void = () => {};
  private token: string;
  private fetch: Fetch;

  constructor(token: string, fetcher: Fetch) {
    this.token = token;
    this.fetch = fetcher;
  }

  /** From here on with another key: of the viewer's address that was opened in the same tab. */
  renew(token: string): void {
    this.token = token;
  }

  private async ask(name: string, query: Query, signal?: AbortSignal): Promise<Response> {
    const parts = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) parts.set(key, String(value));
    const tail = parts.toString();
    let response: Response;
    try {
      response = await this.fetch(`/api/${name}${tail ? `?${tail}` : ""}`, {
        headers: { "X-Hsdiff-Token": this.token },
        cache: "no-store",
        credentials: "omit",
        referrerPolicy: "no-referrer",
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (isGivenUp(error)) throw error;
      throw new ApiError(0, "The viewer does not answer any more.", goneHint);
    }
    if (!response.ok) throw await errorOf(response);
    this.onAnswer();
    return response;
  }

  private async json<T>(name: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    const response = await this.ask(name, query, signal);
    try {
      return (await response.json()) as T;
    } catch (error) {
      if (isGivenUp(error)) throw error;
      throw new ApiError(0, "The viewer stopped in the middle of an answer.", goneHint);
    }
  }

  state(): Promise<State> {
    return this.json("state");
  }

  /** The packed records of the report, as a report file holds them. */
  async report(): Promise<ArrayBuffer> {
    return (await this.ask("report", {})).arrayBuffer();
  }

  types(
    side: Side,
    text: string,
    order: TypeOrder,
    from: number,
    count: number,
    signal?: AbortSignal,
  ): Promise<TypeList> {
    return this.json("types", { side, text, order, from, count }, signal);
  }

  objects(side: Side, type: string, from: number, count: number, signal?: AbortSignal): Promise<NodeList> {
    return this.json("objects", { side, type, from, count }, signal);
  }

  list(name: ListName, side: Side, of: string, from: number, count: number, signal?: AbortSignal): Promise<NodeList> {
    return this.json(name, { side, of, from, count }, signal);
  }

  path(name: PathName, side: Side, of: string, signal?: AbortSignal): Promise<NodeList> {
    return this.json(name, { side, of }, signal);
  }

  object(side: Side, of: string, signal?: AbortSignal): Promise<ObjectAnswer> {
    return this.json("object", { side, of }, signal);
  }

  search(side: Side, text: string, signal?: AbortSignal): Promise<Found> {
    return this.json("search", { side, text }, signal);
  }
}

/*
 * One object, or one root: what it is, why it is alive, what it refers to, what refers to it, what it keeps alive.
 */
import { el, fill, type Child } from "../kit/dom.ts";
import { bytes, bytesSigned, count, exact, plural, share } from "../kit/format.ts";
import { visible } from "../kit/names.ts";
import { isGivenUp, type Frame, type ListName, type ObjectAnswer, type Side } from "./api.ts";
import { MoreList } from "./more_list.ts";
import { PathList } from "./path_list.ts";
import { errorBox } from "./problem.ts";
import { liveBytes, sideWord, type At, type Screen, type Viewer } from "./viewer.ts";
import { badge, nameText, nodeTitle, stateWords, typeLink } from "./words.ts";

interface Part {
  readonly element: HTMLElement;
  close(): void;
}

function fact(name: string, ...value: Child[]): HTMLElement {
  return el("div", null, el("dt", null, name), el("dd", null, ...value));
}

function otherFact(viewer: Viewer, answer: ObjectAnswer): HTMLElement | null {
  const { other, node } = answer;
  if (!other) return null;
  const before = other.side === "before" ? other.bytes : node.bytes;
  const after = other.side === "before" ? node.bytes : other.bytes;
  const change = before === after ? "as large" : bytesSigned(after - before);
  const link = el(
    "a",
    { href: viewer.link({ view: "object", side: other.side, of: other.of }) },
    el("span", { class: "id" }, other.id),
  );
  return fact(
    other.side === "before" ? "It was before" : "It is after",
    link,
    el("small", null, ` ${bytes(other.bytes)}, ${change}`),
  );
}

function facts(viewer: Viewer, side: Side, answer: ObjectAnswer): HTMLElement {
  const { node } = answer;
  const whole = liveBytes(viewer, side);
  const isGarbage = node.state === "unreached";
  const ofHeap = whole > 0 && !isGarbage ? `, ${share(node.retained, whole)} of the heap` : "";
  return el(
    "dl",
    { class: "facts" },
    isGarbage
      ? null
      : fact(
          "Keeps alive",
          el("b", { title: exact(node.retained) }, bytes(node.retained)),
          el("small", null, ` ${plural(node.retained_objects, "object")}${ofHeap}`),
        ),
    node.is_root
      ? fact("Kind of root", node.kind ?? "root")
      : fact("Its own size", el("b", { title: exact(node.bytes) }, bytes(node.bytes))),
    node.is_root ? null : fact("Type", typeLink(viewer, side, node.type)),
    answer.length === null ? null : fact("Elements", count(answer.length)),
    node.is_root || node.state === "live" ? null : fact("State", stateWords[node.state]?.long ?? ""),
    answer.owner && !node.is_root ? fact("Belongs to", nameText(answer.owner)) : null,
    otherFact(viewer, answer),
  );
}

function fieldsPart(answer: ObjectAnswer): HTMLElement | null {
  if (answer.fields.length === 0) return null;
  const rows = answer.fields.map((field) =>
    el("tr", null, el("th", { scope: "row" }, visible(field.name)), el("td", { class: "value" }, visible(field.value))),
  );
  const table = el(
    "table",
    { class: "fields" },
    el("thead", null, el("tr", null, el("th", { scope: "col" }, "Field"), el("th", { scope: "col" }, "Value"))),
    el("tbody", null, ...rows),
  );
  return el("section", { class: "part" }, el("h2", null, "Values stored in it"), el("div", { class: "scroll" }, table));
}

function frameText(frame: Frame): Child[] {
  const place = frame.file
    ? `${frame.file}${frame.line ? `:${frame.line}${frame.column ? `:${frame.column}` : ""}` : ""}`
    : "";
  const name = frame.function ?? "";
  return [
    el("span", { class: "type-name" }, visible(name === "" ? "(no name)" : name)),
    place === "" ? null : el("span", { class: "place" }, ` ${visible(place)}`),
  ];
}

function framesPart(answer: ObjectAnswer): HTMLElement | null {
  if (answer.frames.length === 0) return null;
  const lines = answer.frames.map((frame) => el("li", null, ...frameText(frame)));
  return el(
    "section",
    { class: "part" },
    el("h2", null, "Where it was allocated"),
    el("ol", { class: "frames" }, ...lines),
  );
}

function listPart(
  viewer: Viewer,
  side: Side,
  of: string,
  name: ListName,
  look: { title: string; hint: string; empty: string; total: number },
): Part {
  return new MoreList(viewer, side, {
    ...look,
    ask: (from, number, signal) => viewer.api.list(name, side, of, from, number, signal),
  });
}

/* The parts of a reached object, each closable. */
function parts(viewer: Viewer, side: Side, answer: ObjectAnswer): { readonly why: Part[]; readonly lists: Part[] } {
  const { node } = answer;
  const why: Part[] = [];
  if (!node.is_root && node.state !== "unreached") {
    why.push(
      new PathList(viewer, side, node.of, {
        name: "path",
        title: "Path from a root",
        hint: "One of the shortest ways on which it is reached.",
        empty: "No root leads to it.",
      }),
      new PathList(viewer, side, node.of, {
        name: "dominators",
        title: "Dominators",
        hint: "Each of these alone keeps it alive: all ways to it lead through them.",
        empty: "None: it is reached from several roots.",
      }),
    );
  }
  const lists = [
    listPart(viewer, side, node.of, "dominated", {
      title: "Keeps alive",
      hint: "What would go together with it, largest first.",
      empty: "Nothing but itself.",
      total: answer.dominated,
    }),
    listPart(viewer, side, node.of, "referents", {
      title: "Refers to",
      hint: "Its references, in the order of the capture.",
      empty: "Nothing.",
      total: answer.referents,
    }),
  ];
  if (!node.is_root)
    lists.push(
      listPart(viewer, side, node.of, "referrers", {
        title: "Referred to by",
        hint: "Objects and roots with a reference to it.",
        empty: "Nothing.",
        total: answer.referrers,
      }),
    );
  return { why, lists };
}

class ObjectView {
  readonly element = el("section", { class: "screen object" });
  other: Partial<{ view: "object"; side: Side; of: string }> | null = null;
  onTitle: (title: string) => void = () => {};
  private viewer: Viewer;
  private side: Side;
  private of: string;
  private parts: Part[] = [];
  private heading = el("h1", { tabindex: -1 });
  private body = el("div", { class: "object-body" });
  private stop = new AbortController();

  constructor(viewer: Viewer, at: At) {
    this.viewer = viewer;
    this.side = at.side;
    this.of = at.place.of;
    this.heading.textContent = visible(this.of);
    this.element.append(el("div", { class: "screen-head" }, this.heading), this.body);
    void this.load();
  }

  close(): void {
    this.stop.abort();
    for (const part of this.parts) part.close();
  }

  private async load(): Promise<void> {
    fill(this.body, el("p", { class: "count" }, "Looking it up…"));
    try {
      const answer = await this.viewer.api.object(this.side, this.of, this.stop.signal);
      if (!this.stop.signal.aborted) this.show(answer);
    } catch (error) {
      if (isGivenUp(error)) return;
      fill(
        this.body,
        errorBox(this.viewer, error, () => void this.load()),
      );
    }
  }

  private show(answer: ObjectAnswer): void {
    const { node } = answer;
    const over = [node.is_root ? `${node.kind ?? ""} root`.trim() : "object", sideWord(this.viewer, this.side)]
      .filter((word) => word !== "")
      .join(", ");
    fill(
      this.heading,
      el("span", { class: "over" }, over),
      " ",
      el("span", { class: "type-name" }, nameText(node.type, 120)),
      node.name ? el("span", { class: "type-name object-name" }, " ", nameText(node.name, 120)) : null,
      node.id === null ? null : el("span", { class: "id" }, ` ${node.id}`),
      " ",
      badge(node.state),
    );
    this.other = answer.other ? { view: "object", side: answer.other.side, of: answer.other.of } : null;
    const { why, lists } = parts(this.viewer, this.side, answer);
    this.parts = [...why, ...lists];
    const about = [fieldsPart(answer), framesPart(answer)];
    fill(
      this.body,
      facts(this.viewer, this.side, answer),
      el(
        "div",
        { class: "columns" },
        el("div", { class: "column" }, ...why.map((part) => part.element), ...about),
        el("div", { class: "column" }, ...lists.map((part) => part.element)),
      ),
    );
    this.onTitle(nodeTitle(node));
  }
}

export function openObject(viewer: Viewer, at: At): Screen {
  const view = new ObjectView(viewer, at);
  return {
    element: view.element,
    title: visible(at.place.of),
    fillsWindow: false,
    otherSide: () => view.other,
    titled: (listener) => {
      view.onTitle = listener;
    },
    close: () => view.close(),
  };
}

/*
 * A path from a root down to an object, or the dominators above it: one line a step, the middle of a very long one left out.
 */
import { el } from "../kit/dom.ts";
import { count, plural } from "../kit/format.ts";
import { isGivenUp, type NodeList, type PathName, type Side } from "./api.ts";
import { nodeItem } from "./more_list.ts";
import { errorBox } from "./problem.ts";
import type { Viewer } from "./viewer.ts";

export interface PathLook {
  readonly name: PathName;
  readonly title: string;
  readonly hint: string;
  readonly empty: string;
}

export class PathList {
  readonly element: HTMLElement;
  private viewer: Viewer;
  private side: Side;
  private of: string;
  private look: PathLook;
  private body = el("div", { class: "path-body" });
  private many = el("span", { class: "how-many" });
  private stop = new AbortController();

  constructor(viewer: Viewer, side: Side, of: string, look: PathLook) {
    this.viewer = viewer;
    this.side = side;
    this.of = of;
    this.look = look;
    this.element = el(
      "section",
      { class: "part" },
      el("h2", null, look.title, " ", this.many),
      el("p", { class: "about" }, look.hint),
      this.body,
    );
    void this.load();
  }

  close(): void {
    this.stop.abort();
  }

  private async load(): Promise<void> {
    this.body.replaceChildren(el("p", { class: "count" }, "Looking it up…"));
    try {
      const answer = await this.viewer.api.path(this.look.name, this.side, this.of, this.stop.signal);
      if (!this.stop.signal.aborted) this.show(answer);
    } catch (error) {
      if (isGivenUp(error)) return;
      this.body.replaceChildren(errorBox(this.viewer, error, () => void this.load()));
    }
  }

  private show(answer: NodeList): void {
    if (answer.nodes.length === 0) {
      this.body.replaceChildren(el("p", { class: "count" }, this.look.empty));
      return;
    }
    this.many.textContent = plural(answer.total, "step");
    const list = el("ol", { class: "nodes ways", "aria-label": this.look.title });
    const missing = answer.total - answer.nodes.length;
    const gapAt = missing > 0 ? answer.from - missing : -1; /* `from` is the place of the first node behind the gap */
    answer.nodes.forEach((node, i) => {
      if (i === gapAt) list.append(el("li", { class: "gap" }, `${count(missing)} steps are left out`));
      const item = nodeItem(this.viewer, this.side, node);
      if (node.of === this.of) item.setAttribute("aria-current", "true");
      list.append(item);
    });
    this.body.replaceChildren(list);
  }
}

/*
 * The dominator tree, unfolded from the roots down: what a line keeps alive lies below it. Keys as in the ARIA pattern of a tree
 * grid: Right unfolds and then goes down, Left folds and then goes up, Enter shows the object.
 */
import { button, el, fill } from "../kit/dom.ts";
import { count, plural } from "../kit/format.ts";
import { errorBox } from "./problem.ts";
import { Rows, type RowLook } from "./rows.ts";
import { Tree, type MoreRow, type NodeRow } from "./tree.ts";
import type { Side } from "./api.ts";
import { liveBytes, sideWord, type At, type Screen, type Viewer } from "./viewer.ts";
import { barCell, countCell, head, nodeLine, sizeCell } from "./words.ts";

/* Trees stay as they were unfolded, one a side: whoever looks at an object comes back to where he was. */
interface Kept {
  readonly tree: Tree;
  position: { first: number; active: number };
  wasLeft: boolean;
}

const kept = new Map<Side, Kept>();

function keptOf(viewer: Viewer, side: Side): Kept {
  let known = kept.get(side);
  if (!known) {
    const tree = new Tree((of, from, number) => viewer.api.list("dominated", side, of, from, number));
    known = { tree, position: { first: 0, active: 0 }, wasLeft: false };
    kept.set(side, known);
  }
  return known;
}

/* What a row is drawn from, as one value: rows are objects that change. */
function versionOf(row: NodeRow | MoreRow, siblings: number): string {
  if (row.kind === "more") return `more ${row.level} ${row.left} ${row.parent?.node.of ?? ""} ${row.parent?.isBusy}`;
  return `${row.node.of} ${row.level} ${row.isOpen} ${row.isBusy} ${row.isLeaf} ${siblings}`;
}

class TreeView {
  readonly element: HTMLElement;
  private viewer: Viewer;
  private side: Side;
  private kept: Kept;
  private tree: Tree;
  private rows: Rows;
  private trouble = el("div", { class: "list-tail" });
  private whole: number;

  constructor(viewer: Viewer, side: Side) {
    this.viewer = viewer;
    this.side = side;
    this.kept = keptOf(viewer, side);
    this.tree = this.kept.tree;
    this.whole = liveBytes(viewer, side);
    const look = {
      role: "treegrid" as const,
      kind: "rows-tree",
      label: `Dominator tree ${sideWord(viewer, side)}`.trim(),
      head: [
        head("Held", "name"),
        head("Retained", "n retained"),
        head("Size", "n size"),
        head("Objects", "n objects"),
      ],
    };
    this.rows = new Rows(look, {
      count: () => this.tree.rows.length,
      data: (index) => this.version(index),
      draw: (index) => this.draw(index),
      follow: (index) => this.follow(index),
      key: (index, key) => this.key(index, key),
    });
    this.element = el("div", { class: "list" }, this.trouble, this.rows.element);
    this.rows.restore(this.kept.position);
    this.tree.onChange = () => this.changed();
    if (this.tree.total === null) this.try(() => this.tree.start());
    this.changed();
  }

  focus(): boolean {
    if (!this.kept.wasLeft) return false;
    requestAnimationFrame(() => this.rows.move(this.kept.position.active));
    return true;
  }

  close(): void {
    this.kept.position = this.rows.position();
    this.kept.wasLeft = true;
    this.tree.onChange = () => {};
    this.rows.close();
  }

  private changed(): void {
    const { total, rows } = this.tree;
    this.rows.element.hidden = rows.length === 0;
    if (total === null) fill(this.trouble, el("p", { class: "count" }, "Looking it up…"));
    else
      fill(
        this.trouble,
        el(
          "p",
          { class: "count" },
          total === 0
            ? "Nothing is held on this side."
            : `${plural(total, "line")} at the top: roots, and objects that no single root holds.`,
        ),
      );
    this.rows.draw();
  }

  private try(act: () => Promise<void>): void {
    act().catch((error: unknown) => {
      fill(
        this.trouble,
        errorBox(this.viewer, error, () => this.try(act)),
      );
    });
  }

  private version(index: number): string {
    const row = this.tree.rows[index];
    if (!row) return "";
    return versionOf(row, row.kind === "node" ? this.tree.siblings(row) : 0);
  }

  private draw(index: number): RowLook {
    const row = this.tree.rows[index];
    if (!row) return { cells: [], attributes: {} };
    return row.kind === "more" ? this.drawMore(row) : this.drawNode(row);
  }

  private indent(cell: HTMLElement, level: number): HTMLElement {
    cell.style.setProperty("--level", String(Math.min(level, 24) - 1));
    return cell;
  }

  private drawMore(row: MoreRow): RowLook {
    const label = `${count(row.left)} more`;
    const act = button(row.parent?.isBusy ? "…" : label, () => this.more(row), { class: "link", tabindex: -1 });
    const cell = el(
      "span",
      { role: "gridcell", class: "name indent", "aria-colspan": 4 },
      el("span", { class: "twisty" }),
      act,
    );
    return {
      cells: [this.indent(cell, row.level)],
      attributes: { "aria-level": row.level, class: "rows-line rows-row rows-more" },
    };
  }

  private drawNode(row: NodeRow): RowLook {
    const { node } = row;
    const sign = row.isLeaf ? "" : row.isBusy ? "…" : row.isOpen ? "\u25be" : "\u25b8";
    const twisty = el("span", { class: "twisty", "aria-hidden": "true" }, sign);
    if (!row.isLeaf) twisty.addEventListener("click", () => this.toggle(row));
    const deep = row.level > 24 ? el("span", { class: "edge" }, `${row.level}:`) : null;
    const name = el(
      "span",
      { role: "gridcell", class: "name indent" },
      twisty,
      deep,
      ...nodeLine(this.viewer, this.side, node, -1),
    );
    return {
      cells: [
        this.indent(name, row.level),
        barCell(node.retained, this.whole || this.largest(), this.whole > 0),
        sizeCell(node.bytes, "size"),
        countCell(node.retained_objects, "objects"),
      ],
      attributes: {
        "aria-level": row.level,
        "aria-posinset": row.place,
        "aria-setsize": this.tree.siblings(row),
        "aria-expanded": row.isLeaf ? null : String(row.isOpen),
      },
    };
  }

  private largest(): number {
    const first = this.tree.rows[0];
    return first?.kind === "node" ? first.node.retained : 0;
  }

  private toggle(row: NodeRow): void {
    if (row.isOpen) this.tree.shut(row);
    else this.try(() => this.tree.open(row));
  }

  private more(row: MoreRow): void {
    this.try(() => this.tree.more(row));
  }

  private follow(index: number): void {
    const row = this.tree.rows[index];
    if (row?.kind === "more") this.more(row);
    else if (row) this.viewer.go({ view: "object", side: this.side, of: row.node.of });
  }

  private key(index: number, key: string): boolean {
    const row = this.tree.rows[index];
    if (!row || (key !== "ArrowRight" && key !== "ArrowLeft" && key !== " ")) return false;
    if (key === " ") {
      if (row.kind === "more") this.more(row);
      else this.toggle(row);
    } else if (key === "ArrowRight") {
      if (row.kind === "node" && row.isOpen) this.rows.move(index + 1);
      else if (row.kind === "node") this.toggle(row);
    } else if (row.kind === "node" && row.isOpen) this.toggle(row);
    else if (row.parent) this.rows.move(this.tree.parentOf(row));
    return true;
  }
}

export function openTree(viewer: Viewer, at: At): Screen {
  const view = new TreeView(viewer, at.side);
  const word = sideWord(viewer, at.side);
  const title = word === "" ? "Dominator tree" : `Dominator tree ${word}`;
  const about = "A line keeps alive all that lies below it: were it gone, all of that would be, too.";
  const element = el(
    "section",
    { class: "screen" },
    el("div", { class: "screen-head" }, el("h1", { tabindex: -1 }, title), el("p", { class: "about" }, about)),
    view.element,
  );
  return { element, title, fillsWindow: true, focus: () => view.focus(), close: () => view.close() };
}

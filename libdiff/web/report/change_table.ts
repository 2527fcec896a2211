/*
 * A section with a table of changes: what to look for, which rows, the table, and how to take it away.
 */
import { changeColumns, changeFoot, frameOf, type NamedChange } from "./change_columns.ts";
import { isFilter, passes, type Filter } from "./change_logic.ts";
import { copyText } from "../kit/copy.ts";
import { el } from "../kit/dom.ts";
import * as format from "../kit/format.ts";
import type { Change, Model } from "../kit/model.ts";
import { visible } from "../kit/names.ts";
import type { Page } from "../kit/page.ts";
import { proofOf } from "./proof.ts";
import { Table } from "../kit/table.ts";
import { holdsAll, tsvOf, wordsOf } from "../kit/table_logic.ts";

export interface ChangeTableOptions {
  readonly id: string;
  /** "type" */
  readonly one: string;
  readonly title: string;
  readonly rows: readonly NamedChange[];
  /** How many rows there are with those that the page was not given. */
  readonly all: number;
  readonly total: Change;
  readonly open?: (name: string) => void;
  /** The key of the state that holds the name of the open row. */
  readonly openKey?: string;
}

const filters: readonly (readonly [Filter, string])[] = [
  ["all", "all"],
  ["changed", "changed"],
  ["grown", "grown"],
  ["shrunk", "shrunk"],
  ["new", "new"],
  ["freed", "gone"],
];

/* Buttons of which one is pressed. */
function choice(page: Page, key: string, label: string, chosen: () => Filter): HTMLElement {
  const buttons = filters.map(([value, text]) =>
    el("button", { type: "button", "aria-pressed": "false", onclick: () => page.state.set(key, value === "all" ? null : value) }, text),
  );
  const mark = (): void => buttons.forEach((each, i) => each.setAttribute("aria-pressed", String(filters[i]![0] === chosen())));
  page.state.listen(key, mark);
  mark();
  return el("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
}

export function makeChangeTable(model: Model, page: Page, options: ChangeTableOptions): HTMLElement {
  const { id, one, rows, all, total } = options;
  const frame = frameOf(rows, total, model.about.noiseBytes, proofOf(model));
  const columns = changeColumns(options.title, frame);
  const lowerNames = new Map(rows.map((row) => [row, visible(row.name).toLowerCase()]));
  const textKey = `${id}.text`;
  const showKey = `${id}.show`;
  const filterOf = (): Filter => {
    const value = page.state.get(showKey);
    return isFilter(value) ? value : "all";
  };

  const table = new Table<NamedChange>(
    {
      id,
      label: `Growth by ${one}`,
      columns,
      firstOrder: { column: "growth", descending: true },
      foot: (shown) => changeFoot(shown, all, total, columns, one),
      nameOf: (row) => visible(row.name),
      ...(options.open ? { open: (row: NamedChange) => options.open!(row.name) } : {}),
    },
    page,
  );
  const input = el("input", {
    type: "search",
    placeholder: `Find ${one}s`,
    "aria-label": `Show only ${one}s whose name holds`,
    autocomplete: "off",
    spellcheck: "false",
  });
  const found = el("span", { class: "found" });

  const apply = (): void => {
    const words = wordsOf(page.state.get(textKey) ?? "");
    const filter = filterOf();
    const shown = rows.filter((row) => passes(row, filter) && holdsAll(lowerNames.get(row)!, words));
    found.textContent = shown.length === all ? format.plural(all, one) : `${format.count(shown.length)} of ${format.plural(all, one)}`;
    table.setRows(shown);
  };
  const readInput = (): void => {
    if (input.value !== (page.state.get(textKey) ?? "")) input.value = page.state.get(textKey) ?? "";
  };
  input.addEventListener("input", () => page.state.set(textKey, input.value));
  for (const key of [textKey, showKey])
    page.state.listen(key, () => {
      readInput();
      apply();
      page.announce(found.textContent ?? "");
    });
  if (options.openKey !== undefined) {
    const key = options.openKey;
    const mark = (): void => table.markOpen((row) => row.name === page.state.get(key));
    page.state.listen(key, mark);
    mark();
  }
  readInput();
  apply();

  const copy = el("button", { type: "button", class: "quiet", onclick: () => void copyText(tsvOf(table.copied()), "table", page) }, "Copy as TSV");
  return el(
    "div",
    { class: "table-part" },
    el("div", { class: "tools" }, input, choice(page, showKey, `Which ${one}s`, filterOf), found, el("span", { class: "spring" }), copy),
    table.element,
  );
}

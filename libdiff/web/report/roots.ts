/*
 * Growth by root: what starts the path to an object. What several roots reach is one row of its own, so that rows add up.
 */
import { makeChangeTable } from "./change_table.ts";
import { noChange } from "./change_logic.ts";
import type { Model } from "../kit/model.ts";
import type { Page } from "../kit/page.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";

export function showRoots(host: HTMLElement, model: Model, page: Page): void {
  replaceBelowHeading(
    host,
    "Growth by root",
    makeChangeTable(model, page, {
      id: "roots",
      one: "root",
      title: "Root",
      rows: model.roots,
      all: model.roots.length + (model.otherRoots?.rows ?? 0),
      total: model.total ?? noChange,
    }),
  );
}

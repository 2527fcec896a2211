/*
 * Growth by type: all of them. A row opens what is known of its type (detail.ts).
 */
import { makeChangeTable } from "./change_table.ts";
import { noChange } from "./change_logic.ts";
import type { Model } from "../kit/model.ts";
import type { Page } from "../kit/page.ts";
import { replaceBelowHeading } from "../kit/shell_parts.ts";

export function showTypes(host: HTMLElement, model: Model, page: Page): void {
  replaceBelowHeading(
    host,
    "Growth by type",
    makeChangeTable(model, page, {
      id: "types",
      one: "type",
      title: "Type",
      rows: model.types,
      all: model.types.length + (model.otherTypes?.rows ?? 0),
      total: model.total ?? noChange,
      open: (name) => page.openType(name),
      openKey: "type",
    }),
  );
}

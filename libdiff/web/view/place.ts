/*
 * Where the reader is: view, side and what is looked at, as it stands behind the # of the address. Links are plain addresses, so
 * back, forward and copying work by themselves. Keys that are not the viewer's (the report keeps sort, filter and zoom there) are left as
 * they are. The token comes with the first address alone, and is taken out of it before anything else happens.
 */
import type { Side, TypeOrder } from "./api.ts";

export type ViewName = "growth" | "types" | "objects" | "object" | "tree";

export interface Place {
  readonly view: ViewName | null /* null = the first page */;
  readonly side: Side | null /* null = the later one that can be browsed */;
  readonly name: string /* objects: the type, exactly */;
  readonly of: string /* object: an id or "root:NUMBER" */;
  readonly find: string /* types: what their name has in it */;
  readonly order: TypeOrder /* types */;
}

export const nowhere: Place = { view: null, side: null, name: "", of: "", find: "", order: "retained" };

const views: readonly string[] = ["growth", "types", "objects", "object", "tree"];
const orders: readonly string[] = ["retained", "bytes", "objects", "name"];
const panelKey = "type"; /* of the report: a panel that stands above it */
const ownKeys: readonly string[] = ["view", "side", "name", "of", "find", "order"];
const tokenForm = /^[0-9A-Za-z_-]{16,128}$/;

function bare(fragment: string): string {
  return fragment.startsWith("#") ? fragment.slice(1) : fragment;
}

/** The token that a fragment begins with, and what is left of it. */
export function takeToken(fragment: string): { readonly token: string | null; readonly rest: string } {
  const text = bare(fragment);
  const end = text.indexOf("&");
  const head = end < 0 ? text : text.slice(0, end);
  if (!tokenForm.test(head)) return { token: null, rest: text };
  return { token: head, rest: end < 0 ? "" : text.slice(end + 1) };
}

export function placeOf(fragment: string): Place {
  const parts = new URLSearchParams(bare(fragment));
  const view = parts.get("view") ?? "";
  const side = parts.get("side");
  const order = parts.get("order") ?? "";
  return {
    view: views.includes(view) ? (view as ViewName) : null,
    side: side === "before" || side === "after" ? side : null,
    name: parts.get("name") ?? "",
    of: parts.get("of") ?? "",
    find: parts.get("find") ?? "",
    order: orders.includes(order) ? (order as TypeOrder) : "retained",
  };
}

/** The address of a place; `fragment` is the one of now, whose foreign keys are kept. */
export function addressOf(place: Partial<Place>, fragment: string): string {
  const parts = new URLSearchParams();
  if (place.view) parts.set("view", place.view);
  if (place.side) parts.set("side", place.side);
  if (place.name) parts.set("name", place.name);
  if (place.of) parts.set("of", place.of);
  if (place.find) parts.set("find", place.find);
  if (place.order && place.order !== "retained") parts.set("order", place.order);
  for (const [key, value] of new URLSearchParams(bare(fragment)))
    if (!ownKeys.includes(key) && (key !== panelKey || place.view === "growth")) parts.append(key, value);
  return `#${parts.toString()}`;
}

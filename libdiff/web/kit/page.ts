/*
 * What each section is given besides its place and the model.
 */
import type { Model } from "./model.ts";
import type { State } from "./state.ts";

/** What only the viewer can do: a page that has no server behind it has none. */
export interface Browser {
  /** Shows an object ("0x1f") or a root ("root:3") of a side. */
  open(side: "before" | "after", of: string): void;
  /** Shows the objects of a type. */
  openType(side: "before" | "after", type: string): void;
  canOpen(side: "before" | "after"): boolean;
}

export interface Page {
  readonly state: State;
  readonly browser: Browser | null;
  /** Says it to a screen reader (aria-live, polite). */
  announce(text: string): void;
  /** Opens the details of a type and moves there. */
  openType(name: string): void;
}

/** Fills its section, once. `host` is the <section>; its heading stays, what stands below is replaced. */
export type Show = (host: HTMLElement, model: Model, page: Page) => void;

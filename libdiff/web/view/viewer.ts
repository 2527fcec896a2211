/*
 * What the screens of the viewer are given, and what they give back.
 */
import type { Api, Side, SideState, State } from "./api.ts";
import type { Place } from "./place.ts";

export interface Viewer {
  readonly api: Api;
  /** What the server said last. */
  readonly state: State;
  /** Sides that can be browsed, before first. */
  readonly sides: readonly SideState[];
  /** The address of a place; the side is the one shown unless `place` names it. */
  link(place: Partial<Place>): string;
  /** Goes there, as a step for the button "back". */
  go(place: Partial<Place>): void;
  /** Changes the place without a step: the reader is still typing. */
  adjust(place: Place): void;
  announce(text: string): void;
  /** An error met somewhere; true when it concerns the whole page and was told at its top. */
  met(error: unknown): boolean;
}

/** One view of one place. */
export interface Screen {
  readonly element: HTMLElement;
  readonly title: string;
  /** True: the list takes what is left of the window, and scrolls in itself. */
  readonly fillsWindow: boolean;
  /** The same place on the other side; null = there is none. Missing: the place with its side changed. */
  readonly otherSide?: () => Partial<Place> | null;
  /** Calls `listener` once the title is known better, and what otherSide says with it. */
  readonly titled?: (listener: (title: string) => void) => void;
  /** Another find or order of the same place. */
  readonly update?: (place: Place) => void;
  /** Called when it is on the page; puts the focus where the reader was, if he was here; false = nothing to focus. */
  readonly focus?: () => boolean;
  close(): void;
}

export interface At {
  readonly place: Place;
  readonly side: Side;
}

export type Open = (viewer: Viewer, at: At) => Screen;

/** The live bytes of a side, for shares; 0 = not known. */
export function liveBytes(viewer: Viewer, side: Side): number {
  return viewer.sides.find((each) => each.side === side)?.live_bytes ?? 0;
}

/** "before" and "after" of a pair, nothing of a single capture: to stand in front of a noun. */
export function sideWord(viewer: Viewer, side: Side): string {
  return viewer.state.captures.length > 1 ? side : "";
}

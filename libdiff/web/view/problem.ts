/*
 * Errors as a reader can use them: what happened, and what to do next.
 */
import { button, el, type Child } from "../kit/dom.ts";
import { visible } from "../kit/names.ts";
import { ApiError } from "./api.ts";
import type { Viewer } from "./viewer.ts";

export interface Trouble {
  readonly text: string;
  readonly hint: string;
}

function sentence(text: string): string {
  const shown = visible(text);
  return /[.!?:]$/.test(shown) ? shown : `${shown}.`;
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ApiError) return { text: error.message, hint: error.hint };
  const why = error instanceof Error ? error.message : String(error);
  return {
    text: `This page met an error of its own: ${why}`,
    hint: "Open the address that “hsdiff view” printed once more. If it comes back, please report it.",
  };
}

/* Names of captures in a hint may bring lines of their own: commands stand in them. */
function hintLines(hint: string): Child[] {
  return hint
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) =>
      /^\s*hsdiff /.test(line)
        ? el("pre", { class: "command" }, visible(line.trim()))
        : el("p", { class: "hint" }, visible(line)),
    );
}

/** The box for an error that was met in a part of the page: short when the top of the page tells it already. */
export function errorBox(viewer: Viewer, error: unknown, again: () => void): HTMLElement {
  const isFinal =
    error instanceof ApiError &&
    (error.status === 400 || error.status === 404); /* the same question has the same answer */
  return problemBox(
    viewer.met(error) ? { text: "There was no answer", hint: "" } : troubleOf(error),
    isFinal ? null : again,
  );
}

/** A box that tells of trouble; `again` gives it a button. */
export function problemBox(trouble: Trouble, again: (() => void) | null = null): HTMLElement {
  return el(
    "div",
    { class: "problem", role: "alert" },
    el("p", { class: "problem-text" }, sentence(trouble.text)),
    ...hintLines(trouble.hint),
    again ? button("Try again", again, { class: "again" }) : null,
  );
}

/*
 * Pieces of sections.
 */
import { append, byId, el, type Child } from "./dom.ts";

/** Keeps the heading of a section (or makes one), gives it `title`, and puts `children` below it in place of what stood there. */
export function replaceBelowHeading(host: HTMLElement, title: string, ...children: readonly Child[]): void {
  const label = host.getAttribute("aria-labelledby") ?? `${host.id}-title`;
  let heading = byId(label);
  if (!heading || !host.contains(heading)) {
    heading = el("h2", { id: label }, title);
    host.insertBefore(heading, host.firstChild);
    host.setAttribute("aria-labelledby", label);
  }
  heading.textContent = title;
  while (heading.nextSibling) heading.nextSibling.remove();
  append(host, ...children);
}

/*
 * Putting text on the clipboard, also where a page may not ask for it (an old browser, a page without a secure origin).
 */
import { el } from "./dom.ts";
import type { Page } from "./page.ts";

function copyBySelection(text: string): boolean {
  const area = el("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
  area.value = text;
  document.body.append(area);
  const focused = document.activeElement as HTMLElement | null;
  area.select();
  try {
    return document.execCommand("copy");
  } finally {
    area.remove();
    focused?.focus();
  }
}

/** Says how it went: "Copied the table." */
export async function copyText(text: string, what: string, page: Page): Promise<void> {
  let isCopied = false;
  try {
    await navigator.clipboard.writeText(text);
    isCopied = true;
  } catch {
    isCopied = copyBySelection(text);
  }
  page.announce(isCopied ? `Copied the ${what}.` : `The browser did not let the ${what} be copied.`);
  showToast(isCopied ? `Copied the ${what}` : `Could not copy the ${what}`);
}

let toast: HTMLElement | null = null;
let toastTimer = 0;

/* The same for those who see; the announcement is what a screen reader gets. */
function showToast(text: string): void {
  toast ??= document.body.appendChild(el("div", { class: "toast", "aria-hidden": "true" }));
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => toast?.classList.remove("shown"), 1800);
}

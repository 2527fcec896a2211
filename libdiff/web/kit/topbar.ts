/*
 * The bar above: jumps to the sections, a link to what is shown now, light or dark.
 */
import { copyText } from "./copy.ts";
import { byId, el, fill } from "./dom.ts";
import type { Page } from "./page.ts";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const storeKey = "hsdiff.theme";

function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(storeKey);
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto"; /* a page without an origin has no store */
  }
}

function useTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function storeTheme(theme: Theme): void {
  try {
    if (theme === "auto") localStorage.removeItem(storeKey);
    else localStorage.setItem(storeKey, theme);
  } catch {
    /* it lasts as long as the page */
  }
}

/** auto, light or dark; kept for the next page where the browser lets it. */
export function themeSwitch(): HTMLElement {
  const select = el("select", { "aria-label": "Colours" }, ...themes.map((theme) => el("option", { value: theme }, theme === "auto" ? "auto" : theme)));
  select.value = storedTheme();
  select.addEventListener("change", () => {
    const theme = themes.find((each) => each === select.value) ?? "auto";
    storeTheme(theme);
    useTheme(theme);
  });
  return select;
}

/** Early, so that the page does not change its colours while it is read. Paper is light, whatever the screen is. */
export function startTheme(): void {
  if (storedTheme() !== "auto") useTheme(storedTheme());
  addEventListener("beforeprint", () => useTheme("light"));
  addEventListener("afterprint", () => useTheme(storedTheme()));
}

export interface Jump {
  readonly id: string;
  readonly title: string;
}

export function showTopbar(jumps: readonly Jump[], page: Page): void {
  const header = document.querySelector("body > header") ?? document.body.insertBefore(el("header"), byId("main"));
  fill(header, el("p", { class: "brand" }, "hsdiff"));
  const nav = el("nav", { class: "jumps", "aria-label": "Sections" }, ...jumps.map((jump) => el("a", { href: `#${jump.id}` }, jump.title)));
  header.append(
    nav,
    el("div", { class: "bar-tools" }, el("button", { type: "button", class: "quiet", onclick: () => void copyText(page.state.link(), "link", page) }, "Copy link"), themeSwitch()),
  );
}

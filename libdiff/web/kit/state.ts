/*
 * What a reader has chosen (sort, filter, open type, zoom) stands in the fragment of the address, so that a link shows the same again:
 * #types.sort=growth&types.text=Session. Whoever holds a piece of state listens to its keys: a link that is pasted, or the button
 * "back", changes them from outside.
 */

export type Values = ReadonlyMap<string, string>;

/** Reads "#a=1&b=2"; what is damaged is skipped. */
export function parseFragment(fragment: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of fragment.replace(/^#/, "").split("&")) {
    const at = pair.indexOf("=");
    if (at <= 0) continue;
    try {
      values.set(decodeURIComponent(pair.slice(0, at)), decodeURIComponent(pair.slice(at + 1)));
    } catch {
      continue; /* a stray % */
    }
  }
  return values;
}

/* Readable: of what encodeURIComponent replaces, only what a fragment or its pairs are cut at has to be replaced. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(?:2C|2F|3A|24|40|5B|5D|3B)/g, decodeURIComponent);
}

/** In order of keys, so that the same state gives the same link. */
export function writeFragment(values: Values): string {
  const keys = [...values.keys()].sort();
  return keys.map((key) => `${encode(key)}=${encode(values.get(key)!)}`).join("&");
}

export type Listener = (value: string | null) => void;

export class State {
  private values: Map<string, string>;
  private readonly listeners = new Map<string, Set<Listener>>();

  /** `keep` names what never stands in the address although it was there at first: the viewer's token. */
  constructor(keep: readonly string[] = []) {
    this.values = parseFragment(location.hash);
    for (const key of keep) this.values.delete(key);
    addEventListener("hashchange", () => this.reread(keep));
  }

  get(key: string): string | null {
    return this.values.get(key) ?? null;
  }

  /** null and "" take the key away. `step` makes it a step of its own for the button "back". */
  set(key: string, value: string | null, step = false): void {
    if ((this.get(key) ?? "") === (value ?? "")) return;
    if (value === null || value === "") this.values.delete(key);
    else this.values.set(key, value);
    this.write(step);
    this.tell(key);
  }

  /** Calls `listener` after each change of `key`, by whomever. */
  listen(key: string, listener: Listener): void {
    const known = this.listeners.get(key);
    if (known) known.add(listener);
    else this.listeners.set(key, new Set([listener]));
  }

  /** The address that shows the page as it is now. */
  link(): string {
    return `${location.href.replace(/#.*$/, "")}#${writeFragment(this.values)}`;
  }

  private tell(key: string): void {
    for (const listener of this.listeners.get(key) ?? []) listener(this.get(key));
  }

  private write(step: boolean): void {
    const fragment = `#${writeFragment(this.values)}`;
    try {
      if (step) history.pushState(null, "", fragment);
      else history.replaceState(null, "", fragment);
    } catch {
      /* a page inside a sandboxed frame has no address of its own: the state lives as long as the page */
    }
  }

  private reread(keep: readonly string[]): void {
    const before = this.values;
    /* "#types" is a jump to a section and no state */
    if (location.hash !== "" && !location.hash.includes("=")) return;
    this.values = parseFragment(location.hash);
    for (const key of keep) this.values.delete(key);
    for (const key of new Set([...before.keys(), ...this.values.keys()]))
      if (before.get(key) !== this.values.get(key)) this.tell(key);
  }
}

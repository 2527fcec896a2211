/*
 * The key of the viewer in its tabs. It comes behind the # of the address that was printed, and leaves the address at once. A tab remembers it
 * while it is open (sessionStorage, which no other page reads), so that it can be loaded again; a tab that has none, as one that a link was
 * opened in, asks the other tabs of this viewer, who are of this very origin.
 */
const name = "hsdiff-key";
const question = "?";

/** The key of this tab from before it was loaded again. */
export function rememberedKey(): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null; /* the browser forbids it */
  }
}

let known: string | null = null;
let others: BroadcastChannel | null = null;

/** From here on this tab has a key, and tells it to tabs that ask. */
export function keepKey(key: string): void {
  known = key;
  try {
    sessionStorage.setItem(name, key);
  } catch {
    /* then it lives as long as the page */
  }
  listenToOthers();
}

function listenToOthers(take?: (key: string) => void): void {
  if (typeof BroadcastChannel === "undefined") return;
  others ??= new BroadcastChannel(name);
  others.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === question) {
      if (known !== null) others?.postMessage({ key: known });
      return;
    }
    const said = data as { key?: unknown } | null;
    if (known === null && take && typeof said?.key === "string") take(said.key);
  };
}

/** Asks the other tabs; `take` is called where one has a key. */
export function askOthers(take: (key: string) => void): void {
  listenToOthers(take);
  others?.postMessage(question);
}

/*
 * The viewer of the command under test over a pair of captures, and its answers as a script gets them.
 */
import { spawn } from "node:child_process";
import { patienceMs } from "./browsers.mjs";
import { captures } from "./captures.mjs";
import { pairOf } from "./pages.mjs";
import { hsdiff } from "./work.mjs";

/* The first line that it prints: its address. */
function addressOf(child) {
  return new Promise((resolve, reject) => {
    let printed = "";
    let errors = "";
    child.stdout.on("data", (text) => {
      printed += text;
      if (printed.includes("\n")) resolve(printed.split("\n")[0]);
    });
    child.stderr.on("data", (text) => (errors += text));
    child.on("close", () => reject(new Error(`hsdiff view ended before it had an address: ${errors}`)));
  });
}

async function start(kind) {
  const child = spawn(hsdiff, ["view", "-q", ...pairOf(kind), "--idle", "20m"], { cwd: captures(kind), stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const end = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  try {
    const address = await addressOf(child);
    const [page, token] = address.split("#");
    const ask = async (question, parameters = {}) => {
      const answer = await fetch(`${page}api/${question}?${new URLSearchParams(parameters)}`, { headers: { "X-Hsdiff-Token": token } });
      if (!answer.ok) throw new Error(`${question}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    return { address, token, host: new URL(page).host, ask, end };
  } catch (error) {
    await end();
    throw error;
  }
}

const running = new Map();

/** Gives `use` the viewer over before and after of a kind of captures, {address, token, host, ask(question, parameters)}: one of a kind for all who want it. */
export async function withViewer(kind, use) {
  if (!running.has(kind)) running.set(kind, start(kind));
  return use(await running.get(kind));
}

/** Call when a file of tests is over. */
export async function closeViewers() {
  for (const each of running.values()) await (await each).end();
  running.clear();
}

/** Opens its page and waits until everything can be browsed. */
export async function openViewer(page, view, fragment = "") {
  await page.goto(view.address + fragment);
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const state = await view.ask("state");
    if (state.phase === "ready" && state.sides.some((side) => side.browsable)) return;
    if (state.phase === "failed") throw new Error(state.error);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the viewer does not get ready");
}

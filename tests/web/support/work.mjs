/*
 * Where things are: the project, the folder of the build that the tests may write to, the command under test.
 *
 * HSD_SOURCE_DIR and HSD_BUILD_DIR come from ctest; HSDIFF and HSDIFF_AGENTS name the command and its agents where they lie elsewhere.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const source = process.env.HSD_SOURCE_DIR ?? resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
export const build = process.env.HSD_BUILD_DIR ?? join(source, "build/release");
export const hsdiff = process.env.HSDIFF ?? join(build, "cli/hsdiff");
export const agents = process.env.HSDIFF_AGENTS ?? join(build, "agents");

/** A folder below tests/web of the build, which is there when this returns. */
export function folder(...names) {
  const path = join(build, "tests/web", ...names);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Runs a program to its end and returns what it printed, as text or (encoding "buffer") as bytes. Any other status is an error. */
export function run(program, args, { status = 0, encoding = "utf8", ...options } = {}) {
  const done = spawnSync(program, args, { encoding, maxBuffer: 1 << 30, stdio: ["pipe", "pipe", "pipe"], ...options });
  if (done.error) throw new Error(`${program}: ${done.error.message}`);
  if (done.status !== status)
    throw new Error(`${[program, ...args].join(" ")}: exit status ${done.status}, not ${status}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** What the command under test prints. */
export function diff(args, options = {}) {
  return run(hsdiff, args, { env: { ...process.env, HSDIFF_AGENTS: agents, NO_COLOR: "1" }, ...options });
}

/** Ends the test as skipped: something that it needs is not installed. */
export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

export function isInstalled(program) {
  return spawnSync("sh", ["-c", 'command -v "$0"', program]).status === 0;
}

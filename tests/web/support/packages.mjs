/*
 * npm packages, in the build folder and only there: what a lock names is installed once, whole or not at all, and again when the lock
 * has changed. Nothing of a package is run while it is installed.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { folder, isInstalled, run, skip, source } from "./work.mjs";

const files = ["package.json", "package-lock.json", ".npmrc"];

function isSame(from, to) {
  return files.every((name) => existsSync(join(to, name)) && readFileSync(join(from, name)).equals(readFileSync(join(to, name))));
}

/** Installs what the lock in `from` names into the folder `name` of the build, and returns that folder. */
export function install(from, name) {
  const where = join(folder(), name);
  if (isSame(from, where) && existsSync(join(where, "node_modules"))) return where;
  if (!isInstalled("npm")) skip("npm is not installed");
  const fresh = folder(`${name}.${process.pid}`);
  try {
    for (const each of files) copyFileSync(join(from, each), join(fresh, each));
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: fresh, timeout: 240000 });
    rmSync(where, { recursive: true, force: true });
    renameSync(fresh, where);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return where;
}

export const testPackages = () => install(join(source, "tests/web"), "packages");
export const pagePackages = () => install(join(source, "libdiff/web"), "page");

/** A package of the tests. */
export function load(name) {
  return createRequire(join(testPackages(), "package.json"))(name);
}

/** The text of a file of a package of the tests. */
export function textOf(name) {
  return readFileSync(createRequire(join(testPackages(), "package.json")).resolve(name), "utf8");
}


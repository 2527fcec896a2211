/*
 * The bundles that the command embeds are what their sources give: the same bytes, from the locked packages; their types are right,
 * their own tests pass, and they keep within what they may weigh.
 */
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pagePackages } from "./support/packages.mjs";
import { folder, run, source } from "./support/work.mjs";

const html = join(source, "libdiff/web");
const committed = join(html, "bundle");
const budget = 260 * 1024;

/* The sources beside their packages, in the build folder. */
function sources() {
  const where = pagePackages();
  for (const name of ["kit", "report", "view", "test"]) rmSync(join(where, name), { recursive: true, force: true });
  for (const name of ["kit", "report", "view", "test", "build.mjs", "tsconfig.json"]) cpSync(join(html, name), join(where, name), { recursive: true });
  return where;
}

const where = sources();

test("the bundle is what its sources give", () => {
  const built = folder("bundle");
  rmSync(built, { recursive: true });
  run(process.execPath, ["build.mjs", built], { cwd: where });
  assert.deepEqual(readdirSync(built).sort(), readdirSync(committed).sort());
  for (const name of readdirSync(built))
    assert.ok(readFileSync(join(built, name)).equals(readFileSync(join(committed, name))), `${name} is not what \`npm run build\` in libdiff/web gives`);
});

for (const name of ["report", "view"]) {
  test(`${name} weighs at most 260 KiB`, (t) => {
    const size = ["js", "css"].reduce((sum, kind) => sum + readFileSync(join(committed, `${name}.${kind}`)).length, 0);
    t.diagnostic(`${name}: ${(size / 1024).toFixed(1)} KiB`);
    assert.ok(size > 0 && size <= budget, `${size} bytes`);
  });
}

test("the types are right", () => {
  run(process.execPath, [join(where, "node_modules/typescript/bin/tsc"), "--noEmit"], { cwd: where });
});

test("the tests of its parts pass", () => {
  run("npm", ["test", "--silent"], { cwd: where });
});

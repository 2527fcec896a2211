/*
 * Bundles each test/*.test.ts on its own and runs them with node's test runner:
 *
 *      node test/run.mjs [NAME…]         only the files whose names hold one of NAMEs
 */
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (files.length === 0) {
  console.error(`test/run.mjs: no test is named ${wanted.join(" or ")}. Leave the name out to run all.`);
  process.exit(2);
}

const outdir = mkdtempSync(join(tmpdir(), "hsdiff-web-"));
try {
  await build({
    entryPoints: files.map((name) => join(here, name)),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    define: { "import.meta.testFolder": JSON.stringify(here) },
    logLevel: "warning",
  });
  const built = files.map((name) => join(outdir, name.replace(/\.ts$/, ".mjs")));
  process.exitCode = spawnSync(process.execPath, ["--test", ...built], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}

#!/usr/bin/env python3
"""integrations/node, packed by npm and installed beside real frameworks: the leaking test fails with what holds it, the other passes.

    node:test  vitest  jest      sessions that are forgotten, or baskets that listen for ever; Jest, which takes the processor 16 s, with HSD_LONG alone
    types                        with HSD_LONG, a user's test compiles against the declarations
    wrong                        no command, options that are none
"""
import shutil
import subprocess

import kit
from kit import check, says

PACKAGE = kit.INTEGRATIONS / "node"
FRAMEWORKS = ("vitest@4.1.12", "jest@30", "typescript@5.9", "@types/node@22")

TYPED = """import {assertNoLeak, LeakError} from 'hsdiff-noleak';
import 'hsdiff-noleak/vitest';
import {expect} from 'vitest';
export async function typed(): Promise<string> {
  await assertNoLeak(async () => 1, {rounds: 5, maxGrowth: '64 KiB', allow: ['*.cache*']});
  await expect(() => 1).not.toLeak({calls: 10});
  // @ts-expect-error: there is no such option
  await assertNoLeak(() => 1, {limit: 1});
  return new LeakError('', '').report;
}
"""

WRONG = """const {assertNoLeak} = require('hsdiff-noleak');
(async () => {
  for (const [fn, options] of [[() => 1, {rounds: 1}], [() => 1, {most: 1}], [1, {}], [() => 1, {rounds: 2, maxGrowth: 'many'}]])
    await assertNoLeak(fn, options).then(() => console.log('passed'), error => console.log(error.name + ': ' + error.message));
})();
"""


def frameworks(folder):
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", "--ignore-scripts", "--prefix", folder, *FRAMEWORKS], cwd=folder,
                          capture_output=True, text=True, timeout=400, check=False, stdin=subprocess.DEVNULL)
    return f"npm cannot install the frameworks: {done.stderr.strip()[-200:]}" if done.returncode else None


def project(world, with_frameworks=True):
    """A project with the package as npm packs it."""
    kit.need("node", "npm")
    here = world.folder / "project"
    shutil.copytree(kit.HERE / "node", here)
    (here / "node_modules").mkdir()
    if with_frameworks:
        for package in (kit.cached("node-1", frameworks) / "node_modules").iterdir():
            (here / "node_modules" / package.name).symlink_to(package)
    status, output = world.run("npm", "pack", "--silent", PACKAGE, cwd=world.folder)
    check(status == 0, output)
    status, output = world.run("tar", "-xzf", next(world.folder.glob("*.tgz")))
    check(status == 0, output)
    shutil.move(world.folder / "package", here / "node_modules/hsdiff-noleak")
    return here


def fails(world, here, command, holder, *more):
    """One of its two tests fails, with the holder; the other passes."""
    def run():
        status, output = world.run(*command, cwd=here)
        check(status == 1, f"exit {status}\n{output}")
        says(output, holder, "WHAT KEEPS IT ALIVE", "something grew in each of", *more)
        kit.report(output)
    kit.times(run)


def node_test(world):
    here = project(world, with_frameworks=False)
    fails(world, here, ["node", "--test", "--test-reporter=tap", "shop.test.js"], ".shop.sessions: Map", "not ok 1 - a shop that forgets its sessions", "ok 2 - a shop that lets go",
          "# pass 1 # fail 1")


def vitest(world):
    here = project(world)
    fails(world, here, ["node", "node_modules/vitest/vitest.mjs", "run"], ".shop.stock._events.changed: Array", "shop.js:14", "1 failed | 1 passed",
          "FAIL shop.vitest.mjs > a shop whose baskets listen for ever")


def jest(world):
    here = project(world)
    fails(world, here, ["node", "node_modules/jest/bin/jest.js", "-i", "--config", "jest.config.json"], ".shop.sessions: Map", "1 failed, 1 passed",
          "● a shop that forgets its sessions")


def types(world):
    here = project(world)
    (here / "typed.ts").write_text(TYPED, encoding="utf-8")
    status, output = world.run("node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "typed.ts", cwd=here)
    check(status == 0, output)


def wrong(world):
    here = project(world, with_frameworks=False)
    (here / "wrong.js").write_text(WRONG, encoding="utf-8")
    _, output = world.run("node", "wrong.js", cwd=here)
    says(output, "rounds is a number, 2 or more", "there is no option 'most'", "a function is needed", "hsdiff check:", "max_growth")
    check("passed" not in output, output)
    _, output = world.run("node", "wrong.js", cwd=here, HSDIFF=str(world.folder / "nowhere"))
    says(output, "Install it (its doc/install.md says how), or set the variable HSDIFF to its path")
    check("passed" not in output, output)


if __name__ == "__main__":
    cases = {"node:test": node_test, "vitest": vitest, "wrong": wrong}
    kit.main(cases | {"jest": jest, "types": types} if kit.LONG else cases)

#!/usr/bin/env python3
"""A real Firefox, headless, with a leak planted in a global of its own: two snapshots, compared, and one more while a debugger tracks what is allocated.

One browser for all cases: its start takes four seconds of the processor."""
import functools
import pathlib
import tempfile

import firefox_browser
import kit
from kit import check, row, say

# What leaks holds arrays of kinds that the browser itself has no use for.
SHOP = """
globalThis.shopBox = Cu.Sandbox(Services.scriptSecurityManager.getSystemPrincipal(), {freshCompartment: true, sandboxName: "shop"});
globalThis.shopRun = code => Cu.evalInSandbox(code, shopBox, "latest", "resource://shop/shop.js", 1);
shopRun(`class Session { constructor(number) { this.number = number; this.payload = new BigInt64Array(4); } }
         var sessions = [], byName = new Map();
         function leak(count) {
             for (let i = 0; i < count; i++) sessions.push(new Session(i));
             return sessions.length;
         }
         function name(count) {
             for (let i = 0; i < count; i++) byName.set({}, new BigUint64Array(2));
             return byName.size;
         }`);
return 0;"""
TRACKED = """
globalThis.shopWatch = Cu.Sandbox(Services.scriptSecurityManager.getSystemPrincipal(), {freshCompartment: true, sandboxName: "watch"});
ChromeUtils.importESModule("resource://gre/modules/jsdebugger.sys.mjs").addDebuggerToGlobal(shopWatch);
shopWatch.watched = shopBox;
Cu.evalInSandbox(`globalThis.dbg = new Debugger(); dbg.addDebuggee(watched); dbg.memory.trackingAllocationSites = true;
    dbg.memory.maxAllocationsLogLength = 1;`, shopWatch, "latest", "resource://shop/watch.js", 1);
return 0;"""


TAKEN = tempfile.TemporaryDirectory(prefix="hsdiff-firefox-")


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def ask(browser, call):
    return browser.run(f"return shopRun({call!r});")


def grown(diff, name):
    kind = row(diff["types"], "type", name)
    check(kind, f"no {name}")
    return kind


@functools.cache
def snapshots():
    """before, after, and tracked; their folder."""
    folder = pathlib.Path(TAKEN.name)
    with firefox_browser.Browser(folder) as browser:
        browser.run(SHOP)
        same("sessions", ask(browser, "leak(10000)"), 10000)
        browser.snapshot(folder / "a.fxsnapshot")
        same("sessions", ask(browser, "leak(777)"), 10777)
        same("names", ask(browser, "name(50)"), 50)
        browser.snapshot(folder / "b.fxsnapshot")
        browser.run(TRACKED)
        same("sessions", ask(browser, "leak(300)"), 11077)
        browser.snapshot(folder / "tracked.fxsnapshot")
    return folder


def leak(tool, folder):
    """The class that leaked, its count, what holds it, from what global and through which field."""
    for name in "ab":
        tool.run("import", snapshots() / f"{name}.fxsnapshot", "-o", folder / f"{name}.hs")
        tool.run("verify", folder / f"{name}.hs")
    info = tool.info(folder / "b.hs")
    same("identity", info["identity"], "moving")
    check(info["objects"] > 100000, f"{info['objects']} objects")
    diff = tool.diff(folder / "a.hs", folder / "b.hs", "--top", "1000")
    payload = grown(diff, "BigInt64Array")
    values = grown(diff, "BigUint64Array")
    # the engine keeps one of a kind as a template of those to come: what hangs from the leak itself is exact, below
    check(10000 <= payload["before"]["objects"] <= 10001, f"payloads before: {payload}")
    check(777 <= payload["growth"]["objects"] <= 778, f"payloads: {payload}")
    check(50 <= values["growth"]["objects"] <= 51, f"values of the map: {values}")
    root = row(diff["roots"], "root", "Sandbox.sessions")
    check(root, f"no Sandbox.sessions among {[r['root'] for r in diff['roots']][:20]}")
    # shapes that it had for itself are shared with others of its kind now and then: of the objects themselves none is missing
    check(777 * 2 - 20 <= root["growth"]["objects"] <= 777 * 2, f"under sessions: {root['growth']}")
    check(row(diff["roots"], "root", "Sandbox.byName")["growth"]["objects"] >= 50 * 2 - 20, "nothing under byName")
    holder = [h for h in diff["holders"] if h["root"] == "Sandbox.sessions"]
    check(holder and holder[0]["type"] == "Array", f"holders {holder}")
    # at an address that was used again a new object may be taken for the one that was there
    check(777 * 2 - 20 <= holder[0]["net"]["objects"] <= 777 * 2, f"held by sessions: {holder[0]['net']}")
    say(f"  {info['objects']:,} objects")


def cut(tool, folder):
    """A snapshot that ends early, packed as it is: refused, and with --partial its beginning, as lower bounds. Through a pipe as well."""
    data = (snapshots() / "a.fxsnapshot").read_bytes()
    (folder / "cut.fxsnapshot").write_bytes(data[:len(data) // 2])
    refused = tool.run("import", folder / "cut.fxsnapshot", "-o", folder / "cut.hs", expect=None)
    check(refused.returncode == 3 and "--partial" in refused.stderr, refused.stderr)
    tool.run("import", folder / "cut.fxsnapshot", "-o", folder / "cut.hs", "--partial", expect=None)
    told = tool.run("info", folder / "cut.hs", expect=3)
    check("not complete" in told.stderr, "a cut snapshot is called complete")


def sites(tool, folder):
    """Where objects were allocated, when a debugger tracks that."""
    tool.run("import", snapshots() / "tracked.fxsnapshot", "-o", folder / "a.hs")
    told = tool.run("dump", folder / "a.hs").stdout
    check("resource://shop/shop.js" in told, "no script of the shop")
    check("\nsite " in told and "Session" in told, "no allocation site")


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (leak, cut, sites)})

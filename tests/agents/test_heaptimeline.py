#!/usr/bin/env python3
"""Timelines of V8's allocations, taken by node's own inspector: the places that allocate between two of them are told with their callers, exactly."""
import subprocess

import kit
from kit import check

PROGRAM = """
const inspector = require('inspector'), fs = require('fs');
const session = new inspector.Session();
session.connect();
const [,, out, count] = process.argv;
class Order { constructor(i) { this.id = i; this.note = { i }; } }
globalThis.kept = [];
function makeOrder(i) { return new Order(i); }
function fill(n) { for (let i = 0; i < n; i++) kept.push(makeOrder(i)); }
const file = fs.openSync(out, 'w');
session.on('HeapProfiler.addHeapSnapshotChunk', message => fs.writeSync(file, message.params.chunk));
session.post('HeapProfiler.startTrackingHeapObjects', { trackAllocations: true }, () => {
  fill(+count);
  session.post('HeapProfiler.stopTrackingHeapObjects', { reportProgress: false }, () => fs.closeSync(file));
});
"""


def timeline(tool, folder):
    kit.need("node")
    program = folder / "shop.js"
    program.write_text(PROGRAM, encoding="ascii")
    paths = []
    for count in (500, 2000):
        paths.append(folder / f"{count}.heaptimeline")
        done = subprocess.run(["node", program, paths[-1], str(count)], capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, done.stderr)
    rows = tool.diff(*paths, "--top", "all")["sites"]
    for function, line, caller in (("makeOrder", 8, "fill"), ("Order", 6, "makeOrder")):
        found = [row for row in rows if row["frames"] and row["frames"][0]["function"] == function and row["growth"]["objects"] != 0]
        check(len(found) == 1 and found[0]["growth"]["objects"] == 1500, f"{function}: {found}")
        frames = found[0]["frames"]
        check(frames[0]["line"] == line and frames[0]["file"].endswith("shop.js") and frames[1]["function"] == caller, f"{frames[:2]}")
    text = tool.run(*paths).stdout
    check("< fill (shop.js:9)" in text and "global.kept" in text, text)


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (timeline,)})

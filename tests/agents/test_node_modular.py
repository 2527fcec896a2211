#!/usr/bin/env python3
"""Node programs as people write them, in modules: each leaks at one place, and the first screen of a diff must say where.

A case says what must stand on the screen: the variable of a module that holds, and the function that was kept, with its line, which is the
line of the program's source that is marked LEAK. With SHOW in the environment the screens are printed."""
import json
import os
import re

import kit
from kit import check, say

PROGRAMS = kit.HERE / "programs" / "node_modular"
FIRST, MORE = 400, 1600

# name -> (main file, words that must be on the screen; {line} is the marked line of the file before it, in brackets)
CASES = {
    "listeners": ("server.js", [".js", "bus._events.price: Array", "Function onPrice (server.js:{server.js})"]),
    "two_indexes": ("app.js", ["users.js", "byId", "byName", "User"]),
    "esm_sessions": ("main.mjs", ["sessions.mjs.sessions: Map", "Session"]),
    "esm_handlers": ("main.mjs", ["router.mjs.handlers: Map", "Function (anonymous) (router.mjs:{router.mjs})"]),
    "ts_store": ("dist/index.js", [".js", "store.carts: Map"]),
    "middleware": ("server.js", ["audit.js.trail: Array", "Entry"]),
    "timers": ("main.js", ["timerListMap", "Function (anonymous) (poller.js:{poller.js})", "Poller"]),
    "promises": ("main.js", ["lock.js.waiting: Array", "Promise"]),
    "async_wait": ("main.mjs", ["gate.mjs.gate: Promise", "Ticket"]),
    "worker_pool": ("main.js", ["pool.js.pending: Map"]),
    "async_context": ("main.js", ["context.js.active: Set", "RequestContext"]),
    "weak_cache": ("main.js", ["cache.js.refs: Map", "WeakRef"]),
    "streams": ("main.js", ["tail.js", "log._events.data: Array", "Function forward (tail.js:{tail.js})"]),
    "static_field": ("main.mjs", ["registry.mjs.Registry.items: Array", "Device"]),
    "closure_chain": ("main.js", ["thing.js.current", "Function describe (thing.js:{thing.js})"]),
    "exports_cache": ("main.js", ["config.js.exports.cache: Object"]),
    "same_names": ("main.js", ["orders/index.js.rows: Array"]),
    "process_events": ("main.js", ["process._events.SIGHUP: Array", "Function reload (job.js:{job.js})"]),
    "memo": ("main.js", ["memoize.js.known: Map"]),
    "ts_queue": ("dist/main.mjs", ["main.mjs.queue.done: Array", "Function (anonymous) (main.mjs:{dist/main.mjs})"]),
    "uploads": ("main.mjs", ["upload.mjs.parts: Array", "Buffer"]),
}


def marked_line(path):
    lines = [number for number, line in enumerate(path.read_text().splitlines(), 1) if "// LEAK" in line]
    check(len(lines) == 1, f"{path} has {len(lines)} marks")
    return str(lines[0])


def expected(folder, words):
    return [re.sub(r"\{(.+?)\}", lambda m: marked_line(folder / m[1]), word) for word in words]


def answer_of(screen):
    """The sentences and what keeps it alive: where the eye goes first."""
    lines = screen.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("Live heap"))
    table = next(i for i, line in enumerate(lines) if line.startswith("TYPE"))
    holders = next(i for i, line in enumerate(lines) if line.startswith("WHAT KEEPS IT ALIVE"))
    end = next(i for i, line in enumerate(lines) if line.startswith("Objects matched"))
    # Whether an export's cell stands in front of its module's table, and so has a step of its own, is V8's affair.
    return " ".join(lines[begin:table]), "\n".join(lines[holders:end]).replace("<value>", "")


def check_case(tool, folder, name):
    main, words = CASES[name]
    program = PROGRAMS / name
    helper = os.path.join(tool.agents, "hsdiff.cjs")
    with kit.Program(["node", "--require", helper, str(program / main)]) as running:
        running.leak(FIRST)
        tool.capture(running.pid, folder / "a.hs")
        running.leak(MORE)
        tool.capture(running.pid, folder / "b.hs")
        running.quit()
    screen = tool.run(folder / "a.hs", folder / "b.hs", "--also", f"json={folder / 'diff.json'}").stdout
    if "SHOW" in os.environ:
        say(screen)
    sentence, holders = answer_of(screen)
    missing = [word for word in expected(program, words) if word not in holders]
    check(not missing, f"not said: {missing}\n{sentence}\n{holders}")
    check(re.search(r"same process", screen), "it is one process")
    diff = json.loads((folder / "diff.json").read_text())
    total = diff["total"]
    for side in ("before", "after"):
        check(sum(row[side]["bytes"] for row in diff["types"]) == total[side]["bytes"], f"types do not add up {side}")
    check(re.search(r"\(runtime's own: [23] types\)", screen), "the runtime's own types are no row of their own")


def case(name):
    def run(tool, folder):
        kit.need("node")
        check_case(tool, folder, name)
    return run


def inspector_adds(tool, folder):
    """Two captures by the inspector, of a program that only adds: one process, and no churn is told that did not happen."""
    kit.need("node")
    with kit.Program(["node", str(PROGRAMS / "esm_sessions" / "main.mjs")]) as running:
        running.leak(FIRST)
        tool.capture(running.pid, folder / "a.hs", "--open-inspector")
        running.leak(MORE)
        tool.capture(running.pid, folder / "b.hs", "--open-inspector")
        running.quit()
    screen = tool.run(folder / "a.hs", folder / "b.hs").stdout
    sentence, holders = answer_of(screen)
    check("same process" in screen and "different processes" not in screen, screen[:600])
    check("numbered" in screen, "the reason is not told")
    check("freed" not in sentence, f"churn is told: {sentence}")
    check("sessions.mjs.sessions: Map" in holders, holders)


if __name__ == "__main__":
    kit.main({**{name: case(name) for name in CASES}, "inspector_adds": inspector_adds})

#!/usr/bin/env python3
"""Planted leaks in Python programs under load, captured by the agent: exact counts, and the first holder and the path right by name, on each CPython there is."""
import re
import subprocess

import kit
import pythons
from kit import check, row, say

FIRST, MORE = 300, 1000

# What holds, as the first sentence says it, and the steps from there to what was planted, as the tree of holders has them.
LEAKS = {
    "cache": ("app.cache.SESSIONS (dict)", ["[*]: app.leaked.Leaked"]),
    "listeners": ("app.listeners.BUTTON.listeners (list)", ["[*]: app.leaked.Leaked"]),
    "handlers": ('app.handlers.REGISTRY["click"] (list)', ["[*]: function app.handlers.on_event.<locals>.cb (handlers.py:10)", ".kept: app.leaked.Leaked"]),
    "memo": ("app.memo.load.cache (dict)", ["[*]: app.leaked.Leaked"]),
    "bus": ('app.bus.EVENTS.subscribers["order"] (list)', ["[*]: method app.leaked.Leaked.on_event (leaked.py:8)", ".__self__: app.leaked.Leaked"]),
    "tasks": ("app.tasks.NEVER._waiters (collections.deque)", ["[*]: _asyncio.Future", "._callbacks: ", ".__self__: _asyncio.Task", "._coro: coroutine follow (tasks.py:11)",
                                                                 ".leaked: app.leaked.Leaked"]),
    "streams": ("app.streams.OPEN (list)", ["[*]: generator read (streams.py:7)", ".leaked: app.leaked.Leaked"]),
    "local": ('app.local.CONTEXT.(threads)[*]["requests"] (list)', ["[*]: app.leaked.Leaked"]),
    "models": ("app.models.Order.items (list)", ["[*]: app.leaked.Leaked"]),
    "audit": ("app.audit.LOG.handlers (list)", ["[*]: app.audit.Audit", ".leaked: app.leaked.Leaked"]),
    "failures": ("app.failures.LAST (list)", ["[*]: ValueError", ".__traceback__: traceback", ".tb_next: traceback", ".tb_frame: frame fail (failures.py:7)",
                                               ".request: app.leaked.Leaked"]),
    "cycles": ("app.cycles.UNDEAD (list)", ["[*]: app.cycles.Node", ".leaked: app.leaked.Leaked"]),
    "native": ("held by C", ["-> app.leaked.Leaked"]),
    "chains": ("app.chains.STEPS (list)", ["[*]: functools.partial", ".args: tuple", "[*]: app.leaked.Leaked"]),
    "arrays": ("app.arrays.FRAMES (list)", ["[*]: app.leaked.Leaked", ".pixels: numpy.ndarray"]),
    "web": ('app.web.app.signals["request_finished"].receivers (dict)', ["[*]: function app.web.orders.<locals>.log (web.py:42)", ".session: app.leaked.Leaked"]),
    "workers": ("app.workers.KEPT (list)", ["[*]: app.leaked.Leaked"]),
}


def has_module(path, name):
    return subprocess.run([path, "-c", f"import {name}"], capture_output=True).returncode == 0


def capture(program, path):
    program.tell(f"capture {path}")
    failed = program.expect("captured")
    check(not failed, failed)


def steps_of(screen):
    """The tree of holders of a report: (depth, text) a line, from the first holder on."""
    tree = screen[screen.index("WHAT KEEPS IT ALIVE"):].split("\n\n")[0].splitlines()[1:]
    return [(len(line) - len(line.lstrip()), line.strip()) for line in tree]


def check_path(screen, steps):
    lines, at, depth = steps_of(screen), 0, -1
    for step in steps:
        found = next((i for i in range(at + 1, len(lines)) if lines[i][0] > depth and lines[i][1].startswith(step)), None)
        check(found is not None, f"no step {step} below the first holder in\n{screen}")
        at, depth = found, lines[found][0]


def leak(tool, folder, version, path, module):
    holder, steps = LEAKS[module]
    program = kit.Program([path, str(kit.HERE / "programs" / "python" / "leaks.py"), pythons.agent(tool), module])
    with program:
        program.leak(FIRST)
        capture(program, folder / "a.hs")
        program.leak(MORE)
        capture(program, folder / "b.hs")
        program.quit()
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
    planted = row(tool.diff(folder / "a.hs", folder / "b.hs", "--top", "1000")["types"], "type", "app.leaked.Leaked")
    got = [planted["before"]["objects"], planted["new"]["objects"], planted["freed"]["objects"]]
    check(got == [FIRST + 10, MORE, 0], f"planted before, new, freed: {got}, not {[FIRST + 10, MORE, 0]}")
    screen = tool.run(folder / "a.hs", folder / "b.hs").stdout
    check(f"of the growth hangs from one place: {holder}." in " ".join(screen.split()), f"the first sentence does not name {holder}:\n{screen}")
    check_path(screen, steps)


def case_of(version, path):
    def case(tool, folder):
        done = 0
        for module in LEAKS:
            if module == "arrays" and not has_module(path, "numpy"):
                say(f"  skipped: arrays, CPython {version} has no numpy")
                continue
            (folder / module).mkdir()
            try:
                leak(tool, folder / module, version, path, module)
            except kit.Failed as error:
                raise kit.Failed(f"{module} on CPython {version}: {error}") from None
            done += 1
        say(f"  CPython {version}: {done} of {len(LEAKS)} kinds of leaks, first holder and counts right")
    return case


def looks_of(secret):
    """The bytes in which a secret could stand in a file."""
    plain = "".join(c for c in secret if c.isalnum())
    return {form.encode() for one in (secret, plain) for form in (one, one.lower(), one[::-1])} | {secret.encode("utf-16-le"), secret.encode("utf-32-le")}


def canaries(tool, folder):
    """1,000 secrets in texts, keys that are no identifiers or not interned, the environment and the command line: none in a capture, which is not compressed."""
    for version, path in pythons.found().items():
        out = folder / f"{version}.hs"
        done = subprocess.run([path, str(kit.HERE / "programs" / "python" / "canaries.py"), pythons.agent(tool), str(out), "7", "canary-9999-ONTHECOMMANDLINE"],
                              capture_output=True, text=True, timeout=60, env={"CANARY": "canary-9998-INTHEENVIRONMENT", "PATH": "/usr/bin"})
        check(done.returncode == 0, done.stderr)
        tool.run("verify", out)
        secrets = done.stdout.split() + ["canary-9999-ONTHECOMMANDLINE", "canary-9998-INTHEENVIRONMENT"]
        data = out.read_bytes()
        check(b"SECRETS" in data and b"password" in data, "names of variables and attributes are not there: the capture is compressed or says nothing")
        told = [secret for secret in secrets if any(look in data for look in looks_of(secret))]
        check(len(secrets) == 1002 and not told, f"CPython {version}: {len(told)} secrets are in the capture, {told[:5]}")
    say("  0 of 1,002 secrets told by any version")


if __name__ == "__main__":
    cases = {f"leaks_{version}": case_of(version, path) for version, path in pythons.found().items()}
    cases["canaries"] = canaries
    kit.main(cases)

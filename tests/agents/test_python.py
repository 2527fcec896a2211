#!/usr/bin/env python3
"""Planted leaks in Python programs under load, captured by the agent: exact counts, and the first holder and the path right by name, on each CPython there is.

The first CPython has all of them. Each other one has those of NEW_EACH_TIME and a third of the rest, another third than the version before it; with HSD_LONG all."""
import json
import os
import pathlib
import re
import subprocess

import kit
import pythons
from kit import check, row, say

FIRST, MORE = 300, 1000

# What holds, as the first sentence says it ("..." is any beginning), and the steps from there to what was planted, as the tree of holders has them.
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
    "schemas": ("app.schemas.SCHEMAS (dict)", ["[*]: type", ".defaults: list", "[*]: app.leaked.Leaked"]),
    "plugins": ("sys.modules (dict)", ["[*]: module", ".kept: app.leaked.Leaked"]),
    "audit": ("app.audit.LOG.handlers (list)", ["[*]: app.audit.Audit", ".leaked: app.leaked.Leaked"]),
    "failures": ("app.failures.LAST (list)", ["[*]: ValueError", ".__traceback__: traceback", ".tb_next: traceback", ".tb_frame: frame fail (failures.py:7)",
                                               ".request: app.leaked.Leaked"]),
    "cycles": ("app.cycles.UNDEAD (list)", ["[*]: app.cycles.Node", ".leaked: app.leaked.Leaked"]),
    "native": ("held by C", ["-> app.leaked.Leaked"]),
    "chains": ("app.chains.STEPS (list)", ["[*]: functools.partial", ".args: tuple", "[*]: app.leaked.Leaked"]),
    "arrays": ("app.arrays.FRAMES (list)", ["[*]: app.leaked.Leaked", ".pixels: numpy.ndarray"]),
    "web": ('app.web.app.signals["request_finished"].receivers (dict)', ["[*]: function app.web.orders.<locals>.log (web.py:42)", ".session: app.leaked.Leaked"]),
    "extension": ("held by C", ["-> app.leaked.Leaked"]),
    "shop": ("flask.template_rendered.receivers (dict)", ["[*]: function app.shop.orders.<locals>.shipped (shop.py:27)", ".order: app.leaked.Leaked"]),
    "crew": ('threading._active["crew-* of *"].results (list)', ["[*]: app.leaked.Leaked"]),
    "totals": ("app.totals.Report.total.cache (dict)", ["[*]: tuple 310 -> 1,310 items", "[*]: app.totals.Report 310 -> 1,310 items", ".rows: list"]),
    "linger": ("local server of app.linger.serve (linger.py:27) (app.linger.Server), by .background and .closing._waiters, together", ["-> _asyncio.Task", "._coro: coroutine Server.linger (linger.py:18)", ".leaked: app.leaked.Leaked"]),
    "parting": ("app.parting.OPEN (list)", ["[*]: app.leaked.Leaked"]),
    "workers": ("app.workers.KEPT (list)", ["[*]: app.leaked.Leaked"]),
    "contexts": ('thread MainThread["trail"] (list)', ["[*]: app.leaked.Leaked"]),
    "visits": ("module app.visits.visit.seen (list)", ["[*]: app.leaked.Leaked"]),
    "mailbox": ("....inbox (asyncio.queues.Queue)._queue (collections.deque)", ["[*]: app.leaked.Leaked"]),
    "switches": ("app.switches.WAITING (list)", ["[*]: greenlet.greenlet", ".follow.leaked: app.leaked.Leaked"]),
    "middleware": ("app.middleware.Timing.history (list)", ["[*]: app.leaked.Leaked"]),
}

# What they go through is laid out anew from version to version: frames, coroutines, threads, what C holds. The others are dicts, lists and instances.
NEW_EACH_TIME = ("handlers", "bus", "tasks", "streams", "local", "failures", "native", "linger", "mailbox")
THIRDS = 3


def leaks_of(version):
    number = list(pythons.found()).index(version)
    others = [module for module in LEAKS if module not in NEW_EACH_TIME]
    return [module for module in LEAKS if number == 0 or kit.LONG or module in NEW_EACH_TIME or others.index(module) % THIRDS == number % THIRDS]


def has_module(path, name):
    return subprocess.run([path, "-c", f"import {name}"], capture_output=True).returncode == 0


def capture(program, path):
    program.tell(f"capture {path}")
    failed = program.expect("captured")
    check(not failed, failed)


def steps_of(screen):
    """The tree of holders of a report: (depth, text) a line, from the first holder on."""
    tree = screen[screen.index("WHAT KEEPS IT ALIVE"):].split("\n\n")[0].splitlines()[1:]
    return [(len(line) - len(line.lstrip()), " ".join(line.split())) for line in tree]


def check_path(screen, steps):
    lines, at, depth = steps_of(screen), 0, -1
    for step in steps:
        found = next((i for i in range(at + 1, len(lines)) if lines[i][0] > depth and lines[i][1].startswith(step)), None)
        check(found is not None, f"no step {step} below the first holder in\n{screen}")
        at, depth = found, lines[found][0]


def build_extension(path, folder):
    """keeps.c for this interpreter; None where it has no headers."""
    done = subprocess.run([path, "-c", "import sysconfig; print(sysconfig.get_path('include')); print(sysconfig.get_config_var('EXT_SUFFIX'))"],
                          capture_output=True, text=True, check=True)
    include, suffix = done.stdout.split()
    source = kit.HERE / "programs" / "python" / "keeps.c"
    built = subprocess.run(["cc", "-shared", "-fPIC", "-O2", f"-I{include}", str(source), "-o", str(folder / f"keeps{suffix}")], capture_output=True, text=True)
    check(built.returncode == 0 or "Python.h: No such file" in built.stderr, built.stderr)
    return folder if built.returncode == 0 else None


def install(path, folder, *packages):
    """None without network or pip, or where that takes minutes."""
    command = [path, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input", "--target", str(folder / "packages"), *packages]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None
    return folder / "packages" if done.returncode == 0 else None


def install_flask(path, folder):
    return install(path, folder, "flask>=3,<3.2", "blinker")


def install_greenlet(path, folder):
    return install(path, folder, "--only-binary", ":all:", "greenlet>=3,<4")


def needs_of(module, version, path, folder):
    """What a program wants to have in its environment; None where that cannot be had, which is said."""
    if module == "arrays" and not has_module(path, "numpy"):
        say(f"  skipped: arrays, CPython {version} has no numpy")
        return None
    if module in ("shop", "switches") and version != next(iter(pythons.found())) and not kit.LONG:
        return None  # a package is fetched once; with HSD_LONG for each version
    wanted = {"extension": ("KEEPS", build_extension, "no headers (python3-dev)"), "shop": ("FLASK", install_flask, "no Flask 3 from PyPI"),
              "switches": ("GREENLET", install_greenlet, "no greenlet 3 from PyPI")}.get(module)
    if wanted is None:
        return {}
    place = wanted[1](path, folder)
    if place is None:
        say(f"  skipped: {module}, CPython {version} has {wanted[2]}")
    return None if place is None else {wanted[0]: str(place)}


def leak(tool, folder, version, path, module, environment):
    holder, steps = LEAKS[module]
    if module == "tasks" and version == "3.14":  # a future knows the task that awaits it
        steps = [steps[0], "._awaited_by: _asyncio.Task", *steps[3:]]
    program = kit.Program([path, str(kit.HERE / "programs" / "python" / "leaks.py"), pythons.agent(tool), module], environment)
    with program:
        program.leak(FIRST)
        capture(program, folder / "a.hs")
        program.leak(MORE)
        resident = int(pathlib.Path(f"/proc/{program.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        capture(program, folder / "b.hs")
        program.quit()
    measured = int(re.search(r'^metric (\d+) name="process.rss"', tool.run("dump", folder / "b.hs", "--only", "metrics").stdout, re.M)[1])
    check(resident / 2 < measured < 1.2 * resident + (4 << 20), f"process.rss {measured}: with what the capture took; it was {resident}")
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
    screen = tool.run(folder / "a.hs", folder / "b.hs", "--also", f"json={folder / 'diff.json'}").stdout
    types = json.loads((folder / "diff.json").read_text())["types"]
    planted = row(types, "type", "app.leaked.Leaked")
    got = [planted["before"]["objects"], planted["new"]["objects"], planted["freed"]["objects"]]
    check(got == [FIRST + 10, MORE, 0], f"planted before, new, freed: {got}, not {[FIRST + 10, MORE, 0]}")
    warned = re.search(r"(?m)^! (\d+ of \d+ objects may be others(?:.*\n)*?)$", screen)
    check(not warned or "growth is right" in " ".join(warned[1].split()), f"a warning that leaves open what the answer is worth:\n{screen}")
    gone = [one["type"] for one in types if "(<plugin>:" in one["type"] and one["freed"]["objects"]]
    check(not gone, f"functions of one code that go and come by other names: {gone}")
    made = [one["type"] for one in types if "plugins.request" in one["type"]]
    check(made == [] or sorted(made) == ["function plugins.request*.run (<plugin>:1)", "plugins.request*.Rule"], f"what modules of one code have, by other names: {made}")
    said = re.search(r"of the growth (?:and more )?hangs from one place: (.*?)(?:\. |; others shrank\.)", " ".join(screen.split()))
    names = said and (said[1].endswith(holder[3:]) if holder.startswith("...") else said[1] == holder)
    check(names, f"the first sentence does not name {holder}:\n{screen}")
    check_path(screen, steps)


def case_of(version, path):
    def case(tool, folder):
        done = 0
        for module in leaks_of(version):
            (folder / module).mkdir()
            environment = needs_of(module, version, path, folder / module)
            if environment is None:
                continue
            try:
                leak(tool, folder / module, version, path, module, environment)
            except kit.Failed as error:
                raise kit.Failed(f"{module} on CPython {version}: {error}") from None
            done += 1
        say(f"  CPython {version}: {done} of {len(leaks_of(version))} kinds of leaks, first holder and counts right")
    return case


def looks_of(secret):
    """The bytes in which a secret could stand in a file."""
    plain = "".join(c for c in secret if c.isalnum())
    return {form.encode() for one in (secret, plain) for form in (one, one.lower(), one[::-1])} | {secret.encode("utf-16-le"), secret.encode("utf-32-le")}


def found_in(data, secrets):
    """Those that stand there in any form. Looked for one by one, in all their forms, only where the word that all of them begin with stands in any."""
    words = looks_of("canary")
    looks = {secret: looks_of(secret) for secret in secrets}
    check(all(any(word in look for word in words) for forms in looks.values() for look in forms), "a secret without the word")
    if not any(word in data for word in words):
        return []
    return [secret for secret, forms in looks.items() if any(look in data for look in forms)]


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
        check(found_in(b"=" + secrets[500][::-1].encode(), secrets) == secrets[500:501], "a secret that stands there is not found")
        told = found_in(data, secrets)
        check(len(secrets) == 1002 and not told, f"CPython {version}: {len(told)} secrets are in the capture, {told[:5]}")
    say("  0 of 1,002 secrets told by any version")


def inside(tool, folder):
    """Captures from where objects are half made: 26 places, all whole. Nothing of the program runs in one, and nothing in it is different behind it."""
    for version, path in pythons.found().items():
        place = folder / version
        place.mkdir()
        done = subprocess.run([path, str(kit.HERE / "programs" / "python" / "inside.py"), pythons.agent(tool), str(place)], capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, f"CPython {version}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        lines = done.stdout.splitlines()
        captured = [line for line in lines if line.startswith("capture ")]
        failed = [line for line in captured if len(line.split()) > 2]
        check(len(captured) >= 26 and not failed, f"CPython {version}: {len(captured)} captures, {failed}")
        check("same" in lines and not [line for line in lines if line.startswith(("ran", "changed"))], f"CPython {version}: {[x for x in lines if x not in captured]}")
        for capture_path in place.glob("*.hs"):
            tool.run("verify", capture_path)
            check(tool.info(capture_path)["complete"], f"{capture_path} is not complete")
    say("  26 places, all whole; nothing ran, nothing changed")


CALLS = """
import ctypes, os, sys
agent, out, how = sys.argv[1:]
error = ctypes.create_string_buffer(512)
if how == "pipe":
    reader, writer = os.pipe()
    os.close(reader)
    print(ctypes.PyDLL(agent).hspy_capture(writer, None, error, 512), error.value.decode())
elif how == "unlocked":
    print(ctypes.CDLL(agent).hspy_capture(1, None, error, 512), error.value.decode())
elif how == "closed":
    print(ctypes.PyDLL(agent).hspy_capture(9999, None, error, 512), error.value.decode())
else:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        import _interpreters as interpreters
    code = chr(10).join(["class Kept: pass", "KEPT = [Kept() for _ in range(33)]"])
    run, kept = interpreters.run_string, [interpreters.create(), interpreters.create()]
    for one in kept:
        run(one, code)
    if sys.version_info >= (3, 12):
        shared = interpreters.create(isolated=False) if sys.version_info < (3, 13) else interpreters.create("legacy")
        run(shared, code)
    fd = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    print(ctypes.PyDLL(agent).hspy_capture(fd, None, error, 512), error.value.decode())
    sys.stdout.flush()
    os._exit(0)
"""


def call(tool, path, out, how):
    done = subprocess.run([path, "-c", CALLS, pythons.agent(tool), str(out), how], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"{how}: exit {done.returncode}\n{done.stderr}")
    return done.stdout.strip()


def calls(tool, folder):
    """Calls that cannot succeed say why; sub-interpreters that share the lock are in a capture, others are a loss."""
    for version, path in pythons.found().items():
        for how, why in (("pipe", "Broken pipe"), ("closed", "Bad file descriptor"), ("unlocked", "does not hold the interpreter's lock")):
            said = call(tool, path, folder / "no.hs", how)
            check(said.startswith("-1 ") and why in said, f"CPython {version}, {how}: {said}")
        out = folder / f"{version}.hs"
        said = call(tool, path, out, "interpreters")
        check(said == "0", said)
        info, minor = tool.info(out), int(version.split(".")[1])
        kept = row(tool.diff(out, out, "--top", "100000")["types"], "type", "__main__.Kept").get("after", {"objects": 0})["objects"]
        check(kept == (33 if minor >= 12 else 66), f"CPython {version}: {kept} objects of interpreters")
        lost = [loss for loss in info["losses"] if "lock of their own" in str(loss)]
        check(bool(lost) == (minor >= 12), f"CPython {version}: {info['losses']}")
    say("  refusals and interpreters as they should be")


EDGE = """
import ctypes, mmap, os, sys
agent, out = sys.argv[1:3]
libc = ctypes.CDLL(None)
libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
kept, size = [object(), 1.5], {0: 16, 1: 24}
for i in range(len(kept)):
    pages = libc.mmap(None, 3 * 4096, 3, 0x22, -1, 0)
    libc.munmap(pages + 4096, 4096)
    ctypes.memmove(pages + 4096 - size[i], id(kept[i]), size[i])
    kept[i] = ctypes.cast(pages + 4096 - size[i], ctypes.py_object).value
error = ctypes.create_string_buffer(512)
fd = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
print(ctypes.PyDLL(agent).hspy_capture(fd, None, error, 512), error.value.decode())
sys.stdout.flush()
os._exit(0)
"""


def edge(tool, folder):
    """Objects right before memory that is not mapped, as the last of an arena may be: nothing behind them is read."""
    for version, path in pythons.found().items():
        done = subprocess.run([path, "-c", EDGE, pythons.agent(tool), str(folder / f"{version}.hs")], capture_output=True, text=True, timeout=60)
        check(done.returncode == 0 and done.stdout.strip() == "0", f"CPython {version}: {done}")
    say("  objects at the end of what is mapped are captured")


ARENAS = """
import ctypes, os, sys
agent, out, keeper = sys.argv[1], sys.argv[2], []
keeper = [object() for _ in range(200000)]
del keeper[1::2]  # arenas that are half empty
error = ctypes.create_string_buffer(512)
fd = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
capture = ctypes.PyDLL(agent).hspy_capture
print(capture(fd, None, error, 512), error.value.decode())
sys._debugmallocstats()
"""


LISTENERS = """
import ctypes, os, sys
agent, folder, heap, listeners = sys.argv[1], sys.argv[2], [[str(i)] for i in range(100000)], []

def request(number):
    listeners.append(lambda: number)

error = ctypes.create_string_buffer(512)
capture = ctypes.PyDLL(agent).hspy_capture
for round in range(5):
    for number in range(200):
        request(number)
    fd = os.open(f"{folder}/{round}.hs", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    print(capture(fd, None, error, 512), flush=True)
"""


UNCOLLECTED = """
import ctypes, gc, os, sys
agent, folder = sys.argv[1], sys.argv[2]
gc.disable()

class Node:
    def __init__(self, number):
        self.itself, self.name = self, f"{number:-^200}"

error = ctypes.create_string_buffer(512)
capture = ctypes.PyDLL(agent).hspy_capture
for round in range(4):
    for number in range(4000):
        Node(number)
    fd = os.open(f"{folder}/off-{round}.hs", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    capture(fd, None, error, 512)
"""


def gate_without_collector(tool, folder, path):
    """Cycles that a program leaves behind with its collector off fail the gate, of two captures and of a series."""
    subprocess.run([path, "-c", UNCOLLECTED, pythons.agent(tool), str(folder)], check=True, stdout=subprocess.DEVNULL, timeout=60)
    captures = [folder / f"off-{number}.hs" for number in range(4)]
    for some in ([captures[0], captures[3]], captures):
        failed = " ".join(tool.run("check", *some, expect=1).stdout.split())
        check("FAIL what waits for a collector that is off does not grow" in failed and f"1 of {len(some)} rules failed" in failed, failed)
        check(re.search(r" __main__\.Node \+[\d.]+ [KM]iB", failed), f"the type that waits is not named: {failed}")


OF_C = """
import ctypes, os, sys
agent, folder = sys.argv[1], sys.argv[2]
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
error = ctypes.create_string_buffer(512)
capture = ctypes.PyDLL(agent).hspy_capture
for round in range(4):
    for number in range(400):
        libc.memset(libc.malloc(20000), 1, 20000)
    fd = os.open(f"{folder}/of-c-{round}.hs", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    capture(fd, None, error, 512)
"""


def gate_of_c(tool, folder, path):
    """Memory that a library of C takes is in no capture: the diff says so, and the gate that passes."""
    subprocess.run([path, "-c", OF_C, pythons.agent(tool), str(folder)], check=True, stdout=subprocess.DEVNULL, timeout=60)
    captures = [folder / f"of-c-{number}.hs" for number in range(4)]
    passed = tool.run("check", *captures, "--warmup", "1", expect=0)
    check(re.search(r"the process grew in every round \(resident memory, .*\), by 1[456]\.\d MiB more than its heap", " ".join(passed.stderr.split())), passed.stderr)
    told = " ".join(tool.run(captures[0], captures[3]).stdout.split())
    check(re.search(r"The process grew 2[2345]\.\d MiB \(resident memory, .*\), 2[234]\.\d MiB more than its heap", told), told)


def gate(tool, folder):
    """A function that is made for each request and kept is a leak as any other, and no program code: `check` fails, and names the list."""
    version, path = next(iter(pythons.found().items()))
    gate_without_collector(tool, folder, path)
    gate_of_c(tool, folder, path)
    subprocess.run([path, "-c", LISTENERS, pythons.agent(tool), str(folder)], check=True, stdout=subprocess.DEVNULL, timeout=60)
    captures = [folder / f"{number}.hs" for number in range(5)]
    failed = " ".join(tool.run("check", *captures, expect=1).stdout.split())
    check("__main__.listeners: list" in failed, failed)
    two = " ".join(tool.run("check", *captures[:4], "--warmup", "1", expect=0).stdout.split())
    check("__main__.listeners (list) got some" in two and "in each of 2 rounds" in two, two)
    say("  functions that are kept fail the gate")


def number_of(lines, words):
    found = [line for line in lines if words in line]
    return int(found[0].rpartition("=")[2].replace(",", "")) if found else 0


def arenas(tool, folder):
    """Metrics of arenas are what sys._debugmallocstats() prints; without arenas there are none."""
    for version, path in pythons.found().items():
        for malloc in ("pymalloc", "malloc"):
            out = folder / f"{version}-{malloc}.hs"
            done = subprocess.run([path, "-c", ARENAS, pythons.agent(tool), str(out)], capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "PYTHONMALLOC": malloc})
            check(done.stdout.strip() == "0", f"{done}")
            told = {name: round(float(number) * {"MiB": 2 ** 20, "KiB": 2 ** 10}.get(unit, 1)) for name, number, unit in
                    re.findall(r"(python\.arena\S*) +([\d.]+) (\w+)", tool.run("info", out).stdout)}
            if malloc == "malloc":
                check(not told, f"CPython {version}: {told}")
                continue
            lines = done.stderr.splitlines()
            true = {"python.arenas": number_of(lines, "# arenas allocated current"), "python.arenas_most": number_of(lines, "# arenas highwater mark"),
                    "python.arena_bytes": number_of(lines, "bytes/arena")}
            check({key: told.get(key) for key in true} == true, f"CPython {version}: {told}, and Python says {true}")
            used = number_of(lines, "# bytes in allocated blocks")
            check(abs(told["python.arena_used"] - used) < used / 100, f"CPython {version}: {told}, and Python says {used}")
    say("  arenas are told as Python tells them")


if __name__ == "__main__":
    cases = {f"leaks_{version}": case_of(version, path) for version, path in pythons.found().items()}
    cases.update({f.__name__: f for f in (canaries, inside, calls, edge, gate, arenas)})
    kit.main(cases)

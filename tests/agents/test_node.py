#!/usr/bin/env python3
"""Node: by the helper (way node) and by the inspector (way inspector), real servers that leak under load."""
import glob
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import time

import kit
from kit import check, row, say

SERVER = kit.HERE / "programs" / "node_leak.js"
FIRST, MORE = 1500, 700
LONG = bool(os.environ.get("HSD_LONG"))


def helper(tool):
    return str(pathlib.Path(tool.agents) / "hsdiff.cjs")


def start(tool, *words, options=(), with_helper=True, environment=None, cwd=None):
    kit.need("node")
    required = ["--require", helper(tool)] if with_helper else []
    return kit.Program(["node", *required, *options, str(SERVER), *words], environment=environment, cwd=cwd)


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def sockets(*pids):
    """Of captures of these programs: those of others come and go."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or "/tmp"
    return [path for pid in pids for path in glob.glob(f"{folder}/.hsdiff-{os.getuid()}-node-{pid}")]


def metric(tool, capture, name):
    found = re.search(rf'^metric (\d+) name="{re.escape(name)}"', tool.run("dump", capture, "--only", "metrics").stdout, re.M)
    check(found, f"no metric {name}")
    return int(found[1])


def two_captures(tool, folder, program, *way):
    program.leak(FIRST)
    tool.capture(program.pid, folder / "a.hs", *way)
    program.leak(MORE)
    tool.capture(program.pid, folder / "b.hs", *way)
    check(program.is_alive(), "the program ended")
    for name in ("a.hs", "b.hs"):
        tool.run("verify", folder / name)
        same("mode of the capture", stat.S_IMODE(os.stat(folder / name).st_mode), 0o600)
    return tool.diff(folder / "a.hs", folder / "b.hs")


def check_leak(diff, by_ids):
    for name in ("Session", "User"):
        found = row(diff["types"], "type", name)
        same(f"{name} before", found["before"]["objects"], FIRST)
        same(f"{name} after", found["after"]["objects"], FIRST + MORE)
        same(f"{name} growth", found["growth"]["objects"], MORE)
        if by_ids:
            same(f"{name} new", found["new"]["objects"], MORE)
            same(f"{name} freed", found["freed"]["objects"], 0)
    named = [one for one in diff["roots"] if one["kind"] != "shared"]
    root = max(named, key=lambda one: one["growth"]["objects"])
    same("the root that grew most", root["root"], "global.registry")
    same("its growth: Session, User and a name each", root["growth"]["objects"], 3 * MORE)
    # Without ids a pair that was not recognised can move growth from one holder to another: the registry may not be the very first.
    found = [one for one in diff["holders"][:1 if by_ids else 4] if "registry" in one["root"]]
    check(found, f"the first holders are of {[one['root'] for one in diff['holders'][:4]]}")
    holder = found[0]
    check(any(step["edge"] == ".sessions" for step in holder["path"]), f"its path is {holder['path']}")
    session = row(holder["types"], "type", "Session")
    same("sessions held", session["new"]["objects"] - session["freed"]["objects"], MORE)


def helper_leak(tool, folder):
    """Way node: V8's ids are exact, so new and freed are; metrics and pause are in the capture."""
    with start(tool) as program:
        diff = two_captures(tool, folder, program)
        check_leak(diff, by_ids=True)
        say(f"        match {diff['match']}, pause {metric(tool, folder / 'b.hs', 'capture.pause') / 1e6:.0f} ms")
        for name in ("heap.used", "heap.old", "heap.young", "heap.large", "process.rss", "gc.count"):
            check(metric(tool, folder / "b.hs", name) >= 0, name)
        check(metric(tool, folder / "b.hs", "gc.count") > 0, "no collection was counted under load")
        same("sockets left", sockets(program.pid), [])
        program.quit()


def helper_busy(tool, folder):
    """A program that hardly comes back to its events answers when it does."""
    with start(tool, "busy") as program:
        check_leak(two_captures(tool, folder, program), by_ids=True)
        program.quit()


def helper_worker(tool, folder):
    """With worker threads: their heaps are behind that of the main thread, whose objects are told as ever; one helper for all."""
    with start(tool, "worker") as program:
        check_leak(two_captures(tool, folder, program), by_ids=True)
        program.quit()


def inspector_leak(tool, folder):
    """Way inspector, at a port of the system's choice: exact counts by type, objects told apart without ids."""
    with start(tool, options=["--inspect=127.0.0.1:0"], with_helper=False) as program:
        diff = two_captures(tool, folder, program, "--way", "inspector")
        check_leak(diff, by_ids=False)
        check("numbered the objects of the process anew" in diff["match"]["reason"], f"the reason is: {diff['match']['reason']}")
        program.quit()


def inspector_opened(tool, folder):
    """--open-inspector opens it by SIGUSR1 and closes it again; without it the gate is told."""
    with start(tool, with_helper=False) as program:
        refused = tool.capture(program.pid, folder / "no.hs", expect=None)
        check(refused.returncode not in (0,), "it was captured without being asked to open the inspector")
        for words in ("without the helper", "hsdiff capture -- node app.js", "node --require", "--open-inspector"):
            check(words in refused.stderr, f"'{words}' is not in: {refused.stderr}")
        check(not (folder / "no.hs").exists(), "a file was left behind")
        check_leak(two_captures(tool, folder, program, "--open-inspector"), by_ids=False)
        kit.wait_until("the inspector is left open", lambda: ":240D 00000000:0000 0A" not in pathlib.Path(f"/proc/{program.pid}/net/tcp").read_text())
        program.quit()


def inspector_and_helper(tool, folder):
    """A session of the inspector makes V8 number its objects anew: captures before and behind are not compared by id."""
    with start(tool) as program:
        program.leak(FIRST)
        tool.capture(program.pid, folder / "a.hs")
        tool.capture(program.pid, folder / "between.hs", "--way", "inspector", "--open-inspector")
        time.sleep(0.3)
        program.leak(MORE)
        tool.capture(program.pid, folder / "b.hs")
        check_leak(tool.diff(folder / "a.hs", folder / "b.hs"), by_ids=False)
        a, b = (tool.info(folder / name)["domain"] for name in ("a.hs", "b.hs"))
        check(a != b, "one domain on both sides of a session")
        program.quit()


def started(tool, folder):
    """hsdiff capture -- node: the helper is brought in by NODE_OPTIONS."""
    kit.need("node")
    script = folder / "app.js"
    script.write_text("global.kept = Array.from({length: 1000}, () => new (class Kept {}));\n"
                      "setInterval(() => { if (require('fs').readdirSync(__dirname).some((name) => /^s.*[.]hs$/.test(name))) process.exit(0); }, 50);\n")
    tool.run("capture", "--every", "1s", "--count", "1", "-o", str(folder / "s.hs"), "--", "node", str(script))
    saved = list(folder.glob("s*.hs"))
    same("captures", len(saved), 1)
    tool.run("verify", saved[0])


def alone(tool, folder):
    """A signal without hsdiff waiting: a .hs through hsdiff import, or a snapshot; a series by the clock; handlers of the program are kept."""
    with start(tool, cwd=folder, environment={"HSDIFF": tool.path, "HSDIFF_DIR": str(folder)}) as program:
        os.kill(program.pid, signal.SIGUSR2)
        saved = folder / f"node_leak.js-{program.pid}-0001.hs"
        kit.wait_until(f"no {saved.name}", saved.exists, 60)
        tool.run("verify", saved)
        same("process", process_of(tool, saved), ("node_leak.js", program.pid))
        tool.capture(program.pid, folder / "later.hs")
        check("same process" in tool.run(saved, folder / "later.hs").stdout, "saved by itself and captured from outside: not known as one process")
        program.quit()
    with start(tool, environment={"HSDIFF": "/none", "HSDIFF_DIR": str(folder), "HSDIFF_EVERY": "1", "HSDIFF_COUNT": "2"}) as program:
        kit.wait_until("fewer than 2 snapshots", lambda: len(list(folder.glob(f"node_leak.js-{program.pid}-*.heapsnapshot"))) >= 2, 60)
        time.sleep(2.5)  # no third one
        found = sorted(folder.glob(f"node_leak.js-{program.pid}-*.heapsnapshot"))
        same("snapshots by the clock", len(found), 2)
        same("mode of a snapshot", stat.S_IMODE(found[0].stat().st_mode), 0o600)
        check("no hsdiff in HSDIFF or PATH" in program.errors(), program.errors())
        program.quit()
    script = folder / "own.js"
    script.write_text("process.on('SIGUSR2', () => { console.log('mine'); process.exit(0); });\nconsole.log('ready');\nsetInterval(() => {}, 1000);\n")
    with kit.Program(["node", "--require", helper(tool), str(script)], environment={"HSDIFF": "/none", "HSDIFF_DIR": str(folder)}) as program:
        os.kill(program.pid, signal.SIGUSR2)
        program.expect("mine")
        check("handles SIGUSR2 too" in program.errors(), program.errors())


def process_of(tool, capture):
    info = json.loads(tool.run("info", capture, "--format", "json").stdout)
    check("V8" in info["runtime"], f"runtime {info['runtime']}")
    return info["process"], info["pid"]


def pushed(tool, folder):
    """Captures that are sent have the name and the number of the program."""
    sock = folder / "s.sock"
    receiver = subprocess.Popen([tool.path, "receive", f"unix:{sock}", "-o", folder, "--count", "2"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kit.wait_until("nobody listens", sock.exists, 60)
    with start(tool, environment={"HSDIFF": tool.path, "HSDIFF_TO": f"unix:{sock}", "HSDIFF_EVERY": "0.5"}) as program:
        same("the receiver's end", receiver.wait(120), 0)
        saved = [folder / f"node_leak.js-{program.pid}-000{n}.hs" for n in (1, 2)]
        for path in saved:
            same("process", process_of(tool, path), ("node_leak.js", program.pid))
        check("same process" in tool.run(*saved).stdout, "not known as one process")
        program.quit()


def foreign_socket(tool, folder):
    """What lies where the socket should be is not removed unless it is a socket of this user that nobody serves."""
    with start(tool, environment={"XDG_RUNTIME_DIR": str(folder)}) as program:
        place = folder / f".hsdiff-{os.getuid()}-node-{program.pid}"
        place.write_text("mine")
        refused = tool.capture(program.pid, folder / "a.hs", expect=None)
        check(refused.returncode != 0 and "exists and is no socket" in refused.stderr, refused.stderr)
        same("the foreign file", place.read_text(), "mine")
        place.unlink()
        stale = socket.socket(socket.AF_UNIX)
        stale.bind(str(place))
        stale.close()
        tool.capture(program.pid, folder / "a.hs")
        check(not place.exists(), "the socket is still there")
        program.quit()


def waits_its_turn(tool, folder):
    """Someone else waits for the program's answer, as `hsdiff capture -- node app.js` does now and then: a capture waits until that one has gone."""
    with start(tool, environment={"XDG_RUNTIME_DIR": str(folder)}) as program:
        place = folder / f".hsdiff-{os.getuid()}-node-{program.pid}"
        other = socket.socket(socket.AF_UNIX)
        other.bind(str(place))
        other.listen()
        other.settimeout(kit.PATIENCE)
        refused = tool.capture(program.pid, folder / "a.hs", "--timeout", "1s", expect=None)
        check(refused.returncode != 0 and "is under way, and does not end" in refused.stderr, refused.stderr)
        check(place.exists(), "the socket of the other one is gone")
        asker = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "a.hs")], env=tool.environment,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(30): # those of the one before it, and its own: it looks again and again
            other.accept()[0].close()
        check(asker.poll() is None, "it did not wait")
        place.unlink()
        other.close()
        same("the end of the one that waited", (asker.communicate(timeout=kit.PATIENCE)[1][-300:], asker.returncode)[1], 0)
        tool.run("verify", folder / "a.hs")
        check(not place.exists(), "the socket is still there")
        program.quit()


def aborted(tool, folder):
    """Captures cut off by kill -9 of the collector: the program works on, the next capture is whole, no socket stays."""
    with start(tool) as program:
        program.leak(FIRST)
        dice, cut = random.Random(6), 0
        for i in range(kit.ABORTS):
            collector = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / f"x{i}.hs")], env=tool.environment,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(dice.random() * 0.5)
            collector.kill()
            cut += collector.wait() != 0
        say(f"        {cut} of {kit.ABORTS} were cut")
        for _ in range(100):
            if tool.capture(program.pid, folder / "a.hs", expect=None).returncode == 0:
                break
            time.sleep(0.2)
        check(program.leak(MORE) == FIRST + MORE, "the program miscounts")
        tool.capture(program.pid, folder / "b.hs")
        check_leak(tool.diff(folder / "a.hs", folder / "b.hs"), by_ids=True)
        same("sockets left", sockets(program.pid), [])
        for left in folder.glob("x*.hs"):
            tool.run("verify", left)
        stray = [one.name for one in folder.iterdir() if not one.name.endswith(".hs")]
        same("files left", stray, [])
        descriptors = len(os.listdir(f"/proc/{program.pid}/fd"))
        check(descriptors < 60, f"{descriptors} descriptors are open in the program")
        program.quit()


BUSY = """
process.stdin.once('data', () => {           // works until the file is there, and hears no signal meanwhile
  console.log('busy');
  while (!require('fs').existsSync(process.argv[1])) {}
  process.stdin.on('data', () => process.exit(0));
  setTimeout(() => console.log('free'), 200); // a signal is heard before that
});
console.log('ready');
"""


def gone_before_the_warning(tool, folder):
    """Who asked goes between the connection and the program's first word, which finds no reader: the program works on. It is busy for 200 ms between the two."""
    place = folder / "rendezvous"
    place.mkdir()
    with start(tool, "busy", environment={"XDG_RUNTIME_DIR": str(place)}) as program:
        for turn in range(3):
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(place / f".hsdiff-{os.getuid()}-node-{program.pid}"))
            listener.listen()
            listener.settimeout(kit.PATIENCE)
            os.kill(program.pid, signal.SIGUSR2)
            listener.accept()[0].close()
            listener.close()
            (place / f".hsdiff-{os.getuid()}-node-{program.pid}").unlink()
            same("leaked", program.leak(1), turn + 1)
        kit.wait_until("the program does not tell of it", lambda: "a capture was cut off" in program.errors() or not program.is_alive())
        program.quit()


def stopped_before_the_answer(tool, folder):
    """hsdiff is ended while the program is busy and has not heard the signal: it saves no snapshot when it hears it, nor does a socket stay."""
    kit.need("node")
    work, go = folder / "work", folder / "go"
    work.mkdir()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with kit.Program(["node", "--require", helper(tool), "-e", BUSY, str(go)], cwd=work, environment={"PATH": os.path.dirname(shutil.which("node")),
                                                                                                            "HSDIFF": ""}) as program:
            program.tell("work")
            program.expect("busy")
            asker = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "x.hs")], env=tool.environment,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            kit.wait_until("no socket", lambda: sockets(program.pid))
            time.sleep(0.3) # the signal follows the socket; libuv takes it from any thread, and passes it on to the busy one
            check(asker.poll() is None, "it has ended before it was stopped")
            asker.send_signal(number)
            asker.wait(kit.PATIENCE)
            go.touch()
            program.expect("free")
            same("files in the folder of the program", os.listdir(work), [])
            kit.wait_until("the socket stays", lambda: not sockets(program.pid))
            check(not (folder / "x.hs").exists(), "a capture was kept")
            program.quit()
        go.unlink()


def inspector_aborted(tool, folder):
    """Likewise by the inspector: what the program holds for a session that broke off is given back."""
    with start(tool, options=["--inspect=127.0.0.1:0"], with_helper=False) as program:
        program.leak(FIRST)
        dice = random.Random(10)
        for i in range(kit.ABORTS):
            collector = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / f"y{i}.hs"), "--way", "inspector"],
                                         env=tool.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(dice.random() * 0.8)
            collector.kill()
            collector.wait()
        tool.capture(program.pid, folder / "a.hs", "--way", "inspector")
        check(program.leak(MORE) == FIRST + MORE, "the program miscounts")
        tool.capture(program.pid, folder / "b.hs", "--way", "inspector")
        check_leak(tool.diff(folder / "a.hs", folder / "b.hs"), by_ids=False)
        stray = [one.name for one in folder.iterdir() if not one.name.endswith(".hs")]
        same("files left", stray, [])
        program.quit()


def target_killed(tool, folder):
    """SIGKILL of the program in mid-capture: said, and nothing left."""
    dice, pids = random.Random(7), []
    for i in range(100 if LONG else 6):
        with start(tool) as program:
            pids.append(program.pid)
            collector = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / f"t{i}.hs")], env=tool.environment,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(0.02 + dice.random() * 0.3)
            program.process.kill()
            said = collector.communicate(timeout=kit.PATIENCE)[1]
            if collector.returncode != 0:
                check(said.strip() != "" and not (folder / f"t{i}.hs").exists(), f"exit {collector.returncode}: {said}")
            else:
                tool.run("verify", folder / f"t{i}.hs")
    same("sockets left", sockets(*pids), [])


kit.main({case.__name__: case for case in (helper_leak, helper_busy, helper_worker, inspector_leak, inspector_opened, inspector_and_helper,
                                           started, alone, pushed, foreign_socket, waits_its_turn, aborted, gone_before_the_warning, stopped_before_the_answer,
                                           inspector_aborted, target_killed)})

"""The ways into a Python, and what the program notices of them: nothing.

    undisturbed   programs that compute, sleep, wait in epoll and serve, keep the GIL in C for 100 ms, fork, run 20 threads, in each Python that the machine has:
                  captured again and again, they give the same answers, no call of the system returns EINTR, and no thread, descriptor, mapping or handler stays
    waiting       programs that wait in a read of a named pipe, a pipe, a socket, a terminal or an eventfd, or for a lock on a file, are captured there, and go on
    timed         a wait in epoll with a time of its own ends when it should, captured again and again
    aborted       hsdiff is killed at random moments: the program goes on, and the next capture is whole and takes away what was left
    loaded        `hsdiff capture -- python app.py` and `import hsdiff_agent`: the way python, a sitecustomize of the program's own runs as without, forks warn
                  of nothing and their children are captured too; captures are sent where HSDIFF_TO says
    hidden        a program in mounts of its own, which sees no file of the agent's
    leaks         by either way the holder of what leaked has its name, and the counts are exact
    workers       processes that multiprocessing starts anew are called as their program
    refused       what cannot be captured is refused with its reason, and nothing has happened to it

HSD_LONG=1 takes 1,000 captures over all and 100 aborts.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pythons
from kit import ABORTS, HERE, LONG, PATIENCE, Failed, Moments, Program, check, main, row, say, wait_until

MODES = ("compute", "sleep", "epoll", "hold", "fork", "threads")
BUSY = HERE / "programs" / "python_busy.py"


# ---- what is left in a process ----

def mappings(pid):
    lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
    return [re.split(r"\s+", line, maxsplit=5) for line in lines]


def ours(pid):
    """Mappings that are an agent's: its file, or code that no file holds."""
    return [m for m in mappings(pid) if "hsdiff" in m[-1] or ("x" in m[1] and m[4] == "0" and not m[-1].startswith("["))]


LIBC_SIGNALS = 1 << 31 | 1 << 32  # 32 and 33: glibc's own, which it handles from the first thread on that a program starts


def footprint(pid):
    """Descriptors, threads, handlers of signals."""
    handlers = int(re.search(r"SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1), 16) & ~LIBC_SIGNALS
    threads = sorted(os.listdir(f"/proc/{pid}/task"))
    return sorted(os.listdir(f"/proc/{pid}/fd")), threads, handlers


def names_of_threads(pid):
    return [pathlib.Path(path).read_text().strip() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm")]


def check_clean(pid, before, mode):
    check(not ours(pid), f"mappings stayed: {ours(pid)}")
    check("hsdiff" not in names_of_threads(pid), "a thread stayed")
    descriptors, threads, handlers = footprint(pid)
    if mode != "epoll":
        # one that forks opens /proc/self/stat for a moment, in 3.12 and later; what a capture leaves stays
        wait_until(f"descriptors: {before[0]}, then {descriptors}", lambda: footprint(pid)[0] == before[0])
    check(threads == before[1], f"threads: {before[1]}, then {threads}")
    check(handlers == before[2], f"handlers of signals: {before[2]}, then {handlers}")


# ---- a program that is asked while it works ----

class Busy(Program):
    def __init__(self, python, mode, within=()):
        self.mode = mode
        self.port = None
        super().__init__([*within, python, str(BUSY), mode], cwd="/")

    def expect(self, word, wait=60):
        if word == "ready" and self.mode == "epoll":
            self.port = int(super().expect("port", wait))
        return super().expect(word, wait)

    def report(self):
        self.tell("report")
        return tuple(map(int, self.expect("reported").split()))[:3]

    def latest_ms(self):
        self.tell("report")
        return int(self.expect("reported").split()[3])


class Client:
    """Asks the server of the mode epoll between captures."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30) if port else None
        self.asked = 0

    def ask(self):
        if self.socket is None:
            return
        self.asked += 1
        self.socket.sendall(b"%d" % self.asked)
        answer = self.socket.recv(64)
        check(answer == b"%d\n" % self.asked ** 2, f"asked for the square of {self.asked}, answered {answer}")

    def close(self):
        if self.socket:
            self.socket.close()


def captured(tool, pid, out, *more):
    done = tool.capture(pid, out, "--force", *more)
    check("way python-inject" in done.stderr, f"not brought in: {done.stderr}")
    return done


def disturb(tool, folder, python, mode, captures):
    with Busy(python, mode) as program:
        client = Client(program.port)
        client.ask()
        rounds, _, _ = program.report()
        before, mapped = footprint(program.pid), mappings(program.pid)
        for _ in range(captures):
            captured(tool, program.pid, folder / "one.hs")
            client.ask()
            check(program.is_alive(), f"the program ended: {program.errors()}")
        after, wrong, interrupted = program.report()
        check(wrong == 0, f"{wrong} answers were wrong")
        check(interrupted == 0, f"{interrupted} calls returned EINTR")
        check(after > rounds, "the program did not go on")
        check_clean(program.pid, before, mode)
        if mode in ("sleep", "hold"):
            check(len(mappings(program.pid)) <= len(mapped), f"mappings: {len(mapped)}, then {len(mappings(program.pid))}")
        client.close()
        program.quit()


def undisturbed(tool, folder):
    found = pythons.found()
    captures = -(-1000 // (len(found) * len(MODES))) if LONG else 3
    for name, python in found.items():
        began = time.monotonic()
        for mode in MODES:
            try:
                disturb(tool, folder, python, mode, captures)
            except Failed as error:
                raise Failed(f"Python {name}, {mode}: {error}") from None
        say(f"        Python {name}: {captures} captures in each of {len(MODES)} programs, {time.monotonic() - began:.1f} s")


WAITING = """
import ctypes, fcntl, os, pty, socket, sys

kind, name = sys.argv[1:]
if kind == "named pipe":
    descriptor = os.open(name, os.O_RDWR)  # opened for both, it need not wait for a writer
elif kind == "pipe":
    descriptor, other = os.pipe()
elif kind == "socket":
    one, two = socket.socketpair()
    descriptor, other = one.fileno(), two.fileno()
elif kind == "terminal":
    other, descriptor = pty.openpty()
elif kind == "eventfd":
    descriptor = ctypes.CDLL(None).eventfd(0, 0)
else:
    descriptor, other = open(name + ".lock", "w"), os.pipe()
if os.fork() == 0:
    if kind == "lock":
        fcntl.lockf(descriptor, fcntl.LOCK_EX)
        os.write(other[1], b"locked")
        sys.stdin.readline()
        os._exit(0)
    sys.stdin.readline()
    os.write(descriptor if kind in ("named pipe", "eventfd") else other, bytes([1, 0, 0, 0, 0, 0, 0, 10]))
    os._exit(0)
if kind == "lock":
    os.read(other[0], 6)
print("ready", flush=True)
if kind == "lock":
    fcntl.lockf(descriptor, fcntl.LOCK_EX)
print("got", 8 if kind == "lock" else len(os.read(descriptor, 8)), flush=True)
"""


def waiting(tool, folder):
    python = next(iter(pythons.found().values()))
    for kind in ("named pipe", "pipe", "socket", "terminal", "eventfd", "lock"):
        name = folder / f"{kind}.fifo"
        os.mkfifo(name)
        with Program([python, "-c", WAITING, kind, str(name)]) as program:
            call = "72 " if kind == "lock" else "0 "  # fcntl, read
            wait_until(f"{kind}: does not wait", lambda: pathlib.Path(f"/proc/{program.pid}/syscall").read_text().startswith(call))
            captured(tool, program.pid, folder / "one.hs")
            tool.run("verify", folder / "one.hs")
            program.tell("go")
            check(program.expect("got") == "8", f"{kind}: not what was written")


def timed(tool, folder):
    """Captured again and again, 20 times in two seconds, a wait of two seconds ends when it should: not early, and late by what the machine takes."""
    python = next(iter(pythons.found().values()))
    with Busy(python, "timer") as program:
        time.sleep(4.2)
        quiet = program.latest_ms()
        end = time.monotonic() + 8
        while time.monotonic() < end:
            captured(tool, program.pid, folder / "one.hs")
            time.sleep(0.05)
        rounds, wrong, interrupted = program.report()
        late = program.latest_ms()
        say(f"        {rounds} waits of 2 s, {late} ms late at most; {quiet} ms without captures")
        check(wrong == 0 and interrupted == 0, f"{wrong} waits were too short, {interrupted} returned EINTR")
        check(late < 2000, f"a wait of 2 s began anew: it was {late} ms late")
        program.quit()


# ---- ends ----

def aborted(tool, folder):
    found = list(pythons.found().items())
    aborts = -(-ABORTS // len(MODES))
    seen = 0
    for number, mode in enumerate(MODES):
        name, python = found[number % len(found)]
        with Busy(python, mode) as program:
            client = Client(program.port)
            before = footprint(program.pid)
            began = time.monotonic()
            captured(tool, program.pid, folder / "one.hs")
            moments, cut = Moments(number, time.monotonic() - began), 0
            for _ in range(aborts):
                asker = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "cut.hs"), "--force"], env=tool.environment,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                moments.sleep(asker)
                asker.kill()
                cut += asker.wait() != 0
                client.ask()
                check(program.is_alive(), f"Python {name}, {mode}: the program ended: {program.errors()}")
            wait_until("the agent is gone", lambda pid=program.pid: "hsdiff" not in names_of_threads(pid))
            captured(tool, program.pid, folder / "one.hs")
            check(tool.info(folder / "one.hs")["complete"], "the next capture is not whole")
            _, wrong, interrupted = program.report()
            check(wrong == 0, f"Python {name}, {mode}: {wrong} wrong answers")
            check_clean(program.pid, before, mode)
            client.close()
            program.quit()
        seen += interrupted
        say(f"        {cut} of {aborts} were cut: Python {name}, {mode}; {interrupted} calls of its returned EINTR")
    # Between the stop and the mending of the call nobody can mend it who is killed: that is a moment, and few kills meet it.
    kills = aborts * len(MODES)
    check(seen <= 2 + kills // 50, f"{seen} of {kills} kills of hsdiff were seen by the program")


# ---- the agent in the program ----

LOADED = """
import os, sys, warnings
warnings.simplefilter("error")
assert sys.modules["sitecustomize"].mine == 1, "its own sitecustomize did not run"
assert not any("bootstrap" in path for path in sys.path), sys.path
child = os.fork()
if child == 0:
    sys.stdin = os.fdopen(os.dup(0))
os.write(1, b"ready\\n" if child else b"child\\n")  # whole lines: both write to one pipe
if child == 0:
    import time
    time.sleep(600)
input()
os.kill(child, 9)
os.waitpid(child, 0)
"""


def started_with(tool, folder, python):
    """The command prepares the program: its variables are asked of a program that prints them."""
    (folder / "sitecustomize.py").write_text("mine = 1\n")
    environment = {"PYTHONPATH": f"{tool.agents}/python/bootstrap:{folder}"}
    with Program([python, "-c", LOADED], environment, wait=60) as program:
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(program.pid)], capture_output=True, text=True).stdout.split()
        child = int(children[0])
        for pid in (program.pid, child):
            wait_until("the agent listens", lambda pid=pid: tool.capture(pid, folder / "one.hs", "--force", "--way", "python", expect=None).returncode == 0)
            check("way python)" in tool.capture(pid, folder / "one.hs", "--force").stderr, "by the agent that is there")
        program.tell("")
        check(program.process.wait(PATIENCE) == 0, f"it ended with {program.process.returncode}: {program.errors()}")


def imported(tool, folder, python):
    with Program([python, "-c", "import hsdiff_agent; print('ready', flush=True); input()"], {"PYTHONPATH": f"{tool.agents}/python"}) as program:
        check("way python)" in tool.capture(program.pid, folder / "one.hs", "--force").stderr, "by the agent that is there")
        program.tell("")
        check(program.process.wait(PATIENCE) == 0, f"it ended with {program.process.returncode}: {program.errors()}")


def commanded(tool, folder, python):
    script = folder / "app.py"
    saved = folder / "saved"
    saved.mkdir(exist_ok=True)
    script.write_text(f"import glob, time\nwhile len(glob.glob({str(saved / '*.hs')!r})) < 2:\n    time.sleep(0.05)\n")
    done = tool.run("capture", "--every", "500ms", "--count", "2", "-o", saved, "--", python, script)
    check("way python)" in done.stderr and "the program runs without" not in done.stderr, f"as a command: {done.stderr}")


def pushed(tool, folder, python):
    sent = folder / "sent"
    sent.mkdir()
    environment = {"PYTHONPATH": f"{tool.agents}/python/bootstrap", "HSDIFF_TO": f"dir:{sent}", "HSDIFF_EVERY": "0.2", "HSDIFF_COUNT": "2"}
    with Program([python, "-c", "print('ready', flush=True); input()"], environment) as program:
        wait_until("two captures have come", lambda: len(list(sent.glob("*.hs"))) == 2, 60)
        program.tell("")
        check(program.process.wait(PATIENCE) == 0, f"it ended with {program.process.returncode}: {program.errors()}")
    for path in sent.iterdir():
        tool.run("verify", path)


def loaded(tool, folder):
    for version, python in pythons.found().items():
        try:
            started_with(tool, folder, python)
            imported(tool, folder, python)
        except Failed as error:
            raise Failed(f"Python {version}: {error}") from None
    commanded(tool, folder, python)
    pushed(tool, folder, python)


def leaks(tool, folder):
    """python_busy.py keeps its leak in a list of its own."""
    for version, python in pythons.found().items():
        for environment in ({}, {"PYTHONPATH": f"{tool.agents}/python/bootstrap"}):
            with Program([python, str(BUSY), "sleep"], environment, cwd="/") as program:
                program.leak(500)
                tool.capture(program.pid, folder / "a.hs", "--force")
                program.leak(3000)
                tool.capture(program.pid, folder / "b.hs", "--force")
                program.quit()
            diff = tool.diff(folder / "a.hs", folder / "b.hs")
            grown = {r["type"]: r["new"]["objects"] for r in diff["types"]}
            check(diff["match"]["basis"] == "address", f"Python {version}, {environment}: by {diff['match']['basis']}: {diff['match'].get('reason')}")
            check(grown.get("__main__.Kept") == 3000, f"Python {version}, {environment}: new objects: {grown}")
            told = tool.run(folder / "a.hs", folder / "b.hs").stdout
            check("__main__.kept" in told, f"Python {version}, {environment}: the holder has no name: {told}")


# ---- containers ----

def hidden(tool, folder):
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        say("        mounts of its own take root: left out")
        return
    python = next(iter(pythons.found().values()))
    mounted = 'mount -t tmpfs none "$0" && exec "$@"'
    with Busy(python, "sleep", ["unshare", "-m", "sh", "-c", mounted, tool.agents]) as program:
        before = footprint(program.pid)
        captured(tool, program.pid, folder / "one.hs")
        tool.run("verify", folder / "one.hs")
        check_clean(program.pid, before, "sleep")
        program.quit()


# ---- names ----

WORKERS = """
import multiprocessing
import time

if __name__ == "__main__":
    multiprocessing.get_context("spawn").Process(target=time.sleep, args=(3600,), daemon=True).start()
    print("ready", flush=True)
    input()
"""


def workers(tool, folder):
    source = folder / "bakery.py"
    source.write_text(WORKERS)
    with Program([next(iter(pythons.found().values())), str(source)]) as program:
        listed = {row["pid"]: row["name"] for row in json.loads(tool.run("ps", "--format", "json").stdout)["processes"]}
        children = pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
        names = sorted(listed[int(child)] for child in children)
        check(listed[program.pid] == "bakery.py" and names == ["bakery.py", "resource_tracker"], f"{names} of {children}")
        program.tell("quit")
        check(program.process.wait(PATIENCE) == 0, program.errors())


# ---- gates ----

def refused(tool, folder):
    python = next(iter(pythons.found().values()))
    with Busy(python, "sleep") as program:
        stopped(tool, folder, program)
        traced(tool, folder, program)
        program.quit()
    confined(tool, folder, python)
    foreign(tool, folder)
    stand_ins(tool, folder)
    another_user(tool, folder, python)


def foreign(tool, folder):
    if not shutil.which("pypy3"):
        say("        pypy3 is not installed: PyPy is left out")
        return
    with Program(["pypy3", "-c", "print('ready', flush=True); input()"]) as program:
        done = tool.capture(program.pid, folder / "no.hs", expect=None)
        check(done.returncode != 0 and "is PyPy" in done.stderr and "gc.dump_rpy_heap()" in done.stderr, f"PyPy: {done}")
        program.tell("quit")
        check(program.process.wait(PATIENCE) == 0, "PyPy failed")


# What is called Python and is none: enough for what is said before anything is brought in.
STAND_IN = '#include <stdio.h>\nint main(void) { char l[9]; puts("ready"); fflush(stdout); return fgets(l, 9, stdin) == NULL; }\n'


def stand_ins(tool, folder):
    """Pythons that a machine of the suite seldom has: on musl, static, free-threaded by the name of the program and of its library, too old, too new."""
    source, library = folder / "m.c", folder / "libpython3.14t.so.1.0"
    source.write_text(STAND_IN)
    (folder / "l.c").write_text("int nothing;\n")
    subprocess.run(["cc", "-shared", "-fPIC", folder / "l.c", "-o", library], check=True)
    kinds = [("python3.12", ["musl-gcc"], ["C library musl", "python:3.12, not python:3.12-alpine"]), ("python3.11", ["musl-gcc", "-static"], ["linked statically"]),
             ("python3.13t", ["cc"], ["free-threaded", "python3.13, without the t"]), ("served", ["cc", "-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{folder}"], ["free-threaded", "python3.14"]),
             ("python3.7", ["cc"], ["is Python 3.7", "3.8 to 3.14"]), ("python3.19", ["cc"], ["is Python 3.19"])]
    for name, compiler, words in kinds:
        if not shutil.which(compiler[0]):
            say(f"        {compiler[0]} is not installed: {name} of it is left out")
            continue
        subprocess.run([compiler[0], source, *compiler[1:], "-o", folder / name], check=True)
        with Program([str(folder / name)]) as program:
            done = tool.capture(program.pid, folder / "no.hs", "--way", "python-inject", expect=None)
            check(done.returncode == 3 and all(word in done.stderr for word in words), f"{name}: {done}")
            check(program.is_alive(), f"{name} ended")
            program.tell("quit")
            check(program.process.wait(PATIENCE) == 0, f"{name} failed")


INTERPRETERS = """
import sys, threading
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
code = chr(10).join(["class Kept: pass", "KEPT = [Kept() for _ in range(33)]"])
kept = [interpreters.create(), interpreters.create()]
if sys.version_info >= (3, 12):
    kept.append(interpreters.create(isolated=False) if sys.version_info < (3, 13) else interpreters.create("legacy"))
for one in kept:
    interpreters.run_string(one, code)
print("ready", flush=True)
input()
print("went on", flush=True)
for one in kept:
    interpreters.run_string(one, "assert len(KEPT) == 33")
    interpreters.destroy(one)
print("ended", flush=True)
"""


def interpreters(tool, folder):
    """Brought into a program with sub-interpreters: those that share the lock are in the capture, others are told as a loss; all go on."""
    for version, python in pythons.found().items():
        out = folder / f"{version}.hs"
        with Program([python, "-c", INTERPRETERS]) as program:
            captured(tool, program.pid, out)
            program.tell("quit")
            program.expect("ended")
            check(program.process.wait(PATIENCE) == 0, f"Python {version}: {program.errors()}")
        has_locks = int(version.split(".")[1]) >= 12
        kept = row(tool.diff(out, out, "--top", "all")["types"], "type", "__main__.Kept").get("after", {"objects": 0})["objects"]
        check(kept == (33 if has_locks else 66), f"Python {version}: {kept} objects of interpreters")
        lost = [loss for loss in tool.info(out)["losses"] if "lock of their own" in str(loss)]
        check(bool(lost) == has_locks, f"Python {version}: {lost}")


def another_user(tool, folder, python):
    """Without the right to look at the process. That of kernel.yama.ptrace_scope is the same question, which no test may change."""
    nobody = 65534
    if os.geteuid() != 0:
        say("        not root: a process of another user is left out")
        return
    with Program([python, "-c", "print('ready', flush=True); input()"]) as program:
        done = subprocess.run([tool.path, "capture", str(program.pid), "-o", "/dev/null"], user=nobody, group=nobody, extra_groups=[], capture_output=True, text=True,
                              env=tool.environment, cwd="/")
        check(done.returncode != 0 and "belongs to another user" in done.stderr and "sudo -u" in done.stderr, f"another user: {done}")
        program.tell("quit")
        check(program.process.wait(PATIENCE) == 0, "the program failed")


def stopped(tool, folder, program):
    os.kill(program.pid, signal.SIGSTOP)
    wait_until("it stands", lambda: "State:\tT" in pathlib.Path(f"/proc/{program.pid}/status").read_text())
    done = tool.capture(program.pid, folder / "no.hs", "--way", "python-inject", expect=None)
    os.kill(program.pid, signal.SIGCONT)
    check(done.returncode != 0 and "stopped by a signal" in done.stderr and "kill -CONT" in done.stderr, f"a stopped program: {done}")


def traced(tool, folder, program):
    if not shutil.which("strace"):
        say("        strace is not installed: a traced program is left out")
        return
    with subprocess.Popen(["strace", "-qq", "-e", "trace=none", "-p", str(program.pid)], stderr=subprocess.DEVNULL) as tracer:
        wait_until("it is traced", lambda: "TracerPid:\t0" not in pathlib.Path(f"/proc/{program.pid}/status").read_text())
        done = tool.capture(program.pid, folder / "no.hs", "--way", "python-inject", expect=None)
        tracer.terminate()
    check(done.returncode != 0 and "being traced" in done.stderr, f"a traced program: {done}")
    wait_until("it is traced no more", lambda: "TracerPid:\t0" in pathlib.Path(f"/proc/{program.pid}/status").read_text())


CONFINE = """
import ctypes, time
libc = ctypes.CDLL(None)
class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("number", ctypes.c_uint)]
class Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("first", ctypes.POINTER(Filter))]
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(1, ctypes.pointer(Filter(6, 0, 0, 0x7fff0000)))), 0, 0) == 0
print("ready", flush=True)
input()
"""


def confined(tool, folder, python):
    with Program([python, "-c", CONFINE]) as program:
        done = tool.capture(program.pid, folder / "no.hs", "--way", "python-inject", expect=None)
        check(done.returncode != 0 and "seccomp" in done.stderr, f"a confined program: {done}")
        program.tell("quit")
        check(program.process.wait(PATIENCE) == 0, "the confined program failed")


if __name__ == "__main__":
    main({"undisturbed": undisturbed, "waiting": waiting, "timed": timed, "aborted": aborted, "loaded": loaded, "hidden": hidden, "leaks": leaks, "interpreters": interpreters, "workers": workers, "refused": refused})

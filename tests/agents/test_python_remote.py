#!/usr/bin/env python3
"""Python 3.14 and later that is asked to run a script (PEP 768, way python-remote): exact counts, in a program that a debugger holds too; the switches that forbid it; a main
thread that does not come to the script; nothing left behind."""
import ctypes
import glob
import os
import signal
import subprocess
import sys

import kit
import pythons
from kit import check

PROGRAM = r"""
import sys, threading
class Leaked: pass
kept, wanted = [], 100
def obey():
    global wanted
    for line in sys.stdin:
        words = line.split()
        if words[0] == "quit":
            wanted = -1
            return
        wanted += int(words[1])
threading.Thread(target=obey, daemon=True).start()
print("ready", flush=True)
while wanted >= 0:
    if len(kept) < wanted:
        kept.append(Leaked())
        if len(kept) == wanted:
            print("leaked", wanted, flush=True)
"""
WAITS = "import sys; print('ready', flush=True); sys.stdin.readline(); print('went on', flush=True); [i for i in range(100000)]"
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17


def newest():
    found = pythons.found()
    path = found.get("3.14")
    if path is None:
        kit.skip("no CPython 3.14 is installed: older ones run no script of others")
    return path


def descriptors(pid):
    return {name: os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def counts(tool, folder):
    with kit.Program([newest(), "-c", PROGRAM]) as program:
        program.expect("leaked")
        before, there = descriptors(program.pid), threads(program.pid)
        done = tool.capture(program.pid, folder / "a.hs", "--way", "python-remote")
        check("way python-remote" in done.stderr, done.stderr)
        program.leak(250)
        tool.capture(program.pid, folder / "b.hs", "--way", "python-remote")
        check(descriptors(program.pid) == before and threads(program.pid) == there, "a descriptor or a thread is left")
        check(not glob.glob(f"/tmp/hsdiff-{program.pid}-*"), "a folder is left")
        grown = kit.row(tool.diff(folder / "a.hs", folder / "b.hs")["types"], "type", "__main__.Leaked")
        check(grown["growth"]["objects"] == 250, f"the growth is {grown}")
        program.quit()


def held(tool, folder):
    """A debugger has the process: nobody else can hold it, and hsdiff takes this way by itself."""
    libc = ctypes.CDLL(None, use_errno=True)
    with kit.Program([newest(), "-c", PROGRAM]) as program:
        program.expect("leaked")
        if libc.ptrace(PTRACE_SEIZE, program.pid, None, None) != 0:
            kit.skip(f"tracing is forbidden here: {os.strerror(ctypes.get_errno())}")
        done = tool.capture(program.pid, folder / "a.hs")
        check("way python-remote" in done.stderr, done.stderr)
        program.tell("quit")
        check(os.waitpid(program.pid, 0)[1] == 0, "the program failed")
        program.process.returncode = 0


def switches(tool, folder):
    for options, environment in ((["-X", "disable-remote-debug"], {}), ([], {"PYTHON_DISABLE_REMOTE_DEBUG": "1"})):
        with kit.Program([newest(), *options, "-c", PROGRAM], environment) as program:
            done = tool.capture(program.pid, folder / "no.hs", "--way", "python-remote", expect=None)
            check(done.returncode != 0 and "runs no script of others" in done.stderr, done.stderr)
            program.quit()


def waits(tool, folder):
    """The script is taken back from a main thread that waits, which goes on as if nobody had asked."""
    with kit.Program([newest(), "-c", WAITS]) as program:
        done = tool.capture(program.pid, folder / "no.hs", "--timeout", "1", "--way", "python-remote", expect=None)
        check(done.returncode != 0 and "did not come to run the script" in done.stderr, done.stderr)
        program.tell("on")
        program.expect("went")
        check(program.process.wait(60) == 0 and program.errors() == "", f"it saw the script: {program.errors()}")


def killed(tool, folder):
    """Who asked was killed before the script ran: the program goes on without a word."""
    with kit.Program([newest(), "-c", WAITS]) as program:
        asker = subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(folder / "no.hs"), "--way", "python-remote"], env=tool.environment,
                                 stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        kit.wait_until("a folder with a script", lambda: glob.glob(f"/tmp/hsdiff-{program.pid}-*/pipe"))
        asker.send_signal(signal.SIGKILL)
        asker.wait()
        program.tell("on")
        program.expect("went")
        check(program.process.wait(60) == 0 and program.errors() == "", f"it says: {program.errors()}")
        for path in glob.glob(f"/tmp/hsdiff-{program.pid}-*/*"):
            os.unlink(path)
        for path in glob.glob(f"/tmp/hsdiff-{program.pid}-*"):
            os.rmdir(path)


def older(tool, folder):
    """3.13 and older are none for this way."""
    known = {version: path for version, path in pythons.found().items() if version != "3.14"}
    for path in list(known.values())[:1]:
        with kit.Program([path, "-c", PROGRAM]) as program:
            done = tool.capture(program.pid, folder / "no.hs", "--way", "python-remote", expect=None)
            check(done.returncode != 0 and "is none for the way python-remote" in done.stderr, done.stderr)
            program.quit()


if __name__ == "__main__":
    if sys.platform != "linux":
        kit.skip("Linux alone")
    kit.main({"counts": counts, "held": held, "switches": switches, "waits": waits, "killed": killed, "older": older})

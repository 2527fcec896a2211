#!/usr/bin/env python3
"""scripts/under_load.py: a command has its busy processes beside it, and none is there when it has ended, however it does. And scripts/test
refuses what it does not understand before it builds anything."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
BESIDE = 2
WAITS = ("sh", "-c", "echo ready; exec sleep 60")


def wait_until(what, holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"{what} after {seconds} s"
        time.sleep(0.01)


def children(process):
    return {int(one) for one in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()}


def seconds_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_there(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def begin(folder, *command):
    process = subprocess.Popen([sys.executable, PROJECT / "scripts/under_load.py", str(BESIDE), folder, *command], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def is_busy(folder):
    """All compute, but the one that writes, and the command."""
    with begin(folder, *WAITS) as process:
        there = children(process)
        assert len(there) == BESIDE + 2, there
        wait_until("the processes have not computed", lambda: sum(seconds_of(one) >= 0.05 for one in there) >= BESIDE)
        process.terminate()
    wait_until(f"some of {there} are there", lambda: not any(map(is_there, there)))


def ends_as_the_command(folder):
    for script, status in (("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 128 + signal.SIGKILL)):
        with begin(folder, "sh", "-c", f"echo ready; {script}") as process:
            process.wait()
        assert process.returncode == status, (script, process.returncode)
    assert list(folder.iterdir()) == [], "files are left"


def sleepers(pids):
    """The command, once it is what it becomes."""
    return {one for one in pids if is_there(one) and pathlib.Path(f"/proc/{one}/cmdline").read_bytes().startswith(b"sleep")}


def look(process):
    there = children(process)
    return there, sleepers(there)


def ends_by_signals(folder):
    """Also by one that cannot be caught: then the command alone is left, to whoever sent that."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        with begin(folder, *WAITS) as process:
            looks = [] # one of them has to show all: a second look may come too late, or miss one
            wait_until("the command is no sleep", lambda: looks.append(look(process)) or tuple(map(len, looks[-1])) == (BESIDE + 2, 1))
            there, commands = looks[-1]
            process.send_signal(number)
            process.wait()
        left = commands if number == signal.SIGKILL else set()
        try:
            wait_until(f"signal {number}: some of {there} are there", lambda: not any(map(is_there, there - left)))
            assert all(map(is_there, left)), f"{left} ended with its parent"
        finally:
            for one in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)


EARLY = """
import os, signal, subprocess, sys
sys.path.insert(0, sys.argv.pop(1))
import under_load
start = subprocess.Popen
def with_signal(command):
    running = start(command)
    print(running.pid, flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    return running
subprocess.Popen = with_signal
sys.exit(under_load.main(sys.argv[1:]))
"""


def ends_by_an_early_signal(folder):
    """By one that comes when the command has begun, and this program does not know it yet."""
    done = subprocess.run([sys.executable, "-c", EARLY, PROJECT / "scripts", "1", folder, "sleep", "60"], stdout=subprocess.PIPE, text=True, check=False)
    left = is_there(int(done.stdout))
    if left:
        os.kill(int(done.stdout), signal.SIGKILL)
    assert (done.returncode, left) == (128 + signal.SIGTERM, False), (done.returncode, left)


def is_asked_rightly(_):
    for words, why in ((["--under-load=x"], "not a number"), (["--under-load="], "not a number"), (["--under-load", "^agents/", "web"], "^agents/"),
                       (["--quick", "^agents/"], "--under-load alone"), (["--fast"], "unknown option")):
        done = subprocess.run([PROJECT / "scripts/test", *words], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 2 and why in done.stderr, (words, done)


def main():
    cases = (is_busy, ends_as_the_command, ends_by_signals, ends_by_an_early_signal, is_asked_rightly)
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="hsdiff-load-") as folder:
            try:
                case(pathlib.Path(folder))
                print(f"ok      {case.__name__}")
            except AssertionError as problem:
                failed += 1
                print(f"FAILED  {case.__name__}: {problem}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

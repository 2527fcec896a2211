#!/usr/bin/env python3
"""hsdiff watch as its users meet it: a program that leaks, one that does not, one that ends; Ctrl-C; memory that runs short; a terminal."""
import contextlib
import json
import os
import pathlib
import pty
import signal
import stat
import struct
import subprocess
import sys
import fcntl
import termios
import time

sys.dont_write_bytecode = True
from kit import Program, check, main, say, wait_until
from test_native import build

LOAD = ["1", "2000"]
OFTEN = ["--every", "100ms", "--budget", "100%"]


def started(tool, *command):
    load = pathlib.Path(tool.agents).parent / "tests" / "agents" / "programs" / "native_load"
    return Program([*map(str, command or (load, *LOAD))], environment={"LD_PRELOAD": f"{tool.agents}/libhsdiff-native.so"})


class Watch:
    """hsdiff watch that runs; its captures are numbered files in `folder`."""

    def __init__(self, tool, one, folder, *arguments):
        self.folder, self.one = folder, one
        self.process = subprocess.Popen([tool.path, "watch", str(one.pid), "--into", str(folder), *OFTEN, *arguments], env=tool.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")

    def sums(self):
        folder = self.folder / "sums"
        return sorted(file.name for file in folder.glob("*.hs")) if folder.exists() else []

    def captures(self):
        return sorted(file.name for file in self.folder.glob("*.hs"))

    def wait_for(self, count):
        wait_until(f"{len(self.sums())} captures and not {count}", lambda: len(self.sums()) >= count or self.process.poll() is not None, 90)

    def end(self, expect):
        out, told = self.process.communicate(timeout=120)
        check(self.process.returncode == expect, f"exit {self.process.returncode}, not {expect}\n{out}{told}")
        return out, told


def numbers(names):
    return [int(name.rsplit("-", 1)[1].split(".")[0]) for name in names]


def leak_until_it_ends(watch):
    """A leak that goes on: it has grown in each step, however near two captures are. It slows down with time: where captures take long, a
    heap that grew as fast as ever would make each take longer than the one before, without an end."""
    began = time.monotonic()
    while watch.process.poll() is None:
        watch.one.leak(200)
        time.sleep(max(0.02, (time.monotonic() - began) / 100))


def leak(tool, folder):
    """A leak ends the watch with 1 and the answer, which is that of the two captures at the ends."""
    with started(tool, build("native_leak.c", "-O2", "-g")) as one:
        watch = Watch(tool, one, folder / "w", "--until-growth", "500K", "--html", str(folder / "leak.html"))
        leak_until_it_ends(watch)
        out, told = watch.end(1)
        check("growth is proven: the live heap grew by" in told and "--until-growth is 500" in told, told)
        names = watch.captures()
        check(numbers(names) == list(range(1, len(names) + 1)) and len(names) >= 6, f"none is left out, and five that count are the least: {names}")
        check(watch.sums() == names, f"the sums of each: {watch.sums()}")
        answer = tool.run(folder / "w" / names[1], folder / "w" / names[-1]).stdout
        check(answer.split("Next:")[0] == out.split("Next:")[0], f"the first capture does not count:\n{answer}\nis not\n{out}")
        check("sessions" in out and (folder / "leak.html").stat().st_size > 10000, f"the answer and its page: {out}")
        series = json.loads(tool.run("series", *sorted((folder / "w" / "sums").glob("*.hs")), "--format", "json").stdout)
        check(len(series["captures"]) == len(names), "the sums are a series")
        modes = [stat.S_IMODE((folder / "w" / path).stat().st_mode) for path in (".", "sums", names[0], f"sums/{names[0]}")]
        check(modes == [0o700, 0o700, 0o600, 0o600], f"for their user alone: {modes}")
        one.quit()


def lost(tool, folder):
    """What no variable holds any more is no part of the live heap, and is a leak all the same."""
    with started(tool) as one:
        watch = Watch(tool, one, folder / "w", "--until-growth", "500K")
        leak_until_it_ends(watch)
        out, told = watch.end(1)
        check("growth is proven: what is lost grew by" in told and " lost" in out, f"{told}{out}")
        one.quit()


def no_leak(tool, folder):
    """What does not grow proves nothing, however long it is watched; and of many captures a few stay (which: tests/unit/cli/test_watch_rules.c)."""
    with started(tool) as one:
        watch = Watch(tool, one, folder / "w", "--until-growth", "500K", "--count", "9", "--keep", "4", "--format", "json")
        out, told = watch.end(0)
        check("proven" not in told, told)
        kept = numbers(watch.captures())
        check(len(kept) == 4 and kept[0] == 2 and kept[-1] == 9, f"the first that counts, the last, and two between: {kept}")
        check(numbers(watch.sums()) == list(range(1, 10)), f"the sums of all: {watch.sums()}")
        answer = json.loads(out)
        check(answer["schema"] == "hsdiff.diff/1" and answer["captures"][0]["path"].endswith("-0002.hs"), f"{answer['captures']}")
        one.quit()


def endings(tool, folder):
    with started(tool) as one:
        watch = Watch(tool, one, folder / "a")
        watch.wait_for(3)
        one.quit()
        out, told = watch.end(0)
        check("has ended, after" in told and "Live heap" in out, f"the program ended: {told}{out}")
    with started(tool) as one:
        watch = Watch(tool, one, folder / "b", "--every", "1h")
        watch.wait_for(1)
        watch.process.send_signal(signal.SIGINT)
        out, told = watch.end(3)
        check("nothing to compare" in told and out == "", f"one capture is no growth: {told}")
        watch = Watch(tool, one, folder / "c", "-q")
        watch.wait_for(2)
        watch.process.send_signal(signal.SIGTERM)
        out, told = watch.end(0)
        check("Live heap" in out and told == "", f"a signal ends it with the answer, and -q says nothing else: {told}")
        watch = Watch(tool, one, folder / "d")
        watch.wait_for(1)
        os.kill(one.pid, signal.SIGKILL)
        watch.process.wait(120) # a capture that is under way comes, or does not
        watch.end(0 if len(watch.captures()) > 1 else 3)
        check(not [name for name in os.listdir(folder / "d") if not name.endswith(".hs") and name != "sums"], f"nothing half-written: {os.listdir(folder / 'd')}")


def usage(tool, folder):
    with started(tool) as one, started(tool):
        check("PID|NAME" in tool.run("help", "watch").stdout, "help")
        for words in ([], [one.pid, one.pid], ["no-such-program-anywhere"], ["4000000"], [one.pid, "--keep", "1"], [one.pid, "--budget", "0"],
                      [one.pid, "--budget", "101%"], [one.pid, "--budget", "x"], [one.pid, "--near", "0%"], [one.pid, "--near", "200"],
                      [one.pid, "--way", "x"], [one.pid, "--format", "xml"], [one.pid, "-o", "w/"], [one.pid, "-o", "."], ["native_load"]):
            tool.run("watch", *words, expect=2, cwd=folder)
        check(os.listdir(folder) == [], f"nothing was made: {os.listdir(folder)}")
        tool.run("watch", one.pid, "--into", "/proc/nowhere", expect=4)
        done = tool.run("watch", one.pid, *OFTEN, "--count", "2", "-q", cwd=folder)
        again = tool.run("watch", one.pid, *OFTEN, "--count", "2", "-q", cwd=folder)
        check("Live heap" in done.stdout and "Live heap" in again.stdout, "twice")
        check(sorted(os.listdir(folder)) == [f"native_load-{one.pid}", f"native_load-{one.pid}-2"], f"each in a folder of its own: {os.listdir(folder)}")
        more = tool.run("watch", one.pid, *OFTEN, "--count", "2", "-q", "--into", f"native_load-{one.pid}", cwd=folder)
        names = sorted(file.name for file in (folder / f"native_load-{one.pid}").glob("*.hs"))
        check("Live heap" in more.stdout and numbers(names) == [1, 2, 3, 4], f"what was there stays: {names}")


@contextlib.contextmanager
def group_with(limit):
    """A control group of its own for a process; None where this user may make none."""
    for base, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        path = pathlib.Path(base) / f"hsdiff-watch-{os.getpid()}"
        try:
            path.mkdir()
        except OSError:
            continue
        try:
            try:
                (path / file).write_text(str(limit))
            except OSError:
                continue
            yield path
            return
        finally:
            wait_until("the control group is in use", lambda: is_removed(path))
    yield None


def is_removed(path):
    try:
        path.rmdir()
        return True
    except OSError:
        return not path.exists()


def used_of(group):
    return int(next(path for path in (group / "memory.usage_in_bytes", group / "memory.current") if path.exists()).read_text())


def memory_runs_short(tool, folder):
    """A capture at once, long before the next is due."""
    with group_with(64 << 20) as group:
        if group is None:
            say("        not tried: no control group can be made here")
            return
        with started(tool) as one:
            (group / "cgroup.procs").write_text(str(one.pid))
            watch = Watch(tool, one, folder / "w", "--every", "1h", "--near", "50%")
            watch.wait_for(1)
            while used_of(group) < 40 << 20:
                one.leak(1000)
            watch.wait_for(2)
            one.quit()
            _, told = watch.end(0)
            check("of its control group are in use: a capture at once" in told, told)
            for file in (folder / "w").glob("*.hs"):
                metrics = tool.run("dump", file, "--only", "metrics").stdout
                check(f'metric {64 << 20} name="process.limit"' in metrics, f"what its control group allows is in the capture: {metrics}")


def terminal(tool, folder):
    """Below the lines that stay: the program, and what grows; drawn over, and gone at the end."""
    with started(tool) as one:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
        watch = subprocess.Popen([tool.path, "watch", str(one.pid), "--into", str(folder / "w"), "--every", "500ms", "--budget", "100%", "--count", "4"],
                                 env=dict(tool.environment, TERM="xterm", LC_ALL="C.UTF-8"), stdin=slave, stdout=subprocess.PIPE, stderr=slave,
                                 preexec_fn=lambda: (os.setsid(), fcntl.ioctl(slave, termios.TIOCSCTTY, 0)))
        os.close(slave)
        seen = b""
        with contextlib.suppress(OSError): # its end closes the terminal
            while more := os.read(master, 65536):
                seen += more
        os.close(master)
        answer = watch.stdout.read().decode()
        watch.stdout.close()
        check(watch.wait(60) == 0 and "Live heap" in answer, f"the answer is on standard output: {answer}")
        text = seen.decode(errors="replace")
        check("the next in" in text and f"pid {one.pid}" in text and "RSS" in text, f"the program: {text}")
        check("VERDICT" in text or "TYPE" in text, f"what grows: {text}")
        blocks = text.split("\x1b[?7l")[1:]
        check(blocks and all("\x1b[?7h" in block for block in blocks), "lines do not wrap, and do again")
        drawn = [block.split("\x1b[?7h")[0].count("\n") for block in blocks]
        check(max(drawn) <= 18, f"no more than the terminal has: {drawn}")
        taken_away = text.rsplit("\x1b[?7h", 1)[1]
        check(f"\x1b[{drawn[-1]}A" in taken_away and "captures are in" in taken_away, f"and gone at the end: {taken_away!r}")
        one.quit()


if __name__ == "__main__":
    main({case.__name__: case for case in (leak, lost, no_leak, endings, usage, memory_runs_short, terminal)})

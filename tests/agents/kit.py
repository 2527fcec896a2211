"""Programs that leak while they run, captured from outside and held against what they planted.

A program under test prints one line "ready" when it can be captured, then works under load and obeys lines on its standard input:

    leak N      plants N more objects of its leak and prints "leaked TOTAL" (all planted so far) when they are there
    quit        ends with status 0

so that two captures have an exact truth between them. Everything else it does meanwhile (allocate, free, collect) is the load.
"""
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SKIPPED = 77
LONG = bool(os.environ.get("HSD_LONG"))
ABORTS = 100 if LONG else 12  # captures that are cut off at a random moment, of each kind
HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent


PATIENCE = 120  # seconds for what comes at once: no measure of anything, but that a machine under load has done by then what it was told, or never will


class Failed(Exception):
    pass


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is not installed")


def say(text):
    print(text, flush=True)


class Moments:
    """Random moments at which captures are cut off. How long one takes is measured while the machine may be busy, and all moments would
    then come too late: a capture that has ended before its moment says that they take no longer than that."""

    def __init__(self, seed, seconds):
        self.dice = random.Random(seed)
        self.seconds = seconds

    def sleep(self, asker):
        """Until a moment of what `asker`, which has just begun, does."""
        moment = self.dice.random() * self.seconds
        time.sleep(moment)
        if asker.poll() is not None:
            self.seconds = moment


class Tool:
    """The command, with the agents of the same build."""

    def __init__(self, hsdiff, agents):
        self.path = str(pathlib.Path(hsdiff).resolve())
        self.agents = str(pathlib.Path(agents).resolve())
        self.environment = dict(os.environ, HSDIFF_AGENTS=self.agents)

    def run(self, *arguments, expect=0, timeout=120, **more):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=timeout,
                              env=self.environment, stdin=subprocess.DEVNULL, **more)
        if expect is not None and done.returncode != expect:
            raise Failed(f"hsdiff {' '.join(map(str, arguments))}: exit {done.returncode}, not {expect}\n{done.stdout}{done.stderr}")
        return done

    def capture(self, pid, out, *arguments, **more):
        """What `hsdiff capture` printed."""
        return self.run("capture", pid, "-o", out, *arguments, **more)

    def diff(self, before, after, *arguments):
        return json.loads(self.run(before, after, "--format", "json", *arguments).stdout)

    def info(self, capture):
        return json.loads(self.run("info", capture, "--format", "json").stdout)


class Program:
    """One that is running; a context manager that ends it."""

    def __init__(self, command, environment=None, cwd=None, wait=PATIENCE):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=cwd,
                                        env=dict(os.environ, **(environment or {})))
        self.pid = self.process.pid
        try:
            self.expect("ready", wait)
        except Failed:
            self.process.kill()
            raise

    def errors(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")[-4000:]

    def expect(self, word, wait=PATIENCE):
        """The rest of the next line that begins with this word."""
        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(Failed(f"no '{word}' in {wait} s\n{self.errors()}")))
        signal.alarm(wait)
        try:
            for line in self.process.stdout:
                if line.split()[:1] == [word]:
                    return line.strip()[len(word):].strip()
        finally:
            signal.alarm(0)
        raise Failed(f"the program ended with {self.process.wait()} before '{word}'\n{self.errors()}")

    def tell(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(f"the program ended with {self.process.wait()} before '{line}'\n{self.errors()}") from None

    def leak(self, count):
        self.tell(f"leak {count}")
        return int(self.expect("leaked"))

    def is_alive(self):
        return self.process.poll() is None

    def quit(self, wait=PATIENCE):
        self.tell("quit")
        status = self.process.wait(wait)
        if status != 0:
            raise Failed(f"the program ended with {status}\n{self.errors()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_alive():
            self.process.kill()
        self.process.wait()
        with contextlib.suppress(BrokenPipeError): # what it did not read any more
            self.process.stdin.close()
        self.process.stdout.close()


class InTurns(Program):
    """One that reads its lines from the pipe `lines`, where a line "tick" comes every few milliseconds: a program that cannot look whether a line waits
    works in turns, and leaves the processor to others between them."""

    def __init__(self, command, lines, environment=None):
        os.mkfifo(lines, 0o600)
        self.lines = os.open(lines, os.O_RDWR | os.O_NONBLOCK)
        self.is_over = threading.Event()
        self.clock = threading.Thread(target=self.tick, daemon=True)
        self.clock.start()
        try:
            super().__init__(command, environment)
        except Failed:
            self.stop()
            raise

    def put(self, line):
        """Whether there was room."""
        with contextlib.suppress(BlockingIOError):
            os.write(self.lines, f"{line}\n".encode())
            return True
        return False

    def tick(self):
        while not self.is_over.wait(0.005):
            self.put("tick")

    def tell(self, line):
        wait_until(f"no room for '{line}'", lambda: self.put(line))

    def stop(self):
        self.is_over.set()
        self.clock.join()
        os.close(self.lines)

    def __exit__(self, *why):
        super().__exit__(*why)
        self.stop()


def row(rows, key, value):
    """The row of a table of the report whose `key` is or ends with `value`; an empty one if there is none."""
    found = [r for r in rows if r.get(key) == value] or [r for r in rows if str(r.get(key)).endswith(value)]
    return found[0] if found else {}


def check(holds, what):
    if not holds:
        raise Failed(what)


def wait_until(what, holds, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not holds():
        check(time.monotonic() < end, f"{what} after {seconds} s")
        time.sleep(0.05)


def wait_for_file(program, path):
    """What a program writes into a file when it is told is there, and whole: it has closed the file."""
    def is_closed():
        if not path.exists() or path.stat().st_size == 0:
            return False
        return not any(os.path.realpath(one) == os.path.realpath(path) for one in pathlib.Path(f"/proc/{program.pid}/fd").iterdir())
    wait_until(f"no {path.name}", is_closed)


def processor_seconds():
    """Of this process and of all that it waited for."""
    return sum(os.times()[:4])


def main(cases):
    """cases: name -> function(tool, folder). `test_x.py --hsdiff BINARY --agents FOLDER [CASE …]`."""
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--agents", required=True)
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    tool = Tool(arguments.hsdiff, arguments.agents)
    failed = 0
    for name in arguments.cases or cases:
        started, spent = time.monotonic(), processor_seconds()
        with tempfile.TemporaryDirectory(prefix="hsdiff-agents-") as folder:
            try:
                cases[name](tool, pathlib.Path(folder))
                say(f"ok      {name} ({time.monotonic() - started:.1f} s, of the processor {processor_seconds() - spent:.1f})")
            except (Failed, subprocess.TimeoutExpired) as error:
                failed += 1
                say(f"FAILED  {name}: {error}")
    sys.exit(1 if failed else 0)

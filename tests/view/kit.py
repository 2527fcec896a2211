"""The viewer under test: the real command on the demo captures, and a client that sends any bytes.

A test is a table of cases, name -> function(world); `kit.main(cases)` runs them and says what failed. `World` has the command, the demo
captures and a folder; `Viewer` is one `hsdiff view` that runs.
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import traceback

PATIENCE = 240


class Failed(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Failed(what)


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


def wait_for(what, ask, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.05)
    raise Failed(f"{what}: not within {seconds} s")


def descriptors(pid):
    """What the descriptors of a process are, as the kernel names it. It goes on meanwhile: those that it closes are left out."""
    folder = pathlib.Path(f"/proc/{pid}/fd")
    names = []
    for entry in os.listdir(folder):
        try:
            names.append(os.readlink(folder / entry))
        except FileNotFoundError:
            pass
    return names


class World:
    def __init__(self, hsdiff, folder, program=None, faulty=None):
        self.program = program  # one that can be captured
        self.faulty = faulty  # the command with tests/support/fault.c inside
        self.hsdiff = str(pathlib.Path(hsdiff).resolve())
        self.folder = pathlib.Path(folder)
        self.before, self.after = self.folder / "demo-before.hs", self.folder / "demo-after.hs"
        self.run("demo", "-o", self.folder)

    def run(self, *arguments, expect=0):
        done = subprocess.run([self.hsdiff, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, check=False)
        if expect is not None:
            same(f"hsdiff {' '.join(map(str, arguments))}: {done.stderr}exit status", done.returncode, expect)
        return done

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--format", "json").stdout)

    def view(self, *arguments, **more):
        viewer = Viewer(self, *(arguments or (self.before, self.after)), **more)
        check(viewer.address, f"no address: {viewer.stderr()}")
        return viewer


class Answer:
    """What came back on a connection; status 0 = nothing that is HTTP."""

    def __init__(self, raw):
        self.raw = raw
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        self.status = int(words[1]) if words[0].startswith("HTTP/1.") and len(words) > 1 and words[1].isdigit() else 0
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()

    def json(self):
        return json.loads(self.body)


class Viewer:
    """One `hsdiff view`, ended by the end of its `with`. `address` is empty when it has failed before it had one."""

    def __init__(self, world, *arguments, command="view", environment=None, hsdiff=None):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([hsdiff or world.hsdiff, command, *map(str, arguments)], stdout=subprocess.PIPE, stderr=self.errors,
                                        stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
        self.address = self.process.stdout.readline().decode().strip()
        check(not self.address or self.address.startswith("http://"), f"no address: {self.address!r} {self.stderr()}")
        if not self.address:
            return
        self.origin, _, self.token = self.address.partition("/#")
        self.host = self.origin.removeprefix("http://")
        self.port = int(self.host.rsplit(":", 1)[1])
        self.where = (self.host.rsplit(":", 1)[0].strip("[]"), self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()
        self.process.stdout.close()
        self.errors.close()

    def stderr(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def end(self, how=signal.SIGINT):
        """Its exit status; negative: ended by that signal."""
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)

    # ---- asking

    def connect(self):
        wire = socket.create_connection(self.where, timeout=PATIENCE)
        return wire

    def send(self, data, half_close=False):
        """All that comes back on a connection of its own until it is closed."""
        with self.connect() as wire:
            parts = []
            try:
                wire.sendall(data)
                if half_close:
                    wire.shutdown(socket.SHUT_WR)
                while part := wire.recv(65536):
                    parts.append(part)
            except TimeoutError:
                raise
            except OSError:  # it was cut off meanwhile
                pass
            return b"".join(parts)

    def get(self, target, headers=(), token=True, method="GET"):
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.host}", "Sec-Fetch-Site: same-origin", *headers]
        if token:
            lines.append(f"X-Hsdiff-Token: {self.token}")
        return Answer(self.send(("\r\n".join(lines) + "\r\n\r\n").encode()))

    def ask(self, target, expect=200):
        answer = self.get(target)
        same(f"{target}: {answer.body[:300]!r} status", answer.status, expect)
        return answer.json()

    def state(self):
        return self.ask("/api/state")

    def until_ready(self):
        def ended():
            state = self.state()
            return state if state["phase"] != "working" else None
        state = wait_for("the end of its work", ended)
        same(f"phase ({state['error']} {self.stderr()})", state["phase"], "ready")
        return state


def main(cases):
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("--program")
    parser.add_argument("--faulty")
    parser.add_argument("--only")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        world = World(options.hsdiff, folder, options.program, options.faulty)
        for name, case in cases.items():
            if options.only and options.only != name:
                continue
            began = time.monotonic()
            try:
                told = case(world)
                print(f"ok      {name} ({time.monotonic() - began:.1f} s){': ' + told if told else ''}", flush=True)
            except Failed as why:
                failures += 1
                print(f"FAILED  {name}: {why}", flush=True)
            except Exception:  # a test that breaks is a failure, and the others go on
                failures += 1
                print(f"BROKEN  {name}\n{traceback.format_exc()}", flush=True)
    raise SystemExit(1 if failures else 0)

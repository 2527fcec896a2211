"""The server under test and a client of the standard library alone, which can send any bytes.

A test is a table of cases, name -> function(world); `kit.main(cases)` runs them and says what failed.
"""
import argparse
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import environments  # noqa: E402

PATIENCE = 240
SKIPPED = 77
ANSWER_BYTES = 4096
PAIR = ["demo-before.hs", "demo-after.hs"]


class Failed(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Failed(what)


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class World:
    """A folder with the captures of the demo, which the server may read, beside one that it may not."""

    def __init__(self, hsdiff, folder):
        self.hsdiff = str(pathlib.Path(hsdiff).resolve())
        self.outside = pathlib.Path(folder) / "outside"
        self.folder = pathlib.Path(folder) / "allowed"
        self.temp = pathlib.Path(folder) / "temp"
        for made in (self.outside, self.folder, self.temp):
            made.mkdir()
        subprocess.run([self.hsdiff, "demo", "-q", "-o", self.folder], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)

    def server(self, *arguments, **more):
        return Server(self, *arguments, **more)


class Server:
    """One hsdiff mcp. A context manager that closes its input and expects that it ends well."""

    def __init__(self, world, *arguments, command=None, handshake=True, cwd=None, environment=None):
        self.number = 0
        self.notes = []
        self.lines = queue.Queue()
        self.errors = tempfile.TemporaryFile()
        words = [*(command or []), world.hsdiff, "mcp", "--temp-dir", str(world.temp), *map(str, arguments)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, cwd=cwd or world.folder,
                                        env=dict(os.environ, **(environment or {})))
        threading.Thread(target=self._read, daemon=True).start()
        if handshake:
            self.initialized = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})["result"]
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def take(self, seconds=PATIENCE):
        """The next line, parsed; None at the end."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            raise Failed(f"no answer in {seconds} s; {self.said()}") from None
        if line is None:
            return None
        message = json.loads(line)
        message["bytes"] = len(line)
        return message

    def answer(self, number, seconds=PATIENCE):
        """The answer to this request; notifications on the way are kept."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = self.take(seconds)
            if message is None:
                raise Failed(f"the server ended with {self.process.wait()} before it answered {number}; {self.said()}")
            if "method" in message:
                self.notes.append(message)
            elif message.get("id") == number:
                return message
            else:
                raise Failed(f"an answer to something else: {str(message)[:300]}")
        raise Failed(f"no answer to {number}")

    def ask(self, method, params=None, seconds=PATIENCE):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, **({"params": params} if params is not None else {})})
        return self.answer(self.number, seconds)

    def call(self, tool, arguments=None, **more):
        """The result of a tool. Every one is held against the bound of a page."""
        message = self.ask("tools/call", {"name": tool, "arguments": arguments or {}}, **more)
        check("result" in message, f"{tool}: {message}")
        check(message["bytes"] <= ANSWER_BYTES, f"{tool} {arguments}: an answer of {message['bytes']} bytes")
        return message["result"]

    def text(self, tool, arguments=None, is_error=False, **more):
        result = self.call(tool, arguments, **more)
        text = result["content"][0]["text"]
        check(result["isError"] == is_error, f"{tool} {arguments}: {text}")
        return text

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-3000:]

    def close(self, seconds=PATIENCE):
        """Closes its input; how it ended."""
        self.process.stdin.close()
        return self.process.wait(seconds)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None and kind is None:
            same(f"exit status ({self.said()})", self.close(), 0)
        elif self.process.poll() is None:
            self.process.stdin.close()  # what a tracer leaves behind ends, too
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def sdk_python():
    """A Python with the official SDK, made once and kept; skipped where pip has none, which is said."""
    try:
        return environments.made("mcp-sdk", ("mcp>=2",), "mcp; mcp.Client") / "python"
    except environments.Missing as why:
        return skip(f"the SDK of the Model Context Protocol cannot be had: {why}")


def main(cases):
    """cases: name -> function(world). `test_x.py --hsdiff BINARY [CASE ...]`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsdiff", required=True)
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    failed = 0
    for name in arguments.cases or cases:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hsdiff-mcp-") as folder:
            try:
                cases[name](World(arguments.hsdiff, folder))
                print(f"ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"FAILED  {name}: {error}", flush=True)
                if not isinstance(error, Failed):
                    traceback.print_exc()
    sys.exit(1 if failed else 0)

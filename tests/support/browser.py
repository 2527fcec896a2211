#!/usr/bin/env python3
"""A page in headless Chromium, driven by the protocol of DevTools over two pipes: no port is open. As a program it obeys the lines of the corpus of truth,
and `snapshot FILE`, which writes a heap snapshot as DevTools does.

usage: browser.py PAGE.html FOLDER                            FOLDER is for the browser's profile; `play(N)` of the page plants N
       browser.py PAGE.html FOLDER SCRIPT COUNT SNAPSHOT…     SCRIPT runs COUNT times before each snapshot but the first
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
           "--disable-sync", "--remote-debugging-pipe"]


class Browser:
    def __init__(self, folder):
        self.folder = folder
        to_read, self.out = os.pipe()
        self.inp, to_write = os.pipe()
        script = f'exec chromium "$@" 3<&{to_read} 4>&{to_write}'
        self.process = subprocess.Popen(["bash", "-c", script, "bash", *OPTIONS, f"--user-data-dir={folder}", "about:blank"], pass_fds=(to_read, to_write),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        self.rest = b""
        self.number = 0
        self.session = None
        self.on_event = {}

    def next_message(self):
        while b"\0" not in self.rest:
            more = os.read(self.inp, 1 << 20)
            if not more:
                raise SystemExit("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def take(self, message):
        if message.get("method") in self.on_event:
            self.on_event[message["method"]](message["params"])

    def ask(self, method, **parameters):
        self.number += 1
        sent = {"id": self.number, "method": method, "params": parameters, **({"sessionId": self.session} if self.session else {})}
        os.write(self.out, json.dumps(sent).encode() + b"\0")
        while True:
            message = self.next_message()
            if message.get("id") != self.number:
                self.take(message)
            elif "error" in message:
                raise SystemExit(f"{method}: {message['error']}")
            else:
                return message["result"]

    def open(self, page):
        loaded = []
        self.on_event["Page.loadEventFired"] = loaded.append
        target = next(one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.ask("Page.enable")
        went = self.ask("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        if "errorText" in went:
            raise SystemExit(f"{page}: {went['errorText']}")
        while not loaded:
            self.take(self.next_message())

    def run(self, expression):
        done = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise SystemExit(f"{expression}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def snapshot(self, path):
        self.ask("HeapProfiler.collectGarbage")
        with open(path, "w", encoding="utf-8") as file:
            self.on_event["HeapProfiler.addHeapSnapshotChunk"] = lambda parameters: file.write(parameters["chunk"])
            self.ask("HeapProfiler.takeHeapSnapshot", reportProgress=False)

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def say(*words):
    print(*words, flush=True)


def main(page, folder):
    browser = Browser(folder)
    try:
        browser.open(page)
        say("ready")
        for line in sys.stdin:
            word, *rest = line.split(maxsplit=1)
            if word == "leak":
                say("leaked", browser.run(f"play({int(rest[0])})"))
            elif word == "snapshot":
                browser.snapshot(rest[0].rstrip("\n"))
                say("snapshot")
            elif word == "quit":
                break
    finally:
        browser.close()
    return 0


def take(page, folder, script, count, *snapshots):
    browser = Browser(folder)
    try:
        browser.open(page)
        for number, path in enumerate(snapshots):
            for _ in range(int(count) if number > 0 else 0):
                browser.run(script)
            browser.snapshot(path)
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3 and len(sys.argv) < 6:
        sys.exit(__doc__)
    sys.exit((main if len(sys.argv) == 3 else take)(*sys.argv[1:]))

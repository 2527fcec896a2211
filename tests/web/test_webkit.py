#!/usr/bin/env python3
"""Pages in a third engine, WebKit, as it is packaged (WebKitWebDriver over WebKitGTK's MiniBrowser, on a screen of its own): each page is filled by its
script, says the sentence of its static part, and asks the network for nothing. A name that ran would open a dialog, which fails the next question.

Usage: test_webkit.py FOLDER, which has the pages that prepare.mjs wrote. Exit status 77: something is not installed.
"""
import contextlib
import glob
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

PATIENCE = 240
SKIPPED = 77
KINDS = ["node", "jvm", "native", "series", "check", "hostile", "partial", "names-diff", "names-check"]


class Recorder(http.server.BaseHTTPRequestHandler):
    """A proxy that writes down what it is asked for."""
    asked = []

    def refuse(self):
        self.asked.append(f"{self.command} {self.path}")
        self.send_error(502)

    do_GET = do_POST = do_CONNECT = do_HEAD = refuse

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def proxy():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@contextlib.contextmanager
def screen():
    read, write = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x1000x24"], pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as number:
            display = f":{number.readline().strip()}"
        try:
            yield display
        finally:
            server.terminate()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Driver:
    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}/session"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, method=method, data=data, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def begin(self, browser, through):
        capabilities = {"proxy": {"proxyType": "manual", "httpProxy": through, "sslProxy": through},
                        "webkitgtk:browserOptions": {"binary": browser, "args": ["--automation"]}}
        until = time.monotonic() + PATIENCE
        while True:
            try:
                session = self.ask("POST", "", {"capabilities": {"alwaysMatch": capabilities}})
                break
            except urllib.error.URLError: # it does not listen yet
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)
        self.base += "/" + session["sessionId"]
        return session["capabilities"]["browserVersion"]

    def run(self, script):
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})


@contextlib.contextmanager
def webkit(browser):
    port = free_port()
    with proxy() as through, screen() as display, tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, DISPLAY=display, HOME=home, WEBKIT_DISABLE_COMPOSITING_MODE="1")
        with subprocess.Popen(["WebKitWebDriver", f"--port={port}"], env=environment, stderr=subprocess.DEVNULL) as server:
            driver = Driver(port)
            try:
                print(f"WebKit {driver.begin(browser, through)}")
                yield driver
                driver.ask("DELETE", "")
            finally:
                server.terminate()


def look_at(driver, page):
    """What is wrong with it, as a list."""
    wrong = []
    driver.ask("POST", "/url", {"url": page.as_uri()})
    until = time.monotonic() + PATIENCE
    while not driver.run("return document.documentElement.hasAttribute('data-ready')"):
        if time.monotonic() > until:
            return ["its script has not filled it"]
        time.sleep(0.2)
    heading, resources, scripts = driver.run(
        "return [document.querySelector('h1').textContent, performance.getEntriesByType('resource').map((each) => each.name), document.scripts.length]")
    written = re.search(r"<h1[^>]*>(.*?)[.:]", page.read_text(encoding="utf-8", errors="replace"), re.S)[1]
    if "&" not in written and written not in heading:
        wrong.append(f"it says {heading!r}, not {written!r}")
    if resources:
        wrong.append(f"it asked for {resources}")
    if scripts != 2:
        wrong.append(f"it has {scripts} scripts")
    return wrong


def main():
    found = glob.glob("/usr/lib/*/webkit2gtk-4*/MiniBrowser")
    if not found or not shutil.which("WebKitWebDriver") or not shutil.which("Xvfb"):
        print("skipped: WebKitWebDriver, MiniBrowser and Xvfb are not all installed")
        return SKIPPED
    failed = 0
    with webkit(sorted(found)[-1]) as driver:
        for kind in KINDS:
            wrong = look_at(driver, pathlib.Path(sys.argv[1]).resolve() / f"{kind}.html")
            print(f"{'FAILED ' if wrong else 'ok     '} {kind}: {'; '.join(wrong) or 'filled, and quiet'}", flush=True)
            failed += bool(wrong)
    if Recorder.asked:
        print(f"FAILED  the network was asked: {Recorder.asked}")
    return 1 if failed or Recorder.asked else 0


if __name__ == "__main__":
    sys.exit(main())

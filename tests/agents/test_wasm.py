#!/usr/bin/env python3
"""WebAssembly: a program with a malloc of its own that leaks, captured twice in Node and in a page of headless Chromium; and the capture
library as a module that a host calls."""
import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time
import urllib.request

import kit
from kit import check, row, say

FIRST, MORE = 1500, 700
WRAP = "-Wl," + ",".join(f"--wrap={name}" for name in ("malloc", "calloc", "realloc", "free"))


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def build(tool, folder):
    parts = pathlib.Path(tool.agents) / "wasm"
    clang = shutil.which("clang-14") or shutil.which("clang")
    if clang is None or not (parts / "hscapture.o").exists():
        kit.skip("the parts for WebAssembly were not built: clang-14, lld-14, wasi-libc, libclang-rt-14-dev-wasm32")
    out = folder / "leak.wasm"
    subprocess.run([clang, "--target=wasm32-wasi", "--sysroot=/usr", "-O2", "-Wall", "-Werror", "-mexec-model=reactor", WRAP, f"-I{parts}", "-o", out,
                    kit.HERE / "programs" / "wasm_leak.c", parts / "hscapture.o", "-lwasi-emulated-getpid"], check=True, capture_output=True)
    return out


def check_leak(diff):
    for name in ("Session", "name"):
        found = row(diff["types"], "type", name)
        same(f"{name} before", found["before"]["objects"], FIRST)
        same(f"{name} after", found["after"]["objects"], FIRST + MORE)
        same(f"{name} new", found["new"]["objects"], MORE)
        same(f"{name} freed", found["freed"]["objects"], 0)
    root = max(diff["roots"], key=lambda one: one["growth"]["objects"])
    same("the root that grew most", root["root"], "sessions")
    same("its growth", root["growth"]["objects"], 2 * MORE)
    same("the root of the first holder", diff["holders"][0]["root"], "sessions")
    same("matched by", diff["match"]["basis"], "exact")


def run_node(folder, script, *arguments):
    kit.need("node")
    path = folder / "run.mjs"
    path.write_text(script)
    done = subprocess.run(["node", "--no-warnings", path, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    same(f"node: {done.stderr}", done.returncode, 0)
    return done.stdout


def in_node(tool, folder):
    """Node's WASI: the import writes into a file."""
    program = build(tool, folder)
    run_node(folder, """
import {host} from %s;
const [, , path, a, b] = process.argv;
const program = await host(path);
program.exports.work(100000);
program.exports.leak(%d);
program.capture(a);
program.exports.work(100000);
program.exports.leak(%d);
program.capture(b);
let refused = false;
try { program.capture('/nowhere/x.hs'); } catch (error) { refused = true; }
if (!refused) process.exit(1);
""" % (json.dumps(str(pathlib.Path(tool.agents) / "wasm" / "node.mjs")), FIRST, MORE), program, folder / "a.hs", folder / "b.hs")
    for name in "ab":
        tool.run("verify", folder / f"{name}.hs")
    check_leak(tool.diff(folder / "a.hs", folder / "b.hs"))


def module(tool, folder):
    """hscapture.wasm: a host that knows its heap writes it through the module, and a sink that refuses is a status."""
    if not (pathlib.Path(tool.agents) / "hscapture.wasm").exists():
        kit.skip("hscapture.wasm was not built")
    run_node(folder, """
import fs from 'node:fs';
import {host} from %s;
const {exports: w, capture} = await host(process.argv[2]);
const put = text => { const bytes = Buffer.from(text); new Uint8Array(w.memory.buffer, w.hsc_wasm_buffer(), 65536).set(bytes); return bytes.length; };
function produce() {
  w.hsc_wasm_open(put('made-by-hand'), 0, 0);
  w.hsc_wasm_type(1, put('Node'));
  w.hsc_wasm_string(1, put('the list'));
  w.hsc_wasm_label(1, 0, 0, 1);
  for (let i = 1; i <= 100000; i++) {
    w.hsc_wasm_begin(BigInt(i), 1, 16n);
    if (i < 100000) w.hsc_wasm_reference(BigInt(i + 1), 1, 0n);
    w.hsc_wasm_end();
  }
  w.hsc_wasm_root(1, 1, 1n);
  return w.hsc_wasm_close();
}
capture(process.argv[3], produce);
let refused = false;
try { capture(process.argv[4], () => { fs.closeSync(fs.openSync('/dev/null')); return 5; }); } catch (error) { refused = true; }
if (!refused || fs.existsSync(process.argv[4])) process.exit(1);
""" % json.dumps(str(pathlib.Path(tool.agents) / "wasm" / "node.mjs")), pathlib.Path(tool.agents) / "hscapture.wasm", folder / "m.hs", folder / "no.hs")
    tool.run("verify", folder / "m.hs")
    info = tool.info(folder / "m.hs")
    same("objects", info["objects"], 100000)
    same("process", info["process"], "made-by-hand")


# ---- a browser

class Browser:
    """Headless Chromium by chromedriver's own protocol; a context manager."""

    def __init__(self, downloads):
        self.log = open(os.devnull, "w")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.session = None
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.url = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
                break
        # A person who clicks may download several files; a script is asked for the second.
        preferences = {"download.default_directory": str(downloads), "profile.default_content_setting_values.automatic_downloads": 1}
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"], "prefs": preferences}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
        self.session = answer["sessionId"]
        self.ask("POST", "/timeouts", {"script": 60000})

    def ask(self, method, path, body=None):
        base = self.url if self.session is None else f"{self.url}/session/{self.session}"
        request = urllib.request.Request(base + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            raise kit.Failed(f"chromedriver {path}: {error.read().decode()[:600]}") from error

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of an async function's body in the page."""
        body = "const done = arguments[arguments.length - 1]; (async () => {" + script + "})().then(v => done({v}), e => done({e: String(e)}));"
        answer = self.ask("POST", "/execute/async", {"script": body, "args": list(arguments)})
        check("e" not in answer, f"the page says {answer.get('e')}")
        return answer.get("v")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        except (kit.Failed, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.log.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def log_message(self, *_):
        pass


def wait_for(path):
    for _ in range(300):
        if path.exists():
            return
        time.sleep(0.1)
    raise kit.Failed(f"{path.name} was not downloaded: {[one.name for one in path.parent.iterdir()]}")


def in_browser(tool, folder):
    """A page whose Worker writes into a file of the origin, which is then downloaded. The heap of the page does not grow by the capture."""
    kit.need("chromium", "chromedriver")
    site, downloads = folder / "site", folder / "downloads"
    shutil.copytree(pathlib.Path(tool.agents) / "wasm", site)
    downloads.mkdir()
    shutil.copy(build(tool, folder), site / "leak.wasm")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with Browser(downloads) as browser:
            browser.open(f"http://127.0.0.1:{server.server_port}/page.html")
            exports = browser.run("window.program = await hsdiffProgram('leak.wasm'); return program.exports;")
            check("hsdiff_capture" in exports, f"exports are {exports}")
            for name, count in (("a.hs", FIRST), ("b.hs", MORE)):
                size = browser.run("await program.call('work', 100000); await program.call('leak', arguments[1]);"
                                   "return program.capture(arguments[0]);".replace("arguments[1]", str(count)).replace("arguments[0]", json.dumps(name)))
                wait_for(downloads / name)
                same(f"bytes of {name}", (downloads / name).stat().st_size, size)
                tool.run("verify", downloads / name)
            check_leak(tool.diff(downloads / "a.hs", downloads / "b.hs"))
            browser.run("await program.call('leak', 400000);")
            used = "return performance.memory.usedJSHeapSize;"
            before = browser.run(used)
            size = browser.run("return program.capture('large.hs');")
            after = browser.run(used)
            wait_for(downloads / "large.hs")
            tool.run("verify", downloads / "large.hs")
            say(f"        a capture of {size} bytes; the page's heap went from {before} to {after} bytes")
            check(size > 4 << 20 and after - before < size / 4, f"a capture of {size} bytes took {after - before} of the page")
    finally:
        server.shutdown()
        server.server_close()


kit.main({case.__name__: case for case in (in_node, module, in_browser)})

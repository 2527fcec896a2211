"""A headless Firefox with a profile of its own, asked over Marionette (length:json over a loopback socket)."""
import json
import pathlib
import shutil
import socket
import subprocess
import time

import kit

PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
    "browser.sessionstore.resume_from_crash": False,
}


def program():
    for name in ("firefox-esr", "firefox"):
        if shutil.which(name):
            return name
    kit.skip("firefox-esr is not installed")
    return None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """One that is running; a context manager that ends it, and no other."""

    def __init__(self, folder, wait=60):
        self.port, self.number = free_port(), 0
        profile, home = folder / "profile", folder / "home"
        profile.mkdir()
        home.mkdir()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in
                 {**PREFERENCES, "marionette.port": self.port}.items()]
        (profile / "user.js").write_text("".join(lines))
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(
            [program(), "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", str(profile), "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"})
        try:
            self.connect(time.monotonic() + wait)
        except kit.Failed:
            self.end()
            raise

    def connect(self, until):
        while True:
            kit.check(self.process.poll() is None, f"Firefox ended with {self.process.returncode}")
            kit.check(time.monotonic() < until, "Firefox does not listen")
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
                break
            except OSError:
                time.sleep(0.2)
        self.stream = self.socket.makefile("rb")
        self.receive()
        self.ask("WebDriver:NewSession", {})
        self.ask("Marionette:SetContext", {"value": "chrome"})

    def receive(self):
        size = b""
        while (byte := self.stream.read(1)) != b":":
            kit.check(byte, "Firefox closed the connection")
            size += byte
        return json.loads(self.stream.read(int(size)))

    def ask(self, command, parameters):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(str(len(message)).encode() + b":" + message)
        _, number, error, result = self.receive()
        kit.check(number == self.number and error is None, f"{command}: {error}")
        return result

    def run(self, script):
        """What a script of the browser itself returns."""
        return self.ask("WebDriver:ExecuteScript", {"script": script, "sandbox": "system", "newSandbox": False})["value"]

    def snapshot(self, out):
        """The heap of the parent process, collected first."""
        path = pathlib.Path(self.run("Cu.forceGC(); Cu.forceCC(); Cu.forceGC(); return ChromeUtils.saveHeapSnapshot({runtime: true});"))
        shutil.move(path, out)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

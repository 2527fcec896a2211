"""Shared by the tests of doc/ci: a scratch repository as the manual describes one, an environment like that of a build server, and what a
recipe must have left behind.

Every test takes the same options: --hsdiff BINARY --library libhscapture.a --work FOLDER. Exit 0 passed, 1 failed, 77 a runtime is missing.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
RECIPES = PROJECT / "doc" / "ci"
MANUAL = PROJECT / "doc" / "ci.md"

# name -> what it needs, how a recipe is told of the sample, how the sample is made to leak, the place that must be named then
SAMPLES = {
    "node": {"needs": ["node"], "service": {"SERVICE": "node server.js"}, "leak": {"LEAK": "1"},
             "place": "server.js.sessions: Map", "package": "nodejs"},
    "jvm": {"needs": ["java", "javac", "jcmd"], "service": {"SERVICE": "java -cp build Server"}, "leak": {"LEAK": "1"},
            "place": "static Server.sessions: java.util.HashMap", "package": "openjdk-17-jdk-headless"},
    "native": {"needs": ["cc"], "service": {}, "leak": {"OPTIONS": "--leak"}, "place": "sessions: SessionTable",
               "package": "build-essential"},
}
REPORTS = ("check.xml", "check.sarif", "check.md", "metrics.txt")


def fail(message):
    print("failed:", message)
    sys.exit(1)


def skip(message):
    print("skipped:", message)
    sys.exit(77)


def arguments(*names):
    parser = argparse.ArgumentParser()
    for name in names:
        parser.add_argument(name)
    for option in ("--hsdiff", "--library", "--work"):
        parser.add_argument(option, required=True, type=pathlib.Path)
    return parser.parse_args()


def need(sample):
    for command in ["curl", *SAMPLES[sample]["needs"]]:
        if not shutil.which(command):
            skip(f"{command} is not installed (apt-get install {'curl' if command == 'curl' else SAMPLES[sample]['package']})")


class Scratch:
    """home/.local as doc/ci/install.sh leaves it, and repository/ with the samples and ci/."""

    def __init__(self, args):
        shutil.rmtree(args.work, ignore_errors=True)
        self.home = args.work / "home"
        self.repository = args.work / "repository"
        self.out = self.repository / "hsdiff-out"
        local = self.home / ".local"
        for folder in (local / "bin", local / "lib", local / "include"):
            folder.mkdir(parents=True)
        (local / "bin" / "hsdiff").symlink_to(args.hsdiff.resolve())
        (local / "lib" / "libhscapture.a").symlink_to(args.library.resolve())
        (local / "include" / "hscapture").symlink_to(PROJECT / "capture" / "include" / "hscapture")
        shutil.copytree(RECIPES, self.repository / "ci")
        for sample in ("server.js", "Server.java"):
            shutil.copy(HERE / sample, self.repository)
        # Nothing of the caller's variables, which a recipe could take for its own.
        kept = ("LANG", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "JAVA_HOME")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment |= {"HOME": str(self.home), "PATH": f"{local / 'bin'}:{os.environ['PATH']}", "CI": "true"}

    def run(self, command, folder=None, seconds=120, **variables):
        """(status, output); the whole group of processes is ended after so many seconds."""
        done = subprocess.Popen(command, cwd=folder or self.repository, env=self.environment | variables, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.group = done.pid
        try:
            output, _ = done.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)
            output, _ = done.communicate()
            fail(f"{command}: not through after {seconds} seconds\n{output}")
        return done.returncode, output

    def compile_java(self):
        status, output = self.run(["javac", "-J-XX:TieredStopAtLevel=1", "-Xlint:all", "-Werror", "-d", "build", "Server.java"])
        if status != 0:
            fail(output)


def says(output, place):
    """Whether the output names a place, however lines are wrapped."""
    return re.sub(r"\s+", " ", place) in re.sub(r"\s+", " ", output)


def check_stopped(scratch):
    """The service that the recipe started takes no connection any more."""
    port = re.search(r"http://127\.0\.0\.1:(\d+)/", (scratch.out / "service.log").read_text())
    if not port:
        fail("the service printed no address")
    with socket.socket() as connection:
        if connection.connect_ex(("127.0.0.1", int(port[1]))) == 0:
            os.killpg(scratch.group, signal.SIGKILL)
            fail("the service still runs")


def check_reports(scratch, sample, leaks):
    """Reports can be read by what they are for, and say what the status says."""
    for name in REPORTS:
        if not (scratch.out / name).is_file():
            fail(f"no {name}")
    failures = xml.parse(scratch.out / "check.xml").getroot().findall(".//failure")
    results = json.loads((scratch.out / "check.sarif").read_text())["runs"][0]["results"]
    errors = [result for result in results if result["level"] == "error" and "suppressions" not in result]
    if bool(failures) != leaks or bool(errors) != leaks:
        fail(f"junit has {len(failures)} failures, sarif {len(errors)} errors")
    if not (scratch.out / "metrics.txt").read_text().endswith("# EOF\n"):
        fail("metrics.txt is not whole")
    root = SAMPLES[sample]["place"].split(":")[0].split(".")[-1].split()[-1]
    if leaks and root not in (scratch.out / "check.md").read_text():
        fail(f"check.md does not name {root}")
    for name in ("before.hs", "after.hs"):
        if (scratch.out / name).exists() != leaks:
            fail(f"{name}: kept where a rule failed, and only there")


def check_gate(scratch, sample, leaks, status, output):
    if status != (1 if leaks else 0):
        fail(f"exit status {status}\n{output}")
    if says(output, SAMPLES[sample]["place"]) != leaks:
        fail(f"{SAMPLES[sample]['place']} {'is not' if leaks else 'is'} named:\n{output}")
    if ("hsdiff before.hs after.hs" in output) != leaks:
        fail(f"the log {'has no' if leaks else 'has a'} next command:\n{output}")
    check_stopped(scratch)
    check_reports(scratch, sample, leaks)


def manual_blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", MANUAL.read_text(), re.M | re.S)

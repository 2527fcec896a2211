"""Shared by the tests of integrations/: each runs a real framework on a program with tests that leak and tests that do not.

`test_x.py --hsdiff BINARY --agents FOLDER [CASE …]`. Exit 0 passed, 1 failed, 77 what it needs is not here and cannot be had. Once each; with HSD_LONG
every framework runs 20 times, and each run must end the same.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
LONG = bool(os.environ.get("HSD_LONG"))
TIMES = 20 if LONG else 1
ROUNDS = 5 if LONG else 2
HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
INTEGRATIONS = PROJECT / "integrations"


class Failed(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Failed(what)


def skip(why):
    print(f"skipped: {why}", flush=True)
    sys.exit(SKIPPED)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is not installed")


class World:
    """The command, a scratch folder, and the environment in which a framework runs."""

    def __init__(self, hsdiff, agents, folder):
        self.hsdiff = str(hsdiff.resolve())
        self.agents = agents.resolve()
        self.folder = folder
        self.environment = dict(os.environ, HSDIFF=self.hsdiff, HSDIFF_AGENTS=str(self.agents), HSDIFF_REPORTS=str(folder / "reports"), ROUNDS=str(ROUNDS),
                                NO_COLOR="1", CI="true")
        self.environment.pop("FORCE_COLOR", None)

    def run(self, *command, cwd=None, seconds=600, **variables):
        """(status, output) of a command; a variable that is None is taken out."""
        environment = {name: value for name, value in {**self.environment, **variables}.items() if value is not None}
        done = subprocess.run([str(word) for word in command], cwd=cwd or self.folder, env=environment, capture_output=True, text=True, errors="replace",
                              timeout=seconds, check=False, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout + done.stderr


def cached(name, make):
    """A folder that is made once on this machine, whole or not at all. make(folder) returns why it cannot be made, or None."""
    where = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-integrations-{os.getuid()}" / name
    if where.exists():
        return where
    where.parent.mkdir(mode=0o700, exist_ok=True)
    made = pathlib.Path(tempfile.mkdtemp(dir=where.parent))
    why = make(made)
    if why:
        shutil.rmtree(made)
        skip(why)
    try:
        made.rename(where)
    except OSError:  # another test was faster
        shutil.rmtree(made)
    return where


def words(text):
    """However lines are wrapped, indented or coloured."""
    return re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;]*m", "", text))


def says(output, *texts):
    """Each text stands in the output; a page that it names is there."""
    flat = words(output)
    for text in texts:
        check(text in flat, f"'{text}' is not in:\n{output}")


def report(output):
    """The page that a failure names: it is there, and is a page."""
    named = re.search(r"Report: (\S+\.html)", output)
    check(named, f"no page is named:\n{output}")
    page = pathlib.Path(named[1])
    check(page.is_file() and "<html" in page.read_text(encoding="utf-8")[:2000], f"{page} is no page")


def times(run):
    """Runs a framework as often as this test is to, and says how often it was as it has to be."""
    for number in range(TIMES):
        try:
            run()
        except Failed as error:
            raise Failed(f"run {number + 1} of {TIMES}: {error}") from None
    print(f"        {TIMES} of {TIMES}", flush=True)


def main(cases):
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsdiff", required=True, type=pathlib.Path)
    parser.add_argument("--agents", required=True, type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    failed = 0
    for name in arguments.cases or cases:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hsdiff-integrations-") as folder:
            try:
                cases[name](World(arguments.hsdiff, arguments.agents, pathlib.Path(folder)))
                print(f"ok      {name} ({time.monotonic() - started:.1f} s)", flush=True)
            except (Failed, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED  {name}: {error}", flush=True)
    sys.exit(1 if failed else 0)

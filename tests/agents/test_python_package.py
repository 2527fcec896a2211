#!/usr/bin/env python3
"""The package for programs: installed by pip into an environment of its own, from this tree and from no registry.

    captures   hsdiff.capture writes whole captures, hsdiff.growth tells what a block leaves behind, and fails for it with the holder's name
    pytest     a test with the mark fails for what its rounds leave behind, with the holder; one that fills a cache once, and one that leaves nothing, pass
"""
import os
import pathlib
import subprocess
import sys

import kit
import pythons
from kit import check, say

CAPTURES = '''
import os, hsdiff, tempfile
folder = tempfile.mkdtemp()
path = os.path.join(folder, "a.hs")
assert hsdiff.capture(path) == path
try:
    hsdiff.capture(path)
    raise SystemExit("it was written over")
except FileExistsError:
    pass
hsdiff.capture(path, force=True)
assert os.listdir(folder) == ["a.hs"] and os.stat(path).st_mode & 0o777 == 0o600
class Session:
    pass
SESSIONS = []
with hsdiff.growth() as grown:
    passing = [Session() for _ in range(10000)]
    del passing
assert grown.bytes < 64 * 1024, grown.bytes
grown.assert_below("100 KiB")
with hsdiff.growth() as grown:
    SESSIONS.extend(Session() for _ in range(10000))
assert grown.bytes > 400 * 1024, grown.bytes
try:
    grown.assert_below("100 KiB")
    raise SystemExit("it passed")
except hsdiff.Grown as why:
    assert "SESSIONS" in str(why) and "100 KiB" in str(why), why
assert "SESSIONS" in grown.report()
print("whole", path)
'''

MARKED = '''
import pytest
KEPT, CACHE = [], {}
class Order:
    def __init__(self, number):
        self.number = "order %d" % number

@pytest.mark.hsdiff(max_growth="100 KiB", rounds=5)
def test_leaks():
    KEPT.extend(Order(i) for i in range(1000))

@pytest.mark.hsdiff(max_growth="100 KiB", rounds=5)
def test_leaves_nothing(tmp_path):
    orders = [Order(i) for i in range(1000)]
    (tmp_path / "x").write_text("x")

@pytest.mark.hsdiff(max_growth="100 KiB", rounds=3)
def test_fills_a_cache():
    for i in range(5000):
        CACHE.setdefault(i, Order(i))

@pytest.mark.hsdiff(rounds=1)
def test_is_marked_wrongly():
    pass

def test_has_no_mark():
    pass
'''


def environment(tool, folder):
    """The interpreter of an environment with the package in it; pytest and pip are those of the interpreter that made it."""
    made = subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", folder / "venv"], capture_output=True, text=True)
    if made.returncode != 0:
        kit.skip("python3 -m venv does not work here")
    python = folder / "venv/bin/python"
    variables = dict(os.environ, HSDIFF_PYTHON_AGENT=pythons.agent(tool), HSDIFF=tool.path)
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", kit.PROJECT / "capture/python"],
                          capture_output=True, text=True, env=variables, timeout=300)
    check(done.returncode == 0, f"pip install: {done.stdout}{done.stderr}")
    del variables["HSDIFF_PYTHON_AGENT"]  # the one in the wheel is what is tested
    return str(python), variables


def captures(tool, folder):
    python, variables = environment(tool, folder)
    done = subprocess.run([python, "-c", CAPTURES], capture_output=True, text=True, env=variables, cwd=folder, timeout=300)
    check(done.returncode == 0, f"{done.stdout}{done.stderr}")
    path = done.stdout.split()[-1]
    tool.run("verify", path)
    pathlib.Path(path).unlink()


def marked(tool, folder):
    python, variables = environment(tool, folder)
    if subprocess.run([python, "-c", "import pytest"], capture_output=True).returncode != 0:
        say("        pytest is not installed: left out")
        return
    (folder / "test_orders.py").write_text(MARKED)
    done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder / "test_orders.py"], capture_output=True, text=True, env=variables,
                          cwd=folder, timeout=600)
    check("2 failed, 3 passed" in done.stdout, f"{done.stdout}{done.stderr}")
    check("test_leaks" in done.stdout and "test_orders.KEPT" in done.stdout, f"the holder is not named: {done.stdout}")
    check("two rounds at least" in done.stdout, f"a mark that is none: {done.stdout}")


if __name__ == "__main__":
    kit.main({"captures": captures, "pytest": marked})

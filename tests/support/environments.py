"""Python with packages from PyPI for tests: each environment is made once on a machine, by one process while the others wait, and kept outside of the tree."""
import fcntl
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SECONDS = 280


class Missing(Exception):
    """What cannot be had here, and why."""


def tried(*command):
    """Why it failed, or ""."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"it takes more than {SECONDS} s"
    return "" if done.returncode == 0 else done.stderr.strip()[-300:] or f"exit {done.returncode}"


def fill(where, python, packages):
    """Why it cannot be had, or "". The interpreter's own pip installs: one in each environment takes three seconds of the processor, bytecode of all modules as much."""
    inside, options = where / "bin/python", ("install", "-q", "--no-compile", "--no-input", "--disable-pip-version-check", *packages)
    why = tried(python, "-m", "venv", "--without-pip", where)
    if why or not tried(python, "-m", "pip", "--python", inside, *options):
        return why
    return tried(inside, "-m", "ensurepip") or tried(inside, "-m", "pip", *options)  # one that has no pip, or an old one


@functools.cache
def made(name, packages, modules, python=sys.executable):
    """The folder of programs of the environment `name`, in which these modules can be imported, which is tried once in a test. Raises Missing."""
    where = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-{name}-{os.getuid()}"
    whole = where / "whole"
    with open(f"{where}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        words = " ".join(packages)
        if whole.exists() and whole.read_text() == words and not tried(where / "bin/python", "-c", f"import {modules}"):
            return where / "bin"
        shutil.rmtree(where, ignore_errors=True)
        why = fill(where, python, packages) or tried(where / "bin/python", "-c", f"import {modules}")
        if why:
            shutil.rmtree(where, ignore_errors=True)
            raise Missing(f"no {name}: {why}")
        whole.write_text(words)
    return where / "bin"

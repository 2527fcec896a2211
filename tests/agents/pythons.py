"""The CPythons of this machine, one of each minor version that the agent knows."""
import functools
import glob
import os
import subprocess

import kit

KNOWN = [f"3.{minor}" for minor in range(8, 15)]


def version_of(path):
    try:
        done = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.implementation.name, getattr(sys, 'abiflags', ''))"],
                              capture_output=True, text=True, timeout=60)
    except OSError:
        return None
    words = done.stdout.split()
    return words[0] if done.returncode == 0 and words[1:] == ["cpython"] else None


def candidates():
    folders = ["/usr/bin", "/usr/local/bin", *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin"))), *sorted(glob.glob("/opt/python/*/bin"))]
    for folder in folders:
        for version in KNOWN:
            path = f"{folder}/python{version}"
            if os.access(path, os.X_OK):
                yield path


@functools.lru_cache(maxsize=None)
def found():
    """{version: interpreter}: those of the system first. Says which are not there."""
    known = {}
    for path in candidates():
        version = version_of(path)
        if version in KNOWN:
            known.setdefault(version, path)
    for version in KNOWN:
        if version not in known:
            kit.say(f"  skipped: no CPython {version} on this machine")
    if not known:
        kit.skip("no CPython is installed")
    return known


def agent(tool):
    path = f"{tool.agents}/libhsdiff-python.so"
    if not os.path.exists(path):
        kit.skip("the agent for Python was not built")
    return path

"""The heap of this program: captures of it, and growth that a test fails for.

    hsdiff.capture("before.hs")

    with hsdiff.growth() as grown:
        work()
    grown.assert_below("1 MiB")

Captures are taken by the agent, which runs no Python code meanwhile. Comparing them is the work of the command `hsdiff`: that of $HSDIFF, else of PATH, else
the one that was installed with this package.
"""
import contextlib
import gc
import json
import os
import shutil
import site
import subprocess
import sysconfig
import tempfile

from ._agent import agent

__all__ = ["Growth", "Grown", "capture", "check", "command", "growth"]
__version__ = "0.1.0"


class Grown(AssertionError):
    """More than was allowed; the text says who holds it."""


def command():
    """The path of the command hsdiff."""
    beside = os.pathsep.join((sysconfig.get_path("scripts"), os.path.join(site.getuserbase(), "bin")))
    path = os.environ.get("HSDIFF") or shutil.which("hsdiff") or shutil.which("hsdiff", path=beside)
    if not path:
        raise RuntimeError("the command hsdiff is not in PATH. Install it (its doc/install.md says how), or set the variable HSDIFF to its path")
    return path


def _environment():
    """Python's own variables are for this program, and not for a command of another kind."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def _run(*words, expect=(0,)):
    try:
        done = subprocess.run([command(), *map(str, words)], capture_output=True, text=True, errors="replace", env=_environment(), stdin=subprocess.DEVNULL)
    except OSError as why:
        raise RuntimeError("%s does not run: %s. Set the variable HSDIFF to the command hsdiff" % (command(), why.strerror)) from None
    if done.returncode not in expect:
        raise RuntimeError("hsdiff %s: %s" % (words[0], (done.stderr or done.stdout).strip()))
    return done


def capture(path, force=False, compression=1):
    """Writes a capture of this process to `path`, whole or not at all. FileExistsError unless force."""
    path = os.fspath(path)
    if not force and os.path.exists(path):
        raise FileExistsError(path)
    descriptor, name = tempfile.mkstemp(suffix=".part", prefix=".hsdiff-", dir=os.path.dirname(path) or ".")
    try:
        agent().capture(descriptor, compression)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    finally:
        os.close(descriptor)
    return path


def check(captures, limit, folder):
    """Holds the growth of the whole heap over these captures against `limit`, such as "100 KiB" or "5 %". Grown, with the holder in its text."""
    rules = os.path.join(folder, "rules.yml")
    with open(rules, "w", encoding="utf-8") as file:
        json.dump({"rules": [{"name": "the heap of this test", "metric": "total.bytes", "max_growth": limit}]}, file)
    done = _run("check", "--config", rules, "--color", "never", "--no-progress", "-q", *captures, expect=(0, 1))
    if done.returncode == 1:
        raise Grown("the heap grew by more than %s\n%s" % (limit, done.stdout.rstrip()))


class Growth:
    """What a block of code leaves behind; as a context manager."""

    def __init__(self, folder):
        self._folder = folder
        self._before = os.path.join(folder, "before.hs")
        self._after = os.path.join(folder, "after.hs")

    def _captured(self):
        if not os.path.exists(self._after):
            raise RuntimeError("the growth is known behind the block, and not within it")
        return self._before, self._after

    @property
    def bytes(self):
        """How much more is alive behind the block than in front of it; negative where it is less."""
        return json.loads(_run(*self._captured(), "--format", "json", "-q").stdout)["total"]["growth"]["bytes"]

    def report(self):
        """What grew, and who holds it, as `hsdiff before.hs after.hs` says it."""
        return _run(*self._captured(), "--color", "never", "-q").stdout

    def assert_below(self, limit):
        """Grown where the heap grew by more than that: "1 MiB", "5 %"."""
        check(self._captured(), limit, self._folder)

    def close(self):
        """Removes the captures; done when this object goes, too."""
        shutil.rmtree(self._folder, ignore_errors=True)

    __del__ = close


@contextlib.contextmanager
def growth():
    """with growth() as grown: … : what the block leaves behind. Garbage is collected at both ends."""
    grown = Growth(tempfile.mkdtemp(prefix="hsdiff-"))
    gc.collect()
    capture(grown._before)
    yield grown
    gc.collect()
    capture(grown._after)

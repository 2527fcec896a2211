"""The wheel and the npm package, as users of Python and of Node install them: the command answers and captures, the Python package finds it, and nothing stays."""
import os
import pathlib
import shutil
import subprocess

from systems import check, run

# A program that holds what hsdiff is to find.
PROGRAM = """
import hsdiff
class Session: pass
SESSIONS = [Session() for _ in range(1000)]
hsdiff.capture("/work/before.hs")
SESSIONS += [Session() for _ in range(2000)]
hsdiff.capture("/work/after.hs")
print(hsdiff.command())
"""


def one_of(out, pattern):
    (path,) = out.glob(pattern)
    return path


def wheel_installs_and_goes(out, root, asks):
    wheel = one_of(out, "*.whl")
    shutil.copy(wheel, root.folder / "work")
    (root.folder / "work/program.py").write_text(PROGRAM)
    root.run("apt-get", "update", "-qq")
    root.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "python3-venv")
    root.run("python3", "-m", "venv", "/work/venv")
    files = root.files()
    there = set((root.folder / "work/venv").rglob("*"))
    root.run("/work/venv/bin/pip", "install", "-q", "--no-index", "--no-compile", f"/work/{wheel.name}")
    asks(root, "/work/venv/bin/hsdiff", "work/answer")
    check(root.run("/work/venv/bin/python", "-B", "/work/program.py").strip() == "/work/venv/bin/hsdiff", "the package has not found the command beside it")
    text = root.run("/work/venv/bin/hsdiff", "/work/before.hs", "/work/after.hs")
    check("__main__.SESSIONS" in text and "+2,000" in text, f"the holder is not named:\n{text}")
    root.run("/work/venv/bin/pip", "uninstall", "-q", "-y", "hsdiff")
    left = sorted(str(path) for path in set((root.folder / "work/venv").rglob("*")) - there if path.is_file() and path.suffix != ".pyc")
    check(not left and root.files() == files, f"uninstalling left {left}")


class Here:
    """This machine, seen as the systems are; folders of theirs are below `folder`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()

    def run(self, *command):
        return run(*(f"{self.folder}{word}" if str(word).startswith("/") else word for word in command),
                   env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def npm_package_installs_and_goes(out, here, asks):
    prefix, package = here.folder / "prefix", one_of(out, "*-npm.tgz")
    npm = ("npm", "--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--prefix", prefix)
    program = here.folder / "program.js"
    program.write_text("global.kept = []; for (let i = 0; i < 1000; i++) kept.push({i, text: 'x'.repeat(i)}); console.log('ready'); setInterval(() => {}, 1000)")
    run(*npm, "install", "--global", package, env={"PATH": os.environ["PATH"], "HOME": str(here.folder)})
    asks(here, "/prefix/bin/hsdiff", "answer")
    with subprocess.Popen(["node", program], stdout=subprocess.PIPE, text=True) as node:
        try:
            check(node.stdout.readline() == "ready\n", "the program did not start")
            here.run("/prefix/bin/hsdiff", "capture", "--open-inspector", str(node.pid), "-o", "/node.hs")
        finally:
            node.kill()
    check("objects" in here.run("/prefix/bin/hsdiff", "info", "/node.hs"), "no capture of Node")
    run(*npm, "uninstall", "--global", "hsdiff", env={"PATH": os.environ["PATH"], "HOME": str(here.folder)})
    left = sorted(str(path) for path in prefix.rglob("*") if path.is_file())
    check(not left, f"uninstalling left {left}")

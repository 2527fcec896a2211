"""Programs of Go, built with every compiler that is there. What compilers make of the standard library and their own tools is kept
outside of the build, and shared by all tests and presets: it takes them longer than all else."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import kit
from kit import check

CACHE = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-go-{os.getuid()}"
BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-go-")


def compilers():
    found = [path for path in (shutil.which("go"), "/usr/lib/go-1.19/bin/go") if path and os.path.exists(path)]
    if not found:
        kit.skip("go is not installed")
    return list(dict.fromkeys(os.path.realpath(path) for path in found))


def environment():
    return dict(os.environ, GO111MODULE="off", GOTOOLCHAIN="local", GOFLAGS="", GOCACHE=str(CACHE), CGO_ENABLED="0")


def build(go, sources, *flags):
    """sources: name -> text. The program; built once for the same sources."""
    folder = pathlib.Path(BUILT.name) / f"{go.replace('/', '_')}-{abs(hash((tuple(sources.items()), flags))):x}"
    if not folder.exists():
        folder.mkdir()
        for name, text in sources.items():
            (folder / name).write_text(text, encoding="utf-8")
        done = subprocess.run([go, "build", *flags, "-o", "leak", *sources], cwd=folder, env=environment(), capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
    return folder / "leak"

#!/usr/bin/env python3
"""Types of programs in Zig that use the allocator of C, by debug information. The compiler is the command `zig`, or the Python package `ziglang`."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import kit
from kit import check
from test_types import BUILT, capture, has

TYPES = {"Node": (1, 168), "Account": (1, 144)}
CONTAINERS = ("ArrayList(Order)", "HashMap(u64, *Account)", "ArrayList([]u8)")


def compiler():
    if shutil.which("zig"):
        return ["zig"]
    python = os.environ.get("HSD_ZIG_PYTHON", sys.executable)
    if python == sys.executable and importlib.util.find_spec("ziglang") is None:
        kit.skip("zig is not installed (it comes with: pip install ziglang)")
    return [python, "-m", "ziglang"]


def program(tool, folder, mode):
    out = f"{BUILT.name}/zig-{mode}"
    zig = compiler()
    command = [*zig, "build-exe", kit.HERE / "programs" / "types_leak.zig", "-lc", "-fno-strip", "--build-id=sha1", f"-O{mode}", f"-femit-bin={out}"]
    built = subprocess.run(command, cwd=BUILT.name, capture_output=True, text=True, env=dict(os.environ, ZIG_GLOBAL_CACHE_DIR=f"{BUILT.name}/cache"))
    if built.returncode != 0 and "std" in built.stderr and "has no member" in built.stderr:
        kit.skip(f"the program is written for another version of zig: {built.stderr.splitlines()[0]}")
    check(built.returncode == 0, built.stderr)
    objects, bytes_ = capture(tool, folder, pathlib.Path(out))
    has(f"zig {mode}", objects, bytes_, TYPES, CONTAINERS)


def debug(tool, folder):
    program(tool, folder, "Debug")


def release(tool, folder):
    program(tool, folder, "ReleaseFast")


if __name__ == "__main__":
    kit.main({"debug": debug, "release": release})

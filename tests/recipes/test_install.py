#!/usr/bin/env python3
"""install.sh builds hsdiff and the capture library from these sources into an empty home, and a recipe runs with what it installed.

usage: test_install.py …
"""
import os
import pathlib
import shutil

from kit import PROJECT, Scratch, arguments, check_gate, fail, need


def main():
    need("native")
    args = arguments()
    scratch = Scratch(args)
    local = scratch.home / ".local"
    shutil.rmtree(local)
    scratch.environment["PATH"] = ":".join(f for f in os.environ["PATH"].split(":") if not (pathlib.Path(f) / "hsdiff").exists())
    scratch.environment |= {name: os.environ[name] for name in ("CMAKE_C_COMPILER_LAUNCHER",) if name in os.environ}
    status, output = scratch.run(["ci/install.sh"], HSDIFF_SOURCE=str(PROJECT), seconds=1500)
    if status != 0 or not (local / "bin" / "hsdiff").is_file():
        fail(f"install.sh: exit status {status}\n{output}")
    scratch.environment["PATH"] = f"{local / 'bin'}:{scratch.environment['PATH']}"
    status, output = scratch.run(["ci/install.sh"], HSDIFF_SOURCE="")
    if status != 0:
        fail(f"install.sh where hsdiff is there: exit status {status}\n{output}")
    status, output = scratch.run(["ci/native.sh"], OPTIONS="--leak")
    check_gate(scratch, "native", True, status, output)


main()

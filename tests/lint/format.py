#!/usr/bin/env python3
"""Asks clang-format whether every C file of the project is laid out as .clang-format says. Only version 14 is asked, that of Debian 12:
another one lays some lines out otherwise.

usage: format.py PROJECT CLANG-FORMAT
"""
import concurrent.futures
import os
import subprocess
import sys

VERSION = "version 14."
SKIPPED = 77
FILES_AT_ONCE = 40
CROOKED = "int  crooked( void ) { return 0 ; }\n"


def files_of(project):
    for folder in ("bench", "capture", "cli", "doc", "integrations", "libdiff", "tests"):
        for path, _, names in os.walk(os.path.join(project, folder)):
            if "node_modules" not in path:
                yield from (os.path.join(path, name) for name in names if name.endswith((".c", ".h")))


def complaints(program, project, files):
    result = subprocess.run([program, "--dry-run", "-Werror", *files], cwd=project, capture_output=True, text=True)
    return [line for line in result.stderr.splitlines() if "error:" in line] or [result.stderr] * (result.returncode != 0)


def notices_what_is_crooked(program, project):
    result = subprocess.run([program, "--dry-run", "-Werror", "--assume-filename=crooked.c"], cwd=project, input=CROOKED,
                            capture_output=True, text=True)
    return result.returncode != 0


def main(project, program):
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip()
    if VERSION not in version:
        print(f"skipped: {version}, not {VERSION}")
        return SKIPPED
    if not notices_what_is_crooked(program, project):
        print("clang-format has nothing to say of a crooked line: it does not read .clang-format")
        return 1
    files = sorted(files_of(project))
    parts = [files[i:i + FILES_AT_ONCE] for i in range(0, len(files), FILES_AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for lines in pool.map(lambda part: complaints(program, project, part), parts) for line in lines]
    for line in found:
        print(line.replace(project + "/", ""))
    print(f"{len(files)} files, {len(found)} lines that clang-format -i would lay out otherwise")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Asks clang-format whether every C file of the project is laid out as .clang-format says. Only version 14 is asked, that of Debian 12:
another one lays some lines out otherwise. Of bytes that it had nothing to say of, on this machine, it is not asked again.

usage: format.py PROJECT CLANG-FORMAT
"""
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

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


class Right:
    """Digests of files that are laid out as they should be, by this program and this .clang-format."""

    def __init__(self, project, version):
        self.of_all = version.encode() + pathlib.Path(project, ".clang-format").read_bytes()
        self.place = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-format-{os.getuid()}"
        self.known = set()
        if self.place.is_file() and self.place.stat().st_uid == os.getuid():
            self.known = set(self.place.read_text(encoding="ascii").split())

    def digest(self, path):
        return hashlib.sha256(self.of_all + path.endswith(".h").to_bytes(1, "big") + pathlib.Path(path).read_bytes()).hexdigest()

    def note(self, digests):
        """Those of this tree alone: what was known of others goes, or the file would grow for ever."""
        fresh = pathlib.Path(f"{self.place}.{os.getpid()}")
        fresh.write_text("\n".join(digests), encoding="ascii")
        fresh.replace(self.place)


def main(project, program):
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip()
    if VERSION not in version:
        print(f"skipped: {version}, not {VERSION}")
        return SKIPPED
    if not notices_what_is_crooked(program, project):
        print("clang-format has nothing to say of a crooked line: it does not read .clang-format")
        return 1
    files = sorted(files_of(project))
    right = Right(project, version)
    digests = {path: right.digest(path) for path in files}
    asked = [path for path in files if digests[path] not in right.known]
    parts = [asked[i:i + FILES_AT_ONCE] for i in range(0, len(asked), FILES_AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for lines in pool.map(lambda part: complaints(program, project, part), parts) for line in lines]
    if not found:
        right.note(digests.values())
    for line in found:
        print(line.replace(project + "/", ""))
    print(f"{len(files)} files, {len(found)} lines that clang-format -i would lay out otherwise")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Makes a tarball of an installation that can be unpacked anywhere and runs on any Linux of the same machine: with every library that the
command needs, the C library among them, and started through the loader that lies beside it. Nothing of the system it runs on is used but the
kernel. Agents are loaded into programs of that system, so they use its libraries: what they need of them at least is printed.

usage: tarball.py BUILD STAGE OUT        SOURCE_DATE_EPOCH is the time of all files
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import opened
import parts
from machine import KERNEL, LOADER, PROJECT, library, needed, output, tool, version

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])


def start(folder):
    """The script in bin/ that starts the command, which lies in `folder` beside bin/ with its libraries. $0 may be a link from anywhere, such as ~/bin/hsdiff."""
    return f"""#!/bin/sh
self=$0
while [ -L "$self" ]; do
    link=$(readlink "$self")
    case $link in /*) self=$link ;; *) self=$(dirname "$self")/$link ;; esac
done
here=$(cd "$(dirname "$self")/.." && pwd)
HSDIFF_AGENTS=${{HSDIFF_AGENTS-$here/lib/hsdiff}} \\
    exec "$here/{folder}/{LOADER}" --library-path "$here/{folder}" --argv0 hsdiff "$here/{folder}/hsdiff" "$@"
"""


def libraries_of(program):
    """Name and path of each library that the loader finds for it, the loader included, and of those that it loads later."""
    found, waiting = {}, [LOADER, *needed(program), *opened.sonames(program)]
    while waiting:
        soname = waiting.pop()
        if soname not in found:
            found[soname] = library(soname).resolve()
            waiting += needed(found[soname])
    return found


def fill(root, build, stage):
    library_folder = next(stage.glob("usr/lib/*/hsdiff"))
    (root / "libexec").mkdir(parents=True)
    program = root / "libexec/hsdiff"
    shutil.copy(stage / "usr/bin/hsdiff", program)
    libraries = libraries_of(program)
    for name, path in sorted(libraries.items()):
        shutil.copy(path, root / "libexec" / name)
        (root / "libexec" / name).chmod(0o755 if name == LOADER else 0o644)
    shutil.copytree(library_folder, root / "lib/hsdiff")
    shutil.copytree(stage / "usr/share", root / "share")
    (root / "bin").mkdir()
    (root / "bin/hsdiff").write_text(start("libexec"))
    (root / "bin/hsdiff").chmod(0o755)
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "SECURITY.md"):
        shutil.copy(PROJECT / name, root / name)
    (root / "THIRD-PARTY.txt").write_text(parts.notices(parts.parts(sorted(libraries), build)))


def least_c_library(folder):
    """The newest version of glibc's names that an agent asks for."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".so", ".node") and path.is_file():
            versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output(tool("objdump"), "-T", path))
            found[path.name] = max(((int(a), int(b)) for a, b in versions), default=(0, 0))
    return found


def plain(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = EPOCH
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


def main(build, stage, out):
    name = f"hsdiff-{version()}-linux-{KERNEL}"
    with tempfile.TemporaryDirectory(prefix="hsdiff-tar-") as folder:
        root = pathlib.Path(folder) / name
        fill(root, build, stage)
        tar = pathlib.Path(folder) / f"{name}.tar"
        with tarfile.open(tar, "w", format=tarfile.PAX_FORMAT) as file:
            for path in [root, *sorted(root.rglob("*"))]:
                file.add(path, path.relative_to(folder), recursive=False, filter=plain)
        output("xz", "-T1", "-6", tar)
        shutil.copy(f"{tar}.xz", out / f"{name}.tar.xz")
        newest = max(least_c_library(root / "lib").values())
    print(f"{name}.tar.xz: {(out / (name + '.tar.xz')).stat().st_size / 1024:,.0f} KiB; its agents need glibc {newest[0]}.{newest[1]} or later")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(word).resolve() for word in sys.argv[1:])))

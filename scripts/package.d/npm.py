#!/usr/bin/env python3
"""Makes a package of the tarball that npm installs: `npm install -g ./hsdiff-…-npm.tgz`, or into a project, whose scripts then find the command.

usage: npm.py OUT        reads the tarball of the folder; SOURCE_DATE_EPOCH is the time of all files
"""
import gzip
import io
import json
import os
import pathlib
import sys
import tarfile

from machine import KERNEL, version

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}  # as Node calls them


def description():
    made = {
        "name": "hsdiff", "version": version(), "description": "Compares captures of a program's heap: what grew, and who holds it",
        "license": "Apache-2.0", "keywords": ["heap", "memory", "leak", "snapshot", "heapsnapshot"],
        "bin": {"hsdiff": "bin/hsdiff"}, "os": ["linux"], "cpu": [MACHINES[KERNEL]],
    }
    return (json.dumps(made, indent=2) + "\n").encode()


def packed(tarball):
    made = io.BytesIO()
    with tarfile.open(tarball) as source, tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as target:
        text = description()
        entry = tarfile.TarInfo("package/package.json")
        entry.size, entry.mtime, entry.uname, entry.gname = len(text), EPOCH, "root", "root"
        target.addfile(entry, io.BytesIO(text))
        for member in source.getmembers():
            if member.isfile():
                member.name = "/".join(["package", *pathlib.PurePath(member.name).parts[1:]])
                target.addfile(member, source.extractfile(member))
    return gzip.compress(made.getvalue(), 9, mtime=0)


def main(out):
    (tarball,) = out.glob(f"hsdiff-*-linux-{KERNEL}.tar.xz")
    target = out / f"hsdiff-{version()}-linux-{KERNEL}-npm.tgz"
    target.write_bytes(packed(tarball))
    print(f"{target.name}: {target.stat().st_size / 1024:,.0f} KiB")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))

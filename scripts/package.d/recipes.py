#!/usr/bin/env python3
"""The source as a tarball, and what Homebrew and Nix build it by: hsdiff.rb.in and hsdiff.nix.in with the version, the address and the checksum in them.

usage: recipes.py OUT        HSDIFF_URL is where the files of OUT will be found
"""
import hashlib
import os
import pathlib
import subprocess
import sys

from machine import PROJECT, version

HERE = pathlib.Path(__file__).resolve().parent
URL = os.environ.get("HSDIFF_URL", "https://hsdiff.invalid/releases").rstrip("/")


def source(out):
    """What is committed, and nothing else: the same for each machine."""
    name = f"hsdiff-{version()}"
    plain = subprocess.run(["git", "-C", str(PROJECT), "archive", "--format=tar", f"--prefix={name}/", "HEAD"], check=True, capture_output=True).stdout
    packed = subprocess.run(["xz", "-T1", "-6", "-c"], input=plain, check=True, capture_output=True).stdout
    (out / f"{name}.tar.xz").write_bytes(packed)
    return f"{name}.tar.xz", hashlib.sha256(packed).hexdigest()


def main(out):
    name, checksum = source(out)
    for recipe in ("hsdiff.rb", "hsdiff.nix"):
        text = (HERE / f"{recipe}.in").read_text()
        for word, value in (("@VERSION@", version()), ("@URL@", f"{URL}/{name}"), ("@SHA256@", checksum)):
            text = text.replace(word, value)
        (out / recipe).write_text(text)
    print(f"{name}, hsdiff.rb, hsdiff.nix")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))

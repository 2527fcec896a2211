#!/usr/bin/env python3
"""Makes a wheel of the tarball: `pip install` gives an environment the command, and the Python package `hsdiff` with its agent and its plugin for pytest.

The command lies in the environment's lib/hsdiff, with the libraries that it brings, beside the agents; its start script finds it from there.

usage: wheel.py OUT        reads the tarball of the folder; SOURCE_DATE_EPOCH is the time of all files
"""
import os
import pathlib
import sys
import tarfile
import tempfile
import time
import zipfile

from machine import KERNEL, PROJECT, version
from tarball import least_c_library, start

sys.path.insert(0, str(PROJECT / "capture/python"))
import hsdiff_wheel  # noqa: E402

WHEN = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
COMMAND = "lib/hsdiff/command"
# Folder of the tarball, and where its files go in an environment.
PLACES = {"lib": "lib", "libexec": COMMAND, "share": "share"}


def of_environment(root):
    """What the environment gets: name in the wheel, content, whether it can be run."""
    data = f"hsdiff-{version()}.data"
    yield f"{data}/scripts/hsdiff", start(COMMAND).encode(), True
    for path in sorted(root.rglob("*")):
        top, *rest = path.relative_to(root).parts
        if path.is_file() and top in PLACES:
            yield "/".join([data, "data", PLACES[top], *rest]), path.read_bytes(), bool(path.stat().st_mode & 0o100)


def write(target, root, tag):
    info = f"hsdiff-{version()}.dist-info"
    os.environ["HSDIFF_PYTHON_AGENT"] = str(root / "lib/hsdiff" / hsdiff_wheel.AGENT)
    files = [(name, content, False) for name, content in hsdiff_wheel.contents(tag, None).items() if not name.endswith("/RECORD")]
    files += [(f"{info}/licenses/{name}", (root / name).read_bytes(), False) for name in ("LICENSE", "THIRD-PARTY.txt")]
    files += of_environment(root)
    records = "".join(hsdiff_wheel.record(name, content) for name, content, _ in files) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(target, "w") as wheel:
        for name, content, is_program in [*files, (f"{info}/RECORD", records.encode(), False)]:
            entry = zipfile.ZipInfo(name, WHEN)
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            entry.create_system = 3  # whose files have modes
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)


def main(out):
    (tarball,) = out.glob(f"hsdiff-*-linux-{KERNEL}.tar.xz")
    with tempfile.TemporaryDirectory(prefix="hsdiff-wheel-") as folder:
        with tarfile.open(tarball) as file:
            file.extractall(folder)
        (root,) = pathlib.Path(folder).iterdir()
        newest = max(least_c_library(root / "lib").values())
        tag = f"py3-none-manylinux_{newest[0]}_{newest[1]}_{KERNEL}"
        target = out / f"hsdiff-{version()}-{tag}.whl"
        write(target, root, tag)
    print(f"{target.name}: {target.stat().st_size / 1024:,.0f} KiB")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))

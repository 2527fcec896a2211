"""The machine that packages are for, of DEB_HOST_ARCH: its names, its binutils, its libraries. Another than this one where it is built by a cross compiler."""
import os
import pathlib
import re
import subprocess

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
LOADERS = {"amd64": "ld-linux-x86-64.so.2", "arm64": "ld-linux-aarch64.so.1"}
KERNELS = {"amd64": "x86_64", "arm64": "aarch64"}  # what uname -m says


def output(*command, cwd=None):
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True, cwd=cwd).stdout


OWN = output("dpkg", "--print-architecture").strip()
ARCHITECTURE = os.environ.get("DEB_HOST_ARCH", OWN)
MULTIARCH = output("dpkg-architecture", "-a", ARCHITECTURE, "-qDEB_HOST_MULTIARCH").strip()
IS_CROSS = ARCHITECTURE != OWN
LOADER, KERNEL = LOADERS[ARCHITECTURE], KERNELS[ARCHITECTURE]


def tool(name):
    """A program of binutils that knows files of that machine."""
    return f"{MULTIARCH}-{name}" if IS_CROSS else name


def version():
    return re.search(r'HSDIFF_VERSION +"([0-9.]+)"', (PROJECT / "libdiff/include/hsdiff/version.h").read_text()).group(1)


def library(soname):
    """Where that machine's loader finds it."""
    for folder in (f"/lib/{MULTIARCH}", f"/usr/lib/{MULTIARCH}"):
        path = pathlib.Path(folder) / soname
        if path.exists():
            return path
    raise SystemExit(f"machine.py: {soname} is not in /usr/lib/{MULTIARCH}")


def needed(program):
    return re.findall(r"^ +NEEDED +(\S+)$", output(tool("objdump"), "-p", program), re.M)

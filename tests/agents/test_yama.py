#!/usr/bin/env python3
"""What kernel.yama.ptrace_scope forbids, and what is said of it: Debian's kernel, which has Yama, boots in an emulator from a file system in memory; there a program with
the native agent and one of Python, which is entered as by a debugger, are asked by their user and by root under each scope, 0 to 3. A capture is whole, or hsdiff ends
with 3 and says what is missing; the program goes on either way.

HSD_LONG=1 alone: it fetches a kernel (apt-get download), and its machine takes minutes. `test_yama.py guest` is the part inside.
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys

sys.dont_write_bytecode = True
import kit
import test_rights
from kit import LONG, Failed, Program, check, need, say

SCOPES = "0123"
SCOPE_FILE = pathlib.Path("/proc/sys/kernel/yama/ptrace_scope")
KERNEL = "linux-image-cloud-amd64"
BOOT_SECONDS = 1500
TESTS = ("kit.py", "test_rights.py", "test_yama.py", "programs/python_leak.py")
INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t tmpfs -o mode=1777 tmp /tmp
/bin/busybox ip link set lo up
export PATH=/usr/bin:/bin HSDIFF_AGENTS=/hsdiff/agents HOME=/tmp LC_ALL=C.UTF-8
/usr/bin/python3 /tests/test_yama.py guest
/bin/busybox poweroff -f
"""

BY_YAMA = r"may not be held as by a debugger: kernel.yama.ptrace_scope is {}.*[Ss]tart it with the agent: hsdiff capture -- "


# ---- inside ----

def refusal(scope, program, asker):
    """The native agent asks its own children to trace it, and needs nobody else's right."""
    if program == "native" or scope == "0" or (asker == "root" and scope != "3"):
        return None
    return BY_YAMA.format(scope)


def guest():
    programs = {"native": ["env", "LD_PRELOAD=/hsdiff/agents/libhsdiff-native.so", "/hsdiff/native_load", "1", "2000"],
                "python": ["/usr/bin/python3", "/tests/programs/python_leak.py"]}
    shop = test_rights.Shop.__new__(test_rights.Shop)
    shop.hsdiff, shop.results, shop.environment = "/hsdiff/hsdiff", pathlib.Path("/tmp/results"), dict(os.environ)
    wrong = count = 0
    for scope in SCOPES:
        SCOPE_FILE.write_text(scope)
        for name, command in programs.items():
            with Program([*test_rights.without_rights(test_rights.USER), *command], cwd="/", wait=300) as program:
                for asker in ("its user", "root"):
                    count += 1
                    try:
                        test_rights.judge(shop.ask(test_rights.ASKERS[asker], program.pid, ["--timeout", "300s"]), refusal(scope, name, asker))
                        program.leak(1)
                        say(f"case ok: scope {scope}, {name}, asked by {asker}")
                    except Failed as failed:
                        wrong += 1
                        say(f"case FAILED: scope {scope}, {name}, asked by {asker}: {failed}")
                program.tell("quit")
    say(f"rights: {count - wrong} of {count} as they should be")


# ---- the machine ----

def kernel_image(build):
    """Kept in the build: a package, unpacked."""
    folder = build / "yama-kernel"
    if not list(folder.glob("boot/vmlinuz-*")):
        folder.mkdir(exist_ok=True)
        said = subprocess.run(["apt-cache", "depends", KERNEL], capture_output=True, text=True, check=False).stdout
        name = next((line.split()[1] for line in said.splitlines() if "Depends: linux-image-" in line), None)
        if name is None or subprocess.run(["apt-get", "download", "-q", name], cwd=folder, capture_output=True, check=False).returncode != 0:
            kit.skip(f"{KERNEL} cannot be fetched")
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
            package.unlink()
        shutil.rmtree(folder / "lib", ignore_errors=True)  # modules: none is needed
    return next(folder.glob("boot/vmlinuz-*"))


def libraries(*programs):
    found = set()
    for program in programs:
        said = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
        found |= {word for line in said.splitlines() for word in line.split() if word.startswith("/")}
    return found


def fill(root, tool, build):
    for name in ("bin", "proc", "dev", "tmp", "tests/programs", "hsdiff", "usr/bin", "usr/lib"):
        (root / name).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin/busybox")
    for name in TESTS:
        shutil.copy(kit.HERE / name, root / "tests" / name)
    shutil.copy(tool.path, root / "hsdiff/hsdiff")
    shutil.copy(build / "tests/agents/programs/native_load", root / "hsdiff/native_load")
    shutil.copytree(tool.agents, root / "hsdiff/agents", ignore=shutil.ignore_patterns("ruby", "lua*", "wasm", "*.wasm"))
    python = pathlib.Path("/usr/bin/python3").resolve()
    used = [python, *(pathlib.Path(shutil.which(name)) for name in ("setpriv", "env"))]
    for path in used:
        shutil.copy(path, root / "usr/bin" / path.name)
    (root / "usr/bin/python3").symlink_to(python.name)
    modules = pathlib.Path("/usr/lib") / python.name
    shutil.copytree(modules, root / "usr/lib" / python.name, symlinks=False, ignore_dangling_symlinks=True,
                    ignore=shutil.ignore_patterns("test", "dist-packages", "config-*", "idlelib", "lib2to3", "pydoc_data", "tkinter", "ensurepip", "distutils"))
    extensions = list((root / "usr/lib" / python.name).glob("lib-dynload/*.so"))
    for path in libraries(tool.path, *used, *extensions, pathlib.Path(tool.agents) / "libhsdiff-native.so"):
        to = root / path.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)


def archive(root, path):
    """Of the kind that the kernel unpacks (cpio, newc); all is root's."""
    with open(path, "wb") as out:
        def put(name, mode, data=b""):
            word = name.encode() + b"\0"
            numbers = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(word), 0)
            out.write(b"070701" + "".join(f"{number:08x}" for number in numbers).encode() + word + bytes(-(110 + len(word)) % 4))
            out.write(data + bytes(-len(data) % 4))

        for place, folders, names in os.walk(root):
            for name in [*folders, *names]:
                one = pathlib.Path(place, name)
                mode = one.lstat().st_mode
                data = os.readlink(one).encode() if stat.S_ISLNK(mode) else one.read_bytes() if stat.S_ISREG(mode) else b""
                put(str(one.relative_to(root)), mode, data)
        put("TRAILER!!!", 0)


def scopes(tool, folder):
    if not LONG:
        kit.skip("runs with HSD_LONG=1 alone")
    need("qemu-system-x86_64", "busybox", "dpkg-deb", "apt-get", "setpriv")
    if os.uname().machine != "x86_64":
        kit.skip("the kernel is one of x86-64")
    build = pathlib.Path(tool.agents).parent
    image = kernel_image(build)
    fill(folder / "root", tool, build)
    archive(folder / "root", folder / "initrd")
    done = subprocess.run(["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "1024", "-nographic", "-no-reboot", "-net", "none", "-kernel", image, "-initrd",
                           folder / "initrd", "-append", "console=ttyS0 quiet panic=-1 tsc=unstable"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=BOOT_SECONDS, check=False)
    lines = [line.strip() for line in done.stdout.splitlines()]
    kept = [line for line in lines if line.startswith(("case ", "rights: "))]
    say("\n".join(kept))
    check(kept and kept[-1] == f"rights: {4 * len(SCOPES)} of {4 * len(SCOPES)} as they should be", "\n".join(lines[-40:]))


if __name__ == "__main__":
    if sys.argv[1:] == ["guest"]:
        guest()
    else:
        kit.main({"scopes": scopes})

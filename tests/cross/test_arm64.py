#!/usr/bin/env python3
"""64-bit Arm by a cross compiler, on a fresh Debian 12, and run by qemu-user: scripts/package --arch arm64 installs what it needs and makes the packages; the command
answers; the native agent captures a program whose heap is known; the engine's unit tests pass.

usage: test_arm64.py PROJECT SCRATCH [ROOT]     root is needed; SCRATCH keeps the fresh system; ROOT: where a run was stopped, to go on there
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "install"))
from systems import Failed, Root, check, fresh, run  # noqa: E402

SKIPPED = 77
AGENTS = "/x/usr/lib/aarch64-linux-gnu/hsdiff"
LAYERS = "base|format|sort|graph|match"
# One starts what was built by itself, past the emulator; one measures resident memory, most of which is the emulator's.
NOT_HERE = "format/forms|sort/resident"
UNIT_TESTS = f"""cmake -S /src -B /tests -G Ninja --toolchain /src/cmake/aarch64-linux-gnu.cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo
cmake --build /tests --target $(ninja -C /tests -t targets all | grep -oE '^test_({LAYERS})_[a-z0-9_]*' | sort -u)
ctest --test-dir /tests -R '^({LAYERS})/' -E '^({NOT_HERE})$' --output-on-failure"""


def builds(root):
    root.run("sh", "-c", "cd /src && scripts/package --arch arm64 /out")
    names = [path.name for path in (root.folder / "out").glob("*_arm64.deb")]
    check(len(names) == 5, f"packages: {names}")
    for name in names:
        root.run("dpkg-deb", "-x", f"/out/{name}", "/x")
    for path in (root.folder / "x").rglob("*"):
        if path.is_file() and not path.is_symlink() and path.suffix != ".o":
            head = path.read_bytes()[:20]
            check(head[:4] != b"\x7fELF" or head[18] == 183, f"{path.name} is for another machine")
    needs = root.run("dpkg-deb", "-f", f"/out/{next(name for name in names if name.startswith('hsdiff_'))}", "Depends")
    check("libc6" in needs and "libmicrohttpd12" in needs, f"Depends: {needs}")


def answers(root, run_arm):
    check("hsdiff" in run_arm("/x/usr/bin/hsdiff", "--version"), "no version")
    run_arm("/x/usr/bin/hsdiff", "demo", "-o", "/work")
    check("WHAT KEEPS IT ALIVE" in run_arm("/x/usr/bin/hsdiff", "/work/demo-before.hs", "/work/demo-after.hs"), "no answer")
    (tarball,) = (root.folder / "out").glob("*-linux-aarch64.tar.xz")
    run("tar", "-C", root.folder / "work", "-xf", tarball)
    at = f"/work/{tarball.name.removesuffix('.tar.xz')}/libexec"
    check("hsdiff" in run_arm(f"{at}/ld-linux-aarch64.so.1", "--library-path", at, f"{at}/hsdiff", "--version"), "the tarball does not start")


def captures(root, run_arm):
    root.run("aarch64-linux-gnu-gcc", "-O1", "-g", "-I/src/capture/include", "/src/tests/cross/holds.c", "-o", "/work/holds", f"{AGENTS}/libhsdiff-native.so",
             f"-Wl,-rpath,{AGENTS}", "-lpthread")
    run_arm("/work/holds", "/work/raw.hs")
    run_arm("/x/usr/bin/hsdiff", "symbolize", "/work/raw.hs", "--symbols", "/work", "-o", "/work/holds.hs")
    text = run_arm("/x/usr/bin/hsdiff", "sql", "/work/holds.hs", "select function from v_sites order by site")
    chain = re.findall(r"^(main|serve_requests|keep_session|make_session) ", text, re.M)[:4]
    check(chain == ["main", "serve_requests", "keep_session", "make_session"], f"the stack of a session: {chain}\n{text}")
    text = run_arm("/x/usr/bin/hsdiff", "top", "-q", "/work/holds.hs")
    check(re.search(r"^<=\d+ B at make_session .* 500 ", text, re.M), f"500 sessions:\n{text}")
    check(re.search(r"^sessions .* 500 ", text, re.M), f"the variable that holds them:\n{text}")
    check(re.search(r"^stack of \S+: hold_one .* 1 ", text, re.M), f"what the thread's stack holds:\n{text}")


def main(project, scratch, kept=None):
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("skipped: root and debootstrap are needed")
        return SKIPPED
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hsdiff-arm64-") as name:
        with (Root(kept) if kept else Root(pathlib.Path(name) / "root", fresh(scratch, "bookworm"))) as root:
            if not (root.folder / "src").exists():
                run("git", "clone", "-q", project, root.folder / "src")
            run_arm = lambda *command: root.run("qemu-aarch64-static", *command)  # noqa: E731
            builds(root)
            print("ok      built", flush=True)
            answers(root, run_arm)
            print("ok      answers", flush=True)
            captures(root, run_arm)
            print("ok      captures", flush=True)
            text = root.run("sh", "-ec", UNIT_TESTS)
            done = re.search(r"100% tests passed, 0 tests failed out of (\d+)", text)
            check(done and int(done.group(1)) > 20, f"unit tests:\n{text[-2000:]}")
            print(f"ok      {done.group(1)} unit tests")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        sys.exit(main(*(pathlib.Path(word).resolve() for word in sys.argv[1:])))
    except Failed as failure:
        print(failure)
        sys.exit(1)

#!/usr/bin/env python3
"""scripts/package as those meet it who install: two builds in two folders are equal; lintian finds no error; on a fresh Debian 12 without a compiler
the packages install, answer, and purge to nothing; the tarball answers there, on Debian 11, and in a root that has nothing but a shell.

usage: test_package.py PROJECT SCRATCH        root is needed (debootstrap, chroot); SCRATCH keeps the fresh systems for the next time
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

class Failed(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Failed(what)


def run(*command, expect=0, **more):
    done = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    check(done.returncode == expect, f"{' '.join(map(str, command))}: exit {done.returncode}, not {expect}\n{done.stdout[-4000:]}")
    return done.stdout


def sums(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def build_in(project, folder):
    """A clone elsewhere, built there: the same commit gives the same bytes."""
    run("git", "clone", "-q", project, folder)
    run("scripts/package", folder / "out", cwd=folder, env=dict(os.environ, HOME=str(folder)))
    return folder / "out"


def fresh(scratch, suite):
    """A minimal Debian, made once and copied for each use."""
    kept = scratch / f"{suite}.tar"
    if not kept.exists():
        root = scratch / suite
        run("debootstrap", "--variant=minbase", suite, root)
        run("tar", "-C", root, "-cf", kept, ".")
        shutil.rmtree(root)
    return kept


class Root:
    """A system of its own under a folder."""

    def __init__(self, folder, tar=None):
        self.folder = folder
        folder.mkdir()
        if tar:
            run("tar", "-C", folder, "-xf", tar)
        (folder / "proc").mkdir(exist_ok=True)
        run("mount", "-t", "proc", "proc", folder / "proc")

    def run(self, *command, expect=0):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
        return run("chroot", self.folder, *command, expect=expect, env=environment)

    def files(self):
        found = subprocess.run(["find", self.folder, "-xdev", "-name", "*hsdiff*"], capture_output=True, text=True, check=True).stdout
        return [line for line in found.splitlines() if "/var/lib/apt/lists" not in line and not line.startswith(f"{self.folder}/work")]

    def close(self):
        subprocess.run(["umount", self.folder / "proc"], check=False)


def asks(root, program, folder):
    """The demo's captures, and the same as heap dumps of V8, which are imported again."""
    (root.folder / folder).mkdir(parents=True)
    root.run(program, "demo", "-o", f"/{folder}")
    for name in ("before", "after"):
        root.run(program, "export", "--to", "heapsnapshot", f"/{folder}/demo-{name}.hs", "-o", f"/{folder}/{name}.heapsnapshot")
    text = root.run(program, f"/{folder}/before.heapsnapshot", f"/{folder}/after.heapsnapshot")
    check("Session" in text and "GROWTH" in text, f"no answer:\n{text}")


def packages_install_answer_and_go(out, root):
    shutil.copytree(out, root.folder / "work/packages", dirs_exist_ok=True)
    names = [path.name for path in sorted(out.glob("*.deb")) if not re.match(r"hsdiff-dbgsym|libhsdiff-dev", path.name)]
    root.run("apt-get", "update", "-qq")
    root.run("apt-get", "install", "-y", "-qq", *(f"/work/packages/{name}" for name in names))
    check(not (root.folder / "usr/bin/cc").exists(), "a compiler came along")
    asks(root, "hsdiff", "work/answer")
    check("capture" in root.run("hsdiff", "--help"), "no help")
    root.run("apt-get", "install", "-y", "-qq", "--reinstall", *(f"/work/packages/{name}" for name in names))
    root.run("apt-get", "purge", "-y", "-qq", *(name.split("_")[0] for name in names))
    check(root.files() == [], f"purge left {root.files()}")


def tarball_answers(out, root):
    (tarball,) = out.glob("*.tar.xz")
    (root.folder / "work").mkdir()
    run("tar", "-C", root.folder / "work", "-xf", tarball)
    folder = "/work/" + tarball.name.removesuffix(".tar.xz")
    asks(root, f"{folder}/bin/hsdiff", "work/answer")
    (root.folder / "work/link").symlink_to(f"{folder}/bin/hsdiff")
    asks(root, "/work/link", "work/linked")


def nothing_but_a_shell(folder):
    root = Root(folder)
    (folder / "bin").mkdir()
    (folder / "tmp").mkdir()
    shutil.copy(shutil.which("busybox"), folder / "bin/busybox")
    for name in ("sh", "readlink", "dirname"):
        (folder / "bin" / name).symlink_to("busybox")
    return root


def in_root(make, try_it, *arguments):
    root = make()
    try:
        try_it(*arguments, root)
    finally:
        root.close()


def main(project, scratch):
    if os.geteuid() != 0 or not shutil.which("debootstrap") or not shutil.which("busybox"):
        print("skipped: root, debootstrap and busybox are needed")
        return SKIPPED
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hsdiff-package-") as name:
        folder = pathlib.Path(name)
        one = build_in(project, folder / "one")
        two = build_in(folder / "one", folder / "another-name")  # of the same commit, whatever the project has by now
        check(sums(one) == sums(two), f"two builds differ:\n{sums(one)}\n{sums(two)}")
        print(f"{len(sums(one))} files are equal in two builds")
        errors = [line for line in subprocess.run(["lintian", *one.glob("*.deb")], capture_output=True, text=True, check=False).stdout.splitlines()
                  if line.startswith("E:")]
        check(errors == [], "lintian:\n" + "\n".join(errors))
        bookworm, bullseye = fresh(scratch, "bookworm"), fresh(scratch, "bullseye")
        in_root(lambda: Root(folder / "bookworm", bookworm), packages_install_answer_and_go, one)
        in_root(lambda: Root(folder / "bookworm2", bookworm), tarball_answers, one)
        in_root(lambda: Root(folder / "bullseye", bullseye), tarball_answers, one)
        in_root(lambda: nothing_but_a_shell(folder / "bare"), tarball_answers, one)
        print("packages on Debian 12, tarball on Debian 12, 11 and a bare root: all answer")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
    except Failed as failure:
        print(failure)
        sys.exit(1)

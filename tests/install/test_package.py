#!/usr/bin/env python3
"""scripts/package as those meet it who install. Two builds in two folders, by two users at two dates, are equal, with gcc and with clang; lintian finds no
error; on a fresh Debian 12 without a compiler the packages install, upgrade, answer, and purge to nothing; the tarball answers and captures there and on
Debian 11, and answers in a root whose C library is musl and in one that has nothing but a shell; wheel and npm package install, answer,
capture, and go; the image holds what it says and runs from nothing.

usage: test_package.py PROJECT SCRATCH [OUT [STEP]]  root is needed (debootstrap, chroot); SCRATCH keeps the fresh systems for the next time; OUT is
                                                     what scripts/package made: then nothing is built and compared; STEP: those with this in their names
       test_package.py PROJECT SCRATCH gcc|clang     the two builds by one compiler alone; those by gcc stay in SCRATCH for `made`
       test_package.py PROJECT SCRATCH made          the steps, with what gcc built from this commit
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import environments
import image
import recipes
from systems import Failed, Root, agents_ask_for_old_names, check, fresh, nothing_but_a_shell, run, with_musl

SKIPPED = 77
NOBODY, LATER = 65534, "+400d"

# Lives until it is told, and says when its heap is as it should be.
PERL = 'our %kept; $kept{$_} = "x" x 1000 for 1 .. 2000; open F, ">", "/work/ready"; close F; sleep 1 until -e "/work/done";'
CAPTURE = """LD_PRELOAD=$1/lib/hsdiff/libhsdiff-native.so perl -e '%s' &
until [ -e /work/ready ] || ! kill -0 $!; do sleep 0.1; done
$1/bin/hsdiff capture $! -o /work/perl.hs; status=$?
touch /work/done
wait
exit $status
""" % PERL
# The same of a program whose C library no agent knows: refused, with the reason.
MUSL = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 1000; i++)
        if (malloc(100) == NULL) return 1;
    puts("ready");
    fflush(stdout);
    while (access("/work/done", F_OK) != 0) sleep(1);
    return 0;
}
"""


def sums(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def clone(project, folder):
    run("git", "clone", "-q", project, folder)
    return folder


def build(folder, **variables):
    run("scripts/package", folder / "out", cwd=folder, env=dict(os.environ, HOME=str(folder), **variables))
    return folder / "out"


def build_as_another(folder, **variables):
    """By a user without rights, who shares nothing, at a later date; times of files are faked along with the clock."""
    run("chown", "-R", f"{NOBODY}:{NOBODY}", folder)
    run("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "faketime", "-f", LATER, "bash", "-c", "umask 077; exec scripts/package out",
        cwd=folder, env=dict(os.environ, HOME=str(folder), TZ="Asia/Tokyo", LANG="de_DE.UTF-8", **variables))
    return folder / "out"


def two_builds(project, folder, **variables):
    one = build(clone(project, folder / "one"), **variables)
    two = build_as_another(clone(folder / "one", folder / "of-another-name" / "two"), **variables)  # of the same commit, whatever the project has by now
    first, second = sums(one), sums(two)
    differ = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    check(not differ, f"two builds differ in {differ}")
    print(f"{len(first)} files are equal in two builds {variables or ''}")
    shutil.rmtree(folder / "of-another-name")
    return one


# ---- packages ----

def lintian_finds_no_error(out):
    said = subprocess.run(["lintian", *out.glob("*.deb")], capture_output=True, text=True, check=False).stdout
    errors = [line for line in said.splitlines() if line.startswith("E:")]
    check(errors == [], "lintian:\n" + "\n".join(errors))


def older(package, folder):
    """The same package by a lower version."""
    root = folder / "unpacked"
    run("dpkg-deb", "-R", package, root)
    control = root / "DEBIAN/control"
    version = re.search(r"^Version: (\S+)$", control.read_text(), re.M).group(1)
    control.write_text(control.read_text().replace(version, "0.0.9-1"))
    run("dpkg-deb", "--root-owner-group", "-Znone", "-b", root, folder / package.name.replace(version, "0.0.9-1"))
    shutil.rmtree(root)


def asks(root, program, folder):
    """The demo's captures, and the same as heap dumps of V8, which are imported again."""
    (root.folder / folder).mkdir(parents=True)
    check("hsdiff" in root.run(program, "--version"), "no version")
    root.run(program, "demo", "-o", f"/{folder}")
    for name in ("before", "after"):
        root.run(program, "export", "--to", "heapsnapshot", f"/{folder}/demo-{name}.hs", "-o", f"/{folder}/{name}.heapsnapshot")
    text = root.run(program, f"/{folder}/before.heapsnapshot", f"/{folder}/after.heapsnapshot")
    check("Session" in text and "GROWTH" in text, f"no answer:\n{text}")


def packages_install_answer_and_go(out, root):
    places = {"new": root.folder / "work/new", "old": root.folder / "work/old"}
    for place in places.values():
        place.mkdir()
    packages = sorted(out.glob("*.deb"))
    names = [package.name.split("_")[0] for package in packages]
    for package in packages:
        shutil.copy(package, places["new"])
        older(package, places["old"])
    root.run("apt-get", "update", "-qq")
    files, known = root.files(), root.packages()
    for which, version in (("old", "0.0.9-1"), ("new", packages[0].name.split("_")[1])):
        root.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *(f"/work/{which}/{path.name}" for path in sorted(places[which].iterdir())))
        check(root.run("dpkg-query", "-W", "-f", "${Version}\n", *names).split() == [version] * len(names), f"not {version} after installing it")
    check(not (root.folder / "usr/bin/cc").exists(), "a compiler came along")
    asks(root, "hsdiff", "work/answer")
    for page in ("man1/hsdiff.1.gz", "man1/hsdiff-capture.1.gz", "man7/hsdiff-formats.7.gz"):
        check((root.folder / "usr/share/man" / page).exists(), f"no {page}")
    root.run("apt-get", "purge", "-y", "-qq", *names)
    root.run("apt-get", "autoremove", "--purge", "-y", "-qq", "-o", "APT::AutoRemove::RecommendsImportant=false", "-o", "APT::AutoRemove::SuggestsImportant=false")
    check(root.packages() == known, "purge left packages")
    check(root.files() == files, f"purge left {sorted(root.files() ^ files)}")


# ---- tarball ----

def unpack(out, root):
    (tarball,) = out.glob("*-linux-x86_64.tar.xz")
    run("tar", "-C", root.folder / "work", "-xf", tarball)
    return "/work/" + tarball.name.removesuffix(".tar.xz")


def tarball_answers(out, root):
    folder = unpack(out, root)
    asks(root, f"{folder}/bin/hsdiff", "work/answer")
    (root.folder / "work/link").symlink_to(f"{folder}/bin/hsdiff")
    asks(root, "/work/link", "work/linked")
    return folder


def tarball_captures(out, root):
    """A program of that system, with that system's C library; what it holds is found, and by what."""
    folder = tarball_answers(out, root)
    root.run("sh", "-c", CAPTURE, "sh", folder)
    text = root.run(f"{folder}/bin/hsdiff", "sql", "/work/perl.hs", "select count(*) from objects where bytes between 1000 and 1100")
    count = int(re.findall(r"\d+", text)[-1])
    check(2000 <= count <= 2100, f"{count} strings of 2000:\n{text}")


def agents_are_for_old_systems(out, root):
    agents_ask_for_old_names(root.folder / unpack(out, root).lstrip("/") / "lib/hsdiff", 8)


def musl_is_refused_with_the_reason(out, root):
    folder = tarball_answers(out, root)
    text = root.run("sh", "-c", f"{folder}/bin/hsdiff capture --timeout 5s -o /work/musl.hs --after 0s --count 1 -- /bin/program 2>&1; touch /work/done", "sh")
    check("runs on the C library musl" in text, f"the refusal does not name the C library:\n{text}")


def steps(out, folder, scratch, word=""):
    lintian_finds_no_error(out)
    bookworm, bullseye = fresh(scratch, "bookworm"), fresh(scratch, "bullseye")
    for name, make, try_it in (
            ("packages on Debian 12", lambda at: Root(at, bookworm), packages_install_answer_and_go),
            ("tarball on Debian 12", lambda at: Root(at, bookworm), tarball_captures),
            ("tarball on Debian 11", lambda at: Root(at, bullseye), tarball_captures),
            ("agents", Root, agents_are_for_old_systems),
            ("tarball with musl", lambda at: with_musl(at, MUSL), musl_is_refused_with_the_reason),
            ("tarball with a shell alone", nothing_but_a_shell, tarball_answers),
            ("wheel in Python of Debian 12", lambda at: Root(at, bookworm), lambda out, root: environments.wheel_installs_and_goes(out, root, asks)),
            ("npm package", environments.Here, lambda out, here: environments.npm_package_installs_and_goes(out, here, asks)),
            ("image", Root, image.runs_from_nothing)):
        if word not in name:
            continue
        at = folder / name.replace(" ", "-")
        with make(at) as root:
            try_it(out, root)
        shutil.rmtree(at)
        print(f"ok      {name}", flush=True)
    recipes.are_read(out)
    recipes.lists_are_true(out)
    print("ok      recipes and lists")


def commit_of(project):
    return run("git", "-C", project, "rev-parse", "HEAD").strip()


def build_twice(project, scratch, compiler, folder):
    """By one compiler; gcc's stay for the steps."""
    out = two_builds(project, folder, **({"CC": compiler} if compiler != "gcc" else {}))
    print(f"ok      two builds by {compiler}")
    kept = scratch / "made"
    if compiler == "gcc":
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(out, kept / commit_of(folder / "one"))


def main(project, scratch, out=None, word=""):
    missing = [name for name in ("debootstrap", "busybox", "musl-gcc", "faketime", "lintian", "clang") if not shutil.which(name)]
    if os.geteuid() != 0 or missing:
        print(f"skipped: root is needed, and {', '.join(missing)}")
        return SKIPPED
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hsdiff-package-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        if str(out) in ("gcc", "clang"):
            build_twice(project, scratch, str(out), folder)
            return 0
        if str(out) == "made":
            out = scratch / "made" / commit_of(project)
            if not out.exists():
                print("skipped: gcc has not built this commit: install/package_gcc")
                return SKIPPED
        if out is None:
            for compiler in ("clang", ""):
                at = folder / (compiler or "gcc")
                at.mkdir()
                out = two_builds(project, at, **({"CC": compiler} if compiler else {}))
        steps(out, folder, scratch, word)
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4, 5):
        sys.exit(__doc__)
    try:
        part = sys.argv[3:4]
        if part and part[0] not in ("gcc", "clang", "made"):
            part = [pathlib.Path(part[0]).resolve()]
        sys.exit(main(*(pathlib.Path(word).resolve() for word in sys.argv[1:3]), *part, *sys.argv[4:]))
    except Failed as failure:
        print(failure)
        sys.exit(1)

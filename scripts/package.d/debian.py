#!/usr/bin/env python3
"""Makes Debian packages of an installation: debug information apart, each file in one package (packages.table), fields of control.table, libraries
as dpkg-shlibdeps finds them.

usage: debian.py STAGE OUT        SOURCE_DATE_EPOCH is the time of all files
"""
import email.utils
import fnmatch
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import opened
from machine import ARCHITECTURE, MULTIARCH, PROJECT, output, tool
from machine import version as version_of_hsdiff

HERE = pathlib.Path(__file__).resolve().parent
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
# Who makes a release says who they are in the variables that Debian's own tools read.
MAINTAINER = f"{os.environ.get('DEBFULLNAME', 'hsdiff developers')} <{os.environ.get('DEBEMAIL', 'hsdiff@hsdiff.invalid')}>"


LIBRARY_FOLDER = f"usr/lib/{MULTIARCH}"


def version():
    return version_of_hsdiff() + "-1"


def is_elf(path):
    return path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"


def notes_of(path):
    """readelf says of a note that it does not know (.note.dlopen) that it does not, and ends with 1: the others are told all the same."""
    return subprocess.run([tool("readelf"), "-n", str(path)], check=False, capture_output=True, text=True).stdout


def take_debug_information_out(stage):
    """Under usr/lib/debug by build id, where debuggers look."""
    for path in sorted(stage.rglob("*")):
        if not is_elf(path) or path.suffix in (".o", ".a"):
            continue
        build_id = re.search(r"Build ID: ([0-9a-f]+)", notes_of(path))
        if build_id:
            debug = stage / "usr/lib/debug/.build-id" / build_id.group(1)[:2] / (build_id.group(1)[2:] + ".debug")
            debug.parent.mkdir(parents=True, exist_ok=True)
            output(tool("objcopy"), "--only-keep-debug", "--compress-debug-sections", path, debug)
            debug.chmod(0o644)
        output(tool("strip"), "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", path)
        if ".so" in path.name:
            path.chmod(0o644)
    for archive in stage.rglob("*.a"):
        output(tool("strip"), "--strip-debug", "--enable-deterministic-archives", archive)


def compress_pages(stage):
    for page in stage.glob("usr/share/man/*/*.[1-9]"):
        (page.parent / (page.name + ".gz")).write_bytes(gzip.compress(page.read_bytes(), 9, mtime=0))
        page.unlink()


def table():
    for line in (HERE / "packages.table").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, package = line.split()
            yield re.sub("^L/", LIBRARY_FOLDER + "/", pattern), package


def packages_of(stage):
    rows, found = list(table()), {}
    for path in sorted(stage.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        name = str(path.relative_to(stage))
        package = next((package for pattern, package in rows if fnmatch.fnmatchcase(name, pattern)), None)
        if package is None:
            sys.exit(f"debian.py: no package of packages.table takes {name}")
        found.setdefault(package, []).append(name)
    return found


def fields():
    found, package = {}, None
    for line in (HERE / "control.table").read_text().splitlines():
        if line.startswith("["):
            package = line.strip("[]")
            found[package] = []
        elif line and not line.startswith("#"):
            found[package].append(line)
    return found


def libraries_of(root, private):
    """What dpkg-shlibdeps asks for. Names that an agent leaves to the program it is loaded into are nobody's."""
    binaries = [path for path in sorted(root.rglob("*")) if is_elf(path) and path.suffix != ".o"]
    if not binaries:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "debian").mkdir()
        (pathlib.Path(folder) / "debian/control").write_text("Source: hsdiff\n\nPackage: hsdiff\nArchitecture: any\n")
        text = output("dpkg-shlibdeps", "-O", "--ignore-missing-info", f"-l{private}", *(f"-e{path}" for path in binaries), cwd=folder)
    wanted = text.strip().partition("=")[2].split(", ")
    for soname in sorted({soname for path in binaries for soname in opened.sonames(path)}):
        package = output("dpkg-query", "-S", f"*/{MULTIARCH}/{soname}").split(":")[0]
        wanted += [package] if not any(word.split()[0] == package for word in wanted) else []
    return ", ".join(word for word in wanted if not word.startswith("libhsdiff"))


def put(root, name, content):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def put_documents(root, package, release):
    documents = f"usr/share/doc/{package}"
    put(root, f"{documents}/copyright", (HERE / "copyright").read_text())
    date = email.utils.formatdate(EPOCH)
    change = f"hsdiff ({release}) unstable; urgency=medium\n\n  * What is new: /usr/share/doc/hsdiff/changelog.gz\n\n -- {MAINTAINER}  {date}\n"
    put(root, f"{documents}/changelog.Debian.gz", gzip.compress(change.encode(), 9, mtime=0))
    if package == "hsdiff":
        put(root, f"{documents}/changelog.gz", gzip.compress((PROJECT / "CHANGELOG.md").read_bytes(), 9, mtime=0))


def put_control(root, package, release, written):
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    lines = [f"Package: {package}", "Source: hsdiff", f"Version: {release}", f"Architecture: {ARCHITECTURE}", f"Maintainer: {MAINTAINER}",
             f"Installed-Size: {(size + 1023) // 1024}", *([] if any(line.startswith("Priority") for line in written) else ["Priority: optional"]), *written]
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}" for path in sorted(root.rglob("*"))
            if path.is_file() and not path.is_symlink()]
    put(root, "DEBIAN/md5sums", "\n".join(sums) + "\n")
    put(root, "DEBIAN/control", "\n".join(line for line in lines if not line.endswith(": ")) + "\n")
    if package == "libhsdiff0":
        put(root, "DEBIAN/triggers", "activate-noawait ldconfig\n")
        names = [re.fullmatch(r"(lib\w+)\.so\.([0-9.]+)", path.name) for path in sorted(root.rglob("lib*.so.*")) if path.is_symlink()]
        put(root, "DEBIAN/shlibs", "".join(f"{name.group(1)} {name.group(2)} libhsdiff0 (>= {release.split('-')[0]})\n" for name in names))


def age(root):
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)


def make(package, names, stage, folder, release):
    root = folder / package
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(stage / name, root / name, follow_symlinks=False)
    libraries = "" if package.endswith("dbgsym") else libraries_of(root, stage / LIBRARY_FOLDER)
    written = [line.format(libraries=libraries, version=release) for line in fields()[package]]
    put_documents(root, package, release)
    put_control(root, package, release, written)
    age(root)
    return root


def main(stage, out):
    release = version()
    take_debug_information_out(stage)
    compress_pages(stage)
    found = packages_of(stage)
    if missing := sorted(set(fields()) - set(found)):
        sys.exit(f"debian.py: nothing was built for {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="hsdiff-deb-") as folder:
        for package in sorted(found):
            root = make(package, found[package], stage, pathlib.Path(folder), release)
            target = out / f"{package}_{release}_{ARCHITECTURE}.deb"
            output("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, target)
            print(f"{target.name}: {len(found[package])} files, {target.stat().st_size / 1024:,.0f} KiB")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))

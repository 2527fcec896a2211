"""Systems of their own under a folder, to install and run in: fresh Debians, one whose C library is musl, one that has nothing but a shell."""
import os
import pathlib
import re
import shutil
import subprocess


class Failed(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Failed(what)


def run(*command, expect=0, **more):
    done = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=1800,
                          **more)
    check(done.returncode == expect, f"{' '.join(map(str, command))}: exit {done.returncode}, not {expect}\n{done.stdout[-4000:]}")
    return done.stdout


OLDEST = (2, 28)  # glibc that agents are promised to be loaded by


def agents_ask_for_old_names(folder, least):
    """By the versions of names that they ask for; and nothing is looked for beside them. At `least` so many are there."""
    agents = [path for path in sorted(folder.rglob("*")) if path.suffix in (".so", ".node")]
    check(len(agents) >= least, f"{len(agents)} agents in {folder}")
    for path in agents:
        text = run("objdump", "-p", path)
        newest = max(tuple(map(int, version)) for version in re.findall(r"GLIBC_(\d+)\.(\d+)", text))
        check(newest <= OLDEST, f"{path.name} needs glibc {newest}: which names, says objdump -T; capture/agent/old_names.cmake has those that became newer")
        check("RPATH" not in text and "RUNPATH" not in text, f"{path.name} looks for libraries of its own")


def fresh(scratch, suite):
    """A minimal Debian, made once and copied for each use."""
    kept = scratch / f"{suite}.tar"
    if not kept.exists():
        root = scratch / suite
        shutil.rmtree(root, ignore_errors=True)
        run("debootstrap", "--variant=minbase", suite, root)
        run("tar", "-C", root, "-cf", f"{kept}.part", ".")
        pathlib.Path(f"{kept}.part").rename(kept)
        shutil.rmtree(root)
    return kept


class Root:
    def __init__(self, folder, tar=None):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        if tar:
            run("tar", "-C", folder, "-xf", tar)
        for name in ("proc", "work"):
            (folder / name).mkdir(exist_ok=True)
        run("mount", "-t", "proc", "proc", folder / "proc")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.folder / "proc"], check=False)

    def run(self, *command, expect=0, **variables):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive", **variables}
        return run("chroot", self.folder, *command, expect=expect, env=environment)

    def files(self):
        """What is there, but for what apt and dpkg keep of any package: lists, caches and logs."""
        kept = ("proc", "work", "tmp", "var/cache/apt", "var/lib/apt", "var/log", "var/lib/dpkg", "var/cache/ldconfig", "etc/ld.so.cache")
        found = set()
        for path, folders, names in os.walk(self.folder):
            here = os.path.relpath(path, self.folder)
            folders[:] = [name for name in folders if os.path.normpath(f"{here}/{name}") not in kept]
            found |= {os.path.normpath(f"{here}/{name}") for name in [*folders, *names] if os.path.normpath(f"{here}/{name}") not in kept}
        return found

    def packages(self):
        return self.run("dpkg-query", "-W", "-f", "${Package} ${Version} ${Status}\\n")


def nothing_but_a_shell(folder):
    root = Root(folder)
    (folder / "bin").mkdir()
    (folder / "tmp").mkdir()
    shutil.copy(shutil.which("busybox"), folder / "bin/busybox")
    for name in ("sh", "readlink", "dirname"):
        (folder / "bin" / name).symlink_to("busybox")
    return root


def with_musl(folder, program):
    """Busybox, musl, and a program of C (text) that is linked with it; its loader is the whole C library."""
    root = nothing_but_a_shell(folder)
    for name in ("cat", "ls", "sleep", "touch"):
        (folder / "bin" / name).symlink_to("busybox")
    (folder / "lib").mkdir()
    (loader,) = pathlib.Path("/lib").glob("ld-musl-*.so.1")
    shutil.copy(loader.resolve(), folder / "lib" / loader.name)
    (folder / "work/program.c").write_text(program)
    run("musl-gcc", "-O1", "-o", folder / "bin/program", folder / "work/program.c")
    return root

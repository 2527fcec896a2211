#!/usr/bin/env python3
"""Captures on a machine whose words have their greatest byte first (s390x), and on one of 32 bits (i386): the reader and the writer are built by
Debian's cross compilers and run by qemu-user. Both machines print of every reference capture what this one prints, and of what is left of it
when one of its blocks was destroyed, and salvage the same bytes. What s390x writes are the bytes that this machine writes; what i386 writes, whose memory is
planned in other sizes, says the same in other blocks.

usage: test_machines.py PROJECT SCRATCH CAPTURE_TOOL WRITE_SAMPLES

Compilers come by scripts/lib.sh (group machines of scripts/packages), libraries for these machines by an apt of our own into SCRATCH, which keeps them and the
builds. Without a network, or a right to install: skipped. A block of each capture, HSD_LONG=1: all.
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
LONG = os.environ.get("HSD_LONG", "0") not in ("", "0")
# machine: name of the compiler, folder of its libraries, of Debian's for it, and whether it writes the same bytes
MACHINES = {"s390x": ("s390x-linux-gnu", "s390x-linux-gnu", True), "i386": ("i686-linux-gnu", "i386-linux-gnu", False)}
LIBRARIES = ("libzstd-dev", "libzstd1", "libxxhash-dev", "libxxhash0", "zlib1g-dev", "zlib1g", "libsodium-dev", "libsodium23")
HEADER_BYTES, BLOCK_HEADER_BYTES = 64, 56


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, stdin=subprocess.DEVNULL, check=False, **more)


def skip(why, done=None):
    print(f"skipped: {why}" + (f": {(done.stdout + done.stderr).decode(errors='replace')[-600:]}" if done else ""))
    sys.exit(SKIPPED)


def must(what, done):
    if done.returncode != 0:
        print(f"{what}: exit status {done.returncode}\n{(done.stdout + done.stderr).decode(errors='replace')[-6000:]}")
        sys.exit(1)
    return done.stdout


class Machine:
    def __init__(self, name, project, scratch):
        self.name, self.project, self.folder = name, project, scratch / name
        self.compiler, self.libraries, self.writes_same = MACHINES[name]
        self.root = self.folder / "root"
        if not (self.root / "usr").exists():
            self.fetch()
        self.build()

    def fetch(self):
        """Libraries of that machine, without a word to the system's own packages."""
        apt = self.folder / "apt"
        for folder in ("state/lists/partial", "cache/archives/partial", "debs"):
            (apt / folder).mkdir(parents=True, exist_ok=True)
        (apt / "status").touch()
        options = [f"Dir::State={apt}/state", f"Dir::Cache={apt}/cache", f"Dir::State::status={apt}/status", f"APT::Architecture={self.name}",
                   f"APT::Architectures::={self.name}", "Debug::NoLocking=1", "APT::Sandbox::User=root", "Acquire::Languages=none"]
        options = [word for option in options for word in ("-o", option)]
        run("apt-get", *options, "update", "-qq")  # a repository of others may have nothing for that machine: what counts is whether there is what is wanted
        got = run("apt-get", *options, "download", "-qq", *LIBRARIES, cwd=apt / "debs")
        if got.returncode != 0:
            shutil.rmtree(apt)
            skip(f"no libraries for {self.name}", got)
        unpacked = self.folder / "unpacked"
        for deb in (apt / "debs").glob("*.deb"):
            must(f"unpacking {deb.name}", run("dpkg-deb", "-x", deb, unpacked))
        unpacked.rename(self.root)
        shutil.rmtree(apt)

    def build(self):
        toolchain = self.folder / "toolchain.cmake"
        toolchain.write_text(f"""set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {self.name})
set(CMAKE_C_COMPILER {self.compiler}-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE {self.compiler})
set(CMAKE_CROSSCOMPILING_EMULATOR {" ".join(self.emulator())})
set(CMAKE_FIND_ROOT_PATH {self.root})
set(ENV{{PKG_CONFIG_LIBDIR}} "{self.root}/usr/lib/{self.libraries}/pkgconfig")
set(ENV{{PKG_CONFIG_SYSROOT_DIR}} "{self.root}")
""", encoding="utf-8")
        must(f"configuring for {self.name}", run("cmake", "-S", self.project, "-B", self.folder / "build", "-G", "Ninja", "--toolchain", toolchain,
                                                 "-DCMAKE_BUILD_TYPE=RelWithDebInfo"))
        must(f"building for {self.name}", run("cmake", "--build", self.folder / "build", "--target", "capture_tool", "hsd_write_samples"))

    def emulator(self):
        return [f"qemu-{self.name}-static", "-L", f"/usr/{self.compiler}", "-E", f"LD_LIBRARY_PATH={self.root}/usr/lib/{self.libraries}"]

    def tool(self, *arguments):
        return run(*self.emulator(), self.folder / "build/tests/integrity/capture_tool", *arguments)

    def write_samples(self, folder):
        must(f"samples of {self.name}", run(*self.emulator(), self.folder / "build/tests/support/hsd_write_samples", folder))


def blocks_of(capture):
    """(offset, bytes) of each block."""
    at = HEADER_BYTES
    while capture[at:at + 4] == b"HSBK":
        size = BLOCK_HEADER_BYTES + struct.unpack_from("<I", capture, at + 36)[0]
        yield at, size
        at += size


def content_of(text):
    """The text form without the count of blocks, and what the file knows of itself."""
    return [line for line in text.splitlines() if not line.startswith((b"end 10 ", b"read "))]


class Comparison:
    def __init__(self, tool, machine, folder):
        self.tool, self.machine, self.folder, self.count, self.faults = tool, machine, folder, 0, []

    def tell(self, what):
        self.faults.append(f"{self.machine.name}: {what}")

    def reads(self, path, what):
        here, there = run(self.tool, "dump", path), self.machine.tool("dump", path)
        self.count += 1
        if (here.returncode, here.stdout, here.stderr) != (there.returncode, there.stdout, there.stderr):
            self.tell(f"{what} is read otherwise: {there.stderr.decode(errors='replace')[-300:]}")

    def salvages(self, path, what):
        here, there = self.folder / "here.hs", self.folder / "there.hs"
        for made in (here, there):
            made.unlink(missing_ok=True)
        one, other = run(self.tool, "salvage", path, here), self.machine.tool("salvage", path, there)
        if one.returncode != other.returncode:
            return self.tell(f"{what} is salvaged with {other.returncode}, not {one.returncode}")
        if one.returncode != 0:
            return None
        if here.read_bytes() != there.read_bytes():
            self.tell(f"{what} is salvaged otherwise")
        return self.reads(here, f"what is salvaged of {what}")

    def reads_damaged(self, path):
        capture = path.read_bytes()
        blocks = list(blocks_of(capture))
        for at, size in blocks if LONG else blocks[len(blocks) // 2:len(blocks) // 2 + 1]:
            damaged = self.folder / "damaged.hs"
            damaged.write_bytes(capture[:at] + b"\xa5" * size + capture[at + size:])
            self.salvages(damaged, f"{path.name} without the block at {at}")

    def writes(self, ours, theirs):
        self.count += 1
        if self.machine.writes_same:
            if ours.read_bytes() != theirs.read_bytes():
                self.tell(f"{ours.name} is written otherwise")
            return
        one, other = run(self.tool, "dump", ours), run(self.tool, "dump", theirs)
        if one.returncode != other.returncode or content_of(one.stdout) != content_of(other.stdout):
            self.tell(f"{ours.name} is written with another content")


def main():
    project, scratch, tool, writer = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
    if shutil.which("apt-get") is None:
        skip("apt-get not found")
    needed = run("bash", "-c", f". {project}/scripts/lib.sh; need machines")
    if needed.returncode != 0:
        skip("no cross compilers", needed)
    faults = []
    with tempfile.TemporaryDirectory(prefix="hsd-machines-") as name:
        folder = pathlib.Path(name)
        samples = folder / "samples"
        samples.mkdir()
        must("samples", run(writer, samples))
        for name in MACHINES:
            machine = Machine(name, project, scratch)
            made = folder / name
            made.mkdir()
            machine.write_samples(made)
            compared = Comparison(tool, machine, folder)
            for sample in sorted(samples.iterdir()):
                compared.reads(sample, sample.name)
                compared.writes(sample, made / sample.name)
                compared.reads_damaged(sample)
            print(f"machines: {compared.count} captures on {name}, {len(compared.faults)} differ", flush=True)
            faults += compared.faults
    for fault in faults[:20]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

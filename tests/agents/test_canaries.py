#!/usr/bin/env python3
"""What a default capture gives away: nothing that a program has read. A program of each runtime (programs/canaries) reads secrets that look like
names from a file, and puts each of them into every place where data lives: values of strings, keys of dictionaries large and small, descriptions
of symbols, interned texts, closures, exceptions, patterns, buffers; some also into its environment, its arguments, names of files that it has open,
and frames of waiting threads. It is captured as the command does it without an option, but that nothing is compressed, and with HSD_LONG also as it is; the bytes of the
capture, its listing and what commands say of it are searched for all of them, in every way that a runtime stores texts.

What a program uses as a name is one: of a class, a function, a thread, an attribute that is set by name, a variable of the global object. SECURITY.md has them.

20 secrets, with HSD_LONG 1,000, and every Python that is here.
"""
import contextlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import dotnet_runtime
import go_programs
import kit
import pythons
from kit import check, say

COUNT = 1000 if kit.LONG else 20
PROGRAMS = kit.HERE / "programs" / "canaries"
LARGEST_MAPPING = 256 << 20
LETTERS = "abcdefghijklmnop"
FORM = re.compile(b"zq[a-p]{14}")
BACKWARDS = re.compile(b"[a-p]{14}qz")


def make_secrets(seed):
    dice = random.Random(seed)
    return ["zq" + "".join(dice.choice(LETTERS) for _ in range(14)) for _ in range(COUNT)]


class Secrets:
    """Those of one program, and the file that it reads them from."""

    def __init__(self, folder, name):
        self.all = make_secrets(name)
        self.file = folder / "secrets"
        self.file.write_text("\n".join(self.all) + "\n")
        self.folder = folder / "files"
        self.folder.mkdir()
        self.looked = 0

    def found(self, data):
        """Which of them stand in the bytes: a byte, two or four a letter, in either order, capitals, from behind."""
        text = data.replace(b"\0", b"").lower()
        return {word.decode() for word in FORM.findall(text) + [word[::-1] for word in BACKWARDS.findall(text)]} & set(self.all)


def check_memory(secrets, pid):
    """The program holds them all: the test could fail."""
    there = set()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines():
            bounds, rights = line.split()[:2]
            low, high = (int(part, 16) for part in bounds.split("-"))
            if high - low > LARGEST_MAPPING: # what is only reserved
                continue
            while rights.startswith("rw") and low < high and len(there) < COUNT:
                piece = b""
                with contextlib.suppress(OSError):
                    piece = os.pread(memory.fileno(), min(high - low, 1 << 22), low)
                there |= {word.decode() for word in FORM.findall(piece.replace(b"\0", b""))} & set(secrets.all)
                low += len(piece) or 4096
    check(len(there) == COUNT, f"the program holds {len(there)} of {COUNT} secrets: the test proves nothing")


def check_capture(tool, secrets, capture, printed, what):
    looks = {"its bytes": capture.read_bytes(), "what the command printed": printed.encode(), "its listing": tool.run("dump", capture).stdout.encode()}
    for command in (("info",), ("top", "--top", "1000", "--wide"), ("top", "--format", "json")):
        looks[" ".join(command)] = tool.run(command[0], capture, *command[1:]).stdout.encode()
    for place, data in looks.items():
        found = secrets.found(data)
        check(not found, f"{what}: {len(found)} of {COUNT} secrets in {place}: {context(data, sorted(found)[0]) if found else ''}")
    check(len(looks["its listing"].splitlines()) > 100, f"{what}: the capture says nothing")


def context(data, word):
    at = data.find(word.encode())
    return data[max(at - 100, 0):at + 60] if at >= 0 else word


def captures(tool, secrets, program, what, *options):
    for level in [("--level", "0"), *([()] if kit.LONG else [])]: # where nothing is packed each byte can be looked at; what is told is the same
        capture = secrets.folder.parent / "capture.hs"
        capture.unlink(missing_ok=True)
        done = tool.capture(program.pid, capture, *options, *level)
        check_capture(tool, secrets, capture, done.stdout + done.stderr, what)
    say(f"canaries: {COUNT} looked for in a capture of {what}, 0 found")


@contextlib.contextmanager
def running(secrets, command, environment=None):
    more = {"SHOP_PASSWORD": secrets.all[0], secrets.all[1]: "1", **(environment or {})}
    with kit.Program([*map(str, command), secrets.all[2], f"--password={secrets.all[3]}"], more) as program:
        check_memory(secrets, program.pid)
        yield program


def absent(why):
    say(f"        left out: {why}")


def has_agent(tool, name):
    return (pathlib.Path(tool.agents) / name).exists()


# ---- runtimes

def node(tool, folder):
    helper = f"{tool.agents}/hsdiff.cjs"
    if not has_agent(tool, "hsdiff.cjs") or not shutil.which("node"):
        return absent("no Node")
    secrets = Secrets(folder, "node")
    script = [PROGRAMS / "shop.js", secrets.file, secrets.folder]
    with running(secrets, ["node", "--require", helper, *script], {"HSDIFF": tool.path, "HSDIFF_DIR": str(folder)}) as program:
        captures(tool, secrets, program, "Node by its helper", "--way", "node")
        # names are told as long as code mentions them
        listing = tool.run("dump", folder / "capture.hs").stdout
        for name in ("byMap", "wholes", "password"):
            check(f'"{name}"' in listing, f"the capture does not say {name}")
        program.quit()
    with running(secrets, ["node", "--inspect=127.0.0.1:0", *script]) as program:
        captures(tool, secrets, program, "Node by the inspector", "--way", "inspector")
        program.quit()


def lua(tool, folder):
    for vm, variable in {"lua5.1": "LUA_CPATH", "lua5.2": "LUA_CPATH_5_2", "lua5.3": "LUA_CPATH_5_3", "lua5.4": "LUA_CPATH_5_4", "luajit": "LUA_CPATH"}.items():
        if not has_agent(tool, f"{vm}/hsdiff.so") or not shutil.which(vm):
            absent(f"no {vm}")
            continue
        own = folder / vm
        own.mkdir()
        secrets = Secrets(own, vm)
        with running(secrets, [vm, PROGRAMS / "shop.lua", secrets.file, own / "stop", secrets.folder], {variable: f"{tool.agents}/{vm}/?.so;;"}) as program:
            captures(tool, secrets, program, vm)
            (own / "stop").write_text("")
            check(program.process.wait(60) == 0, f"{vm} ended with {program.process.returncode}")


def jvm(tool, folder):
    if not has_agent(tool, "libhsdiff-jvm.so") or not shutil.which("javac"):
        return absent("no JDK")
    secrets = Secrets(folder, "jvm")
    subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "-d", folder, PROGRAMS / "Shop.java"], check=True, capture_output=True)
    with running(secrets, ["java", "-Xmx128m", "-cp", folder, "Shop", secrets.file, secrets.folder]) as program:
        for way in ("jvm", "hprof"):
            captures(tool, secrets, program, f"a JVM by way {way}", "--way", way)
        program.quit()


def mono(tool, folder):
    if not has_agent(tool, "libmono-profiler-hsdiff.so") or not shutil.which("mcs"):
        return absent("no Mono")
    secrets = Secrets(folder, "mono")
    subprocess.run(["mcs", f"-out:{folder}/shop.exe", PROGRAMS / "shop.cs"], check=True, capture_output=True)
    with running(secrets, ["mono", "--profile=hsdiff", folder / "shop.exe", ",".join(secrets.all)], {"LD_LIBRARY_PATH": tool.agents}) as program:
        captures(tool, secrets, program, "Mono", "--way", "mono")
        program.quit()


def dotnet(tool, folder):
    secrets = Secrets(folder, "dotnet")
    runtime = dotnet_runtime.install(pathlib.Path(tool.agents).parent / "runtimes")
    dotnet_runtime.compile_program(runtime, PROGRAMS / "shop.cs", folder)
    environment = {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "TMPDIR": str(folder)}
    with running(secrets, [runtime / "dotnet", "exec", folder / "shop.dll", ",".join(secrets.all)], environment) as program:
        captures(tool, secrets, program, ".NET")
        program.quit()


def ruby(tool, folder):
    if not has_agent(tool, "ruby/hsdiff.rb") or not shutil.which("ruby"):
        return absent("no Ruby")
    secrets = Secrets(folder, "ruby")
    with running(secrets, ["ruby", PROGRAMS / "shop.rb", secrets.file, secrets.folder], {"RUBYLIB": f"{tool.agents}/ruby", "RUBYOPT": "-rhsdiff"}) as program:
        captures(tool, secrets, program, "Ruby")
        program.quit()


def python(tool, folder):
    for version, path in list(pythons.found().items())[0 if kit.LONG else -1:]:
        own = folder / version
        own.mkdir()
        secrets = Secrets(own, version)
        with running(secrets, [path, PROGRAMS / "shop.py", secrets.file, secrets.folder]) as program:
            captures(tool, secrets, program, f"Python {version}")
            program.quit()


def go(tool, folder):
    if not shutil.which("go"):
        return absent("no Go")
    secrets = Secrets(folder, "go")
    binary = go_programs.build(go_programs.compilers()[0], {"shop.go": (PROGRAMS / "shop.go").read_text()})
    with running(secrets, [binary, secrets.file, secrets.folder]) as program:
        captures(tool, secrets, program, "Go")
        program.quit()


def native(tool, folder):
    agent = f"{tool.agents}/libhsdiff-native.so"
    if not has_agent(tool, "libhsdiff-native.so") or not shutil.which("g++"):
        return absent("no compiler of C++")
    secrets = Secrets(folder, "native")
    subprocess.run(["g++", "-g", "-O1", "-pthread", "-o", folder / "shop", PROGRAMS / "shop.cpp"], check=True)
    with running(secrets, [folder / "shop", secrets.file, secrets.folder], {"LD_PRELOAD": agent}) as program:
        captures(tool, secrets, program, "a program of C++", "--way", "native")
        program.quit()


if __name__ == "__main__":
    kit.main({case.__name__: case for case in (node, lua, jvm, mono, dotnet, ruby, python, go, native)})

#!/usr/bin/env python3
"""A real Luau, embedded in a program that leaks: its own memory dumps, held against what was planted. Its sources come in a package of Rust's registry, and are compiled
once into the folder of the build (a minute).

    leak       type, holder, root and counts between two dumps, and the dump whole
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import kit
from kit import check, need, row

PACKAGE, VERSION = "luau0-src", "0.23.0+luau745"
PARTS = ("VM", "Ast", "Bytecode", "Compiler")
INCLUDED = ("Common", "Inliner", "Config", *PARTS)
MANIFEST = f'[package]\nname = "luau"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{PACKAGE} = "={VERSION}"\n'


def fetch(scratch):
    """The folder of the sources."""
    (scratch / "src").mkdir()
    (scratch / "src" / "lib.rs").write_text("")
    (scratch / "Cargo.toml").write_text(MANIFEST)
    done = subprocess.run(["cargo", "vendor", "--quiet", "vendored"], cwd=scratch, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        kit.skip(f"Luau cannot be had: cargo vendor {PACKAGE}: {done.stderr.strip()[-200:]}")
    return scratch / "vendored" / PACKAGE / "luau"


def build(luau, scratch):
    objects = []
    flags = ["-std=c++17", "-O1", "-w", '-DLUA_API=extern "C"', '-DLUACODE_API=extern "C"', "-I", str(luau / "VM" / "src")]
    for part in INCLUDED:
        flags += ["-I", str(luau / part / "include")]
    sources = [kit.HERE / "programs" / "luau_leak.cpp", *sorted((luau / "Common" / "src").glob("*.cpp"))]
    for part in PARTS:
        sources += sorted((luau / part / "src").glob("*.cpp"))
    commands = []
    for number, source in enumerate(sources):
        objects.append(str(scratch / f"{number}.o"))
        commands.append(["c++", *flags, "-c", str(source), "-o", objects[-1]])
    run_all(commands)
    run_all([["c++", *objects, "-o", str(scratch / "luau_leak"), "-pthread"]])


def run_all(commands):
    """As many at a time as there are processors."""
    waiting, running = list(commands), []
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            command = waiting.pop()
            running.append((command, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
        command, process = running.pop(0)
        told = process.communicate()[0]
        check(process.returncode == 0, f"{command[-1]}: {told[-2000:]}")


def install(cache):
    """The program; made once, and there whole or not at all."""
    source = (kit.HERE / "programs" / "luau_leak.cpp").read_bytes()
    program = cache / f"luau_leak-{VERSION}-{hashlib.sha256(source).hexdigest()[:12]}"
    if program.exists():
        return program
    need("cargo", "c++")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        scratch = pathlib.Path(scratch)
        build(fetch(scratch), scratch)
        shutil.move(scratch / "luau_leak", program)
    return program


def dump(program, path):
    program.tell(f"dump {path}")
    program.expect("dumped")


def leak(tool, folder):
    with kit.Program([str(install(pathlib.Path(tool.agents).parent / "runtimes"))]) as program:
        program.leak(1000)
        dump(program, folder / "before.json")
        program.leak(777)
        dump(program, folder / "after.json")
        program.quit()
    diff = tool.diff(folder / "before.json", folder / "after.json")
    session = row(diff["types"], "type", "Session")
    check((session["before"]["objects"], session["after"]["objects"]) == (1000, 1777), f"sessions: {session}")
    check(session["new"]["objects"] == 777 and session["freed"]["objects"] == 0, f"sessions: {session}")
    check(diff["match"]["basis"] == "address", f"matched by {diff['match']['basis']}")
    owner = row(diff["roots"], "root", "_G.sessions")
    check(owner["growth"]["objects"] == 3 * 777, f"objects below _G.sessions: {owner['growth']}")
    check(diff["holders"] and diff["holders"][0]["root"] == "_G.sessions", f"holders: {diff['holders'][:1]}")
    tool.run("import", folder / "after.json", "-o", folder / "after.hs")
    tool.run("verify", folder / "after.hs")
    check(tool.info(folder / "after.hs")["complete"], "the dump is not whole")


if __name__ == "__main__":
    kit.main({"leak": leak})

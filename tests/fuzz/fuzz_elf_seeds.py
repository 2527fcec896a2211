#!/usr/bin/env python3
"""Seeds of fuzz_elf: small programs compiled in the ways that differ inside the file. Where there is no compiler, a header alone.

usage: fuzz_elf_seeds.py FOLDER
"""
import os
import pathlib
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
SOURCES, PROGRAMS = TESTS / "unit" / "symbols", TESTS / "agents" / "programs"
BUILDS = [("gcc", "o2", "shop.c", ["-g", "-O2", "-Wl,--build-id"]), ("gcc", "dwarf4", "shop.c", ["-g", "-gdwarf-4", "-O1", "-no-pie"]),
          ("gcc", "packed", "shop.c", ["-g", "-gz", "-shared", "-fPIC", "-DLIBRARY"]), ("gcc", "object", "shop.c", ["-g", "-c"]),
          ("gcc", "bare", "shop.c", ["-O2"]), ("g++", "classes", "store.cpp", ["-O1"]), ("gcc", "split", "shop.c", ["-g", "-gsplit-dwarf"]),
          ("gcc", "types", PROGRAMS / "types_leak.c", ["-g", "-O0"]), ("gcc", "flow", PROGRAMS / "types_leak.c", ["-g", "-O2"])]


def main(folder):
    with open(os.path.join(folder, "header"), "wb") as file:
        file.write(b"\x7fELF\2\1\1" + bytes(57))
    for compiler, name, source, flags in BUILDS:
        if shutil.which(compiler):
            subprocess.run([compiler, "-w", SOURCES / source, "-o", name, *flags], cwd=folder, check=True)
    for left in pathlib.Path(folder).glob("*.dwo"):
        left.unlink()


main(sys.argv[1])

#!/usr/bin/env python3
"""Seeds of fuzz_elf and fuzz_dwarf: small programs compiled in the ways that differ inside the file, and a file of 32 bits, big-endian. Where there is
no compiler, these and a header alone.

usage: fuzz_elf_seeds.py FOLDER
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
SOURCES, PROGRAMS = TESTS / "unit" / "symbols", TESTS / "agents" / "programs"
BUILDS = [("gcc", "o2", "shop.c", ["-g", "-O2", "-Wl,--build-id"]), ("gcc", "dwarf4", "shop.c", ["-g", "-gdwarf-4", "-O1", "-no-pie"]),
          ("gcc", "packed", "shop.c", ["-g", "-gz", "-shared", "-fPIC", "-DLIBRARY"]), ("gcc", "object", "shop.c", ["-g", "-c"]),
          ("gcc", "bare", "shop.c", ["-O2"]), ("g++", "classes", "store.cpp", ["-O1"]), ("gcc", "split", "shop.c", ["-g", "-gsplit-dwarf"]),
          ("gcc", "types", PROGRAMS / "types_leak.c", ["-g", "-O0"]), ("gcc", "flow", PROGRAMS / "types_leak.c", ["-g", "-O2"])]


def other_shape():
    """A file of 32 bits, big-endian: two segments, four sections, two symbols, a build id."""
    names, texts = b"\0.text\0.symtab\0.strtab\0.note\0", b"\0main\0_start\0"
    note = struct.pack(">III", 4, 4, 3) + b"GNU\0" + b"\1\2\3\4"
    symbols = bytes(16) + struct.pack(">IIIBBH", 1, 0x1000, 8, 0x12, 0, 1) + struct.pack(">IIIBBH", 6, 0x1008, 8, 0x12, 0, 1)
    parts, offset, places = [b"code of 16 bytes", symbols, texts, note, names], 52 + 2 * 32, []
    for part in parts:
        places.append((offset, len(part)))
        offset += len(part)
    kinds = [(1, 1, 0, 0), (7, 2, 3, 16), (15, 3, 0, 0), (23, 7, 0, 0), (0, 3, 0, 0)]
    sections = bytes(40) + b"".join(struct.pack(">10I", name, kind, 0, 0x1000 if kind == 1 else 0, *place, link, 0, 4, entry)
                                    for (name, kind, link, entry), place in zip(kinds, places))
    header = b"\x7fELF\1\2\1" + bytes(9) + struct.pack(">HHIIIIIHHHHHH", 2, 8, 1, 0x1000, 52, offset, 0, 52, 32, 2, 40, 6, 5)
    segments = struct.pack(">8I", 1, places[0][0], 0x1000, 0, 16, 16, 5, 4) + struct.pack(">8I", 4, places[3][0], 0, 0, len(note), len(note), 4, 4)
    return header + segments + b"".join(parts) + sections


def main(folder):
    with open(os.path.join(folder, "header"), "wb") as file:
        file.write(b"\x7fELF\2\1\1" + bytes(57))
    with open(os.path.join(folder, "other_shape"), "wb") as file:
        file.write(other_shape())
    for compiler, name, source, flags in BUILDS:
        if shutil.which(compiler):
            subprocess.run([compiler, "-w", SOURCES / source, "-o", name, *flags], cwd=folder, check=True)
    for left in pathlib.Path(folder).glob("*.dwo"):
        left.unlink()


main(sys.argv[1])

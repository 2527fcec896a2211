#!/usr/bin/env python3
"""Seeds of fuzz_lz4: frames with blocks that are stored and packed. Usage: fuzz_lz4_seeds.py FOLDER"""
import pathlib
import struct
import sys


def block(data, is_stored):
    return struct.pack("<I", len(data) | (0x80000000 if is_stored else 0)) + data


def frame(flags, blocks):
    # checksums are not looked at in a build for fuzzing; elsewhere most of these end at their heads, but for those that are right
    checks = {0x40: 0xc0, 0x60: 0x82}
    return struct.pack("<I", 0x184D2204) + bytes([flags, 0x40, checks.get(flags, 0)]) + b"".join(blocks) + bytes(4)


def main():
    folder = pathlib.Path(sys.argv[1])
    packed = b"\x35abc\x03\x00\x20xy"
    longer = b"\xf4\x10" + bytes(range(31)) + b"\x1f\x00\x1f!\x01\x00\xff\x40\x50hello"
    for name, flags in (("linked", 0x40), ("single", 0x60)):
        (folder / name).write_bytes(frame(flags, [block(packed, False), block(b"plain", True), block(longer, False)]))
        (folder / f"{name}-two").write_bytes(frame(flags, [block(longer, False)]) + struct.pack("<II", 0x184D2A50, 3) + b"abc" + frame(flags, [block(packed, False)]))


main()

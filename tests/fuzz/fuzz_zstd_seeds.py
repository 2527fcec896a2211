#!/usr/bin/env python3
"""Seeds of fuzz_zstd: frames with blocks that are stored and that repeat a byte, written by hand. Usage: fuzz_zstd_seeds.py FOLDER"""
import pathlib
import struct
import sys

MAGIC = struct.pack("<I", 0xFD2FB528)
HELLO = MAGIC + b"\x20\x05" + struct.pack("<I", 5 << 3 | 1)[:3] + b"hello"  # a single segment of 5 bytes, its last block stored
RUN = MAGIC + b"\x00\x00" + struct.pack("<I", 900 << 3 | 2)[:3] + b"x" + struct.pack("<I", 3 << 3 | 1)[:3] + b"end"  # a window of 1 KiB, a run of 900
# what zstd -3 makes of 200 times "a line of text that repeats, "
PACKED = bytes.fromhex("28b52ffd60a815350100e86120") + b"line of text that repeats, " + bytes.fromhex("0100c3172d15")


def main():
    folder = pathlib.Path(sys.argv[1])
    seeds = {"hello": HELLO, "run": RUN, "two": HELLO + RUN, "skippable": struct.pack("<II", 0x184D2A50, 3) + b"abc" + HELLO, "cut": HELLO[:-2], "junk": HELLO + b"junk",
             "wide": MAGIC + b"\x00\xa8\x01\x00\x00", "packed": PACKED, "dictionary": MAGIC + b"\x21\x07\x05" + struct.pack("<I", 5 << 3 | 1)[:3] + b"hello"}
    for name, data in seeds.items():
        (folder / name).write_bytes(data)


main()

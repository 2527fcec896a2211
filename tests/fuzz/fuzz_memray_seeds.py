#!/usr/bin/env python3
"""Seeds of fuzz_memray: small capture files of both forms. Usage: fuzz_memray_seeds.py FOLDER"""
import pathlib
import struct
import sys


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def signed(value):
    return number((value << 1) ^ (-1 if value < 0 else 0) if value >= 0 else (-value << 1) - 1)


def head(version, python, native, form, skipped):
    paths = b"/lib\0/a\0\0/b\0/c\0\0" if version >= 13 else b""
    return (b"memray\0" + struct.pack("<II??QQqq", version, python, native, form, 3, 0, 1, 2) + b"app.py\0"
            + struct.pack("<IQQ3B", 42, 7, skipped, 1, 0, 0) + paths)


def code(identity, function, path, line, table):
    return b"\x0e" + number(identity) + function + b"\0" + path + b"\0" + signed(line) + number(len(table)) + table


CODES = code(1, b"main", b"/srv/app.py", 5, b"\x80\x00\x00\xd8\x04\x10\xf0\x02\x00\x01\x01") + code(2, b"fill", b"/srv/cache.py", 20, b"\x04\x01\x06\xff")
SWITCH = b"\x0c" + struct.pack("<Q", 7)


def frame(which, offset):
    return b"\x41" + number(which) + signed(offset)


def records(version, python, native, skipped):
    last, body = 0, CODES + SWITCH + b"\x0aworker\0" + frame(1, 2)
    extra = signed(1) if native else b""
    for i in range(40):
        address = 0x5000 + 40 * i
        body += frame(2, i % 12) + bytes([0xfe]) + signed(address - last) + extra + number(100 + i) + b"\x10"
        last = address
        if i % 3 == 0:
            body += bytes([0x80 | (i % 15) << 3 | 5])
        if i % 7 == 0:
            body += bytes([0xf8]) + signed(1000) + b"\x0e" + extra + number(8192) + bytes([0xf8]) + signed(0) + b"\x0f" + extra + number(4096)
            last += 1000
    body += b"\x02" + number(1 << 20) + number(5) + b"\x3f" + signed(3) + extra + b"\x3e" + signed(-3)
    if native:
        body += b"\x05" + signed(9) + signed(1) + b"\x06\x07lib.so\0" + number(1) + bytes(8) + b"\x08" + bytes(8) + number(99)
    return head(version, python, native, 0, skipped) + body + b"\x01" + bytes(16)


def sums(version, python, skipped):
    body = b"\x01" + struct.pack("<QQQ", 1, 2, 3) + CODES
    body += b"".join(b"\x04" + number(i) + number(1 + i % 2) + signed(i) + b"\x01" for i in range(6))
    body += b"".join(b"\x03" + number(i % 6) + number(i // 2) for i in range(20))
    body += b"".join(b"\x02" + struct.pack("<9Q", 7 + i % 2, 6, 0, i, 0, 2, 1, 200, 100) for i in range(20))
    return head(version, python, False, 1, skipped) + body + b"\x0d" + number(77) + SWITCH + b"\x0f"


def main():
    folder = pathlib.Path(sys.argv[1])
    for version in (12, 13):
        for python in (0x030800f0, 0x030a00f0, 0x030d00f0):
            for skipped in (0, 1):
                (folder / f"sums-{version}-{python:x}-{skipped}").write_bytes(sums(version, python, skipped))
                for native in (False, True):
                    (folder / f"records-{version}-{python:x}-{skipped}-{int(native)}").write_bytes(records(version, python, native, skipped))


main()

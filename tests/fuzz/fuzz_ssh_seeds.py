#!/usr/bin/env python3
"""Seeds for fuzz_ssh: streams of frames, whole and wrong, and addresses."""
import pathlib
import struct
import sys

MAGIC = b"hsdiff-capture/1\n"


def frame(kind, body=b""):
    return kind + struct.pack("<I", len(body)) + body


PROCESS = frame(b"H", b"pid 77\nname shop%20a\nruntime native\nway native\nstarted 12\nstored shapes only\n")
END = frame(b"E", b"exit 0\npause_ns 1234\n\nhsdiff: names stay addresses\n")
SEEDS = {
    "whole": MAGIC + frame(b"P") + PROCESS + frame(b"D", b"\x89HSC" * 9) + frame(b"D") + END,
    "noise": b"Welcome to hshsdiff\n" + MAGIC + PROCESS + END,
    "refused": MAGIC + frame(b"E", b"exit 2\n\nhsdiff: there is no process 7.\n"),
    "cut": MAGIC + PROCESS + frame(b"D", b"abcdefgh")[:-3],
    "too_big": MAGIC + b"D\xff\xff\xff\xff",
    "unknown": MAGIC + frame(b"Z", b"x"),
    "address": b"ssh://ann@shop.example.org:2222/it's%20%25",
    "address_v6": b"ssh://[fe80::1%eth0]:22/1234",
    "address_wrong": b"ssh://-oProxyCommand=x/1",
    "ticket": b"00112233445566778899aabbccddeeff:123",
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (folder / name).write_bytes(data)


main()

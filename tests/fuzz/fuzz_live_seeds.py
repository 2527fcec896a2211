#!/usr/bin/env python3
"""Seeds for fuzz_live: lines of /proc as they are, and as someone would write them to look like others."""
import pathlib
import sys

MAP = b"7f0000000000-7f0000001000 r-xp 00000000 08:01 1234                       "
SEEDS = {
    "map": MAP + b"/usr/lib/jvm/libjvm.so",
    "map_deleted": MAP + b"/usr/lib/jvm/libjvm.so (deleted)",
    "map_spaces": MAP + b"/a b/c (deleted) d\\012e/lib.so",
    "map_anonymous": b"7f00-7f01 rw-p 00000000 00:00 0",
    "unix": b"0000000000000000: 00000002 00000000 00010000 0001 01 26463 @hsdiff/1/native/7",
    "unix_unnamed": b"0000000000000000: 00000003 00000000 00000000 0001 03 26463",
    "stat": b"77 (a) b) (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20\n",
    "status": b"Name:\tshop\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t7\nUid:\t0\t1\t2\t3\nNSpid:\t77\t7\nSigCgt:\t0000000180014a03\n",
    "number": b"18446744073709551615",
    "java": b"/usr/lib/jvm/bin/java\0java\0-Xmx1g\0-cp\0a.jar:b.jar\0com.shop.Main\0x\0",
    "node": b"/usr/bin/node\0node\0--require\0./x.cjs\0server.js\0",
    "python": b"/usr/bin/python3.11\0python3\0-c\0print(1)\0",
    "script": b"/usr/bin/dash\0/bin/sh\0/srv/shop\0",
    "ok": b"ok",
    "error": b"error not now",
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (folder / name).write_bytes(data)


main()

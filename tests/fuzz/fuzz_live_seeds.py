#!/usr/bin/env python3
"""Seeds for fuzz_live: lines of /proc as they are, and as someone would write them to look like others."""
import pathlib
import struct
import sys

def counters(*entries):
    """The file of a JVM's counters, with these names and values."""
    content = b""
    for name, value in entries:
        is_text = isinstance(value, bytes)
        told = value + b"\0" if is_text else value.to_bytes(8, "little")
        at = 20 + len(name) + 1 + (-(20 + len(name) + 1) % 8)
        content += struct.pack("<IIIcBBBI", at + len(told), 20, len(told) if is_text else 0, b"B" if is_text else b"J", 0, 1, 1, at)
        content += name.encode().ljust(at - 20, b"\0") + told
    return struct.pack(">IBBBBIIQ", 0xcafec0c0, 1, 2, 0, 1, 0, 0, 0) + struct.pack("<II", 32, len(entries)) + content


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
    "tcp": b"   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 26463 1 0000000000000000 100 0 0 10 0",
    "tcp6": b"   1: 00000000000000000000000001000000:240D 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 26463 1",
    "inspect": b"--inspect-brk=127.0.0.1:9230",
    "cgroup": b"0::/system.slice/shop.service\n1:name=systemd:/docker/" + b"0123456789abcdef" * 4 + b"\n",
    "attached": b"0\nreturn code: 0\n",
    "refused": b"100\nAgent_OnAttach failed\n",
    "jvm": counters(("java.property.java.version", b"17.0.15"), ("sun.rt.jvmCapabilities", b"1100"), ("sun.os.hrt.frequency", 1000000),
                    ("sun.gc.generation.0.space.0.used", 100), ("sun.gc.generation.1.capacity", 9000), ("sun.gc.collector.0.invocations", 4),
                    ("sun.gc.collector.1.time", 5), ("sun.gc.metaspace.used", 55)),
    "dotnet": b"DOTNET_IPC_V1\0\x1c\0\xff\0\0\0" + struct.pack("<Q", 4711),
    "dotnet_refused": b"DOTNET_IPC_V1\0\x18\0\xff\xff\0\0" + struct.pack("<I", 0x80131384),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (folder / name).write_bytes(data)


main()

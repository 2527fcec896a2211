#!/usr/bin/env python3
"""Seeds of fuzz_heapprofile: heap profiles as text, in each form, whole and odd. Usage: fuzz_heapprofile_seeds.py FOLDER"""
import pathlib
import sys

MAPS = """
MAPPED_LIBRARIES:
00400000-00402000 r-xp 00000000 fe:00 11     /srv/fixed
55686ad6e000-55686ad6f000 r--p 00000000 fe:00 12     /srv/my shop
55686ad6f000-55686ad70000 r-xp 00001000 fe:00 12     /srv/my shop
7f81f6e00000-7f81f6f00000 r-xp 00001000 fe:00 13     /usr/lib/libjemalloc.so.2 (deleted)
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0           [vsyscall]"""
JEMALLOC = """heap_v2/524288
  t*: 5003: 241000 [0: 0]
@ 0x7f81f6ea2630 0x7f81f6e22045 0x55686ad6f22d 0x55686ad6f38b
  t*: 5000: 240000 [0: 0]
  t1: 1: 48 [0: 0]
@ 0x401123 0x12345
  t*: 1: 904 [0: 0]
"""
ENTRIES = """     6:      600 [  5000:   960000] @ 0x55686ad6f22d 0x55686ad6f38b
     0:        0 [    14:   131064] @ 0x55686ad6f5db 0x55686ad6f2f1
"""
GO = """2: 212992 [2: 212992] @ 0x47a5d5 0x47a600
#\t0x47a5d4\tmain.fill+0x54\t\t/srv/shop/main.go:13
#\t0x47a5ff\tmain.main+0x1f\t\t/srv/shop/main.go:21

# runtime.MemStats
# Alloc = 1234
"""


def head(kind):
    return f"heap profile:  10:  1000 [ 13349:  1523531] @ {kind}\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    deep = "@" + "".join(f" 0x{0x401000 + i:x}" for i in range(600)) + "\n  t*: 1: 8 [0: 0]\n"
    seeds = {
        "jemalloc": JEMALLOC + MAPS, "jemalloc-cut": JEMALLOC, "jemalloc-crlf": (JEMALLOC + MAPS).replace("\n", "\r\n"), "deep": "heap_v2/1\n" + deep + MAPS,
        "gperftools": head("heapprofile") + ENTRIES + MAPS, "tcmalloc": head("heap_v2/524288") + ENTRIES + MAPS, "go": head("heap/1048576") + GO,
        "growth": head("growthz") + ENTRIES, "bare": head("heap_v2/1")[:60] + "\n" + ENTRIES + MAPS,
        "huge": f"heap_v2/{2 ** 64}\n@ 0xffffffffffffffff 0x0\n  t*: {2 ** 64 - 1}: {2 ** 65} [0: 0]\n  t*: 0: 1 [0: 0]\n@\n  t*: 1: 1 [0: 0]\n" + MAPS,
    }
    for name, text in seeds.items():
        (folder / name).write_text(text)


main()

#!/usr/bin/env python3
"""Seeds of fuzz_heaptrack: files of heaptrack, whole and odd. Usage: fuzz_heaptrack_seeds.py FOLDER"""
import pathlib
import sys

HEAD = "v 10400 3\nX ./shop\nI 1000 5e2921\n"
STRINGS = ["/srv/my/shop", "make_order(long)", "shop.cc", "main", "void std::vector<int>::push_back(int)", "/usr/include/c++/12/bits/stl_vector.h", "/lib/libz.so.1"]
REST = """i 55aa 1 4 3 c
i 55ab 1 2 3 9
i 55ac 1 5 6 50e 4 3 d
i 7f0f 7
t 1 0
t 2 1
t 3 0
t 4 3
a 30 2
a 10 4
a 1 0
"""
COUNTS = "+ 0\n+ 0\n+ 1\nc 10\n- 0\n+ 2\n- 2\nR 478\n"
END = "\n# strings: 7\n# ips: 4\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    sized = "".join(f"s {len(text):x} {text}\n" for text in STRINGS)
    plain = "".join(f"s {text}\n" for text in STRINGS)
    whole = HEAD + sized + REST + COUNTS + END
    seeds = {
        "whole": whole, "older": "v 10200\nX shop\n" + plain + REST + COUNTS + END, "second": "v 10300 2\nX shop\n" + plain + REST + COUNTS + END, "cut": whole[:-30] + "1",
        "raw": "v 10400 3\nx 5 /shop\nX ./shop\nm 1 55aa 0 1000\nt 55aa 0\n+ 10 1 7f00\n", "counts": HEAD + "a 8 0\n" + "+ 0\n- 0\n" * 300 + END,
        "lines": HEAD + "s 5 a\nb\nc\ni 1 0 1\nt 1 0\na 8 1\n+ 0\n" + END, "crlf": (HEAD + "a 8 0\n+ 0\n" + END).replace("\n", "\r\n"),
        "huge": HEAD + f"a {2 ** 64 - 1:x} 0\n+ 0\n+ 0\na {2 ** 64:x} 0\n" + END, "newer": whole.replace("400 3", "700 4"), "none": HEAD + END,
    }
    for name, text in seeds.items():
        (folder / name).write_text(text)


main()

#!/usr/bin/env python3
"""Seeds of fuzz_massif: files of massif, whole and odd. Usage: fuzz_massif_seeds.py FOLDER"""
import pathlib
import sys

HEAD = "desc: --massif-out-file=massif.out\ncmd: ./shop\ntime_unit: i\n"
TREE = """n4: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n2: 600 0x109236: make_order() (shop.cc:9)
  n0: 400 0x109272: fill(int) (shop.cc:10)
  n0: 200 in 7 places, all below massif's threshold (1.00%)
 n1: 300 0x10977A: void std::vector<int>::_M_realloc_insert<int>(int) (vector.tcc:1294)
  n0: 300 0x10977A: main (shop.cc:12)
 n1: 90 0x48FB7B9: ??? (in /usr/lib/libstdc++.so.6.0.30)
  n0: 90 0x401AB9F: ???
 n0: 10 in 1 place, below massif's threshold (1.00%)
"""


def snapshot(number, tree, kind="detailed", stacks=0):
    return (f"#-----------\nsnapshot={number}\n#-----------\ntime={number}000\nmem_heap_B=1000\nmem_heap_extra_B=24\nmem_stacks_B={stacks}\n"
            f"heap_tree={kind if tree else 'empty'}\n{tree}")


def main():
    folder = pathlib.Path(sys.argv[1])
    deep = "n1: 8 (heap)\n" + "".join(f"{' ' * i}n{1 if i < 30 else 0}: 8 0x1: f{i}(int) (a.c:{i})\n" for i in range(1, 31))
    seeds = {
        "two": HEAD + snapshot(0, "") + snapshot(1, TREE) + snapshot(2, TREE, "peak", 77) + snapshot(3, ""),
        "pages": HEAD + snapshot(2, "n0: 4096 (page allocation syscalls) mmap/mremap/brk, --alloc-fns, etc.\n"), "deep": HEAD + snapshot(1, deep),
        "none": HEAD + snapshot(0, ""), "head": HEAD, "crlf": (HEAD + snapshot(1, TREE)).replace("\n", "\r\n"), "cut": (HEAD + snapshot(1, TREE))[:-200],
        "huge": HEAD + snapshot(1, f"n2: {2 ** 64 - 1} (heap)\n n0: {2 ** 64 - 1} 0x1: f (a.c:{2 ** 64})\n n0: 7 (:1)\n"),
    }
    for name, text in seeds.items():
        for choice in ("0", "9"):
            (folder / f"{name}-{choice}").write_text(text + choice * (name == "cut"))


main()

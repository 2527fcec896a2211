#!/usr/bin/env python3
"""Seeds of fuzz_dhat: files of DHAT, whole and odd. Usage: fuzz_dhat_seeds.py FOLDER"""
import json
import pathlib
import sys

POINTS = [{"tb": 900, "tbk": 9, "gb": 600, "gbk": 6, "eb": 400, "ebk": 4, "acc": [-48, 0, 3], "fs": [1, 2, 3]},
          {"tb": 1, "tbk": 1, "gb": 0, "gbk": 0, "eb": 50, "ebk": 2, "fs": [1, 4, 3]}, {"gb": 8, "gbk": 1, "fs": [5]}, {"eb": 7, "ebk": 1, "fs": [0]}]
TABLE = ["[root]", "0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)", "0x109236: make_order() (shop.cc:9)",
         "0x10938A: main (shop.cc:12)", "0x55f0: shop::cart::add (src/cart.rs:31:9)", "0x48FB7B9: ???"]


def profile(points=POINTS, table=TABLE, **more):
    return {"dhatFileVersion": 2, "mode": "heap", "bklt": True, "cmd": "./shop", "pid": 7, "te": 9, "tg": 8, **more, "pps": points, "ftbl": table}


def main():
    folder = pathlib.Path(sys.argv[1])
    whole = json.dumps(profile(), separators=(",", ":"))
    turned = dict(reversed(profile().items()))
    seeds = {
        "whole": whole, "blanks": json.dumps(profile(), indent=1), "peak": whole + "\n" + chr(16), "end": whole + "\n" + chr(8), "third": whole + "\n" + chr(24),
        "turned": json.dumps({"dhatFileVersion": 2, "bklt": True, **turned}), "copy": json.dumps(profile(bklt=False, mode="copy")), "cut": whole[:-40],
        "huge": json.dumps(profile([{"eb": 2 ** 64 - 1, "ebk": 2 ** 64 - 1, "fs": [2] * 600}, {"eb": 2, "ebk": 2 ** 63, "fs": [2]}])),
        "beyond": json.dumps(profile([{"eb": 1, "ebk": 1, "fs": [6]}])), "empty": json.dumps(profile([], [])), "newer": json.dumps(profile() | {"dhatFileVersion": 3}),
    }
    for name, text in seeds.items():
        (folder / name).write_text(text)


main()

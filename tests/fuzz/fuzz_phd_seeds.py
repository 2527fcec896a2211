#!/usr/bin/env python3
"""Seeds of fuzz_phd: dumps of each version and width, whole, cut and odd. Usage: fuzz_phd_seeds.py FOLDER"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "agents"))
import phd_writer as phd


def main():
    folder = pathlib.Path(sys.argv[1])
    small = phd.heap(3, 2)[:40] + phd.heap(3, 2)[-15:]
    whole = phd.write(small)
    hashed = [(*record[:-1], 0x77) for record in small]
    seeds = {
        "whole": whole, "32": phd.write(small, is_64=False), "short-hashes": phd.write(small, short_hashes=True), "5": phd.write(small, version=5),
        "4": phd.write(small, version=4, j9=False, is_64=False), "hashed": phd.write(hashed), "cut": whole[:-300] + b"\1", "no-classes": phd.write(small[:20]),
        "far": phd.write([("object", 1 << 60, 8, [8, 1 << 62, 16], 0), ("object", 8, 8, [1 << 60], 0)]), "none": phd.Writer().end(),
        "array": phd.write([("array", 0x2000, 0x1000, [0x2000 + 8 * i for i in range(300)], 400, 1616, 0), small[-1]]),
    }
    for name, data in seeds.items():
        (folder / name).write_bytes(data)


main()

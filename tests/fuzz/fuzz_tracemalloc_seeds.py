#!/usr/bin/env python3
"""Seeds of fuzz_tracemalloc: snapshots that Python itself has written, and pickles that are none. Usage: fuzz_tracemalloc_seeds.py FOLDER"""
import pathlib
import pickle
import sys
import tracemalloc


def snapshot(limit, count):
    tracemalloc.start(limit)
    kept = [[bytearray(100 + i) for _ in range(3)] for i in range(count)]
    taken = tracemalloc.take_snapshot()
    tracemalloc.stop()
    return taken, kept


def main():
    folder = pathlib.Path(sys.argv[1])
    for limit, count in ((1, 1), (1, 30), (8, 5), (25, 30)):
        taken, _ = snapshot(limit, count)
        taken = taken.filter_traces([tracemalloc.Filter(False, "<frozen importlib._bootstrap>")])
        for protocol in (4, 5):
            (folder / f"snapshot-{limit}-{count}-{protocol}").write_bytes(pickle.dumps(taken, protocol))
    for number, value in enumerate(([1, 2, (3, 4, ((5, 6),))], {"a": None, "b": True}, (2 ** 70, -1, 2 ** 40), print, b"bytes", 1.5, {1, 2}, ["x" * 300] * 3)):
        (folder / f"other-{number}").write_bytes(pickle.dumps(value, 4))


main()

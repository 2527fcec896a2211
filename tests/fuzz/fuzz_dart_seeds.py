#!/usr/bin/env python3
"""Seeds of fuzz_dart: small heaps of the VM in tests/support, new and old, and one that is cut off. Usage: fuzz_dart_seeds.py FOLDER"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import dart_snapshot as dart  # pylint: disable=wrong-import-position


def small(program, old=False, form="vm"):
    shop = dart.PROGRAMS[program](1, stays=2)
    if old:
        shop.vm.has_isolates = shop.vm.has_hashes = False
    shop.work(2)
    return shop.vm.snapshot(form=form)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("static-list", "timers", "images"):
        (folder / f"{name}.data").write_bytes(small(name) + b"\0")
    for form in ("devtools", "bare"):
        (folder / f"{form}.data").write_bytes(small("static-list", form=form).rstrip(b"\0") + bytes(9))
    (folder / "old.data").write_bytes(small("global-map", old=True))
    (folder / "cut.data").write_bytes(small("subscriptions")[:-300] + b"\1")
    (folder / "sums.data").write_bytes(small("static-list") + b"\6")


if __name__ == "__main__":
    main()

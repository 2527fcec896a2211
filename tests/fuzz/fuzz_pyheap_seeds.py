#!/usr/bin/env python3
"""Seeds of fuzz_pyheap: dumps as PyHeap writes them, with texts and without. Usage: fuzz_pyheap_seeds.py FOLDER"""
import pathlib
import struct
import sys

MAGIC = struct.pack("!Q", 123000321)


def text(value):
    data = value.encode()
    return struct.pack("!H", len(data)) + data


def attributes(rows, frequent):
    out = struct.pack("!I", len(rows))
    for name, target in rows:
        out += struct.pack("!h", -1 - frequent.index(name)) if name in frequent else text(name)
        out += struct.pack("!Q", target)
    return out


def one(address, kind, size, referents, rows, repr_text, frequent):
    out = struct.pack("!QQII", address, kind, size, len(referents)) + b"".join(struct.pack("!Q", r) for r in referents)
    if rows is not None:
        out += attributes(rows, frequent)
    return out + (text(repr_text) if repr_text is not None else b"")


def dump(has_texts):
    frequent = ["__class__", "kept"]
    say = lambda value: value if has_texts else None
    out = MAGIC + struct.pack("!I", 1) + text("2026-11-27T12:00:00+00:00") + struct.pack("!Q", int(has_texts))
    out += struct.pack("!I", 1) + text("MainThread") + b"\1\0" + struct.pack("!I", 1) + text("/srv/app.py") + struct.pack("!I", 7) + text("main")
    out += struct.pack("!I", 1) + text("order") + struct.pack("!Q", 0x3000)
    out += struct.pack("!I", len(frequent)) + b"".join(text(name) for name in frequent)
    out += struct.pack("!I", 1) + struct.pack("!Q", 0x100) + attributes([("__class__", 0x100)], frequent)
    objects = [one(0x1000, 0x200, 72, [0x1100], [("__class__", 0x200), ("SESSIONS", 0x2000)], say("<module 'app.cache' from '/srv/app/cache.py'>"), frequent),
               one(0x1100, 0x300, 232, [0x2000], [("__class__", 0x300)], say("{'SESSIONS': []}"), frequent),
               one(0x2000, 0x100, 88, [0x3000, 0x3000], None, say("[...]"), frequent),
               one(0x3000, 0x400, 48, [0x3100, 0x400], [("kept", 0x3100), ("__class__", 0x400)], say("<app.Order>"), frequent),
               one(0x3100, 0x100, 56, [], None, say("[]"), frequent)]
    out += struct.pack("!I", len(objects)) + b"".join(objects)
    types = {0x100: "list", 0x200: "module", 0x300: "dict", 0x400: "Order"}
    out += struct.pack("!I", len(types)) + b"".join(struct.pack("!Q", at) + text(name) for at, name in types.items())
    return out + MAGIC


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, data in (("texts", dump(True)), ("plain", dump(False)), ("cut", dump(True)[:-90] + b"\1")):
        (folder / f"{name}.pyheap").write_bytes(data)


if __name__ == "__main__":
    main()

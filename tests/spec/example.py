#!/usr/bin/env python3
"""Keeps the example of FORMAT.md true: the bytes of the sample "tiny", block by block, and what a reader prints of it.

usage: example.py [--write] FORMAT.md SAMPLE.hs SECOND-READER

With --write the lines between the marks are replaced; without, they are compared, exit status 1 if they differ.
"""
import struct
import subprocess
import sys

BEGIN, END = "<!-- example: begin -->\n", "<!-- example: end -->\n"
BLOCKS = ["", "INFO", "STRINGS", "TYPES", "LABELS", "SITES", "OBJECTS", "EDGES", "ROOTS", "THREADS", "FRAMES", "METRICS", "LOSSES",
          "TYPE_TOTALS", "GROUP_TOTALS", "INDEX", "END"]
SUMS = ["LIVE_TOTALS", "ROOT_TOTALS", "PLACES"]


def hex_lines(data, start, end):
    for at in range(start, end, 16):
        piece = data[at:min(at + 16, end)]
        shown = "".join(chr(byte) if 0x20 <= byte < 0x7f else "." for byte in piece)
        yield f"{at:04x}  {piece.hex(' '):<47}  {shown}"


def parts(data):
    """(title, start, end) of everything in the file: the header, each block's header and payload, the trailer."""
    yield "file header", 0, 64
    at = 64
    while data[at:at + 4] == b"HSBK":
        stored, = struct.unpack_from("<I", data, at + 36)
        name = SUMS[data[at + 4] - 128] if data[at + 4] >= 128 else BLOCKS[data[at + 4]]
        yield f"block {struct.unpack_from('<Q', data, at + 16)[0]}: {name}", at, at + 56
        yield f"  payload of {name}", at + 56, at + 56 + stored
        at += 56 + stored
    yield "trailer", at, len(data)


def example(path, reader):
    with open(path, "rb") as file:
        data = file.read()
    lines = ["```"]
    for title, start, end in parts(data):
        lines.append(title)
        lines.extend(hex_lines(data, start, end))
    lines += ["```", "", "It reads as", "", "```"]
    lines += subprocess.run([reader, path], check=True, capture_output=True, text=True).stdout.splitlines()
    return "\n".join(lines + ["```"]) + "\n"


def main(arguments):
    write = arguments[:1] == ["--write"]
    document, sample, reader = arguments[1:] if write else arguments
    with open(document, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    new = example(sample, reader)
    if write:
        with open(document, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + new + END + after)
        return 0
    if old == new:
        print("the example is true")
        return 0
    print(f"{document}: the example is not what the library writes; tests/spec/example.py --write renews it")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

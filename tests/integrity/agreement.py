#!/usr/bin/env python3
"""The library and the second reader, written from FORMAT.md alone, print the same bytes for every reference capture, and for what is
salvaged of each after one of its blocks was destroyed.

usage: agreement.py SECOND_READER CAPTURE_TOOL WRITE_SAMPLES
"""
import os
import struct
import subprocess
import sys
import tempfile

SECOND_READER, TOOL, WRITE_SAMPLES = sys.argv[1:4]
LONG = os.environ.get("HSD_LONG", "0") not in ("", "0")
HEADER_BYTES, BLOCK_HEADER_BYTES = 64, 56


def run(*command):
    return subprocess.run(command, capture_output=True, check=False)


def blocks_of(capture):
    """(offset, bytes) of each block."""
    at = HEADER_BYTES
    while capture[at:at + 4] == b"HSBK":
        size = BLOCK_HEADER_BYTES + struct.unpack_from("<I", capture, at + 36)[0]
        yield at, size
        at += size


def compare(path, what):
    """Both texts, or a message. The second reader leaves with 1 for an incomplete capture."""
    library = run(TOOL, "dump", path)
    other = run(SECOND_READER, path)
    if library.returncode != 0 or other.returncode > 1:
        return f"{what}: refused: {library.stderr.decode()}{other.stderr.decode()}"
    if library.stdout == other.stdout:
        return None
    pairs = zip(library.stdout.split(b"\n"), other.stdout.split(b"\n"))
    line = next((pair for pair in pairs if pair[0] != pair[1]), (b"(end)", b"(end)"))
    return f"{what}: library: {line[0].decode()!r}, second reader: {line[1].decode()!r}"


def salvage_without(capture, offset, size, folder):
    """What is salvaged after a block was overwritten."""
    damaged, salvaged = os.path.join(folder, "damaged"), os.path.join(folder, "salvaged.hs")
    with open(damaged, "wb") as file:
        file.write(capture[:offset] + b"\xa5" * size + capture[offset + size:])
    result = run(TOOL, "salvage", damaged, salvaged)
    return salvaged if result.returncode == 0 else None


def check_sample(path, folder):
    name = os.path.basename(path)
    yield compare(path, name)
    with open(path, "rb") as file:
        capture = file.read()
    blocks = list(blocks_of(capture))
    for number in range(0, len(blocks), 1 if LONG else 1 + len(blocks) // 4):
        what = f"{name} without block {number}"
        salvaged = salvage_without(capture, *blocks[number], folder)
        yield compare(salvaged, what) if salvaged else f"{what}: not salvaged"


def main():
    tried, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        samples = os.path.join(folder, "samples")
        os.mkdir(samples)
        subprocess.run([WRITE_SAMPLES, samples], check=True)
        for name in sorted(os.listdir(samples)):
            for message in check_sample(os.path.join(samples, name), folder):
                tried += 1
                if message:
                    wrong.append(message)
    print("\n".join(wrong))
    print(f"agreement: {tried} captures compared, {len(wrong)} differ")
    return 1 if wrong or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Files of heaptrack, of a C++ program that leaks: what they sum up to is held against what heaptrack and heaptrack_print say of them. Packed by zstd and by gzip, and not
interpreted."""
import gzip
import re
import subprocess

import kit
from kit import check, say
from test_valgrind import PROGRAM

ORDER = 192


def compile_program(folder):
    kit.need("heaptrack", "heaptrack_print", "g++", "zstd")
    source = folder / "shop.cc"
    source.write_text(PROGRAM, encoding="ascii")
    done = subprocess.run(["g++", "-g", "-O1", source, "-o", folder / "shop"], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, done.stderr)
    return folder / "shop"


def track(folder, program, count, *options):
    """The file, and what heaptrack says at its end."""
    done = subprocess.run(["heaptrack", *options, "-o", folder / f"track-{count}", program, str(count)], capture_output=True, text=True, timeout=120)
    found = sorted(folder.glob(f"track-{count}.*"))
    check(done.returncode == 0 and len(found) == 1, done.stdout + done.stderr)
    return found[0], int(re.search(r"leaked allocations:\s+(\d+)", done.stdout + done.stderr)[1]) if not options else 0


def printed_leaks(path):
    """Bytes and objects that heaptrack_print names as leaked, by who allocated them, and their total."""
    done = subprocess.run(["heaptrack_print", "--print-leaks", "1", "--print-peaks", "0", "--print-allocators", "0", "--print-temporary", "0", "--disable-builtin-suppressions",
                           path], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        done = subprocess.run(["heaptrack_print", "-l", "1", path], capture_output=True, text=True, timeout=120)
    total = re.search(r"total memory leaked: ([\d.]+)([BKMG])", done.stdout)
    check(total is not None, done.stdout[-500:] + done.stderr[-300:])
    return float(total[1]) * {"B": 1, "K": 1000, "M": 10 ** 6, "G": 10 ** 9}[total[2]], done.stdout


def tracked(tool, folder):
    program, paths = compile_program(folder), []
    for count in (1000, 4000):
        path, leaked = track(folder, program, count)
        total = tool.diff(path, path)["total"]["after"]
        check(total["objects"] == leaked, f"{total} objects, heaptrack says {leaked}")
        wanted, text = printed_leaks(path)
        check(abs(total["bytes"] - wanted) <= wanted * 0.006 + 10, f"{total} bytes, heaptrack_print says {wanted}")  # it prints three digits
        check("make_order" in text, text[:300])
        say(f"        {path.name}: {total}, heaptrack_print says {wanted:.0f}")
        paths.append(path)
    text = tool.run(*paths).stdout
    check(re.search(r"was allocated at one place: make_order\(long\) \(shop\.cc:\d+\)", text), text)
    row = next(row for row in tool.diff(*paths, "--top", "all")["types"] if "make_order" in row["type"])
    check(row["growth"] == {"objects": 3000, "bytes": 3000 * ORDER}, f"{row}")
    packed_otherwise(tool, folder, paths[0])


def packed_otherwise(tool, folder, path):
    """The same as it is, by gzip, and cut."""
    whole = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True, timeout=60).stdout
    plain, gz, cut = folder / "plain", folder / "plain.gz", folder / "cut.zst"
    plain.write_bytes(whole)
    gz.write_bytes(gzip.compress(whole))
    halves = [subprocess.run(["zstd", "-c"], input=part, capture_output=True, check=True, timeout=60).stdout for part in (whole[:-4000], whole[-4000:])]
    cut.write_bytes(halves[0] + halves[1][:-9])
    for other in (plain, gz):
        diff = tool.diff(path, other, "--top", "all")
        check(all(row["growth"] == {"objects": 0, "bytes": 0} for row in diff["types"] + diff["sites"]), f"{other.name}: it is not the same")
    check("--partial" in tool.run("import", cut, "-o", folder / "no.hs", expect=3).stderr, "a file that was cut is taken for whole")
    check("was cut off" in tool.run("import", cut, "--partial", "-o", folder / "part.hs", expect=3).stderr, "a part is taken for whole")


def raw(tool, folder):
    path, _ = track(folder, compile_program(folder), 10, "--raw")
    told = tool.run("import", path, "-o", folder / "no.hs", expect=None)
    check(told.returncode != 0 and "heaptrack --interpret" in told.stderr, told.stderr)


if __name__ == "__main__":
    kit.main({f.__name__: f for f in (tracked, raw)})

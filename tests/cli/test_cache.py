#!/usr/bin/env python3
"""How the temporary capture of an import lies in the folder of temporary files: as it is only where there is room for that, and in a folder that is
memory only where there is much.

usage: test_cache.py HSDIFF
A tmpfs of a few MiB is mounted in a name space of its own; where that is forbidden, what needs it is left out, and said.
"""
import gzip
import os
import re
import subprocess
import sys
import tempfile

import inputs

SAID = re.compile(r"^  (\S+): its temporary capture is (written as it is|packed) \((\S+?)(, which is memory,)? has room for ([0-9.]+) (B|KiB|MiB|GiB) as it is\)$", re.M)
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
IN_TMPFS = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o size="$0" none "$1" && shift && exec "$@"']


def ask(hsdiff, where, temporary, *words, size=None):
    """What --verbose says of each input, as (packed?, folder, memory?, room)."""
    before = [*IN_TMPFS, size, temporary] if size else []
    done = subprocess.run([*before, hsdiff, "-q", "--verbose", "--temp-dir", temporary, *words], cwd=where, capture_output=True, text=True, check=False,
                          env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr[-500:]}", done.stdout
    return [(way == "packed", folder, bool(memory), float(number) * UNITS[unit]) for _, way, folder, memory, number, unit in SAID.findall(done.stderr)], done.stdout


def can_mount(folder):
    return subprocess.run([*IN_TMPFS, "1m", folder, "true"], capture_output=True, check=False).returncode == 0


def check(hsdiff, folder):
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    small, large = (os.path.join(folder, name) for name in ("small.heapsnapshot", "large.heapsnapshot"))
    inputs.v8_snapshot(small, 100)
    inputs.v8_snapshot(large, 8000)
    size = os.path.getsize(large)
    with open(large, "rb") as plain, gzip.open(large + ".gz", "wb") as packed:
        packed.write(plain.read())

    one, first = ask(hsdiff, folder, disk, "top", large)
    state = os.statvfs(disk)
    free = state.f_bavail * state.f_frsize
    if len(one) != 1 or one[0][1] != disk or one[0][0] != (size > one[0][3]):
        yield f"a folder with room: {one}"
    elif not one[0][2] and one[0][3] > free / 2 * 1.5 + (64 << 20):
        yield f"{one[0][3]} of {free} that are free"
    two, _ = ask(hsdiff, folder, disk, small, large)
    if len(two) != 2 or not two[0][3] <= one[0][3] / 2 * 1.1:
        yield f"two inputs share it: {two}, {one}"
    said = subprocess.run([hsdiff, "-q", "top", large], cwd=folder, capture_output=True, text=True, check=False).stderr
    if said != "":
        yield f"without --verbose: {said}"
    if not can_mount(disk):
        print("no tmpfs can be mounted: left out")
        return
    # A tmpfs of 8 MiB: an eighth is 1 MiB, and what is packed counts for more than it is.
    for path, room, is_packed in ((small, "8m", False), (large, "8m", size > 1 << 20), (large, f"{size * 4}", True), (large, f"{size * 9}", False),
                                  (large + ".gz", f"{size * 3}", os.path.getsize(large + ".gz") * 8 > size * 3 / 8)):
        got, out = ask(hsdiff, folder, disk, "top", path, size=room)
        if len(got) != 1 or got[0][0] != is_packed or not got[0][2]:
            yield f"{os.path.basename(path)} of {os.path.getsize(path)} in a tmpfs of {room}: {got}"
        if path.startswith(large) and out.split("\n", 1)[1:] != first.split("\n", 1)[1:]:
            yield f"{os.path.basename(path)} in a tmpfs of {room}: the answer is another one"


def main():
    hsdiff = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        faults = list(check(hsdiff, folder))
    for fault in faults:
        print(fault)
    print(f"{max(9 - len(faults), 0)} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

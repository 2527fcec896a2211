#!/usr/bin/env python3
"""A disk that is really full (reliability row 9): results and temporary data go to a tmpfs of 4 KiB, 8 KiB … until the command succeeds.
Before that it must say so with exit status 4 and leave the disk as it was; at the end the answer must be the usual one.

Needs to mount, so it runs in a mount namespace of its own; where that is not allowed it is skipped.
"""
import os
import subprocess
import sys

import harness

INSIDE = "HSD_INSIDE_NAMESPACE"
SCALE = 1000


def enter_namespace():
    """Starts this script again where mounting harms nobody."""
    if os.environ.get(INSIDE):
        return
    probe = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=16k tmpfs /mnt"], capture_output=True, check=False)
    if probe.returncode != 0:
        print("cannot mount a small file system here: skipped")
        sys.exit(77)
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])


def mount(folder, kib):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k,mode=700", "tmpfs", folder], check=True)


def unmount(folder):
    subprocess.run(["umount", folder], check=True)


def fill(shop, tally, command, folder, step_kib):
    """Grows `folder` until the command succeeds; returns at how many KiB that was."""
    good = shop.run(command)
    for kib in range(4, 65536, step_kib):
        mount(folder, kib)
        try:
            result = shop.run(command)
            problem = harness.verdict(result, good, (4,))
            if problem is None and result.status == 4 and os.listdir(folder):
                problem = f"left {os.listdir(folder)} on the full disk"
            tally.case(f"{command.name}, {os.path.basename(folder)} of {kib} KiB", problem, result.err)
            shop.clear()
        finally:
            unmount(folder)
        if result.status == good.status:
            return kib
    return None


def main():
    enter_namespace()
    tally = harness.Tally()
    with harness.Workshop(harness.program("HSD_CLI"), SCALE) as shop:
        for name in ("import-v8", "import-hprof", "salvage", "diff-objects", "diff-to-file", "diff-v8", "diff-hprof"):
            command = shop.command(name)
            folder = shop.results if command.outputs else shop.temps
            kib = fill(shop, tally, command, folder, 4 if harness.LONG else 12)
            tally.case(f"{name} succeeds on a disk that is large enough", None if kib else "never")
            tally.case(f"{name} was refused by a disk that is not", None if kib and kib > 4 else "it never met a full disk")
    tally.close()


if __name__ == "__main__":
    main()

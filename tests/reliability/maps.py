#!/usr/bin/env python3
"""A mapping that fails (mmap: ENOMEM), as strace has it: at the k-th call, once and from there on. Whoever asked, the allocator and the C
library too, the command ends with its answer, or with 4 and a sentence. Calls of the dynamic linker, which come before, are not ours.

A sample of the ks in the ordinary suite, HSD_LONG=1 takes them all.
"""
import os
import shutil
import subprocess
import sys

import harness

COMMANDS = ("diff", "top", "import-v8", "import-hprof", "diff-to-file")
SAMPLE = 5


def own_calls(shop, command):
    """(first, last): the numbers of the calls that are not the dynamic linker's, which ends by naming its thread."""
    log = os.path.join(shop.root, "trace")
    shop.run(command, wrapper=("strace", "-f", "-qq", "-o", log, "-e", "trace=mmap,set_tid_address"))
    with open(log, encoding="utf-8", errors="replace") as file:
        calls = [line for line in file if "mmap(" in line or "set_tid_address(" in line]
    linker = next(i for i, line in enumerate(calls) if "set_tid_address(" in line)
    return linker + 1, sum("mmap(" in line for line in calls)


def sample(first, last):
    if harness.LONG or last - first < SAMPLE:
        return range(first, last + 1)
    return sorted({first + round(i * (last - first) / (SAMPLE - 1)) for i in range(SAMPLE)})


def main():
    if shutil.which("strace") is None or subprocess.run(["strace", "-o", "/dev/null", "true"], check=False, capture_output=True).returncode != 0:
        print("strace cannot trace here: skipped")
        sys.exit(77)
    tally = harness.Tally()
    with harness.Workshop(harness.program("HSD_CLI")) as shop:
        for command in map(shop.command, COMMANDS):
            good = shop.run(command)
            first, last = own_calls(shop, command)
            tally.case(f"{command.name} maps memory of its own", None if last >= first else "no call was seen")
            for at in sample(first, last):
                for forever in ("", "+"):
                    result = shop.run(command, wrapper=("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=mmap:error=ENOMEM:when={at}{forever}"))
                    tally.case(f"{command.name}, mapping {at} of {last}{' and all after' if forever else ''}", harness.verdict(result, good, (4,)), result.err)
    tally.close()


if __name__ == "__main__":
    main()

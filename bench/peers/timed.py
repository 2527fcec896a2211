#!/usr/bin/env python3
"""Run a command and write down what it cost, or set two costs side by side.

    timed.py NAME COST COMMAND...      COST gets {"name", "wall", "cpu", "rss_kib", "status"} (largest process's peak RSS)
    timed.py --ratio COST COST         the first against the second

What the command prints goes to stderr, so that a bench's own output stays clean.
"""
import json
import os
import resource
import subprocess
import sys
import time


def cost(name, path, command):
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=sys.stderr)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    found = {"name": name, "wall": round(time.monotonic() - start, 4), "cpu": round(usage.ru_utime + usage.ru_stime, 4),
             "rss_kib": usage.ru_maxrss, "status": child.returncode}
    with open(path, "w") as file:
        json.dump(found, file)
    print(f"{name}: {found['wall']:.3f} s, {found['cpu']:.3f} s CPU, {found['rss_kib'] / 1024:.1f} MiB")
    return child.returncode


def ratio(first, second):
    one, two = (json.load(open(path)) for path in (first, second))
    print(f"{two['name']} against {one['name']}: {one['wall'] / two['wall']:.1f}x as fast, "
          f"{two['rss_kib'] / one['rss_kib']:.4f} of the memory")
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--ratio":
        sys.exit(ratio(*sys.argv[2:]))
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(cost(sys.argv[1], sys.argv[2], sys.argv[3:]))

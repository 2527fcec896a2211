"""Commands in turn, and what each cost: medians of wall and processor time, the largest peak of memory. For compare.py of a peer's folder."""
import os
import statistics
import subprocess
import sys
import time


def once(command):
    """(wall seconds, processor seconds, MiB) of a command that must succeed."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)}: exit status {child.returncode}\n{message.decode(errors='replace')}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(commands, runs):
    """Each of {name: command} `runs` times in turn: {name: (wall, processor, MiB)}, which is printed, too."""
    costs = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            costs[name].append(once(command))
    found = {}
    for name, rows in costs.items():
        wall, cpu, rss = (list(column) for column in zip(*rows))
        found[name] = (statistics.median(wall), statistics.median(cpu), max(rss))
        print(f"{name:18} {found[name][0]:8.3f} s  {found[name][1]:8.3f} s CPU  {found[name][2]:8.1f} MiB")
    return found

#!/usr/bin/env python3
"""What a capture of CPython takes: nanoseconds of processor time an object, and memory an object while it lasts, of the agent and, in the same run on the same
heap, of guppy3 (hpy().heap(), which counts types) and pyheap (its dumper, run inside, without gdb), where their folders are named. Medians, and ratios.

usage: python.py --agent LIBRARY [--python PROGRAM] [--objects N] [--rounds N] [--guppy FOLDER] [--pyheap dumper_inferior.py] [--pyheap-objects N]

--guppy is a folder that `pip install --target FOLDER guppy3` made; --pyheap is pyheap/src/dumper_inferior.py of its repository. pyheap takes minutes where the
others take seconds: it gets a smaller heap, by --pyheap-objects.
"""
import argparse
import json
import statistics
import subprocess
import sys

CHILD = r'''
import ctypes, gc, json, os, sys, time
how, count, argument = sys.argv[1], int(sys.argv[2]), sys.argv[3]


class Session:
    def __init__(self, number):
        self.number = number + 1000
        self.name = f"session {number}"
        self.weight = number * 1.5


OBJECTS_A_SESSION = 10  # session, its three values, tuple, list, two numbers, dict, number
KEPT = {}
for i in range(count // OBJECTS_A_SESSION):
    KEPT[i + 100000] = (Session(i), [i + 5000000, {"key": i + 9000000}])
gc.collect()


def memory(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


if how == "agent":
    call, fd = ctypes.PyDLL(argument).hspy_capture, os.open("/dev/null", os.O_WRONLY)
    work = lambda: call(fd, None, None, 0)
elif how == "guppy":
    sys.path.insert(0, argument)
    import guppy
    heapy = guppy.hpy()
    work = lambda: heapy.heap().count and 0
else:
    import tempfile
    folder = tempfile.mkdtemp()
    code = compile(open(argument).read(), argument, "exec")
    work = lambda: exec(code, {"heap_file": folder + "/heap", "str_repr_len": 0, "progress_file": folder + "/progress", "__name__": "pyheap"}) or 0
rss, wall, cpu = memory("VmRSS"), time.perf_counter(), time.process_time()
failed = work()
print(json.dumps({"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "memory": memory("VmHWM") - rss, "failed": failed}))
os._exit(0)
'''


def measure(python, how, count, argument):
    done = subprocess.run([python, "-c", CHILD, how, str(count), argument], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{how}: exit {done.returncode}\n{done.stderr}")
    told = json.loads(done.stdout)
    if told["failed"]:
        sys.exit(f"{how}: it failed")
    return {"ns": told["cpu"] * 1e9 / count, "wall": told["wall"], "bytes": told["memory"] / count}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--agent", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--objects", type=int, default=5000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--guppy")
    parser.add_argument("--pyheap")
    parser.add_argument("--pyheap-objects", type=int, default=200000)
    arguments = parser.parse_args()
    rows = {"agent": (arguments.objects, arguments.agent), "guppy": (arguments.objects, arguments.guppy), "pyheap": (arguments.pyheap_objects, arguments.pyheap)}
    found = {how: [] for how, (_, argument) in rows.items() if argument}
    for _ in range(arguments.rounds):
        for how in found:
            found[how].append(measure(arguments.python, how, *rows[how]))
    print("how,objects,ns_an_object,bytes_an_object,seconds,times_the_agent")
    agent = statistics.median(one["ns"] for one in found["agent"])
    for how, all_of in found.items():
        median = {key: statistics.median(one[key] for one in all_of) for key in all_of[0]}
        print(f"{how},{rows[how][0]},{median['ns']:.0f},{median['bytes']:.1f},{median['wall']:.2f},{median['ns'] / agent:.1f}")


main()

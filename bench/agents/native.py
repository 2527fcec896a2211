#!/usr/bin/env python3
"""What the native agent costs: nanoseconds of processor time for a pair of malloc and free, plain, under the agent in each of its modes, and under
other profilers where they are installed, all in the same run and by turns; medians, and ratios. Blocks alive at a time: few, which all caches hold, or as
many as --alive says. Then what a fork costs with so many --blocks, the floor of a pause; and the pause of captures of a program with as many blocks that
four threads change, where --pauses names its folder of programs.

heaptrack is a program of that name. A row `nothing` has a malloc and a free that only jump on: what any library pays that is put before malloc, if the
compiler is there to make it. tcmalloc (its heap profile of all, and its sampling) and jemalloc (its sampling, if it was built with it) take the place of
glibc's malloc, which makes a pair cheaper or dearer by itself: their rows without a profile say by how much.

usage: native.py --pairs PROGRAM --agents FOLDER [--pairs-millions N] [--rounds N] [--alive N …] [--tcmalloc LIBRARY] [--jemalloc LIBRARY]
                 [--bytehound LIBRARY] [--forks PROGRAM] [--pauses FOLDER --hsdiff PROGRAM] [--captures N] [--bytes N] [--blocks N …]
"""
import argparse
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

SAMPLE = 524288
DEPTH = 19  # with main and what starts it: 22 frames
SLOW = {"heaptrack": 1, "bytehound": 0.5, "tcmalloc_profile": 0.02}  # so many million pairs of these are enough
MANY = 10000  # blocks alive with which nobody waits for tcmalloc_profile
MODES = {"plain": None, "none": "stacks=none", "fp": "stacks=fp", "unwind": "stacks=unwind", "sampled": f"sample={SAMPLE}"}


NOTHING = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
static void *(*next_malloc)(size_t);
static void (*next_free)(void *);
void *malloc(size_t size)
{
    if (__builtin_expect(next_malloc == NULL, 0)) next_malloc = dlsym(RTLD_NEXT, "malloc");
    return next_malloc(size);
}
void free(void *block)
{
    if (__builtin_expect(next_free == NULL, 0)) next_free = dlsym(RTLD_NEXT, "free");
    next_free(block);
}
"""


def make_nothing(folder):
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = f"{folder}/nothing.so"
    subprocess.run([compiler, "-O2", "-fPIC", "-fno-builtin", "-shared", "-x", "c", "-", "-o", library], input=NOTHING, text=True, check=True)
    return library


def can_profile(jemalloc):
    environment = dict(os.environ, LD_PRELOAD=jemalloc, MALLOC_CONF="prof:true")
    return "prof" not in subprocess.run(["true"], env=environment, capture_output=True, text=True, check=True).stderr


def find_modes(arguments, folder):
    """Environments by mode; None = heaptrack's."""
    agent = f"{arguments.agents}/libhsdiff-native.so"
    modes = {name: {} if how is None else {"LD_PRELOAD": agent, "HSDIFF_NATIVE": how} for name, how in MODES.items()}
    nothing = make_nothing(folder)
    if nothing:
        modes["nothing"] = {"LD_PRELOAD": nothing}
    if shutil.which("heaptrack"):
        modes["heaptrack"] = None
    if arguments.bytehound:
        modes["bytehound"] = {"LD_PRELOAD": arguments.bytehound, "MEMORY_PROFILER_OUTPUT": f"{folder}/bytehound.dat"}
    if arguments.tcmalloc:
        modes["tcmalloc"] = {"LD_PRELOAD": arguments.tcmalloc}
        modes["tcmalloc_profile"] = {"LD_PRELOAD": arguments.tcmalloc, "HEAPPROFILE": f"{folder}/heap"}
        modes["tcmalloc_sampled"] = {"LD_PRELOAD": arguments.tcmalloc, "TCMALLOC_SAMPLE_PARAMETER": str(SAMPLE)}
    if arguments.jemalloc:
        modes["jemalloc"] = {"LD_PRELOAD": arguments.jemalloc}
        if can_profile(arguments.jemalloc):
            modes["jemalloc_sampled"] = {"LD_PRELOAD": arguments.jemalloc, "MALLOC_CONF": "prof:true,lg_prof_sample:19"}
    return modes


def run_pairs(arguments, mode, environment, threads, alive):
    with tempfile.TemporaryDirectory() as folder:
        millions = SLOW.get(mode, arguments.pairs_millions)
        command = [arguments.pairs, str(threads), str(millions), str(DEPTH), str(alive)]
        if environment is None:
            command = ["heaptrack", "-o", f"{folder}/out", *command]
        text = subprocess.run(command, env=dict(os.environ, **(environment or {})), capture_output=True, text=True, check=True).stdout
    return float(re.search(r"^([\d.]+)$", text, re.M).group(1))


def compare(arguments, modes, threads, alive):
    figures = {mode: [] for mode in modes}
    for _ in range(arguments.rounds):
        for mode, environment in modes.items():
            figures[mode].append(run_pairs(arguments, mode, environment, threads, alive))
    medians = {mode: statistics.median(f) for mode, f in figures.items()}
    for mode, ns in medians.items():
        row = [mode, threads, alive, f"{ns:.1f}", f"{min(figures[mode]):.1f}", f"{ns / medians['plain']:.2f}",
               f"{ns / medians['heaptrack']:.3f}" if "heaptrack" in medians else ""]
        print(",".join(map(str, row)), flush=True)


def overhead(arguments):
    print("mode,threads,alive,ns_of_a_pair,fastest,to_plain,of_heaptrack")
    with tempfile.TemporaryDirectory() as folder:
        modes = find_modes(arguments, folder)
        for alive in arguments.alive:
            taken = {name: how for name, how in modes.items() if alive < MANY or name != "tcmalloc_profile"}
            for threads in (1, 2):
                compare(arguments, taken, threads, alive)


def forks(arguments):
    agent = f"{arguments.agents}/libhsdiff-native.so"
    print("mode,blocks,bytes_of_the_biggest,hugetlb,first_fork_ms,later_fork_ms,resident_mib,in_huge_pages_mib,page_tables_mib")
    for blocks in arguments.blocks:
        for huge in (0, 1):
            for mode in ("plain", "none", "unwind"):
                environment = dict(os.environ, GLIBC_TUNABLES=f"glibc.malloc.hugetlb={huge}")
                if MODES[mode] is not None:
                    environment.update(LD_PRELOAD=agent, HSDIFF_NATIVE=MODES[mode])
                command = [arguments.forks, str(blocks), str(arguments.bytes), str(arguments.captures)]
                figures = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
                print(",".join([mode, str(blocks), str(arguments.bytes), str(huge), *figures]), flush=True)


def capture(pid):
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(f"\0hsdiff/1/native/{pid}")
        asked.sendall(b"hsdiff 1 capture\n")
        answer = b""
        while piece := asked.recv(1 << 20):
            answer += piece
    return answer[3:]


def pauses(arguments):
    load, dump = f"{arguments.pauses}/native_load", arguments.hsdiff
    print("blocks,bytes_of_the_biggest,hugetlb,captures,pause_ms,fastest_ms,slowest_ms,capture_s")
    for blocks in arguments.blocks:
        for huge in (0, 1):
            environment = dict(os.environ, LD_PRELOAD=f"{arguments.agents}/libhsdiff-native.so",
                               GLIBC_TUNABLES=f"glibc.malloc.hugetlb={huge}")
            program = subprocess.Popen([load, "4", str(blocks), str(arguments.bytes)], env=environment, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            program.stdout.readline()
            time.sleep(2)
            found, took = [], []
            for _ in range(arguments.captures):
                from_ = time.monotonic()
                bytes_ = capture(program.pid)
                took.append(time.monotonic() - from_)
                with tempfile.NamedTemporaryFile(suffix=".hs") as file:
                    file.write(bytes_)
                    file.flush()
                    text = subprocess.run([dump, "dump", file.name, "--only", "metrics"], capture_output=True, text=True, check=True).stdout
                found.append(int(re.search(r'^metric (\d+) name="capture.pause"', text, re.M).group(1)) / 1e6)
            program.communicate("quit\n")
            print(f"{blocks},{arguments.bytes},{huge},{len(found)},{statistics.median(found):.2f},{min(found):.2f},{max(found):.2f},"
                  f"{statistics.median(took):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", required=True)
    parser.add_argument("--agents", required=True)
    parser.add_argument("--pairs-millions", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--alive", type=int, nargs="+", default=[64])
    parser.add_argument("--tcmalloc")
    parser.add_argument("--jemalloc")
    parser.add_argument("--bytehound")
    parser.add_argument("--forks")
    parser.add_argument("--pauses")
    parser.add_argument("--hsdiff")
    parser.add_argument("--captures", type=int, default=15)
    parser.add_argument("--bytes", type=int, default=64)
    parser.add_argument("--blocks", type=int, nargs="+", default=[200000, 1000000])
    arguments = parser.parse_args()
    arguments.agents = str(pathlib.Path(arguments.agents).resolve())
    overhead(arguments)
    if arguments.forks:
        forks(arguments)
    if arguments.pauses and arguments.hsdiff:
        pauses(arguments)


if __name__ == "__main__":
    main()

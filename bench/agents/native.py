#!/usr/bin/env python3
"""What the native agent costs: nanoseconds of processor time for a pair of malloc and free, plain, under the agent in each of its modes, and under heaptrack
where that is installed, all in the same run and by turns; medians, and ratios to the figures of the first prototype. Then the pause of captures
of a program with a million blocks that four threads change, where --pauses names its folder of programs.

usage: native.py --pairs PROGRAM --agents FOLDER [--pairs-millions N] [--rounds N] [--pauses FOLDER --hsdiff PROGRAM] [--captures N] [--bytes N]
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

# ns for 1 thread and for 2, of 22 frames, on a machine where glibc alone took 20 to 28 and 20 to 42.
PROTOTYPE = {"none": (43, 154), "fp": (127, 313), "unwind": (353, 880), "sampled": (47, 78), "heaptrack": (833, 1635)}
MODES = {"plain": None, "none": "stacks=none", "fp": "stacks=fp", "unwind": "stacks=unwind", "sampled": "sample=524288"}


def run_pairs(arguments, mode, threads):
    command = [arguments.pairs, str(threads), str(arguments.pairs_millions)]
    environment = dict(os.environ)
    if mode == "heaptrack":
        with tempfile.TemporaryDirectory() as folder:
            command = ["heaptrack", "-o", f"{folder}/out", arguments.pairs, str(threads), "1"]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    else:
        if MODES[mode] is not None:
            environment.update(LD_PRELOAD=f"{arguments.agents}/libhsdiff-native.so", HSDIFF_NATIVE=MODES[mode])
        text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"^([\d.]+)$", text, re.M).group(1))


def overhead(arguments):
    modes = list(MODES) + (["heaptrack"] if shutil.which("heaptrack") else [])
    print("mode,threads,ns_of_a_pair,fastest,to_plain,to_prototype,of_heaptrack")
    for threads in (1, 2):
        figures = {mode: [] for mode in modes}
        for _ in range(arguments.rounds):
            for mode in modes:
                figures[mode].append(run_pairs(arguments, mode, threads))
        medians = {mode: statistics.median(f) for mode, f in figures.items()}
        for mode, ns in medians.items():
            before = PROTOTYPE.get(mode)
            row = [mode, threads, f"{ns:.1f}", f"{min(figures[mode]):.1f}", f"{ns / medians['plain']:.2f}",
                   f"{ns / before[threads - 1]:.2f}" if before else "",
                   f"{ns / medians['heaptrack']:.3f}" if "heaptrack" in medians else ""]
            print(",".join(map(str, row)), flush=True)


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
    for blocks in (200000, 1000000):
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
                    text = subprocess.run([dump, "dump", file.name], capture_output=True, text=True, check=True).stdout
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
    parser.add_argument("--pauses")
    parser.add_argument("--hsdiff")
    parser.add_argument("--captures", type=int, default=15)
    parser.add_argument("--bytes", type=int, default=64)
    arguments = parser.parse_args()
    arguments.agents = str(pathlib.Path(arguments.agents).resolve())
    overhead(arguments)
    if arguments.pauses and arguments.hsdiff:
        pauses(arguments)


if __name__ == "__main__":
    main()

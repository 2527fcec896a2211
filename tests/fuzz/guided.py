#!/usr/bin/env python3
"""A fuzz target under an engine that is guided by coverage: libFuzzer (preset fuzz) or AFL++ (preset afl).

usage: guided.py libfuzzer|afl TARGET FOUND SEEDS…

Each seed once; with HSD_LONG=1 then a search that takes HSD_FUZZ_SECONDS (30) of the processor, so that a machine that is busy searches as much, but ten times
as long at most; it goes on from what earlier searches left in the folder FOUND. HSD_FUZZ_FOUND names another place for these folders, one a target, that
outlives a build. Says how many inputs were run, and in how many seconds of the processor; a crash, a report of a sanitizer, a stall or too much memory is a
failure, and its input stays in FOUND-crashes.
"""
import ctypes
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LONG = os.environ.get("HSD_LONG") == "1"
SECONDS = int(os.environ.get("HSD_FUZZ_SECONDS", "30"))
SEED = os.environ.get("HSD_SEED", "1")
STALL_SECONDS, MEMORY_MIB = 60, 2048
MOST_SECONDS = 10 * SECONDS  # by the clock


def seconds_of(pid):
    """What a process and those below it took of the processor so far."""
    parents, spent = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        parents[int(path.parent.name)] = int(fields[1])
        spent[int(path.parent.name)] = sum(int(field) for field in fields[11:15])  # of its own and of those it waited for
    below = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in below} - below
        if not more:
            return sum(spent.get(each, 0) for each in below) / os.sysconf("SC_CLK_TCK")
        below |= more


def search(command, begins, end, environment=None):
    """Runs an engine and tells it to end by a signal when it has searched long enough, counted from where its output has the bytes `begins`; returns its
    status and output."""
    with tempfile.TemporaryFile() as output:
        engine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment)
        before = None
        while LONG and engine.poll() is None:
            spent = seconds_of(engine.pid)
            if before is None and begins in os.pread(output.fileno(), 1 << 20, 0):
                before = spent
            left = SECONDS if before is None else before + SECONDS - spent
            if left <= 0:
                engine.send_signal(end)
                break
            time.sleep(min(max(left / 4, 0.2), 3))  # looking at all processes costs, too; few engines have two threads
        status = engine.wait()
        output.seek(0)
        return status, output.read().decode(errors="replace")


def libfuzzer(target, found, crashes, seeds):
    limits = [f"-timeout={STALL_SECONDS}", f"-rss_limit_mb={MEMORY_MIB}", "-print_final_stats=1", f"-artifact_prefix={crashes}/", "-verbosity=1"]
    goal = [f"-max_total_time={MOST_SECONDS}", f"-seed={SEED}", found] if LONG else ["-runs=0"]
    status, told = search([target, *limits, *goal, *seeds], b"INITED", signal.SIGUSR1)
    runs = re.search(r"^stat::number_of_executed_units: (\d+)", told, re.MULTILINE)
    edges = re.findall(r"cov: (\d+)", told)
    if status != 0 or not runs:
        print(told[-6000:])
    return status or not runs, int(runs[1]) if runs else 0, int(edges[-1]) if edges else 0


def flat_seeds(folder, seeds):
    """AFL++ takes one folder, and no empty file."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for path in pathlib.Path(seed).rglob("*"):
            if path.is_file() and 0 < path.stat().st_size <= 1 << 20:
                shutil.copy(path, folder / f"{path.parent.name}-{path.name}")
    return folder


def stat_of(stats, name):
    match = re.search(rf"^{name}\s*: (\d+)", stats, re.MULTILINE)
    return int(match[1]) if match else 0


def afl(target, found, crashes, seeds):
    environment = {**os.environ, "AFL_NO_UI": "1", "AFL_SKIP_CPUFREQ": "1", "AFL_NO_AFFINITY": "1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
                   "AFL_AUTORESUME": "1", "AFL_FORKSRV_INIT_TMOUT": "60000", "AFL_NO_AFFINITY_WARN": "1",
                   "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "halt_on_error=1:abort_on_error=1"}
    flat = flat_seeds(found.parent / (found.name + "-seeds"), seeds)
    before = stat_of(read_stats(found), "execs_done")
    # Searches begin behind the first trial of all seeds.
    limit = ["-V", str(MOST_SECONDS)] if LONG else ["-E", "1"]
    status, told = search(["afl-fuzz", *limit, "-s", SEED, "-t", f"{1000 * STALL_SECONDS}+", "-m", "none", "-i", flat, "-o", found, "--", target],
                          b"ready to roll", signal.SIGINT, environment)
    stats = read_stats(found)
    kept = [path for kind in ("crashes", "hangs") for path in (found / "default" / kind).glob("id*")]
    for path in kept:
        shutil.move(path, crashes / path.name)
    if status != 0 or kept:
        print(told[-6000:] + "".join(f"\ncrash or stall: {path.name}" for path in kept))
    runs = stat_of(stats, "execs_done")
    return status or len(kept) > 0, runs - before if runs >= before else runs, stat_of(stats, "edges_found")


def adopt_orphans():
    """What afl-fuzz leaves behind becomes a child of this process, and its time is counted."""
    subreaper = 36  # PR_SET_CHILD_SUBREAPER
    ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0)


def wait_for_orphans():
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def read_stats(found):
    path = found / "default" / "fuzzer_stats"
    return path.read_text() if path.exists() else ""


def main():
    if len(sys.argv) < 5 or sys.argv[1] not in ("libfuzzer", "afl"):
        sys.exit(__doc__)
    engine, target, found, seeds = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
    if os.environ.get("HSD_FUZZ_FOUND"):
        found = pathlib.Path(os.environ["HSD_FUZZ_FOUND"]) / engine / found.name
    crashes = found.parent / (found.name + "-crashes")
    for folder in (found, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    adopt_orphans()
    status, runs, edges = (libfuzzer if engine == "libfuzzer" else afl)(target, found, crashes, seeds)
    wait_for_orphans()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{runs} inputs guided by coverage, {edges} edges, in {used.ru_utime + used.ru_stime:.0f} CPU seconds")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())

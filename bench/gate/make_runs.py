#!/usr/bin/env python3
"""Runs of two real services under load, a leak planted in every other one, each as seven captures: what a leak gate is judged by.

    make_runs.py --hsdiff BINARY FOLDER [--count N] [--first SEED] [--only KIND-MODE]... [--kind LEAK] [--jobs N]

FOLDER/<kind>-<mode>-<seed>/ with kind node (server.js) or java (Service.java) and mode clean or leak holds c0.hs and c1.hs, two states
of the warm-up, c2.hs to c6.hs, the states after five rounds of load, and truth.json: the seed, where the leak hangs, how many bytes were to leak
in a round, how much was kept before each capture, the bytes of c1 and c6 as hsdiff counts them. A clean run has "leak": null.

Every run is a process of its own, with a load, a catalogue and bounds of caches that follow from its seed; the two modes never share a seed.
c0 comes after WARM_UP requests and every other capture after ROUND more. Runs that are there are skipped, and a run appears under its name
only when it is whole, so this can be stopped and started again, and more runs can be asked for later. Kinds and modes take turns.
"""
import argparse
import concurrent.futures
import fcntl
import json
import pathlib
import shutil
import subprocess
import sys
import time

import load

HERE = pathlib.Path(__file__).resolve().parent
WARM_UP = 700
ROUND = 300
CAPTURES = 7
COLLECTORS = ("Serial", "G1", "Parallel")
LEAK_SEEDS = 100_000  # the seeds of leaking runs start here

# items: products of the catalogue; leak_bytes: of a round, 0.105 % of a heap of 6.1 and of 10.1 MB.
KINDS = {"node": {"items": 300, "leak_bytes": 6400, "dump": "heapsnapshot"},
         "java": {"items": 3000, "leak_bytes": 10600, "dump": "hprof"}}


def compile_service(classes):
    """Once for all runs that share the folder."""
    sources = sorted(HERE.glob("*.java"))
    classes.mkdir(parents=True, exist_ok=True)
    with open(classes / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = classes / ".stamp"
        if not stamp.exists() or stamp.stat().st_mtime < max(source.stat().st_mtime for source in sources):
            subprocess.run(["javac", "-Xlint:all", "-Werror", "-d", classes, *sources], check=True)
            stamp.touch()


def command_of(kind, seed, leak_bytes, leak_kind, classes):
    items = KINDS[kind]["items"]
    if kind == "node":
        command = ["node", "--expose-gc", HERE / "server.js", f"--seed={seed}", f"--items={items}", f"--leak={leak_bytes}", f"--round={ROUND}"]
        return command + ([f"--kind={leak_kind}"] if leak_kind else [])
    # The first compiler alone: what the second one would cost for a process of four seconds tells nothing about its heap.
    command = ["java", "-Xmx96m", f"-XX:+Use{COLLECTORS[seed % 3]}GC", "-XX:TieredStopAtLevel=1", "-Dsun.net.httpserver.nodelay=true",
               "-cp", classes, "Service", f"seed={seed}", f"items={items}", f"leak={leak_bytes}", f"round={ROUND}"]
    return command + ([f"kind={leak_kind}"] if leak_kind else [])


def heap_bytes(hsdiff, capture):
    said = subprocess.run([hsdiff, "info", capture, "--format", "json"], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(said)["bytes"]


def drive(process, kind, seed, folder):
    """Rounds of load and dumps; (where the leak hangs or None, things kept before each dump)."""
    word, port, place = process.stdout.readline().split(" ", 2)
    assert word == "listening", word
    requests = load.Load(int(port), seed, KINDS[kind]["items"])
    kept = []
    for i in range(CAPTURES):
        requests.run(WARM_UP if i == 0 else ROUND)
        dump = folder / f"c{i}.{KINDS[kind]['dump']}"
        kept.append(json.loads(requests.ask(f"/capture?file={dump}"))["leaked"])
    requests.ask("/stop")
    requests.close()
    return json.loads(place), kept


def make_run(name, args):
    """One run; its name."""
    kind, mode, seed = name.split("-")
    folder = args.folder / f".part-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    leak_bytes = KINDS[kind]["leak_bytes"] if mode == "leak" else 0
    with subprocess.Popen(command_of(kind, int(seed), leak_bytes, args.kind if mode == "leak" else None, args.folder / ".classes"),
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            leak, kept = drive(process, kind, int(seed), folder)
            if process.wait(30) != 0:
                raise RuntimeError(f"{name}: the service ended with status {process.returncode}")
        finally:
            process.kill()
    for i in range(CAPTURES):
        dump = folder / f"c{i}.{KINDS[kind]['dump']}"
        subprocess.run([args.hsdiff, "import", dump, "-o", folder / f"c{i}.hs", "-q"], check=True)
        dump.unlink()
    truth = {"kind": kind, "mode": mode, "seed": int(seed), "collector": COLLECTORS[int(seed) % 3] if kind == "java" else None, "leak": leak,
             "leak_bytes_per_round": leak_bytes, "kept": kept, "heap_bytes": [heap_bytes(args.hsdiff, folder / f"c{i}.hs") for i in (1, 6)]}
    (folder / "truth.json").write_text(json.dumps(truth) + "\n")
    folder.rename(args.folder / name)
    return name


def wanted(args):
    """Names of runs that are not there yet; kinds and modes take turns."""
    for number in range(args.first, args.first + args.count):
        for kind_mode in args.only or ("node-clean", "java-clean", "node-leak", "java-leak"):
            name = f"{kind_mode}-{number + LEAK_SEEDS if kind_mode.endswith('leak') else number}"
            if not (args.folder / name).exists():
                yield name


def attempt(name, args):
    """A run that fails is told and left out: a later start makes it."""
    started = time.monotonic()
    try:
        make_run(name, args)
        print(f"{name} {time.monotonic() - started:.1f} s", flush=True)
        return True
    except (OSError, RuntimeError, subprocess.SubprocessError, ValueError) as error:
        print(f"{name} failed: {error}", flush=True)
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--hsdiff", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=200, help="runs of each kind and mode (200)")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--only", action="append", choices=[f"{kind}-{mode}" for kind in KINDS for mode in ("clean", "leak")])
    parser.add_argument("--kind", help="this leak in every leaking run; otherwise the seed chooses")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    args.hsdiff = args.hsdiff.resolve()
    compile_service(args.folder / ".classes")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        made = list(pool.map(lambda name: attempt(name, args), list(wanted(args))))
    return 0 if all(made) else 1


if __name__ == "__main__":
    sys.exit(main())

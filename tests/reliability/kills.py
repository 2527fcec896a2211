#!/usr/bin/env python3
"""Killed at any moment (reliability row 11): after SIGKILL no temporary name and no half-written output; after INT, TERM and HUP
the same, and the process has died of that signal or finished. The output, if it is there, is whole. The dumps are large enough that
many signals arrive while there is work going on, and the test fails when they do not.

A sample in the ordinary suite; HSD_LONG=1: 500 kills and 50 of each other signal. HSD_SEED draws other moments.
"""
import os
import random
import signal
import subprocess
import time

import harness

SCALE = 1000
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def duration(shop, command):
    """The quicker of two runs: a machine that was busy during one would send every signal too late."""
    seconds = []
    for _ in range(2):
        start = time.monotonic()
        good = shop.run(command)
        seconds.append(time.monotonic() - start)
    return good, min(seconds)


def kill_once(shop, command, number, delay):
    shop.clear()
    process = subprocess.Popen([shop.program, *command.arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, env=shop.environment({}), cwd=shop.root)
    time.sleep(delay)
    process.send_signal(number)
    try:
        _, err = process.communicate(timeout=harness.LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return harness.Result(command, "stalled", b"", b"", {}, [])
    return shop.inspect(command, process.returncode, b"", err)


def problem_of(result, good, number):
    if result.status == "stalled":
        return "did not end"
    if harness.SANITIZER.search(result.err):
        return "a sanitizer spoke"
    if result.leftovers:
        return f"left behind: {', '.join(result.leftovers)}"
    for path, data in result.outputs.items():
        if len(data) != len(good.outputs[path]):
            return f"half an output: {len(data)} of {len(good.outputs[path])} bytes"
    if result.status not in (0, -number, 128 + number):
        return f"exit status {result.status} after {signal.Signals(number).name}"
    return None


def main():
    tally = harness.Tally()
    choose = random.Random(harness.seed(11))
    kills = {signal.SIGKILL: 500, None: 50} if harness.LONG else {signal.SIGKILL: 40, None: 12}
    with harness.Workshop(harness.program("HSD_CLI"), SCALE) as shop:
        commands = [shop.command(name) for name in ("import-v8", "diff-to-file", "diff-hprof", "salvage")]
        hits = tries = 0
        timed = [(command, *duration(shop, command)) for command in commands]
        for number in SIGNALS:
            for attempt in range(kills.get(number, kills[None])):
                command, good, seconds = timed[attempt % len(timed)]
                delay = choose.uniform(0, 0.9 * seconds)
                result = kill_once(shop, command, number, delay)
                tally.case(f"{command.name}, {signal.Signals(number).name} after {1000 * delay:.1f} ms",
                           problem_of(result, good, number), result.err)
                tries += 1
                hits += result.status != 0
        print(f"{hits} of {tries} signals arrived before the end")
        tally.case("many signals hit", None if 3 * hits > tries else "too few: the commands end too early to be killed")
    tally.close()


if __name__ == "__main__":
    main()

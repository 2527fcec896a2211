#!/usr/bin/env python3
"""The machine fails: memory runs out at the k-th allocation, a call fails at the k-th time, two faults at once (reliability rows 8, 9
and 10). For each k the command must give the right answer all the same, or exit with 4, say why, leak nothing and leave nothing.

usage: faults.py memory|io|pairs

A sample of the ks in the ordinary suite; HSD_LONG=1 takes them all. The ks come from an undisturbed run, which counts its calls.
"""
import os
import random
import sys

import harness

MEMORY_COMMANDS = ("diff", "diff-v8", "diff-hprof", "info", "import-v8", "import-hprof", "verify", "dump", "salvage", "summary",
                   "diff-objects", "demo", "top", "top-retained", "paths")
IO_COMMANDS = ("diff-json", "diff-to-file", "diff-objects", "demo", "diff-v8", "import-hprof", "info", "verify", "salvage", "top-retained", "paths")
PAIR_COMMANDS = ("diff-json", "diff-to-file", "diff-v8", "import-hprof", "salvage", "top-retained", "paths", "verify")
FAMILIES = ("open", "read", "pread", "write", "pwrite", "sync", "rename", "close", "size", "seek", "stat", "map", "thread")
# The demo makes and compares 56,000 objects: ten times the work of any other command, whose parts it is made of.
LARGE_COMMANDS = ("demo",)
# A failing input is "unreadable input", a failing result or temporary file is the machine: both are honest.
MEMORY_STATUSES = (4,)
IO_STATUSES = (3, 4)
SAMPLE, LARGE_SAMPLE = 12, 3
SANITIZED = bool(os.environ.get("HSD_SANITIZED"))
# Where /proc seems to be for others as the sandbox opens it, it has no rule, and the leak sanitizer cannot look around. What the command did stands.
LEAKS_CANNOT_BE_SEEN = b"LeakSanitizer has encountered a fatal error"


def count_calls(shop, command):
    """(the undisturbed result, {family: calls})"""
    path = os.path.join(shop.root, "counts")
    good = shop.run_faulty(command, {"HSD_FAULT_COUNT_FILE": path})
    with open(path, encoding="ascii") as file:
        counts = {name: int(number) for name, number in (line.split() for line in file)}
    return good, counts


def points(name, count):
    """1..count, or an even sample with both ends."""
    sample = LARGE_SAMPLE if name in LARGE_COMMANDS else SAMPLE
    if harness.LONG or count <= sample:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (sample - 1)) for i in range(sample)})


def sweep_memory(shop, tally):
    for name in MEMORY_COMMANDS:
        command = shop.command(name)
        good, counts = count_calls(shop, command)
        tally.case(f"{name}, undisturbed", harness.crash_of(good) or (None if good.status == 0 else f"exit status {good.status}"), good.err)
        if counts["malloc"] == 0:
            tally.case(f"{name}", "not one allocation was counted: the faults do not reach it")
        for at in points(name, counts["malloc"]):
            for forever in (False, True):
                faults = {"HSD_FAULT_MALLOC_AT": str(at), **({"HSD_FAULT_MALLOC_FOREVER": "1"} if forever else {})}
                result = shop.run_faulty(command, faults)
                tally.case(f"{name}, allocation {at} of {counts['malloc']}{' and all after' if forever else ''}",
                           harness.verdict(result, good, MEMORY_STATUSES), result.err)


def errors_of(family):
    if family in ("read", "pread"):
        return ("EIO", "EINTR", "SHORT") if harness.LONG else ("EIO", "SHORT")
    if family in ("write", "pwrite"):
        return ("ENOSPC", "EIO", "EDQUOT", "EINTR", "SHORT") if harness.LONG else ("ENOSPC", "EIO", "SHORT")
    if family == "thread":
        return ("EAGAIN",)
    if family == "open":
        return ("EMFILE", "EACCES", "EIO") if harness.LONG else ("EIO",)
    return ("EIO", "ENOSPC") if harness.LONG else ("EIO",)


def judge(result, good, family, statuses):
    """harness.verdict, but for two honest answers to a disk that cannot be read."""
    name = result.command.name
    if name == "salvage" and family in ("pread", "any") and result.status in (0, 3):
        return harness.crash_of(result)  # what cannot be read is lost, and that is what salvage is for
    if name == "info" and family == "stat" and result.status == 0:
        return harness.crash_of(result)  # the mode of the file is left out
    return harness.verdict(result, good, statuses)


def sweep_io(shop, tally):
    for name in IO_COMMANDS:
        command = shop.command(name)
        good, counts = count_calls(shop, command)
        for family in FAMILIES:
            for error in errors_of(family):
                for at in points(name, counts[family]):
                    faults = {"HSD_FAULT_IO_CALL": family, "HSD_FAULT_IO_AT": str(at), "HSD_FAULT_ERRNO": error}
                    result = shop.run_faulty(command, faults)
                    if LEAKS_CANNOT_BE_SEEN in result.err:
                        result = shop.run_faulty(command, {**faults, "HSD_FAULT_NO_LEAKS": "1"})
                    statuses = (good.status,) if error in ("EINTR", "SHORT") or family == "thread" else IO_STATUSES
                    tally.case(f"{name}, {error} at {family} {at} of {counts[family]}", judge(result, good, family, statuses), result.err)


def sweep_pairs(shop, tally):
    """Two faults at random points, of one kind or of two; HSD_SEED draws others. Under sanitizers one in four is looked at for leaks, which takes as
    long as the run: after one fault each is. Without them a case takes a tenth of the time, and ten times as many are tried."""
    choose = random.Random(harness.seed(10))
    commands = {name: shop.command(name) for name in PAIR_COMMANDS}
    counted = {name: count_calls(shop, command) for name, command in commands.items()}
    for number in range(60 if not harness.LONG else 2000 if SANITIZED else 20000):
        name = choose.choice(sorted(commands))
        good, counts = counted[name]
        first, second = choose.randint(1, counts["malloc"]), choose.randint(1, counts["any"])
        third = choose.randint(1, counts["any"])
        error = choose.choice(("EIO", "ENOSPC"))
        faults = choose.choice((
            {"HSD_FAULT_MALLOC_AT": str(first), "HSD_FAULT_IO_CALL": "any", "HSD_FAULT_IO_AT": str(second), "HSD_FAULT_ERRNO": error},
            {"HSD_FAULT_IO_CALL": "any", "HSD_FAULT_IO_AT": f"{second},{third}", "HSD_FAULT_ERRNO": error},
            {"HSD_FAULT_MALLOC_AT": f"{first},{choose.randint(1, counts['malloc'])}"},
        ))
        result = shop.run_faulty(commands[name], faults if number % 4 == 0 else {**faults, "HSD_FAULT_NO_LEAKS": "1"})
        family = "any" if "HSD_FAULT_IO_CALL" in faults else "malloc"
        tally.case(f"pair {number}, {name}, {faults}", judge(result, good, family, IO_STATUSES), result.err)


def main():
    sweeps = {"memory": sweep_memory, "io": sweep_io, "pairs": sweep_pairs}
    if len(sys.argv) != 2 or sys.argv[1] not in sweeps:
        sys.exit(__doc__)
    tally = harness.Tally()
    with harness.Workshop(harness.program("HSD_FAULTY")) as shop:
        sweeps[sys.argv[1]](shop, tally)
    tally.close()


if __name__ == "__main__":
    main()

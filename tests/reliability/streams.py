#!/usr/bin/env python3
"""Errors on standard output are errors (reliability row 12): every command and every format, into a full device, into a closed
descriptor, into a pipe whose reader has gone. A reader that has had enough is no failure of ours, but never a crash either.
"""
import os
import signal
import subprocess

import harness


def into_full_device(shop, command):
    with open("/dev/full", "wb") as full:
        return shop.run(command, stdout=full)


def into_closed_descriptor(shop, command):
    return shop.run(command, wrapper=("sh", "-c", 'exec "$0" "$@" >&-'))


def into_gone_reader(shop, command):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        # Python ignores SIGPIPE and its children inherit that: give the command the default of a shell.
        return shop.run(command, stdout=writer, wrapper=("env", "--default-signal=PIPE"))
    finally:
        os.close(writer)


def problem_of(result, statuses):
    if result.status == -signal.SIGPIPE:
        return None if -signal.SIGPIPE in statuses else "died of SIGPIPE"
    problem = harness.crash_of(result)
    if problem:
        return problem
    if result.leftovers:
        return f"left behind: {', '.join(result.leftovers)}"
    if result.status not in statuses:
        return f"exit status {result.status}, expected {' or '.join(map(str, statuses))}"
    if result.status == 4 and not result.err.strip():
        return "no message"
    return None


def main():
    tally = harness.Tally()
    with harness.Workshop(harness.program("HSD_CLI")) as shop:
        commands = shop.commands()
        commands += [harness.Command("help", ["--help"]), harness.Command("version", ["--version"])]
        for command in commands:
            good = shop.run(command)
            if not good.out:
                continue
            result = into_full_device(shop, command)
            tally.case(f"{command.name} > /dev/full", problem_of(result, (4,)), result.err)
            result = into_closed_descriptor(shop, command)
            tally.case(f"{command.name} >&-", problem_of(result, (4,)), result.err)
            result = into_gone_reader(shop, command)
            tally.case(f"{command.name} | reader gone", problem_of(result, (4, -signal.SIGPIPE, 128 + signal.SIGPIPE)), result.err)
        head = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" dump "$1" | head -n 1 >/dev/null', shop.program, shop.captures[0]],
                              env=shop.environment({}), capture_output=True)
        tally.case("dump | head -n 1", None if head.returncode in (0, 4, 128 + signal.SIGPIPE) else f"exit status {head.returncode}", head.stderr)
    tally.close()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs a command with busy processes beside it, as it meets them on a machine that others use.

usage: under_load.py N FOLDER COMMAND [ARGUMENT…]

N processes compute, and one more writes into FOLDER, 8 MiB at a time, each of which it waits for the disk to have. All end when the
command has ended, when this program is ended by a signal (then the command is, too), and when it is killed. Ends as the command did.
"""
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile

PIECE, PIECES = 1 << 20, 8
PR_SET_PDEATHSIG = 1
ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def compute():
    while True:
        pass


def write(folder):
    piece = os.urandom(PIECE)
    with tempfile.TemporaryFile(buffering=0, dir=folder) as file:  # it never has a name: nothing is left, however this ends
        while True:
            file.seek(0)
            for _ in range(PIECES):
                file.write(piece)
            os.fsync(file.fileno())


def begin(work, *arguments):
    """The id of a child that works until it is killed, or its parent is."""
    parent = os.getpid()
    child = os.fork()
    if child != 0:
        return child
    try:
        for number in ENDS:
            signal.signal(number, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            work(*arguments)
    finally:
        os._exit(1)


def end(children):
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def run(command):
    """The status of the command; signals that end this program go to it, also such as come before its start is over."""
    running, early = None, []
    for number in ENDS:
        signal.signal(number, lambda got, _: running.send_signal(got) if running else early.append(got))
    with subprocess.Popen(command) as running:
        for number in early:
            running.send_signal(number)
        return running.wait()


def main(arguments):
    count, folder, command = int(arguments[0]), arguments[1], arguments[2:]
    os.makedirs(folder, exist_ok=True)
    children = []
    try:
        for _ in range(count):
            children.append(begin(compute))
        children.append(begin(write, folder))
        status = run(command)
    finally:
        end(children)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    if len(sys.argv) < 4 or not sys.argv[1].isdigit():
        sys.exit(__doc__.split("\n\n")[1])
    sys.exit(main(sys.argv[1:]))

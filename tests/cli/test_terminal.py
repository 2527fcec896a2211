#!/usr/bin/env python3
"""The command on a terminal, and under signals.

usage: test_terminal.py HSDIFF
A pseudo terminal of 80 columns stands for the user: colour, width, the progress line. Signals must end the command as the
shell expects it, soon, and leave nothing.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import test_cli

LONG = "com.example.a.very.long.package.name.of.a.type.that.does.not.fit.in.a.column.Session"


class Terminal:
    """Runs a command on a pseudo terminal and collects what appears there."""

    def __init__(self, runner, line, columns=80, stdin=subprocess.DEVNULL, **environment):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        variables = {"PATH": runner.bin + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm", **environment}
        variables.update({key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")})

        def take_terminal():
            os.setsid()
            fcntl.ioctl(1, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(["sh", "-c", line], cwd=runner.inputs, env=variables, stdin=stdin, stdout=slave,
                                        stderr=slave, preexec_fn=take_terminal)
        os.close(slave)
        self.master = master

    def finish(self, seconds=60):
        """(exit status, everything that was shown)"""
        shown, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if ready:
                try:
                    piece = os.read(self.master, 65536)
                except OSError:
                    piece = b""
                if not piece:
                    break
                shown += piece
            elif self.process.poll() is not None:
                break
        status = self.process.wait(timeout=seconds)
        os.close(self.master)
        return status, shown.decode("utf-8").replace("\r\n", "\n")


def expect(holds, what, shown):
    """One line for a test that failed."""
    if holds:
        return []
    return [f"{what}:\n{shown!r}"]


def without_color(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def check_color(runner):
    """Colour on a terminal, unless the user does not want it."""
    line, problems = "hsdiff -q d/demo-before.hs d/demo-after.hs", []
    _, shown = Terminal(runner, line).finish()
    problems += expect("\x1b[91m+" in shown, "no colour on a terminal", shown)
    plain = without_color(shown)
    for what, changed, environment in (("--color never", line + " --color never", {}), ("NO_COLOR", line, {"NO_COLOR": "1"}),
                                       ("TERM=dumb", line, {"TERM": "dumb"})):
        _, shown = Terminal(runner, changed, **environment).finish()
        problems += expect("\x1b" not in shown and shown == plain, what, shown)
    _, shown = Terminal(runner, line, NO_COLOR="").finish()
    return problems + expect("\x1b[91m" in shown, "NO_COLOR that is empty", shown)


def check_width(runner):
    """Lines fit the terminal; -w and a pipe show whole names."""
    problems = []
    for line, widths in (("hsdiff -q long.heapsnapshot longer.heapsnapshot", (60, 80, 132)),
                         ("hsdiff series -q --min 1K long.heapsnapshot longer.heapsnapshot longer.heapsnapshot", (80, 132))):
        for columns in widths:
            _, shown = Terminal(runner, line, columns).finish()
            widest = max(len(line) for line in without_color(shown).split("\n"))
            is_cut = columns > 80 or (LONG not in shown and "…" in shown)
            problems += expect(widest <= max(columns, 80) and is_cut, f"{line}: {columns} columns, {widest} used", shown)
    _, shown = Terminal(runner, "hsdiff -q -w long.heapsnapshot longer.heapsnapshot").finish()
    problems += expect(LONG in shown, "-w", shown)
    _, shown = Terminal(runner, "hsdiff -q long.heapsnapshot longer.heapsnapshot", LC_ALL="C").finish()
    return problems + expect("…" not in shown and ".." in shown, "a terminal without UTF-8", shown)


def check_pages(runner):
    """A page is no reading for a terminal, and nothing of it is shown there."""
    problems = []
    for output in ("", " -o -"):
        status, shown = Terminal(runner, "hsdiff d/demo-before.hs d/demo-after.hs --format html" + output).finish()
        problems += expect(status == 2 and "--html FILE" in shown and "<" not in shown, "a page on a terminal", shown)
    return problems


def is_drained(pipe):
    unread = fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))
    return int.from_bytes(unread, sys.byteorder) == 0


def feed_slowly(path, seconds):
    """A pipe that gives the file in pieces, over that time, which begins when somebody reads."""
    read, write = os.pipe()

    def feed():
        with open(path, "rb") as file:
            data = file.read()
        pieces = 40
        try:
            for i in range(pieces):
                os.write(write, data[len(data) * i // pieces:len(data) * (i + 1) // pieces])
                while i == 0 and not is_drained(read):
                    time.sleep(0.01)
                time.sleep(seconds / pieces)
        except OSError:  # it has ended
            pass
        os.close(write)

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    return read, thread


def check_progress(runner):
    """A line after a second, on a terminal alone, and gone in the end."""
    problems = []
    big = os.path.join(runner.inputs, "big.heapsnapshot")
    for what, line, wanted in (("slow", "hsdiff -q import - -o /dev/null", False), ("progress", "hsdiff import - -o /dev/null", True),
                               ("no progress", "hsdiff import --no-progress - -o /dev/null", False),
                               ("not a terminal", "hsdiff import - -o /dev/null 2>&1 | cat", False)):
        read, thread = feed_slowly(big, 2.0)
        status, shown = Terminal(runner, line, stdin=read).finish()
        os.close(read)
        thread.join()
        problems += expect(status == 0 and ("\r\x1b[K" in shown) == wanted, f"{what}: exit status {status}", shown)
    for _ in range(20):
        began = time.monotonic()
        _, shown = Terminal(runner, "hsdiff a.heapsnapshot b.heapsnapshot --color never").finish()
        if time.monotonic() - began < 1:  # as always, but on a machine under load
            return problems + expect("\r" not in shown, "progress before the first second", shown)
    return problems + expect(False, "20 times over a second for two small captures", shown)


def check_signals(runner):
    """Ended by the signal itself, within a few seconds, whether it waits for input or works."""
    problems = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for state in ("waiting", "working"):
            read, write = os.pipe()
            before = set(os.listdir(runner.inputs))
            process = subprocess.Popen([os.path.join(runner.bin, "hsdiff"), "import", "-", "-o", "unfinished.hs"], cwd=runner.inputs,
                                       stdin=read, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if state == "working":
                with open(os.path.join(runner.inputs, "big.heapsnapshot"), "rb") as file:
                    os.write(write, file.read(60000))
            time.sleep(0.3)
            began = time.monotonic()
            process.send_signal(number)
            if state == "working":
                os.close(write)
            try:
                status = process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                status = process.wait()
            took = time.monotonic() - began
            os.close(read)
            if state == "waiting":
                os.close(write)
            left = set(os.listdir(runner.inputs)) - before
            ended = status == -number or (state == "working" and status == 3) # it may find the cut-off first
            problems += expect(ended and took < 8 and not left, f"{signal.Signals(number).name} while {state}: status {status}, "
                               f"{took:.1f} s, left {left}", "")
    return problems


def main():
    runner = test_cli.Runner(sys.argv[1])
    problems = []
    try:
        test_cli.inputs.v8_snapshot(os.path.join(runner.inputs, "big.heapsnapshot"), 20000)
        for name, sessions in (("long", 20), ("longer", 220)):
            path = os.path.join(runner.inputs, name + ".heapsnapshot")
            test_cli.inputs.v8_snapshot(path, sessions)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            test_cli.write(path, text.replace('"Session"', f'"{LONG}"').encode())
        for check in (check_color, check_width, check_pages, check_progress, check_signals):
            problems += check(runner)
    finally:
        runner.close()
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

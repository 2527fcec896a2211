"""A program that waits does not notice that it is captured: each of its system calls ends at its time and with its own answer.

    waits      twenty-seven calls, each in a thread of its own, over and over while captures are taken: none early, none with EINTR, those with a time of
               their own no later than without captures but for what the machine adds; signals of the program's own still end epoll_wait and sigsuspend,
               every time
    sleeper    a program that only sleeps, once, sleeps on
    debugged   a program that is traced already is captured by a signal, and the capture says so
    forbidden  ... but not with stop=trace, which says why

HSD_LONG=1 takes 1,000 captures where 25 are taken else.
"""
import os
import subprocess
import time

from kit import LONG, PATIENCE, Failed, Program, check, main, say
from test_native_stress import Dump, ask, preloaded, program

CAPTURES = 1000 if LONG else 25
WAIT_MS = 400


def report_of(one):
    """What the program has counted: of each call how often it waited, early, wrong, how late at most; and its signals."""
    one.tell("report")
    calls, signals = {}, None
    for line in one.process.stdout:
        words = line.split()
        if words[0] == "waits":
            calls[words[1]] = tuple(map(int, words[2:]))
        elif words[0] == "ended":
            check(words[1] == "0", f"{words[1]} of pause, accept, flock and waitpid returned")
        elif words[0] == "signals":
            signals = tuple(map(int, words[1:]))
        elif words[0] == "reported":
            return calls, signals
    raise Failed("no report")


def latest_ms(calls):
    return max(counts[3] for counts in calls.values()) / 1000


def undisturbed(tool, seconds):
    """How late calls come with the agent in the program and no capture: what the machine adds."""
    with Program([program(tool, "native_waits"), str(WAIT_MS)], preloaded(tool, "stop=trace")) as one:
        time.sleep(seconds)
        calls, _ = report_of(one)
        one.quit()
    return latest_ms(calls)


def waits(tool, folder):
    with Program([program(tool, "native_waits"), str(WAIT_MS)], preloaded(tool, "stop=trace")) as one:
        began = time.monotonic()
        before, signals_before = report_of(one)
        for _ in range(CAPTURES):
            ask(one.pid, folder / "waits.hs")
        calls, signals = report_of(one)
        captured = {name: counts[0] for name, counts in calls.items()}
        while min(counts[0] for counts in calls.values()) < 3:  # each ends: what began anew with every stop has had its time since
            ask(one.pid, folder / "waits.hs")
            calls, signals = report_of(one)
        one.quit()
    took = time.monotonic() - began
    if "io_uring" not in before:
        say("        io_uring: the kernel has none for this user: left out")
    dump = Dump(tool, folder / "waits.hs")
    check(not dump.losses and "threads.signalled" not in dump.metrics, f"threads were not stopped by tracing: {dump.losses} {dump.metrics}")
    say(f"        {CAPTURES} captures; waits ended meanwhile: {min(captured.values())} to {max(captured.values())} of each of {len(calls)} calls, "
        f"{latest_ms(calls):.1f} ms late at most; {signals[0]} signals")
    if LONG:
        say(f"        without captures, in the same time: {undisturbed(tool, took):.1f} ms late at most")
        say("        " + ", ".join(f"{name} {counts[3] / 1000:.1f}" for name, counts in calls.items()))
    early = {name: counts for name, counts in calls.items() if counts[1] > 0 or counts[2] > 0}
    check(not early, f"calls ended before their time or with another answer (done, early, wrong, latest in us, errno): {early}")
    check(signals[0] > signals_before[0] and signals[2] >= signals[0] - 1, f"signals sent, handled, that ended a call: {signals}")


def sleeper(tool, folder):
    """The issue's own case: sleep(3) cannot be started anew by who called it."""
    done = subprocess.Popen(["sleep", "3"], env=dict(os.environ, **preloaded(tool)))
    ask(done.pid, folder / "sleeper.hs", wait=PATIENCE)
    check(done.poll() is None, "sleep ended when it was captured")
    check(done.wait(60) == 0, f"sleep ended with {done.returncode}")


def debugged(tool, folder):
    for check_capture, settings in ((told, ""), (forbidden, "stop=trace")):
        with Program([program(tool, "native_load"), "2"], preloaded(tool, settings)) as one:
            with subprocess.Popen([program(tool, "native_tracer"), str(one.pid)], stdout=subprocess.PIPE, text=True) as tracer:
                check(tracer.stdout.readline() == "tracing\n", "the program cannot be traced by its test")
                check_capture(tool, folder, one)
                tracer.kill()
            one.quit()


def told(tool, folder, one):
    done = tool.capture(one.pid, folder / "told.hs")
    check("traced" in done.stderr and "EINTR" in done.stderr, f"it is not told what a capture disturbs: {done.stderr}")
    check(Dump(tool, folder / "told.hs").metrics.get("threads.signalled", 0) >= 3, "the capture does not say how it stopped the threads")


def forbidden(tool, folder, one):
    done = tool.capture(one.pid, folder / "forbidden.hs", expect=None)
    check(done.returncode != 0 and "may not be traced" in done.stderr and "stop=trace" in done.stderr, f"a capture that is forbidden: {done}")


if __name__ == "__main__":
    main({"waits": waits, "sleeper": sleeper, "debugged": debugged})

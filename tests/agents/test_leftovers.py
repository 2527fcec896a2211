#!/usr/bin/env python3
"""Heap dumps of JVMs (way hprof) that are broken off at any moment: no dump stays, nor a byte of one, whoever ends.

    stopped        SIGTERM or SIGINT for hsdiff and all of its process group: 1,000 times with HSD_LONG=1
    killed         kill -9 for it and all of its process group: 500 times
    all_killed     kill -9 for hsdiff and for the child that tidies up: pipes may stay, which hold nothing, until the next capture
    target_killed  kill -9 of the JVM: 500 times
    deserted       what kill -9 for hsdiff and that child leaves behind at the worst moments: the JVM waits in a pipe that nobody reads, or in
                   one that nobody writes. It is let go by the next capture, which is whole

With HSD_LONG=1 eight processes keep the machine busy meanwhile. Of each generation of dumps (one pipe: JDK 15 to 21; two: from 22 on) the
JVM that is installed is taken. In between the JVM goes on, and what comes next is whole.
"""
import contextlib
import fcntl
import glob
import itertools
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import kit
import test_jvm
from kit import LONG, check, say

STOPS, KILLS, ALL_KILLS, TARGETS = (1000, 500, 40, 500) if LONG else (12, 12, 2, 3)
TWO_PIPES_SINCE = 22
WHOLE_EVERY = 50


def major(java):
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found[1]) if found else 0


def find_java(has_two_pipes):
    """Path of a JVM of this generation, or skipped."""
    kit.need("java", "javac")
    for java in ["java", *sorted(glob.glob("/usr/lib/jvm/*/bin/java"))]:
        if 15 <= major(java) and (major(java) >= TWO_PIPES_SINCE) == has_two_pipes:
            return java
    return None


def start(java):
    return kit.Program([java, "-XX:+UseSerialGC", "-Xmx256m", "-cp", str(test_jvm.classes()), "JvmLeak", "quiet", "100000"])


@contextlib.contextmanager
def load():
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8 if LONG else 0)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


# ---- what is left

def folders():
    return set(glob.glob("/tmp/.hsdiff-dump-*"))


def nothing_stays(place):
    """Other captures on the machine come and go: what is there all the time is left."""
    stays, until = folders(), time.monotonic() + 40
    while stays and time.monotonic() < until:
        time.sleep(0.05)
        stays &= folders()
    check(not stays, f"left: {[(one, os.listdir(one)) for one in stays if os.path.isdir(one)]}")
    check(list(place.iterdir()) == [], f"left in TMPDIR: {list(place.iterdir())}")


def bytes_of_dumps():
    """In files that have a name."""
    total = 0
    for path in glob.glob("/tmp/.hsdiff-dump-*/*"):
        with contextlib.suppress(OSError):
            found = os.lstat(path)
            total += found.st_size if stat.S_ISREG(found.st_mode) else 0
    return total


# ---- askers

class Asker:
    def __init__(self, tool, folder):
        self.tool, self.out, self.temporary = tool, folder / "cut.hs", folder / "temporary"
        self.temporary.mkdir()
        self.environment = dict(tool.environment, TMPDIR=str(self.temporary))

    def begin(self, pid):
        return subprocess.Popen([self.tool.path, "capture", str(pid), "-o", str(self.out), "--force", "--way", "hprof"], env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def whole(self, pid):
        """A capture with nothing to disturb it; seconds."""
        began = time.monotonic()
        self.tool.capture(pid, self.out, "--force", "--way", "hprof")
        self.tool.run("verify", self.out)
        self.out.unlink()
        return time.monotonic() - began

    def end(self, client, signal_number, also=()):
        """Signals the group, and waits. Was it cut?"""
        for pid in also:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal_number)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(client.pid, signal_number)
        said = client.communicate(timeout=60)[0]
        check(client.returncode in (0, -signal_number, 128 + signal_number), f"ended with {client.returncode}: {said}")
        return not self.take_whole()

    def take_whole(self):
        """A capture that is in its place was there before the end came: whole."""
        if not self.out.exists():
            return False
        self.tool.run("verify", self.out)
        self.out.unlink()
        return True


def children(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError):
            found += map(int, pathlib.Path(path).read_text().split())
    return found


def broken_off(signals, tries, has_two_pipes, with_children=False):
    def case(tool, folder):
        java = find_java(has_two_pipes)
        if java is None:
            return say("        no JVM of this generation: left out")
        asker, cut = Asker(tool, folder), 0
        with load(), start(java) as program:
            moments = kit.Moments(11, min(asker.whole(program.pid) for _ in range(2)))
            for i, number in enumerate(itertools.cycle(signals)):
                if i >= tries and 3 * cut > tries or i >= 10 * tries: # one that came too late moves the next ones forward
                    break
                client = asker.begin(program.pid)
                moments.sleep(client)
                cut += asker.end(client, number, children(client.pid) if with_children else ())
                check(program.is_alive(), "the JVM ended")
                check(not with_children or bytes_of_dumps() == 0, "a dump stays")
                if with_children or i % WHOLE_EVERY == 0:
                    asker.whole(program.pid)
                    nothing_stays(asker.temporary)
            asker.whole(program.pid)
            nothing_stays(asker.temporary)
            program.quit()
        say(f"        {cut} of {i} were cut")
        check(3 * cut > tries, "too few were cut: the test proves nothing")
    return case


def target_killed(has_two_pipes):
    def case(tool, folder):
        java = find_java(has_two_pipes)
        if java is None:
            return say("        no JVM of this generation: left out")
        asker, cut = Asker(tool, folder), 0
        with load():
            with start(java) as program:
                moments = kit.Moments(12, min(asker.whole(program.pid) for _ in range(2)))
            for i in range(4 * TARGETS):
                if i >= TARGETS and cut > 0:
                    break
                with start(java) as program:
                    client = asker.begin(program.pid)
                    moments.sleep(client)
                    program.process.kill()
                    said = client.communicate(timeout=60)[0]
                    program.process.wait()
                    check(client.returncode in (0, 2, 3), f"ended with {client.returncode}: {said}")
                    check(client.returncode == 0 or (said.strip() and "refused" not in said), f"it says: {said}")
                    check(asker.take_whole() == (client.returncode == 0), f"exit {client.returncode}, and what stays: {said}")
                    cut += client.returncode != 0
                nothing_stays(asker.temporary)
        say(f"        {cut} of {TARGETS} were cut")
        check(cut > 0, "none was cut: the test proves nothing")
    return case


# ---- asked by one who is gone

def waits_in_pipe(pid):
    """Whether a thread is in open() of a pipe, or reads from one that is not its standard input."""
    waits = [pathlib.Path(one).read_text() for one in glob.glob(f"/proc/{pid}/task/*/wchan")]
    return "wait_for_partner" in waits or waits.count("anon_pipe_read") + waits.count("pipe_read") > 1


class Deserter:
    """Asks for a dump as hsdiff does, reads what `reads` names, and is gone when the JVM waits. Its folder is nobody's from then on."""

    def __init__(self, program, has_two_pipes):
        self.program, self.options = program, "-overwrite -parallel=1" if has_two_pipes else "-overwrite"
        self.held = None
        while self.held is None:
            self.make()

    def make(self):
        """Others on the machine sweep what nobody holds: a folder that is lost before it is held is made anew."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=".hsdiff-dump-", dir="/tmp"))
        with contextlib.suppress(FileNotFoundError, BlockingIOError):
            held = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
                for name in ("heap", "heap.p0"):
                    os.mkfifo(self.folder / name, 0o600)
                self.held = held
            finally:
                if self.held is None:
                    os.close(held)

    def ask(self, reads):
        ends = [os.open(self.folder / name, os.O_RDONLY | os.O_NONBLOCK) for name in reads]
        with socket.socket(socket.AF_UNIX) as jvm:
            jvm.connect(f"/tmp/.java_pid{self.program.pid}")
            jvm.sendall(f"1\0jcmd\0GC.heap_dump {self.options} {self.folder}/heap\0\0\0".encode())
            kit.wait_until("the JVM does not wait", lambda: self.is_stuck(ends))
        for end in (*ends, self.held):
            os.close(end)

    def is_stuck(self, ends):
        for end in ends:
            with contextlib.suppress(BlockingIOError):
                while os.read(end, 1 << 20):
                    pass
        return waits_in_pipe(self.program.pid)


def deserted(has_two_pipes):
    def case(tool, folder):
        java = find_java(has_two_pipes)
        if java is None:
            return say("        no JVM of this generation: left out")
        asker = Asker(tool, folder)
        with load(), start(java) as program:
            asker.whole(program.pid) # it listens from here on
            for reads in ((), ("heap",), ("heap", "heap.p0")) if has_two_pipes else ((),):
                Deserter(program, has_two_pipes).ask(reads)
                check(program.is_alive(), "the JVM ended")
                asker.whole(program.pid)
                nothing_stays(asker.temporary)
            program.quit()
    return case


CASES = {}
for _two in (False, True):
    _name = "two-pipes" if _two else "one-pipe"
    CASES |= {f"stopped-{_name}": broken_off((signal.SIGTERM, signal.SIGINT), STOPS, _two),
              f"killed-{_name}": broken_off((signal.SIGKILL,), KILLS, _two),
              f"all-killed-{_name}": broken_off((signal.SIGKILL,), ALL_KILLS, _two, with_children=True),
              f"target-killed-{_name}": target_killed(_two),
              f"deserted-{_name}": deserted(_two)}

if __name__ == "__main__":
    kit.main(CASES)

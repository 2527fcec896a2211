#!/usr/bin/env python3
"""Captures of a C program of four threads that are cut off at any moment. The program, where it lives, goes on and serves the next
capture, which is whole; no process, no descriptor, no file and no socket stays; what is kept of a cut capture says what it is.

    killed         kill -9 of hsdiff
    terminated     SIGTERM of hsdiff
    child_killed   kill -9 of the child of the program that writes the capture: with --partial what came is kept, and is no whole capture
    full_disk      the capture goes to a disk of 64 KiB
    closed_socket  the program sends captures by itself, and who receives them closes the socket
    target_killed  kill -9 of the program: likewise, and without --partial nothing is kept

HSD_LONG=1: 100 of each (30 programs killed) where there are 8 (4) else; HSD_SEED draws other moments. Other runtimes have such cases in tests of their own.
"""
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import kit
from kit import check, say

LONG = bool(os.environ.get("HSD_LONG"))
TRIES, PROGRAMS = (100, 30) if LONG else (8, 4)
SEED = int(os.environ.get("HSD_SEED", "0"))
WHOLE_EVERY = 10      # a whole capture behind so many that were cut
MANY, SOME, FEW = 200000, 100000, 60000 # blocks: FEW are some 200 KB of capture, more than any small disk has
INCOMPLETE, NO_ROOM = 3, 4


class Place:
    """The folders of a case, and the program in a copy of its own, by which its processes are known."""

    def __init__(self, tool, folder):
        agents = pathlib.Path(tool.agents)
        self.agent = agents / "libhsdiff-native.so"
        built = agents.parent / "tests" / "agents" / "programs" / "native_load"
        if not self.agent.exists() or not built.exists():
            kit.skip("the native agent was not built")
        self.folder, self.out, self.temporary = folder, folder / "out", folder / "temporary"
        self.out.mkdir()
        self.temporary.mkdir()
        self.program = folder / "native_load"
        shutil.copy(built, self.program)
        self.tool = kit.Tool(tool.path, tool.agents)
        self.tool.environment = dict(tool.environment, TMPDIR=str(self.temporary))

    def start(self, environment=None, blocks=MANY):
        return kit.Program([str(self.program), "4", str(blocks)], {"LD_PRELOAD": str(self.agent), **(environment or {})})

    def begin(self, pid, path, *options):
        return subprocess.Popen([self.tool.path, "capture", str(pid), "-o", str(path), *options], env=self.tool.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def processes(self):
        """Of the program and its children, and of commands that name the folder: by pid."""
        found = set()
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                program = os.readlink(f"/proc/{entry}/exe")
                words = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if program == str(self.program) or any(str(self.out).encode() in word for word in words):
                found.add(int(entry))
        return found


def state(pid):
    """Descriptors of the program, as what they are. (Inodes of sockets and pipes stay what they were.)"""
    names = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            names.append(os.readlink(f"/proc/{pid}/fd/{number}"))
        except OSError:
            pass
    return sorted(names)


def sockets(pid):
    """Of the agent's name: the one that listens, and any that is connected."""
    name = f"@hsdiff/1/native/{pid}"
    with open("/proc/net/unix", encoding="ascii", errors="replace") as file:
        return [line for line in file if line.split()[-1] == name]


def zombies(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            for child in (task / "children").read_text().split():
                if pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    found.append(child)
        except OSError:
            pass
    return found


def wait_for(holds, what, seconds=40):
    until = time.monotonic() + seconds
    while not holds():
        check(time.monotonic() < until, what() if callable(what) else what)
        time.sleep(0.02)


def nothing_left(place, program, before):
    """Sooner or later; the program itself forks for a moment now and then."""
    wait_for(lambda: place.processes() <= {program.pid}, lambda: f"processes left: {place.processes() - {program.pid}}")
    wait_for(lambda: state(program.pid) == before, lambda: f"descriptors: {state(program.pid)}, not {before}")
    wait_for(lambda: len(sockets(program.pid)) == 1, lambda: f"sockets: {sockets(program.pid)}")
    wait_for(lambda: not zombies(program.pid), "a child of the program is a zombie")
    check(list(place.temporary.iterdir()) == [], f"files left in TMPDIR: {list(place.temporary.iterdir())}")


def goes_on(place, program):
    """It works, and serves a whole capture."""
    check(program.is_alive(), f"the program ended with {program.process.poll()}")
    program.leak(1)
    whole = place.out / "whole.hs"
    place.tool.capture(program.pid, whole, "--force")
    place.tool.run("verify", whole)
    check(place.tool.info(whole)["pid"] == program.pid, "a capture of someone else")
    whole.unlink()


def usual_seconds(place, program):
    """The quicker of two captures."""
    seconds = []
    for _ in range(2):
        began = time.monotonic()
        goes_on(place, program)
        seconds.append(time.monotonic() - began)
    return min(seconds)


def check_cut(place, path):
    """What was kept says that it is incomplete."""
    for command in ("info", "verify"):
        done = place.tool.run(command, path, expect=None)
        check(done.returncode == INCOMPLETE, f"{command} of a cut capture of {path.stat().st_size} bytes: exit {done.returncode}\n"
              f"{done.stdout}{done.stderr}")
    path.unlink()


# ---- hsdiff is ended

def ended(number, may_finish):
    def case(tool, folder):
        place, cut = Place(tool, folder), 0
        path = place.out / "cut.hs"
        with place.start(blocks=FEW) as program:
            moments = kit.Moments(number + 100 * SEED, usual_seconds(place, program))
            before = state(program.pid)
            for i in range(TRIES):
                asker = place.begin(program.pid, path)
                moments.sleep(asker)
                asker.send_signal(number)
                said = asker.communicate(timeout=60)[0]
                check(asker.returncode in (0, -number, *may_finish), f"hsdiff ended with {asker.returncode}: {said}")
                if asker.returncode == 0 or path.exists(): # it was in its place already when hsdiff was ended: then it is whole
                    place.tool.run("verify", path)
                    path.unlink()
                else:
                    cut += 1
                check(list(place.out.iterdir()) == [], f"left behind: {list(place.out.iterdir())}")
                program.leak(1)
                if i % WHOLE_EVERY == 0:
                    goes_on(place, program)
                    nothing_left(place, program, before)
            goes_on(place, program)
            nothing_left(place, program, before)
            program.quit()
        say(f"        {cut} of {TRIES} were cut, a capture takes {moments.seconds:.2f} s")
        check(3 * cut > TRIES, "too few were cut: the test proves nothing")
    return case


# ---- the writer is killed

def writers(pid):
    """Children that write captures: the first to go where memory runs out."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(child) for child in (task / "children").read_text().split()
                      if pathlib.Path(f"/proc/{child}/oom_score_adj").read_text() == "1000\n"]
        except OSError:
            pass
    return found


def child_killed(tool, folder):
    place, cut, kept = Place(tool, folder), 0, 0
    path = place.out / "cut.hs"
    with place.start() as program:
        moments = kit.Moments(3 + 100 * SEED, usual_seconds(place, program))
        before = state(program.pid)
        for i in range(TRIES):
            is_kept = i % 2 == 0
            asker = place.begin(program.pid, path, *(["--partial"] if is_kept else []))
            while not (found := writers(program.pid)) and asker.poll() is None:
                time.sleep(0.001)
            moments.sleep(asker)
            for child in found:
                try:
                    os.kill(child, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            said = asker.communicate(timeout=60)[0]
            if asker.returncode == 0:
                place.tool.run("verify", path)
                path.unlink()
            else:
                cut += 1
                check(asker.returncode == INCOMPLETE and said.strip(), f"exit {asker.returncode}: {said}")
                check(is_kept or not path.exists(), "a cut capture was kept, and nobody asked for that")
                if path.exists():
                    kept += 1
                    check_cut(place, path)
            check(list(place.out.iterdir()) == [], f"left behind: {list(place.out.iterdir())}")
            program.leak(1)
            if i % WHOLE_EVERY == 0:
                goes_on(place, program)
                nothing_left(place, program, before)
        goes_on(place, program)
        nothing_left(place, program, before)
        program.quit()
    say(f"        {cut} of {TRIES} were cut, {kept} of them kept by --partial")
    check(3 * cut > TRIES and kept > 0, "too few were cut: the test proves nothing")


# ---- no room

def mount(folder, kib):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k,mode=700", "none", str(folder)], capture_output=True, check=False)
    return done.returncode == 0


def full_disk(tool, folder):
    place, dice = Place(tool, folder), random.Random(4 + 100 * SEED)
    small = folder / "small"
    small.mkdir()
    if os.geteuid() != 0 or not mount(small, 64):
        return say("        no small file system can be made: left out")
    subprocess.run(["umount", str(small)], check=True)
    with place.start(blocks=FEW) as program:
        goes_on(place, program)
        before = state(program.pid)
        for i in range(TRIES):
            kib = 64 if i == 0 else 4 * dice.randint(1, 16)
            check(mount(small, kib), "the small file system cannot be mounted again")
            try:
                done = place.tool.capture(program.pid, small / "x.hs", expect=None)
                check(done.returncode == NO_ROOM and "o space left" in done.stderr, f"{kib} KiB: exit {done.returncode}: {done.stderr}")
                check(list(small.iterdir()) == [], f"left on a disk of {kib} KiB: {list(small.iterdir())}")
            finally:
                subprocess.run(["umount", str(small)], check=True)
            program.leak(1)
            if i % WHOLE_EVERY == 0:
                goes_on(place, program)
                nothing_left(place, program, before)
        goes_on(place, program)
        nothing_left(place, program, before)
        program.quit()
    say(f"        {TRIES} of {TRIES} were cut, on disks of 4 to 64 KiB")


# ---- the receiver closes

def closed_socket(tool, folder):
    place, dice = Place(tool, folder), random.Random(5 + 100 * SEED)
    path = place.out / "heaps.sock"
    receiver, cut = socket.socket(socket.AF_UNIX), 0
    receiver.bind(str(path))
    receiver.listen()
    receiver.settimeout(60)
    with place.start({"HSDIFF_TO": f"unix:{path}", "HSDIFF_EVERY": "0.2"}, blocks=SOME) as program:
        for i in range(TRIES):
            stream, _ = receiver.accept()
            stream.settimeout(60)
            left, is_over = dice.choice((0, 1, 100, 10_000, 100_000, 300_000)), False
            while left > 0 and not is_over:
                piece = stream.recv(min(left, 1 << 16))
                left, is_over = left - len(piece), not piece
            cut += not is_over
            stream.close()
            if i % WHOLE_EVERY == 0:
                goes_on(place, program)
        receiver.close()
        path.unlink()
        saved = place.out / "saved"
        saved.mkdir()
        place.tool.run("receive", f"unix:{path}", "-o", saved, "--count", "1")
        check(not path.exists(), "the socket of the receiver is still there")
        one, = saved.iterdir()
        place.tool.run("verify", one)
        check(place.tool.info(one)["pid"] == program.pid, "a capture of someone else")
        # It goes on sending into the void: what there is between two captures stays the same.
        goes_on(place, program)
        time.sleep(0.5)
        before = state(program.pid)
        check(len(before) <= 8, f"descriptors: {before}")
        nothing_left(place, program, before)
        program.quit()
    say(f"        {cut} of {TRIES} were cut")
    check(2 * cut > TRIES, "too few were cut: the test proves nothing")


# ---- the program is killed

def target_killed(tool, folder):
    place, cut, kept = Place(tool, folder), 0, 0
    path = place.out / "cut.hs"
    with place.start() as program:
        moments = kit.Moments(6 + 100 * SEED, usual_seconds(place, program))
        program.quit()
    for i in range(PROGRAMS):
        is_kept = i % 2 == 0
        with place.start() as program:
            asker = place.begin(program.pid, path, *(["--partial"] if is_kept else []))
            moments.sleep(asker)
            program.process.kill()
            program.process.wait()
            said = asker.communicate(timeout=60)[0]
            if asker.returncode == 0:
                place.tool.run("verify", path)
                path.unlink()
            else:
                cut += 1
                check(said.strip(), "it fails without a word")
                check(is_kept or not path.exists(), "a cut capture was kept, and nobody asked for that")
                if path.exists():
                    kept += 1
                    check(asker.returncode == INCOMPLETE, f"exit {asker.returncode}: {said}")
                    check_cut(place, path)
            wait_for(lambda: not place.processes(), lambda: f"processes left: {place.processes()}")
            check(sockets(program.pid) == [], f"sockets left: {sockets(program.pid)}")
            left = list(place.out.iterdir()) + list(place.temporary.iterdir())
            check(left == [], f"files left: {left}")
    say(f"        {cut} of {PROGRAMS} were cut, {kept} of them kept by --partial")
    check(cut > 0, "none was cut: the test proves nothing")


CASES = {"killed": ended(signal.SIGKILL, ()), "terminated": ended(signal.SIGTERM, (128 + signal.SIGTERM,)), "child_killed": child_killed,
         "full_disk": full_disk, "closed_socket": closed_socket, "target_killed": target_killed}

if __name__ == "__main__":
    kit.main(CASES)

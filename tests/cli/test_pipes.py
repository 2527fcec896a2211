#!/usr/bin/env python3
"""Inputs that are pipes with a name: each is opened once, so that a writer who has written everything and gone is enough.

usage: test_pipes.py HSDIFF
A command sees the first bytes of its pipe and waits for more; then it is stopped, the rest is written, the writer goes, and the command
goes on: whoever opens the pipe a second time waits for ever. What it says must be what it says of files with these names.
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import inputs

PATIENCE = 240
FIRST = 4  # bytes: fewer than tell what it is

# name -> (words; those in PIPES become pipes, status). Outputs that are compared go to standard output.
PIPES = ("a.hs", "b.hs", "c.hs", "a.heapsnapshot", "b.heapsnapshot", "a.hprof", "cut.hs")
COMMANDS = {
    "diff": ("a.hs b.hs", 0),
    "diff of dumps, side by side": ("-q a.heapsnapshot b.heapsnapshot", 0),
    "diff of dumps, one by one": ("-q --threads 1 a.heapsnapshot b.heapsnapshot", 0),
    "diff of both kinds": ("-q a.heapsnapshot b.hs", 0),
    "summary": ("-q --summary a.heapsnapshot b.heapsnapshot", 0),
    "info": ("info a.hs --format json", 0),
    "top": ("top -q a.hs", 0),
    "paths": ("paths -q a.hs Session", 0),
    "series": ("series -q a.hs b.hs c.hs", 0),
    "check": ("check -q a.hs b.hs", 0),
    "baseline": ("baseline -q a.hs -o -", 0),
    "export": ("export -q a.hs --to hprof -o -", 0),
    "sql": ("sql -q a.hs --format csv select+name,objects+from+types+order+by+name", 0),
    "sql of two": ("sql -q a.hs b.hs --format csv select+count(*)+from+changes", 0),
    "dump": ("dump -q a.hprof --only types", 0),
    "import": ("import -q a.hprof -o -", 0),
    "verify": ("verify a.hs", 0),
    "salvage": ("salvage -q cut.hs -o -", 0),
    "symbolize": ("symbolize -q a.hs -o -", 0),
    "cut off": ("cut.hs b.hs", 3),
}
VARYING = {"baseline", "import", "salvage"}  # captures with the time in them: only whether there is one
WITHOUT_FILE = {"info": '"file_mode"'}


class Fault(Exception):
    pass


def make_inputs(folder, hsdiff):
    for name, sessions in (("a", 20), ("b", 120), ("c", 220)):
        dump = os.path.join(folder, name + ".heapsnapshot")
        inputs.v8_snapshot(dump, sessions)
        subprocess.run([hsdiff, "import", "-q", dump, "-o", os.path.join(folder, name + ".hs")], check=True)
    inputs.jvm_dump(os.path.join(folder, "a.hprof"), 20)
    with open(os.path.join(folder, "a.hs"), "rb") as whole, open(os.path.join(folder, "cut.hs"), "wb") as cut:
        cut.write(whole.read()[:-100])
    for name in PIPES:
        size = os.path.getsize(os.path.join(folder, name))
        if not FIRST < size < 60000:
            raise SystemExit(f"{name}: {size} bytes do not stand in a pipe")


class World:
    """A folder with files and one where pipes have their names."""

    def __init__(self, hsdiff, base):
        self.hsdiff = os.path.abspath(hsdiff)
        self.files, self.pipes = os.path.join(base, "files"), os.path.join(base, "pipes")
        os.mkdir(self.files)
        os.mkdir(self.pipes)
        make_inputs(self.files, self.hsdiff)
        for name in PIPES:
            os.mkfifo(os.path.join(self.pipes, name))

    def words(self, line):
        return [word.replace("+", " ") for word in line.split()]

    def start(self, line, folder, before=(), **more):
        environment = dict(os.environ, LC_ALL="C.UTF-8", **({"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"} if before else {}))
        return subprocess.Popen([*before, self.hsdiff, *self.words(line)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=environment, **more)

    def data(self, name):
        with open(os.path.join(self.files, name), "rb") as file:
            return file.read()

    def pipes_of(self, line):
        return [word for word in self.words(line) if word in PIPES]


def end_of(process, what):
    """(status, standard output, standard error)"""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Fault(f"{what}: waits for ever") from None
    return process.returncode, out, err.decode(errors="replace")


def is_reader(process, fd):
    """Not O_PATH, by which the sandbox names a file for a moment: with such a one alone a pipe forgets what was written."""
    with open(f"/proc/{process.pid}/fdinfo/{fd}", encoding="ascii") as file:
        flags = next(int(line.split()[1], 8) for line in file if line.startswith("flags:"))
    return not flags & os.O_PATH


def has_open(process, path):
    folder = f"/proc/{process.pid}/fd"
    try:
        return any(os.path.exists(f"{folder}/{fd}") and os.readlink(f"{folder}/{fd}") == path and is_reader(process, fd)
                   for fd in os.listdir(folder))
    except OSError:  # closed meanwhile
        return False


def wait_until(holds, process, what):
    until = time.monotonic() + PATIENCE
    while not holds():
        if process.poll() is not None:
            raise Fault(f"{what}: ended: {process.communicate()[1].decode(errors='replace')}")
        if time.monotonic() > until:
            process.kill()
            raise Fault(f"{what}: not within {PATIENCE} s")
        time.sleep(0.005)


def feed(process, path, end, data):
    """The rest of the data, and the end of it, while the command cannot run."""
    wait_until(lambda: has_open(process, path), process, f"opening {path}")
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    os.write(end, data[FIRST:])
    os.close(end)
    process.send_signal(signal.SIGCONT)


def run_fed(world, line):
    names = world.pipes_of(line)
    paths = [os.path.realpath(os.path.join(world.pipes, name)) for name in names]
    ends = [os.open(path, os.O_RDWR | os.O_CLOEXEC) for path in paths]
    for end, name in zip(ends, names):
        os.write(end, world.data(name)[:FIRST])
    process = world.start(line, world.pipes)
    for path, end, name in zip(paths, ends, names):
        feed(process, path, end, world.data(name))
    return end_of(process, line)


def told(name, result):
    status, out, err = result
    if name in VARYING:
        return status, len(out) > 0, err
    lines = [line for line in out.splitlines() if WITHOUT_FILE.get(name, "\0").encode() not in line]
    return status, lines, err


def check_command(world, name):
    line, status = COMMANDS[name]
    wanted = told(name, end_of(world.start(line, world.files), line))
    if wanted[0] != status:
        raise Fault(f"{line}: exit status {wanted[0]} of files: {wanted[2]}")
    got = told(name, run_fed(world, line))
    if got != wanted:
        raise Fault(f"{line}: of pipes {got}, of files {wanted}")


def check_count(world, name):
    """What strace sees: one open a pipe, whose writer came, wrote and went."""
    line, status = COMMANDS[name]
    log = os.path.join(world.files, "trace")
    process = world.start(line, world.pipes, ("strace", "-f", "-qq", "-o", log, "-e", "trace=open,openat"))

    def write(path, data):
        try:
            with open(path, "wb", buffering=0) as pipe:
                pipe.write(data)
        except OSError:
            pass  # its reader has gone: told by the count

    names = world.pipes_of(line)
    writers = [threading.Thread(target=write, args=(os.path.join(world.pipes, one), world.data(one)), daemon=True) for one in names]
    for writer in writers:
        writer.start()
    got = end_of(process, f"{line}, traced")
    with open(log, encoding="utf-8", errors="replace") as file:
        calls = [call for call in file if "O_RDONLY" in call]
    for one in names:
        opened = [call for call in calls if f'"{one}"' in call and "O_PATH" not in call]  # the sandbox names it so: that opens no pipe
        if len(opened) != 1 or got[0] != status:
            raise Fault(f"{line}: exit status {got[0]}, {one} was opened {len(opened)} times: {got[2]}")


def check_interrupt(world, name):
    """A pipe that nobody writes to: Ctrl-C ends it."""
    line, _ = COMMANDS[name]
    process = world.start(line, world.pipes)
    if name not in ("import", "verify", "salvage", "symbolize"):  # these wait in open(2)
        first = os.path.realpath(os.path.join(world.pipes, world.pipes_of(line)[0]))
        wait_until(lambda: has_open(process, first), process, line)
    process.send_signal(signal.SIGINT)
    status, _, err = end_of(process, f"{line}, interrupted")
    if status != -signal.SIGINT:
        raise Fault(f"{line}, interrupted: exit status {status}: {err}")


def check_one_writer(world, _):
    """Of two pipes, which opens the second one first: both are open before either is looked at."""
    for line in ("-q a.hs b.hs", "-q a.heapsnapshot b.heapsnapshot"):
        process = world.start(line, world.pipes)

        def write(names):
            pipes = [open(os.path.join(world.pipes, name), "wb", buffering=0) for name in reversed(names)]
            for name, pipe in zip(reversed(names), pipes):
                pipe.write(world.data(name))
                pipe.close()

        threading.Thread(target=write, args=(world.pipes_of(line),), daemon=True).start()
        status, _, err = end_of(process, f"{line}, one writer")
        if status != 0:
            raise Fault(f"{line}, one writer: exit status {status}: {err}")


def check_second_reading(world, _):
    """Where the last capture is needed twice a pipe is refused, and not half read."""
    for line in ("check a.hs b.hs --summary --update-baseline", "check a.hs c.hs b.hs --update-baseline"):
        status, _, err = end_of(world.start(line, world.pipes), line)
        if status != 2 or "a second time" not in err:
            raise Fault(f"{line}: exit status {status}: {err}")


def check_descriptors(world, _):
    """None left to look into a pipe, or to keep a capture open."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))
    end = os.open(os.path.join(world.pipes, "a.hs"), os.O_RDWR | os.O_CLOEXEC)
    os.write(end, world.data("a.hs"))
    try:
        for folder, said in ((world.pipes, "a.hs cannot be read: "), (world.files, "a.hs cannot be opened: ")):
            status, _, err = end_of(world.start("info a.hs", folder, preexec_fn=limit), said)
            if status != 4 or said not in err:
                raise Fault(f"without descriptors: exit status {status}: {err}")
    finally:
        os.close(end)


def check_same_twice(world, _):
    for line in ("-q a.hs a.hs", "-q a.heapsnapshot a.heapsnapshot", "-q a.hprof a.hprof"):
        status, _, err = end_of(world.start(line, world.files), line)
        if status != 0:
            raise Fault(f"{line}: exit status {status}: {err}")


def main():
    base = tempfile.mkdtemp(prefix="hsdiff-pipes-")
    faults = count = 0
    cases = [(check_command, name) for name in COMMANDS] + [(check_interrupt, name) for name in COMMANDS]
    cases += [(check_one_writer, ""), (check_second_reading, ""), (check_descriptors, ""), (check_same_twice, "")]
    if shutil.which("strace"):
        cases += [(check_count, name) for name in COMMANDS]
    try:
        world = World(sys.argv[1], base)
        for case, name in cases:
            count += 1
            try:
                case(world, name)
            except Fault as fault:
                faults += 1
                print(f"{case.__name__} {name}: {fault}", flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"{count} cases, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

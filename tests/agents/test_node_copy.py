#!/usr/bin/env python3
"""Node that goes on while its heap is taken: the copy of the process, what becomes of it, and the ways without one."""
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

import kit
from kit import check, row, say

SERVER = kit.HERE / "programs" / "node_server.js"
CAPTURES = 100 if kit.LONG else 4
LARGE, LARGE_CAPTURES = (100, 20) if kit.LONG else (24, 2)  # MiB, more than the 20 from which on copies have no numbers; how often
OBJECTS = LARGE if kit.LONG else 7  # MiB of a heap that are objects of some words, as many as a server has that has just begun; the rest are large ones
FIRST, MORE = 1500, 700
CLIENTS, PAUSE = 3, 0.1  # as many as go on while a copy is taken, and leave the processor to it


def same(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def start(tool, megabytes, environment=None, agents=None):
    kit.need("node")
    helper = pathlib.Path(agents or tool.agents) / "hsdiff.cjs"
    return kit.Program(["node", "--require", str(helper), str(SERVER), str(megabytes), str(OBJECTS)], environment=environment)


def metrics(tool, capture):
    text = tool.run("dump", capture, "--only", "metrics").stdout
    return {name: int(value) for value, name in re.findall(r'^metric (\d+) name="([^"]+)"', text, re.M)}


def is_copied(tool, capture):
    return metrics(tool, capture).get("capture.copied", 0) == 1


def children(pid):
    with contextlib.suppress(OSError):
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def is_alive(pid):
    """Not so one that has ended, and waits for a first process that takes its children's ends, which not every container has."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


def check_none_left(program):
    """No copy, dead or alive."""
    kit.wait_until(f"children {children(program.pid)}", lambda: not children(program.pid))


def check_quiet(program):
    """No copy is left, and the program has not heard of any."""
    check_none_left(program)
    program.tell("children")
    same("signals of ended children", program.expect("children"), "0")


def check_leak(diff, by_ids):
    for name in ("Session", "User"):
        found = row(diff["types"], "type", name)
        same(f"{name} growth", found["growth"]["objects"], MORE)
        if by_ids:
            same(f"{name} new", found["new"]["objects"], MORE)
            same(f"{name} freed", found["freed"]["objects"], 0)
    if by_ids:
        holder = diff["holders"][0]
        same("the first holder", holder["root"], "global.registry")
        check(any(step["edge"] == ".sessions" for step in holder["path"]), f"its path is {holder['path']}")


def check_without_numbers(diff):
    """Each capture is a domain of its own, and growth is exact all the same."""
    check(diff["match"]["exact"] == 0, f"matched by ids of copies: {diff['match']}")
    check_leak(diff, by_ids=False)


class Load:
    """Clients that ask one after another; what failed, and the longest answer."""

    def __init__(self, program):
        program.tell("port")
        self.port = int(program.expect("port"))
        self.is_over = False
        self.failures, self.answers, self.longest = [], 0, 0.0
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.ask_on) for _ in range(CLIENTS)]

    def ask_on(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        while not self.is_over:
            began = time.monotonic()
            failure = None
            try:
                connection.request("GET", "/")
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    failure = f"status {answer.status}"
            except (OSError, http.client.HTTPException) as error:
                failure = repr(error)
            with self.lock:
                self.answers += 1
                self.longest = max(self.longest, time.monotonic() - began)
                if failure:
                    self.failures.append(failure)
                    return
            time.sleep(PAUSE)

    def answered(self):
        with self.lock:
            return self.answers

    def longest_since(self):
        with self.lock:
            longest, self.longest = self.longest, 0.0
        return longest

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()


def under_load(tool, folder):
    """Captures of a server that answers on: all in a copy, all whole, the holder right, no request failed, no signal of the copies' end."""
    with start(tool, 8) as program, Load(program) as load:
        program.leak(FIRST)
        time.sleep(1)
        without = load.longest_since()
        for i in range(CAPTURES):
            if i == CAPTURES - 1:
                program.leak(MORE)
            before = load.answered()
            tool.capture(program.pid, folder / f"{i}.hs")
            check(load.answered() > before, f"no request was answered while capture {i} was taken")
            check(is_copied(tool, folder / f"{i}.hs"), f"capture {i} was taken inside: {program.errors()}")
            tool.run("verify", folder / f"{i}.hs")
        pauses = [metrics(tool, folder / f"{i}.hs")["capture.pause"] / 1e6 for i in range(CAPTURES)]
        say(f"        {load.answers} answers, the longest {1000 * load.longest_since():.0f} ms ({1000 * without:.0f} ms before the captures); "
            f"pauses told {min(pauses):.0f} to {max(pauses):.0f} ms")
        same("requests that failed", load.failures, [])
        check_leak(tool.diff(folder / f"{CAPTURES - 2}.hs", folder / f"{CAPTURES - 1}.hs"), by_ids=True)
        check_quiet(program)
        load.is_over = True
        program.tell("quit")


def large_under_load(tool, folder):
    """The same of a large heap, which is copied without numbers, and that is told: each capture is a domain of its own, and growth is exact all the same."""
    with start(tool, LARGE) as program, Load(program) as load:
        program.leak(FIRST)
        time.sleep(1)
        without = load.longest_since()
        for i in range(LARGE_CAPTURES):
            if i == LARGE_CAPTURES - 1:
                program.leak(MORE)
            before = load.answered()
            told = tool.capture(program.pid, folder / f"{i}.hs", "--timeout", "300s", timeout=600).stderr
            check(load.answered() > before, f"no request was answered while capture {i} was taken")
            check("HSDIFF_NODE=exact" in told and "will stand still" not in told, told)
            check(is_copied(tool, folder / f"{i}.hs"), f"capture {i} was taken inside: {program.errors()}")
            tool.run("verify", folder / f"{i}.hs")
        pauses = [metrics(tool, folder / f"{i}.hs")["capture.pause"] / 1e6 for i in range(LARGE_CAPTURES)]
        say(f"        {load.answers} answers, the longest {1000 * load.longest_since():.0f} ms ({1000 * without:.0f} ms before the captures); "
            f"pauses told {min(pauses):.0f} to {max(pauses):.0f} ms")
        same("requests that failed", load.failures, [])
        check_without_numbers(tool.diff(folder / f"{LARGE_CAPTURES - 2}.hs", folder / f"{LARGE_CAPTURES - 1}.hs"))
        check_quiet(program)
        load.is_over = True
        program.tell("quit")


def exact(tool, folder):
    """With HSDIFF_NODE=exact copies of a large heap have numbers, and how long that takes is told before."""
    with start(tool, LARGE, {"HSDIFF_NODE": "exact"}) as program:
        program.leak(FIRST)
        told = tool.capture(program.pid, folder / "c.hs").stderr
        check(re.search(r"will stand still for about \d+\.\d s", told) and "HSDIFF_NODE" not in told, told)
        program.leak(MORE)
        tool.capture(program.pid, folder / "d.hs")
        check(is_copied(tool, folder / "d.hs"), f"it was taken inside: {program.errors()}")
        check_leak(tool.diff(folder / "c.hs", folder / "d.hs"), by_ids=True)
        program.quit()


def quick(tool, folder):
    """HSDIFF_NODE=quick: the same of a small heap, and nothing is told."""
    with start(tool, 8, {"HSDIFF_NODE": "quick"}) as program:
        for name, count in ("a.hs", FIRST), ("b.hs", MORE):
            program.leak(count)
            check("HSDIFF_NODE" not in tool.capture(program.pid, folder / name).stderr, "it was asked for")
            check(is_copied(tool, folder / name), f"{name} was taken inside: {program.errors()}")
        say(f"        pause {metrics(tool, folder / 'b.hs')['capture.pause'] / 1e6:.0f} ms")
        check_without_numbers(tool.diff(folder / "a.hs", folder / "b.hs"))
        check_quiet(program)
        program.quit()


def check_inside(tool, folder, program):
    program.leak(FIRST)
    told = tool.capture(program.pid, folder / "a.hs").stderr
    check(re.search(r"will stand still for about \d+\.\d s", told), f"the stall was not told: {told}")
    program.leak(MORE)
    tool.capture(program.pid, folder / "b.hs")
    check(not is_copied(tool, folder / "b.hs"), "it says that it was copied")
    diff = tool.diff(folder / "a.hs", folder / "b.hs")
    check_leak(diff, by_ids=True)
    grown = [one["root"] for one in diff["holders"] if "uvBinding" in str(one)]
    check(not grown, f"what writing to a slow reader loaded is growth: {grown}")
    check_quiet(program)
    program.quit()


def inside(tool, folder):
    """HSDIFF_NODE=inside, and the helper without its addon: in the process, and how long it will stand still is told before."""
    with start(tool, 16, {"HSDIFF_NODE": "inside"}) as program:
        check_inside(tool, folder, program)
    alone = folder / "alone"
    alone.mkdir()
    shutil.copy(pathlib.Path(tool.agents) / "hsdiff.cjs", alone)
    with start(tool, 16, agents=alone) as program:
        check_inside(tool, folder / "alone", program)


def signal_copies(program, asker, number, most):
    """Sends a signal to each copy that comes up while the asker waits; the idle child that goes before a copy gets it too, and does not mind."""
    seen = set()
    while asker.poll() is None and len(seen) < most:
        for child in children(program.pid):
            name = ""
            with contextlib.suppress(OSError):
                name = pathlib.Path(f"/proc/{child}/cmdline").read_text()
            if child not in seen and name.startswith("hsdiff: copy"):
                seen.add(child)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, number)
        time.sleep(0.001)
    return len(seen)


def ask(tool, program, out):
    return subprocess.Popen([tool.path, "capture", str(program.pid), "-o", str(out)], env=tool.environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def killed(tool, folder):
    """A copy that is killed, as the kernel does when memory runs short: said, nothing kept, and the program goes on."""
    with start(tool, 24) as program:
        program.leak(FIRST)
        with ask(tool, program, folder / "no.hs") as asker:
            same("copies", signal_copies(program, asker, signal.SIGKILL, 1), 1)
            told = asker.communicate(timeout=60)[1]
        check(asker.returncode != 0 and "the copy of the process was killed" in told, f"exit {asker.returncode}: {told}")
        check(not (folder / "no.hs").exists(), "a capture was kept")
        program.leak(MORE)
        tool.capture(program.pid, folder / "a.hs")
        check(is_copied(tool, folder / "a.hs"), "the next was taken inside")
        check_quiet(program)
        program.quit()


def standing_still(tool, folder):
    """Copies that stand still, as one does whose lock another thread held: given up, made anew, and at last the heap is taken inside."""
    with start(tool, 24) as program:
        program.leak(FIRST)
        with ask(tool, program, folder / "once.hs") as asker:
            same("copies", signal_copies(program, asker, signal.SIGSTOP, 1), 1)
            told = asker.communicate(timeout=120)[1]
        same(f"exit status ({told})", asker.returncode, 0)
        check(is_copied(tool, folder / "once.hs"), "one that stood still was enough")
        for turn in range(6):
            out = folder / f"all{turn}.hs"
            with ask(tool, program, out) as asker:
                stopped = signal_copies(program, asker, signal.SIGSTOP, 3)
                told = asker.communicate(timeout=120)[1]
            same(f"exit status ({told})", asker.returncode, 0)
            if stopped == 3 and not is_copied(tool, out):
                break # else one had written its last byte when the signal came: that says nothing of copies that stand still
        else:
            check(False, "all copies stood still, six times, and it says that it was copied")
        check("3 copies of the process stood still" in program.errors(), program.errors())
        check("will stand still for about" in told, told)
        check_none_left(program) # that a child was stopped is signalled whatever its end would signal
        program.quit()


def asker_gone(tool, folder):
    """Whoever asked is killed: so is the copy, at once, and nothing is kept."""
    with start(tool, 24) as program:
        with ask(tool, program, folder / "no.hs") as asker:
            kit.wait_until("no copy", lambda: children(program.pid))
            asker.kill()
        check_quiet(program)
        check(not (folder / "no.hs").exists(), "a capture was kept")
        tool.capture(program.pid, folder / "a.hs")
        program.quit()


def program_gone(tool, folder):
    """The program is killed: so is the copy."""
    with start(tool, 24) as program:
        with ask(tool, program, folder / "no.hs") as asker:
            kit.wait_until("no copy", lambda: any(pathlib.Path(f"/proc/{one}/cmdline").read_text().startswith("hsdiff: copy")
                                                  for one in children(program.pid)))
            copies = children(program.pid)
            program.process.kill()
            program.process.wait()
            asker.communicate(timeout=60)
        check(asker.returncode != 0, "half a snapshot is a capture")
        kit.wait_until("copies live on", lambda: not any(map(is_alive, copies)))


kit.main({case.__name__: case for case in (under_load, large_under_load, exact, quick, inside, killed, standing_still, asker_gone, program_gone)})

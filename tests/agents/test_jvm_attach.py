#!/usr/bin/env python3
"""JVMs of every installed JDK with every collector it has, under load, captured again and again by the attach protocol: each capture is whole, and what the
program answers meanwhile is what it answers without captures.

    alone      100 captures of each with HSD_LONG=1, 3 else
    crowded    the same with 24 busy processes beside
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import kit
from kit import LONG, Failed, check, need, say

ATTACHES = int(os.environ.get("HSD_ATTACHES", 100 if LONG else 3))
BUSY = 24
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")
QUESTIONS = 200
BUILT = tempfile.TemporaryDirectory(prefix="hsdiff-jvm-")


def homes():
    """Of all JDKs, each once, by the names of their folders."""
    found = {}
    for java in sorted(pathlib.Path("/usr/lib/jvm").glob("*/bin/java")):
        found.setdefault(java.resolve(), java.parent.parent.name)
    return {name: java for java, name in found.items()}


def has(java, collector):
    return subprocess.run([java, f"-XX:+Use{collector}GC", "-Xmx64m", "-version"], capture_output=True).returncode == 0


def classes():
    folder = pathlib.Path(BUILT.name)
    if not (folder / "JvmAnswers.class").exists():
        need("javac")
        subprocess.run(["javac", "-J-XX:TieredStopAtLevel=1", "--release", "17", "-d", str(folder), str(kit.HERE / "programs" / "JvmAnswers.java")], check=True, capture_output=True)
    return folder


def start(java, collector):
    return kit.Program([java, f"-XX:+Use{collector}GC", "-Xmx128m", "-cp", str(classes()), "JvmAnswers"], wait=120)


def ask(one, number):
    one.tell(f"ask {number % QUESTIONS}")
    return one.process.stdout.readline()


def true_answers():
    java = next(iter(homes().values()))
    with start(java, "Serial") as one:
        answers = [ask(one, number) for number in range(QUESTIONS)]
        one.quit()
    check(len(set(answers)) == QUESTIONS, "answers are not told apart")
    return answers


class Asking:
    """Asks a program on and on; a context manager."""

    def __init__(self, one, wanted):
        self.one, self.wanted = one, wanted
        self.count = self.slowest_s = 0
        self.wrong = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.is_over.is_set() and not self.wrong:
            began = time.monotonic()
            try:
                got = ask(self.one, self.count)
            except Failed as error:
                got = str(error)
            if got != self.wanted[self.count % QUESTIONS]:
                self.wrong.append(got)
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)
            self.count += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


def attach_to(tool, folder, name, java, collector, wanted):
    path, took = folder / "a.hs", []
    with start(java, collector) as one:
        with Asking(one, wanted) as asking:
            for number in range(ATTACHES):
                began = time.monotonic()
                tool.capture(one.pid, path, "--force", "--way", "jvm", timeout=300)
                took.append(time.monotonic() - began)
                tool.run("verify", path)
                check(tool.info(path)["complete"], f"{name}, {collector}, capture {number} is not whole")
        check(not asking.wrong, f"{name}, {collector}, question {asking.count - 1}: {asking.wrong}")
        check(one.is_alive(), f"{name}, {collector}: the JVM has ended")
        one.quit()
    took.sort()
    say(f"        {name}, {collector}: {ATTACHES} captures, {took[len(took) // 2]:.2f} s each, {took[-1]:.2f} at most; {asking.count} answers, "
        f"{asking.slowest_s:.2f} s the slowest")


def alone(tool, folder):
    need("java")
    if not (pathlib.Path(tool.agents) / "libhsdiff-jvm.so").exists():
        kit.skip("the agent for the JVM was not built: no jvmti.h")
    wanted = true_answers()
    for name, java in homes().items():
        for collector in COLLECTORS:
            if has(java, collector):
                attach_to(tool, folder, name, java, collector, wanted)
            else:
                say(f"        {name} has no {collector}: left out")


@contextlib.contextmanager
def crowd():
    """Nice: the machine is others' too. They are as many as ever."""
    busy = [subprocess.Popen(["nice", "-n", "10", sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def crowded(tool, folder):
    with crowd():
        alone(tool, folder)


if __name__ == "__main__":
    kit.main({"alone": alone, "crowded": crowded})

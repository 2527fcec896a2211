#!/usr/bin/env python3
"""hsdiff receive --fleet: captures that are sent go into a store, and are deleted when they are in it."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "export"))
import engines  # noqa: E402
import kit  # noqa: E402
from kit import check, same  # noqa: E402

PATIENCE = 100


def wait_until(what, holds):
    until = time.monotonic() + PATIENCE
    while not (got := holds()):
        check(time.monotonic() < until, f"not within {PATIENCE} s: {what}")
        time.sleep(0.02)
    return got


class Receiver:
    def __init__(self, tool, folder, *words, store="store"):
        self.socket, self.out, self.store = folder / "s.sock", folder / "run", store if "://" in store else folder / store
        self.out.mkdir(exist_ok=True)
        self.child = subprocess.Popen([tool.path, "receive", f"unix:{self.socket}", "-o", self.out, "--fleet", self.store, "--format", "json", *words],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def send(self, *streams):
        """All at once, and slowly: each has begun before one ends."""
        wait_until("it listens", self.socket.exists)
        with contextlib.ExitStack() as stack:
            connections = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in streams]
            for one, data in zip(connections, streams):
                wait_until("a connection", lambda one=one: self.connects(one))
                one.sendall(data[: len(data) // 2])
            for one, data in zip(connections, streams):
                one.sendall(data[len(data) // 2 :])

    def connects(self, one):
        with contextlib.suppress(ConnectionRefusedError, FileNotFoundError):
            one.connect(str(self.socket))
            return True
        return False

    def end(self, status=0):
        """Its lines: (received, added)."""
        try:
            out, err = self.child.communicate(timeout=PATIENCE)
        finally:
            self.child.kill()
        same(f"status; it said {err}", self.child.returncode, status)
        lines = [json.loads(line) for line in out.splitlines()]
        self.said = err
        return [line for line in lines if "fleet" not in line], [line for line in lines if "fleet" in line]

    def files(self):
        return sorted(path.name for path in self.out.iterdir())


def demo(tool, folder):
    tool.run("demo", "-q", cwd=folder)
    return [(folder / f"demo-{name}.hs").read_bytes() for name in ("before", "after")]


def captures(tool, store, columns):
    try:
        engines.use_duckdb()
    except engines.Missing as why:
        kit.skip(why)
    return json.loads(tool.run("fleet", "sql", store, f"select {columns} from captures order by time", "--format", "json").stdout)


def kept_sums(tool, folder):
    """Four at a time: all are in the store, as fleet add has them, and no file is left."""
    before, after = demo(tool, folder)
    receiver = Receiver(tool, folder, "--count", "4", "--label", "version=2.4.1", "--label", "host=web-1", "--label", "rack=b")
    receiver.send(before, after, before, after)
    received, added = receiver.end()
    same("received", len(received), 4)
    same("added", sorted(line["known"] for line in added), [False, False, True, True])
    check(all(line["deleted"] and not line["error"] for line in added), added)
    same("left", receiver.files(), [])
    got = captures(tool, receiver.store, "service, version, host, labels, pid, live, complete")
    name = json.loads(tool.run("info", folder / "demo-before.hs", "--format", "json").stdout)
    for row, path in zip(got, ("demo-before.hs", "demo-after.hs")):
        top = tool.top(folder / path)["captures"][0]
        same("row", (row["version"], row["host"], row["pid"], row["live"], row["complete"]), ("2.4.1", "web-1", 4121, top["bytes"], 1))
    same("captures", len(got), 2)
    check(got[0]["service"] in json.dumps(name), f"service {got[0]['service']} is not the program of {name}")
    plain = folder / "plain"
    tool.run("fleet", "add", plain, folder / "demo-before.hs", folder / "demo-after.hs", "--label", f"service={got[0]['service']}", "--label", "version=2.4.1",
             "--label", "host=web-1", "--label", "rack=b")
    columns = "capture, process, time, live, live_objects, digest, domain, labels"
    same("as fleet add has them", captures(tool, receiver.store, columns), captures(tool, plain, columns))


def kept_files(tool, folder):
    before, after = demo(tool, folder)
    receiver = Receiver(tool, folder, "--count", "2", "--keep-captures", "--label", "service=shop")
    receiver.send(before, after)
    _, added = receiver.end()
    same("files", len(receiver.files()), 2)
    check(not any(line["deleted"] for line in added), added)
    same("services", [row["service"] for row in captures(tool, receiver.store, "service")], ["shop", "shop"])


def cut(tool, folder):
    """A stream that is cut off is dropped; with --partial it is added, and the store says that it is incomplete."""
    before, after = demo(tool, folder)
    receiver = Receiver(tool, folder, "--count", "1", "--label", "service=shop")
    receiver.send(before[: len(before) // 2])
    receiver.send(after)
    _, added = receiver.end()
    same("added", len(added), 1)
    receiver = Receiver(tool, folder, "--count", "1", "--partial", "--label", "service=shop", store="cut")
    receiver.send(before[:-200])
    receiver.end(status=3)
    same("complete", [row["complete"] for row in captures(tool, receiver.store, "complete")], [0])
    same("left", receiver.files(), [])


def cannot_add(tool, folder):
    """What the store does not take stays, is told with its reason, and does not stop what comes after it."""
    before, after = demo(tool, folder)
    receiver = Receiver(tool, folder, "--count", "2", "--label", "service=shop")
    wait_until("the store", receiver.store.exists)
    (receiver.store / "service=shop").write_bytes(b"no folder")
    receiver.send(before)
    wait_until("the first file", receiver.files)
    wait_until("its end", lambda: "fleet" in (receiver.child.stdout.readline() + receiver.child.stdout.readline()))
    (receiver.store / "service=shop").unlink()
    receiver.send(after)
    _, added = receiver.end(status=4)
    same("added", [(line["error"], line["deleted"]) for line in added], [("", True)])
    same("left", len(receiver.files()), 1)
    check("stays where it is" in receiver.said and "service=shop" in receiver.said, receiver.said)
    tool.run("fleet", "add", receiver.store, receiver.out / receiver.files()[0], "--label", "service=shop")
    same("captures", len(captures(tool, receiver.store, "capture")), 2)


def interrupted(tool, folder):
    """Ended by a signal: what was received is in the store first."""
    before, after = demo(tool, folder)
    receiver = Receiver(tool, folder, "--label", "service=shop")
    receiver.send(before, after)
    for _ in range(2):
        while "fleet" in json.loads(receiver.child.stdout.readline()):
            pass
    receiver.child.send_signal(signal.SIGTERM)
    receiver.end(status=-signal.SIGTERM)
    same("left", receiver.files(), [])
    same("captures", len(captures(tool, receiver.store, "capture")), 2)


def usage(tool, folder):
    """Wrong options are told before anything listens."""
    os.mkdir(folder / "run")
    (folder / "other").mkdir()
    (folder / "other/notes").write_text("mine")
    where = f"unix:{folder}/s.sock"
    for words, status, wanted in ((("--label", "a=b"), 2, "--fleet"), (("--keep-captures",), 2, "--fleet"), (("--fleet", folder / "store", "--label", "="), 2, "--label"),
                                  (("--fleet", folder / "store", "--label", "a=b", "--label", "a=c"), 2, "a"), (("--fleet", folder / "other"), 3, "store")):
        done = tool.run("receive", where, "-o", folder / "run", *words, expect=status)
        check(wanted in done.stderr, f"{words}: {done.stderr}")
    check(not (folder / "s.sock").exists(), "it listened")
    same("left", sorted(path.name for path in folder.iterdir()), ["other", "run"])


if __name__ == "__main__":
    kit.main({"kept_sums": kept_sums, "kept_files": kept_files, "cut": cut, "cannot_add": cannot_add, "interrupted": interrupted, "usage": usage})

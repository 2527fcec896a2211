#!/usr/bin/env python3
"""How a viewer begins and ends: its address, progress, signals, idling, failures and their exit status.

Usage: test_life.py --hsdiff FILE [--program FILE] [--only CASE]
"""
import os
import re
import signal
import socket
import stat
import subprocess
import time

import kit
from kit import check, same, wait_for


def prints_its_address_alone(world):
    with world.view() as viewer:
        check(re.fullmatch(r"http://127\.0\.0\.1:\d+/#[0-9a-f]{32}", viewer.address), viewer.address)
        viewer.until_ready()
        same("exit status", viewer.end(), 0)
        same("what else is on standard output", viewer.process.stdout.read(), b"")


def puts_the_address_into_a_file(world):
    where = world.folder / "address"
    process = subprocess.Popen([world.hsdiff, "view", world.after, "-o", where], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = wait_for("the address", lambda: where.exists() and where.read_text())
    check(text.startswith("http://127.0.0.1:") and text.endswith("\n"), text)
    same("its mode", stat.S_IMODE(where.stat().st_mode), 0o600)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=kit.PATIENCE)
    same("standard output", out, b"")
    again = world.run("view", world.after, "-o", where, expect=2)
    check("exists" in again.stderr, again.stderr)


def ends_by_signals(world):
    for how in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        with world.view() as viewer:
            viewer.until_ready()
            began = time.monotonic()
            same(f"{how!r}", viewer.end(how), 0)
            check(time.monotonic() - began < 2, f"{how!r} took {time.monotonic() - began:.1f} s")


def ends_by_signals_in_the_middle(world):
    """Work that is given up ends like any other command."""
    for how in [signal.SIGINT, signal.SIGTERM]:
        with Fed(world) as fed:
            fed.write(fed.data[:len(fed.data) // 2])
            same("phase", fed.viewer.state()["phase"], "working")
            same(f"{how!r}", fed.viewer.end(how), -how)


class Fed:
    """A viewer that reads its capture from a pipe that is filled by hand."""

    def __init__(self, world, *arguments, data=None):
        self.data = world.after.read_bytes() if data is None else data
        self.pipe = world.folder / "fed"
        os.mkfifo(self.pipe)
        self.viewer = world.view(world.before, self.pipe, *arguments)
        self.end_of_it = None

    def __enter__(self):
        self.end_of_it = os.open(self.pipe, os.O_WRONLY)
        return self

    def write(self, data):
        while data:
            data = data[os.write(self.end_of_it, data[:4096]):]

    def feed(self):
        """All of it."""
        self.write(self.data)
        self.close()

    def close(self):
        if self.end_of_it is not None:
            os.close(self.end_of_it)
        self.end_of_it = None

    def __exit__(self, *_):
        self.viewer.__exit__()
        self.close()
        self.pipe.unlink()


def shows_progress(world):
    """It answers before there is anything to show, and says what it is doing."""
    with Fed(world) as fed:
        state = fed.viewer.state()
        same("phase", state["phase"], "working")
        same("captures", [capture["name"] for capture in state["captures"]], [str(world.before), str(fed.pipe)])
        same("report", (state["report"], state["sides"], state["error"]), (None, [], None))
        fed.viewer.ask("/api/report", expect=404)
        check("still" in fed.viewer.ask("/api/types?side=after", expect=409)["error"], "what is not there yet")
        fed.feed()
        state = fed.viewer.until_ready()
        same("at the end", (state["stage"], state["done"], state["total"], state["report"]), ("", 0, 0, "diff"))
        same("exit status", fed.viewer.end(), 0)


def waits_for_a_writer(world):
    """A pipe that nobody writes to keeps neither the page nor the end waiting."""
    pipe = world.folder / "nobody"
    os.mkfifo(pipe)
    with world.view(world.before, pipe) as viewer:
        stage = wait_for("the stage", lambda: viewer.state()["stage"])
        same("stage", stage, f"waiting for {pipe}")
        same("exit status", viewer.end(), -signal.SIGINT)
    pipe.unlink()


def snapshot(count):
    """A snapshot of V8 of so many objects."""
    nodes = "".join(f",1,1,{2 * i + 3},32,0\n" for i in range(count))
    edges = "\n,".join(f"0,{i + 1},{5 * (i + 1)}" for i in range(count))
    return ('{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","object","synthetic"],'
            '"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element","property"],'
            f'"string_or_number","node"]}},"node_count":{count + 1},"edge_count":{count}}},"nodes":[2,0,1,0,{count}\n{nodes}],"edges":[{edges}],'
            '"strings":["","Thing"]}').encode("ascii")


def tells_stages(world):
    """The stages of an import are seen while it goes on: while it waits for the second half of a dump."""
    with Fed(world, data=snapshot(400000)) as fed:
        half = len(fed.data) // 2
        fed.write(fed.data[:half])
        wait_for("an import", lambda: "import" in fed.viewer.state()["stage"])
        fed.write(fed.data[half:])
        fed.close()
        fed.viewer.until_ready()


def ends_when_idle(world):
    with world.view(world.before, world.after, "--idle", "1500ms") as viewer:
        viewer.until_ready()
        began = time.monotonic()
        same("exit status", viewer.process.wait(kit.PATIENCE), 0)
        check(time.monotonic() - began > 1, "ended too soon")
        check("nobody has asked" in viewer.stderr(), viewer.stderr())


def does_not_idle_while_it_is_asked(world):
    with world.view(world.before, world.after, "--idle", "4s") as viewer:
        viewer.until_ready()
        for _ in range(6):
            time.sleep(0.8)
            same("phase", viewer.state()["phase"], "ready")
        began = time.monotonic()
        while viewer.process.poll() is None and time.monotonic() - began < 30:
            try:  # strangers do not keep it alive
                viewer.get("/api/state", token=False)
                viewer.get("/", token=False)
                viewer.get("/", headers=[f"X-Hsdiff-Token: {'0' * 32}"], token=False)
            except OSError:
                pass
            time.sleep(0.2)
        same("exit status, strangers asking", viewer.process.poll(), 0)


def does_not_idle_while_the_machine_sleeps(world):
    """Stopped for longer than --idle, as a laptop is by its lid: who opens it again is answered."""
    with world.view(world.before, world.after, "--idle", "4s") as viewer:
        viewer.until_ready()
        viewer.process.send_signal(signal.SIGSTOP)
        time.sleep(6)
        viewer.process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        same("phase", viewer.state()["phase"], "ready")
        same("exit status", viewer.process.wait(kit.PATIENCE), 0)


def does_not_idle_while_it_works(world):
    with Fed(world, "--idle", "1s") as fed:
        time.sleep(2.5)
        same("phase", fed.viewer.state()["phase"], "working")
        fed.feed()
        same("exit status", fed.viewer.process.wait(kit.PATIENCE), 0)


def never_idles_when_told(world):
    with world.view(world.before, "--idle", "never") as viewer:
        viewer.until_ready()
        time.sleep(1)
        same("phase", viewer.state()["phase"], "ready")
    for wrong in ["0", "x", "-1", "2y", ""]:
        check("--idle takes" in world.run("view", world.before, "--idle", wrong, expect=2).stderr, wrong)


def failures(world):
    """name -> (bytes, exit status, what is said)"""
    return {"cut.hs": (world.after.read_bytes()[:-1000], 3, "cut off"), "junk.hs": (b"no capture at all\n" * 100, 3, "no heap dump that hsdiff knows"),
            "empty.hs": (b"", 3, "empty")}


def failed(viewer):
    """Its state once it has failed."""
    state = wait_for("its end", lambda: (state := viewer.state())["phase"] != "working" and state)
    same("phase", state["phase"], "failed")
    return state


def shows_failures(world):
    """On the page, if one was opened before it failed; on standard error, and as the exit status at the end."""
    for name, (data, status, word) in failures(world).items():
        with Fed(world, data=data) as fed:
            same(f"{name}: phase", fed.viewer.state()["phase"], "working")
            fed.feed()
            state = failed(fed.viewer)
            check(fed.pipe.name in state["error"]["error"] and word in state["error"]["error"], f"{name}: {state['error']}")
            fed.viewer.ask("/api/report", expect=404)
            fed.viewer.ask("/api/types?side=after", expect=409)
            time.sleep(0.5)  # it stays
            same(f"{name}: phase", fed.viewer.state()["phase"], "failed")
            same(f"{name}: exit status", fed.viewer.end(), status)
            check(fed.pipe.name in fed.viewer.stderr() and word in fed.viewer.stderr(), fed.viewer.stderr())


def ends_when_it_fails_unseen(world):
    """Nobody looks at a page that has nothing to show: the error and its exit status come at once, as those of a diff do."""
    for name, (data, status, word) in failures(world).items():
        path = world.folder / name
        path.write_bytes(data)
        done = world.run("view", world.before, path, expect=status)
        check(done.stdout.startswith("http://") and word in done.stderr, f"{name}: {done.stdout} {done.stderr}")
        said = world.run(world.before, path, expect=status).stderr
        same(f"{name}: beside what a diff says", done.stderr.replace("hsdiff view --partial", "hsdiff --partial"), said)
    mistyped = world.run("view", world.before, world.folder / "absent.hs", expect=3)  # it ends at once: there is no address to open
    same("an address", mistyped.stdout, "")
    check("absent.hs cannot be opened" in mistyped.stderr, mistyped.stderr)


def shows_failures_to_a_browser_that_it_started(world):
    """Which may need longer to come than the failure."""
    folder = world.folder / "browser"
    folder.mkdir()
    (folder / "xdg-open").symlink_to("/bin/true")
    junk = world.folder / "junk.hs"
    junk.write_bytes(b"no capture at all\n" * 100)
    with world.view(junk, "--open", environment={"PATH": f"{folder}:/usr/bin:/bin"}) as viewer:
        wait_for("the error", lambda: "junk.hs" in viewer.stderr())
        time.sleep(0.5)
        failed(viewer)
        same("exit status", viewer.end(), 3)


def shows_what_is_there(world):
    cut = world.folder / "part.hs"
    cut.write_bytes(world.after.read_bytes()[:-1000])
    with world.view(world.before, cut, "--partial") as viewer:
        state = viewer.until_ready()
        same("report", state["report"], "diff")
        same("sides", [side["side"] for side in state["sides"]], ["before", "after"])
        check(not state["sides"][1]["browsable"] and state["sides"][1]["why_not"], state["sides"])


def takes_a_port(world):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = held.getsockname()[1]
        refused = world.run("view", world.before, "--port", port, expect=4)
        check("in use" in refused.stderr and "--port" in refused.stderr, refused.stderr)
    for _ in range(2):  # and again, where connections of the first are not quite forgotten
        with world.view(world.before, "--port", port) as viewer:
            same("port", viewer.port, port)
            viewer.until_ready()
            refused = world.run("view", world.before, "--port", port, expect=4)  # nobody else listens there meanwhile
            check("in use" in refused.stderr, refused.stderr)
    for wrong in ["0", "65536", "-1", "http", "", "80x"]:
        check("--port takes" in world.run("view", world.before, "--port", wrong, expect=2).stderr, wrong)


def listens_on_ipv6_when_asked(world):
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return "this machine has no ::1"
    with world.view(world.before, "--ipv6") as viewer:
        check(viewer.address.startswith("http://[::1]:"), viewer.address)
        viewer.until_ready()
        with socket.socket() as wire:
            check(wire.connect_ex(("127.0.0.1", viewer.port)) != 0, "127.0.0.1 answers as well")
    return "::1"


def opens_a_browser(world):
    folder = world.folder / "bin"
    folder.mkdir()
    shown = world.folder / "shown"
    opener = folder / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$#" "$1" > {shown}.part\nmv {shown}.part {shown}\n')
    opener.chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin"}
    with world.view(world.before, "--open", environment=environment) as viewer:
        text = wait_for("the browser", lambda: shown.exists() and shown.read_text())
        same("what it was told", text.split(), ["1", viewer.address])
        viewer.until_ready()
        same("exit status", viewer.end(), 0)
        same("standard error", viewer.stderr(), "")
    opener.write_text("#!/bin/sh\nexit 3\n")
    with world.view(world.before, "--open", environment=environment) as viewer:
        wait_for("the note", lambda: "by hand" in viewer.stderr())
    empty = world.folder / "empty"
    empty.mkdir()
    with world.view(world.before, "--open", environment={"PATH": str(empty)}) as viewer:
        wait_for("the note", lambda: "by hand" in viewer.stderr())
        viewer.until_ready()


def shows_a_process(world):
    """hsdiff capture PID --view: into an unnamed file, or that of -o."""
    if not world.program:
        return "no program to capture"
    program = subprocess.Popen([world.program, "agent", "objects=1234"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    check(program.stdout.readline().startswith(b"ready"), "the program")
    temp, kept = world.folder / "process", world.folder / "kept.hs"
    temp.mkdir()
    for more in [["--temp-dir", temp], ["-o", kept]]:
        with world.view(program.pid, "--view", *more, command="capture") as viewer:
            state = viewer.until_ready()
            name = state["captures"][0]["name"]
            check(name == str(kept) if "-o" in more else f"(pid {program.pid})" in name, name)
            same("objects", viewer.ask("/api/types")["types"][0]["objects"] > 0, True)
            same("names of temporary data", list(temp.iterdir()), [])
            check(("an unnamed file" in viewer.stderr()) != ("-o" in more), viewer.stderr())
            same("exit status", viewer.end(), 0)
    same("what was kept", kept.exists(), True)
    program.stdin.close()
    program.wait()
    program.stdout.close()


def leaves_nothing_behind(world):
    temp = world.folder / "temp"
    temp.mkdir()
    with world.view(world.before, world.after, "--temp-dir", temp) as viewer:
        viewer.until_ready()
        same("names of temporary data", list(temp.iterdir()), [])
        viewer.process.kill()
        viewer.process.wait()
    same("names after a kill", list(temp.iterdir()), [])


def fails_when_the_address_cannot_be_told(world):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([world.hsdiff, "view", world.before], stdout=full, stderr=subprocess.PIPE, timeout=kit.PATIENCE, check=False)
    same(f"exit status ({done.stderr})", done.returncode, 4)


def refuses_wrong_usage(world):
    check("missing" in world.run("view", expect=2).stderr, "no input")
    check("standard input" in world.run("view", "-", "-", expect=2).stderr, "standard input twice")
    check("--match is for two" in world.run("view", world.before, world.after, world.after, "--match", "counts", expect=2).stderr, "match of three")


if __name__ == "__main__":
    kit.main({case.__name__: case for case in [
        prints_its_address_alone, puts_the_address_into_a_file, ends_by_signals, ends_by_signals_in_the_middle, shows_progress, waits_for_a_writer,
        tells_stages, ends_when_idle, does_not_idle_while_it_is_asked, does_not_idle_while_the_machine_sleeps, does_not_idle_while_it_works, never_idles_when_told, shows_failures,
        ends_when_it_fails_unseen, shows_failures_to_a_browser_that_it_started, shows_what_is_there,
        takes_a_port, listens_on_ipv6_when_asked, opens_a_browser, shows_a_process, leaves_nothing_behind, fails_when_the_address_cannot_be_told,
        refuses_wrong_usage]})

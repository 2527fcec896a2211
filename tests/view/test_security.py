#!/usr/bin/env python3
"""The viewer serves its user alone.

More than two hundred hostile requests against the real command: none gets a 200 with anything of the captures in it, the page apart
where nothing forbids the page; and the server goes on serving its user.
Usage: test_security.py --hsdiff FILE [--only CASE]
"""
import os
import socket
import subprocess
import threading
import time

import hostile
import kit
from kit import check, descriptors, same

SECRETS = [b'"phase"', b'"captures"', b'"name"', b'"retained"', b"demo-", b"SessionCache"]  # of answers, names, types of the demo


def refused(name, raw):
    """No 200 but on the page, which has nothing of a capture in it."""
    for part in raw.split(b"HTTP/1.")[1:]:
        answer = kit.Answer(b"HTTP/1." + part)
        is_page = answer.status == 200 and answer.headers.get("content-type", "").startswith("text/html")
        check(answer.status != 200 or is_page, f"{name}: was served: {part[:400]!r}")
        check(not is_page, f"{name}: got the page")
        check(not any(header.startswith("access-control-") for header in answer.headers), f"{name}: CORS headers")
    for secret in SECRETS:
        check(secret not in raw, f"{name}: tells {secret!r}: {raw[:400]!r}")


def refuses(world):
    with world.view() as viewer:
        viewer.until_ready()
        everything = hostile.requests(viewer.host, viewer.token)
        check(len(everything) >= 200, f"{len(everything)} requests")
        for name, data in everything.items():
            refused(name, viewer.send(data, half_close=True))
        same("the state, after all of them", viewer.state()["phase"], "ready")
        same("the page, after all of them", viewer.get("/", token=False).status, 200)
        status = viewer.end()
        check(status == 0, f"exit status {status}: {viewer.stderr()}")
        return f"{len(everything)} requests, 0 served"


def refuses_while_working(world):
    """Before there is anything to tell, too: a fifo that nobody writes to keeps it at work."""
    pipe = world.folder / "pipe"
    os.mkfifo(pipe)
    with world.view(pipe) as viewer:
        for name, data in hostile.requests(viewer.host, viewer.token).items():
            if "two" in name or name.startswith("origins"):
                refused(name, viewer.send(data, half_close=True))
        same("phase", viewer.state()["phase"], "working")
        viewer.process.kill()
        viewer.process.wait()
    pipe.unlink()


def keeps_answers_to_itself(world):
    with world.view() as viewer:
        viewer.until_ready()
        for target in ["/", "/api/state", "/api/report", "/api/nothing"]:
            headers = viewer.get(target).headers
            same(f"{target} nosniff", headers["x-content-type-options"], "nosniff")
            same(f"{target} CORP", headers["cross-origin-resource-policy"], "same-origin")
            same(f"{target} COOP", headers["cross-origin-opener-policy"], "same-origin")
            same(f"{target} referrer", headers["referrer-policy"], "no-referrer")
            same(f"{target} cache", headers["cache-control"], "no-store")
            policy = headers["content-security-policy"]
            check("default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy, f"{target}: {policy}")
            check("set-cookie" not in headers and "server" not in headers, f"{target}: {headers}")
        page = viewer.get("/", token=False)
        check(viewer.token.encode() not in page.raw, "the page has the token in it")
        for name in [b"demo-before", b"demo-after", b"SessionCache"]:
            check(name not in page.raw, f"the page has {name!r} in it")
        head = viewer.get("/api/state", method="HEAD")
        same("HEAD", (head.status, head.body), (200, b""))
        same("Allow", viewer.get("/", method="POST").headers["allow"], "GET, HEAD")


def listens_on_the_loopback(world):
    def sockets(kind):
        with open(f"/proc/net/{kind}", encoding="ascii") as table:
            return [line.split() for line in table][1:]

    with world.view() as viewer:
        inodes = {name[8:-1] for name in kit.descriptors(viewer.process.pid) if name.startswith("socket:[")}
        listening = [row[1] for kind in ["tcp", "tcp6"] if os.path.exists(f"/proc/net/{kind}") for row in sockets(kind)
                     if row[9] in inodes and row[3] == "0A"]
        same("sockets that listen", listening, [f"0100007F:{viewer.port:04X}"])
        others = [row for kind in ["udp", "udp6", "raw", "packet"] if os.path.exists(f"/proc/net/{kind}") for row in sockets(kind)
                  if inodes & set(row)]
        same("other sockets of the network", others, [])


def is_not_reached_from_outside(world):
    """By an address of this machine that is not the loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "no other address here"
        own = probe.getsockname()[0]
    with world.view() as viewer:
        with socket.socket() as wire:
            wire.settimeout(5)
            check(wire.connect_ex((own, viewer.port)) != 0, f"{own}:{viewer.port} answers")
    return own


def refuses_other_users(world):
    """Another user of the machine who has read the token."""
    if os.geteuid() != 0:
        return "not tried: it takes root to be somebody else"
    ask = "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); s.sendall(sys.argv[2].encode()); " \
          "sys.stdout.buffer.write(s.makefile('rb').read())"
    with world.view() as viewer:
        viewer.until_ready()
        request = f"GET /api/state HTTP/1.1\r\nHost: {viewer.host}\r\nX-Hsdiff-Token: {viewer.token}\r\nConnection: close\r\n\r\n"
        for user, status in [(65534, 403), (0, 200)]:
            done = subprocess.run(["python3", "-c", ask, str(viewer.port), request], capture_output=True, user=user, group=user, extra_groups=[],
                                  cwd="/", timeout=kit.PATIENCE, check=False)
            check(done.stdout.startswith(f"HTTP/1.1 {status} ".encode()), f"user {user}: {done.stdout[:300]!r} {done.stderr!r}")
            if status != 200:
                refused(f"user {user}", done.stdout)
    return "user 65534 gets nothing"


# Three hundred connections at a time, each with a request that has no end; for one that is closed the next comes.
FLOOD = """
import select, socket, sys
address, request = ("127.0.0.1", int(sys.argv[1])), sys.argv[2].encode()
wires, turned_away = set(), 0
while not select.select([sys.stdin], [], [], 0)[0]:
    while len(wires) < 300:
        wire = socket.create_connection(address)
        wires.add(wire)
        try:
            wire.sendall(request)
        except OSError:
            pass
    if turned_away == 0 or turned_away % 1000 == 0:
        print("many", flush=True)
    for wire in select.select(list(wires), [], [], 0.1)[0]:
        try:
            is_open = wire.recv(1000) != b""
        except OSError:
            is_open = False
        if not is_open:
            turned_away += 1
            wires.discard(wire)
            wire.close()
print(turned_away)
"""


def leaves_other_users_outside(world):
    """Another user of the machine who knocks without end: he gets a few places, and the user is served as if he were alone."""
    if os.geteuid() != 0:
        return "not tried: it takes root to be somebody else"
    with world.view() as viewer:
        viewer.until_ready()
        alone = len(descriptors(viewer.process.pid))
        request = f"GET /api/state HTTP/1.1\r\nHost: {viewer.host}\r\nX-Hsdiff-Token: {viewer.token}\r\nX-Slow: "
        with subprocess.Popen(["python3", "-c", FLOOD, str(viewer.port), request], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
                              user=65534, group=65534, extra_groups=[]) as flood:
            same("the flood", flood.stdout.readline(), "many\n")
            most, waits = 0, []
            for _ in range(20):
                began = time.monotonic()
                same("the user", viewer.state()["phase"], "ready")
                waits.append(time.monotonic() - began)
                most = max(most, len(descriptors(viewer.process.pid)))
            flood.stdin.close()
            turned_away = int(flood.stdout.read().split()[-1])
        check(turned_away > 300, f"{turned_away} were turned away: no flood")
        check(most <= alone + 12, f"{most} descriptors, {alone} without the other user")
        return f"{turned_away} turned away, {most - alone} more descriptors at most; the user waited {sorted(waits)[10] * 1000:.0f} ms, at most {max(waits) * 1000:.0f}"


def has_a_token_of_its_own(world):
    seen = set()
    for _ in range(5):
        with world.view() as viewer:
            same("digits", (len(viewer.token), set(viewer.token) <= set("0123456789abcdef")), (32, True))
            command = open(f"/proc/{viewer.process.pid}/cmdline", "rb").read() + open(f"/proc/{viewer.process.pid}/environ", "rb").read()
            check(viewer.token.encode() not in command, "the token stands where other users see it")
            seen.add((viewer.token, viewer.port))
    same("different tokens", len({token for token, _ in seen}), 5)
    check(len({port for _, port in seen}) > 1, f"always the same port: {seen}")


def survives_slow_clients(world):
    """Three hundred clients that send a byte a second, and come again: they give place to whoever comes, and the user is served."""
    with world.view() as viewer:
        viewer.until_ready()
        wires = [viewer.connect() for _ in range(300)]
        began = time.monotonic()
        stop = threading.Event()

        def drip():
            text = f"GET /api/state HTTP/1.1\r\nHost: {viewer.host}\r\nX-Slow: ".encode() + b"a" * 1000
            for at in range(len(text)):
                for wire in wires:
                    try:
                        wire.send(text[at:at + 1])
                    except OSError:
                        pass
                if stop.wait(1):
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            same("the user", viewer.state()["phase"], "ready")
            waited = time.monotonic() - began
        finally:
            stop.set()
            dripping.join()
        for wire in wires:
            wire.close()
        check(waited < 8, f"the user waited {waited:.1f} s, as long as it takes until slow clients are cut off")
        return f"300 slow clients, served after {waited:.2f} s"


def cuts_the_idle_off(world):
    with world.view() as viewer:
        with viewer.connect() as wire:
            wire.settimeout(kit.PATIENCE)
            began = time.monotonic()
            same("what an idle connection gets", wire.recv(100), b"")
            waited = time.monotonic() - began
        check(5 < waited < 20, f"cut off after {waited:.0f} s")
        return f"after {waited:.0f} s"


def survives_readers_that_stop(world):
    """A client that asks and never reads holds nothing up."""
    with world.view() as viewer:
        viewer.until_ready()
        wires = [viewer.connect() for _ in range(30)]
        for wire in wires:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            wire.sendall(f"GET /api/report HTTP/1.1\r\nHost: {viewer.host}\r\nX-Hsdiff-Token: {viewer.token}\r\n\r\n".encode())
        same("the user", viewer.state()["phase"], "ready")
        for wire in wires:
            wire.close()
        same("and after", viewer.state()["phase"], "ready")


def opens_nothing_by_name(world):
    """What strace sees from the first request on: no file opened but the kernel's table of connections, no program started, no connection made."""
    log = world.folder / "trace"
    with world.view() as viewer:
        viewer.until_ready()
        tracing = subprocess.Popen(["strace", "-f", "-p", str(viewer.process.pid), "-o", str(log), "-e",
                                    "trace=open,openat,openat2,creat,execve,execveat,connect,fork,vfork,unlink,unlinkat,rename,renameat2,bind"],
                                   stderr=subprocess.PIPE, text=True)
        line = tracing.stderr.readline()
        if "attached" not in line:
            tracing.wait()
            return f"not traced: {line.strip()}"
        for name, data in hostile.requests(viewer.host, viewer.token).items():
            if name.startswith("paths"):
                viewer.send(data, half_close=True)
        viewer.state()
        viewer.get("/")
        tracing.terminate()
        tracing.communicate()
        calls = [line for line in log.read_text().splitlines() if "(" in line and "+++" not in line and "---" not in line and '"/proc/net/tcp"' not in line]
        same("calls while it answered", calls, [])
    return "traced"


if __name__ == "__main__":
    kit.main({case.__name__: case for case in [
        refuses, refuses_while_working, keeps_answers_to_itself, listens_on_the_loopback, is_not_reached_from_outside, refuses_other_users,
        leaves_other_users_outside, has_a_token_of_its_own,
        survives_slow_clients, cuts_the_idle_off, survives_readers_that_stop, opens_nothing_by_name]})

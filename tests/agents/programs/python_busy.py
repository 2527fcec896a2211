"""A Python program that works in one of the ways that a capture must not disturb, and counts what it notices.

    python_busy.py compute|sleep|epoll|timer|hold|fork|threads

"report" on standard input is answered with "reported ROUNDS WRONG INTERRUPTED LATE": answers that were not the right ones, calls of the system that returned EINTR, and
by how many milliseconds the timer was late at most.
Calls are made by ctypes, since Python itself takes up again what was interrupted. "leak N" keeps N objects, "quit" ends.
"""
import ctypes
import errno
import hashlib
import os
import select
import socket
import struct
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)        # without the GIL
keeping = ctypes.PyDLL(None)                    # with it
rounds = wrong = interrupted = 0
kept = []


class Kept:
    def __init__(self, number):
        self.number = number


def expect(holds):
    global wrong
    if not holds:
        wrong += 1


def made(result):
    """What a call of the system returned."""
    global interrupted
    if result < 0 and ctypes.get_errno() == errno.EINTR:
        interrupted += 1
    return result


# ---- what is done in a round ----

def compute():
    table = {}
    for i in range(3000):
        table[i] = [i] * (i % 7)
    text = ",".join(str(len(value)) for value in table.values())
    expect(sum(map(len, table.values())) == sum(i % 7 for i in range(3000)))
    expect(hashlib.sha256(text.encode()).hexdigest() == digest)


digest = hashlib.sha256(",".join(str(i % 7) for i in range(3000)).encode()).hexdigest()


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def sleep():
    for wait in (lambda: libc.nanosleep(ctypes.byref(Timespec(0, 60_000_000)), None), lambda: libc.poll(None, 0, 60), lambda: libc.usleep(60_000),
                 lambda: libc.select(0, None, None, None, ctypes.byref(Timespec(0, 60_000)))):
        began = time.monotonic()
        made(wait())
        expect(time.monotonic() - began >= 0.0599)


class Timer:
    """Waits in epoll for a time of its own, and counts how late it was at most, in milliseconds."""

    def __init__(self):
        self.poll = select.epoll()
        self.latest = 0

    def round(self):
        began = time.monotonic()
        made(libc.epoll_wait(self.poll.fileno(), ctypes.create_string_buffer(12), 1, 2000))
        late = time.monotonic() - began - 2
        expect(late > -0.002)
        self.latest = max(self.latest, int(late * 1000))


class Server:
    """Answers numbers with their squares; waits in epoll for a long time."""

    def __init__(self):
        self.listening = socket.socket()
        self.listening.bind(("127.0.0.1", 0))
        self.listening.listen(16)
        self.poll = select.epoll()
        self.poll.register(self.listening, select.EPOLLIN)
        self.poll.register(0, select.EPOLLIN)
        self.clients = {}

    def round(self):
        events = ctypes.create_string_buffer(12 * 16)
        count = made(libc.epoll_wait(self.poll.fileno(), events, 16, 20_000))
        for i in range(max(count, 0)):
            fd = struct.unpack_from("=Iii", events, 12 * i)[1]
            if fd == self.listening.fileno():
                client, _ = self.listening.accept()
                self.clients[client.fileno()] = client
                self.poll.register(client, select.EPOLLIN)
            elif fd in self.clients:
                text = self.clients[fd].recv(64)
                if text:
                    self.clients[fd].sendall(b"%d\n" % int(text) ** 2)
                else:
                    self.poll.unregister(fd)
                    self.clients.pop(fd).close()


def hold():
    began = time.monotonic()
    made(keeping.usleep(100_000))
    expect(time.monotonic() - began >= 0.0999)


def fork():
    child = os.fork()
    if child == 0:
        compute()
        os._exit(7 if wrong == 0 else 1)
    status = ctypes.c_int()
    expect(made(libc.waitpid(child, ctypes.byref(status), 0)) == child and os.WEXITSTATUS(status.value) == 7)


def in_bursts(work, count):
    """So many rounds, and as long a pause: one that never pauses takes a processor from all other tests for as long as it is captured."""
    began = time.monotonic()
    for _ in range(count):
        work()
    time.sleep(time.monotonic() - began)


def start_threads():
    lock = threading.Lock()
    meeting = threading.Condition()

    def work(number):
        while True:
            if number % 4 == 0:
                in_bursts(compute, 16)
            elif number % 4 == 1:
                sleep()
            elif number % 4 == 2:
                with lock:
                    time.sleep(0.001)
            else:
                with meeting:
                    meeting.wait(0.05)
                    meeting.notify()

    for number in range(20):
        threading.Thread(target=work, args=(number,), daemon=True, name=f"worker-{number}").start()


timer = Timer()


# ---- what is asked ----

def obey(line):
    words = line.split()
    if words[:1] == ["quit"]:
        os._exit(0)
    if words[:1] == ["report"]:
        print("reported", rounds, wrong, interrupted, timer.latest, flush=True)
    if words[:1] == ["leak"]:
        kept.extend(Kept(i) for i in range(int(words[1])))
        print("leaked", len(kept), flush=True)


def is_asked():
    return select.select([0], [], [], 0)[0]


def main(mode):
    global rounds
    work = {"compute": lambda: in_bursts(compute, 16), "sleep": sleep, "timer": timer.round, "hold": hold, "fork": lambda: in_bursts(fork, 4), "threads": lambda: time.sleep(0.01)}.get(mode)
    if mode == "epoll":
        server = Server()
        work = server.round
        print("port", server.listening.getsockname()[1], flush=True)
    if mode == "threads":
        start_threads()
    print("ready", flush=True)
    while True:
        work()
        rounds += 1
        if is_asked():
            line = sys.stdin.readline()
            if not line:
                os._exit(0)
            obey(line)


main(sys.argv[1])

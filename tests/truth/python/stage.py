"""What every program of this folder has around its leak: the lines of tests/agents/kit.py, and work that is bounded. A thread takes a
request from a queue for each thing that is planted, so that a line is answered when its requests are; all caches are full before "ready"."""
import collections
import queue
import sys
import threading

PAGES, ANSWERS, GUESTS = 300, 256, 100


class Page:
    def __init__(self, path):
        self.path = path
        self.body = f"page {path} " * 4


class Load:
    """Pages that the oldest make room for, a ring of answers, and guests who come in the place of others."""

    def __init__(self):
        self.pages = collections.OrderedDict()
        self.answers = collections.deque(maxlen=ANSWERS)
        self.guests = {}
        self.requests = queue.Queue(maxsize=64)
        threading.Thread(target=self.work, name="load", daemon=True).start()

    def serve(self, number):
        path = f"/page/{number * 7919 % 900}"
        self.pages[path] = self.pages.pop(path, None) or Page(path)
        if len(self.pages) > PAGES:
            self.pages.popitem(last=False)
        self.answers.append({"status": 200, "number": number + 1000, "size": len(self.pages[path].body)})
        self.guests[number % GUESTS] = [f"guest {number}", number + 1000]

    def work(self):
        while True:
            self.serve(self.requests.get())
            self.requests.task_done()

    def fill(self):
        for number in range(3000):
            self.requests.put(number)
        self.requests.join()


load = Load()


def lines():
    """How many are to be planted, of each line."""
    for line in sys.stdin:
        word, *count = line.split()
        if word == "quit":
            return
        yield int(count[0])


def play(plant):
    """Calls it with the number of each thing that is to be planted."""
    load.fill()
    print("ready", flush=True)
    total = 0
    for count in lines():
        for number in range(total, total + count):
            plant(number)
            load.requests.put(number)
        load.requests.join()
        total += count
        print("leaked", total, flush=True)

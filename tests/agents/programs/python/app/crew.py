"""A thread that keeps what it has done; nobody else knows it."""
import queue
import threading

from .leaked import Leaked

ORDERS = queue.Queue()


class Crew(threading.Thread):
    def __init__(self):
        threading.Thread.__init__(self, name="crew-12 of 40", daemon=True)
        self.results = []

    def run(self):
        while True:
            self.results.extend(Leaked(i) for i in range(ORDERS.get()))
            ORDERS.task_done()


def leak(count):
    if not any(isinstance(one, Crew) for one in threading.enumerate()):
        Crew().start()
    ORDERS.put(count)
    ORDERS.join()

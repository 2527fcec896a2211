"""Something in each thread, of threads that stay."""
import threading

from .leaked import Leaked

CONTEXT = threading.local()
WORK = []


def work(start, ready):
    CONTEXT.requests = []
    while True:
        start.acquire()
        CONTEXT.requests.append(Leaked(0))
        ready.release()


def leak(count):
    if not WORK:
        WORK.extend((threading.Semaphore(0), threading.Semaphore(0)))
        threading.Thread(target=work, args=WORK, daemon=True, name="worker").start()
    for _ in range(count):
        WORK[0].release()
        WORK[1].acquire()

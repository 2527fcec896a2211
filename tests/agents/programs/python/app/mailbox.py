"""A queue of asyncio that nobody empties, in a variable that a coroutine shares with a function inside of it."""
import asyncio
import threading

from .leaked import Leaked

LOOP = asyncio.new_event_loop()
ORDERS = None


async def serve():
    global ORDERS
    inbox, ORDERS = asyncio.Queue(), asyncio.Queue()
    ready.set()

    def put(one):
        inbox.put_nowait(one)

    while True:
        for i in range(await ORDERS.get()):
            put(Leaked(i))
        ORDERS.task_done()


ready = threading.Event()
SERVING = LOOP.create_task(serve())
threading.Thread(target=LOOP.run_forever, daemon=True, name="loop").start()
ready.wait()


async def order(count):
    await ORDERS.put(count)
    await ORDERS.join()


def leak(count):
    asyncio.run_coroutine_threadsafe(order(count), LOOP).result()

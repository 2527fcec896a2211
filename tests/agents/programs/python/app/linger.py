"""A service of asyncio.run: all it has is in a variable of the coroutine that its main one awaits, with the tasks that it forgets to wait for in a set."""
import asyncio
import concurrent.futures.thread as executor
import queue
import threading
import time

from .leaked import Leaked

JOBS = queue.SimpleQueue()


class Server:
    def __init__(self):
        self.background = set()
        self.closing = asyncio.Event()

    async def linger(self, leaked):
        await self.closing.wait()
        return leaked

    async def handle(self, number):
        self.background.add(asyncio.get_running_loop().create_task(self.linger(Leaked(number))))
        await asyncio.sleep(0)


async def serve():
    server = Server()

    def are_few():
        return len(server.background) < 10

    while True:
        count, done = await asyncio.get_running_loop().run_in_executor(None, JOBS.get)
        for number in range(count):
            await server.handle(number)
        asyncio.get_running_loop().call_soon(done.set)  # when it waits again


async def main():
    await serve()


threading.Thread(target=lambda: asyncio.run(main()), daemon=True, name="service").start()


def leak(count):
    done = threading.Event()
    JOBS.put((count, done))
    done.wait()
    while any(waiting.qsize() for waiting in executor._threads_queues.values()):  # what is put there knows the loop, and is a global's
        time.sleep(0.001)

"""A service of asyncio.run: all it has is in a variable of its main coroutine, with the tasks that it forgets to wait for in a set."""
import asyncio
import queue
import threading

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


async def main():
    server = Server()
    while True:
        count, done = await asyncio.get_running_loop().run_in_executor(None, JOBS.get)
        for number in range(count):
            await server.handle(number)
        done.set()


threading.Thread(target=lambda: asyncio.run(main()), daemon=True, name="service").start()


def leak(count):
    done = threading.Event()
    JOBS.put((count, done))
    done.wait()

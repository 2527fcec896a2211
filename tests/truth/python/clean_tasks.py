"""No leak: asyncio with tasks that end, a queue with a consumer, timeouts that are cancelled, and a set of those that are at work."""
import asyncio
import sys

import stage


class Message:
    def __init__(self, number):
        self.number = number
        self.text = f"message {number}"


class Hub:
    def __init__(self):
        self.at_work = set()
        self.inbox = asyncio.Queue(maxsize=32)
        self.last = {}

    async def consume(self):
        while True:
            message = await self.inbox.get()
            self.last[message.number % 200] = message
            self.inbox.task_done()

    async def handle(self, number):
        await asyncio.wait_for(self.inbox.put(Message(number)), 60)

    def start(self, number):
        task = asyncio.ensure_future(self.handle(number))
        self.at_work.add(task)
        task.add_done_callback(self.at_work.discard)


async def serve():
    loop = asyncio.get_running_loop()
    hub = Hub()
    consumer = asyncio.ensure_future(hub.consume())

    async def requests(first, count):
        for number in range(first, first + count):
            hub.start(number)
            if number % 20 == 0:
                await asyncio.gather(*hub.at_work)
            stage.load.requests.put(number)
        await asyncio.gather(*hub.at_work)
        await hub.inbox.join()
        stage.load.requests.join()

    stage.load.fill()
    await requests(0, 1000)
    print("ready", flush=True)
    total = 0
    while (line := await loop.run_in_executor(None, sys.stdin.readline)).startswith("leak"):
        count = int(line.split()[1])
        await requests(total, count)
        total += count
        print("leaked", total, flush=True)
    consumer.cancel()


asyncio.run(serve())

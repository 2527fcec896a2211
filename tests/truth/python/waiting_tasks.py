"""asyncio: each request to a partner waits for the answer to its number; partners that do not answer leave a task and its future."""
import asyncio
import sys

import stage


class Envelope:
    def __init__(self, number):
        self.number = number
        self.text = f"message {number}"


class Partner:
    def __init__(self):
        self.pending = {}

    async def ask(self, number):
        envelope = Envelope(number)
        answer = asyncio.get_running_loop().create_future()
        self.pending[number] = answer
        return envelope, await answer


partner = Partner()


async def serve():
    loop = asyncio.get_running_loop()
    stage.load.fill()
    print("ready", flush=True)
    total = 0
    while (line := await loop.run_in_executor(None, sys.stdin.readline)).startswith("leak"):
        for number in range(total, total + int(line.split()[1])):
            asyncio.ensure_future(partner.ask(number))
            total += 1
            stage.load.requests.put(number)
        await asyncio.sleep(0)
        stage.load.requests.join()
        print("leaked", total, flush=True)
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


asyncio.run(serve())

"""Tasks of asyncio that nobody awaits: each waits for an event that never comes."""
import asyncio
import threading

from .leaked import Leaked

LOOP = asyncio.new_event_loop()
NEVER = None


async def follow(leaked):
    await NEVER.wait()
    return leaked


async def plant(count):
    global NEVER
    NEVER = NEVER or asyncio.Event()
    for i in range(count):
        asyncio.ensure_future(follow(Leaked(i)))
    await asyncio.sleep(0)


threading.Thread(target=LOOP.run_forever, daemon=True, name="loop").start()


def leak(count):
    asyncio.run_coroutine_threadsafe(plant(count), LOOP).result()

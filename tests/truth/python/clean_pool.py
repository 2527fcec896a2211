"""No leak: a pool of threads whose locals are emptied, futures that are read, handlers of logging that are taken off, errors that are logged and go."""
import concurrent.futures
import io
import logging
import threading

import stage

logger = logging.getLogger("shop.jobs")
logger.propagate = False
request = threading.local()
pool = concurrent.futures.ThreadPoolExecutor(3, thread_name_prefix="web")


def work(number):
    request.notes = [f"note {number} {part}" for part in range(5)]
    if number % 9 == 0:
        raise ValueError(f"order {number}")
    return len(request.notes)


def job(number):
    handler = logging.StreamHandler(io.StringIO())
    logger.addHandler(handler)
    try:
        logger.warning("job %d has %d notes", number, pool.submit(work, number).result())
    except ValueError:
        logger.exception("job %d failed", number)
    finally:
        logger.removeHandler(handler)


for warm in range(300):
    job(warm)
stage.play(job)
pool.shutdown()

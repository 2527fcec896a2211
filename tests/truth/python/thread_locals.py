"""Workers of a pool have a list each in a threading.local, into which each query is written, and which no request empties."""
import concurrent.futures
import threading

import stage

WORKERS = 4
request = threading.local()


class Query:
    def __init__(self, number):
        self.sql = f"select * from orders where id = {number}"
        self.seconds = number / 1000


def note(query):
    if not hasattr(request, "queries"):
        request.queries = []
    request.queries.append(query)


pool = concurrent.futures.ThreadPoolExecutor(WORKERS, thread_name_prefix="web")
together = threading.Barrier(WORKERS)
list(pool.map(lambda _: together.wait(), range(WORKERS)))
stage.play(lambda number: pool.submit(note, Query(number)).result())
pool.shutdown()

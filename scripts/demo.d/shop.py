"""A shop's server that leaks, as servers do: a memo without bound, and a listener on an event bus for every basket. The page cache beside
them is bounded and healthy. Says "ready" after 2,000 requests and after 14,000, and waits for a line each time.

    python3 shop.py
"""
import functools
import sys


class Basket:
    def __init__(self, customer):
        self.customer = customer
        self.lines = []

    def refresh(self, stock):
        self.lines = [line for line in self.lines if line.article in stock]


class Line:
    def __init__(self, article, count):
        self.article = article
        self.count = count


class Bus:
    """Who listens, by what happens."""

    def __init__(self):
        self.listeners = {"stock": []}

    def on(self, event, listener):  # and there is no off()
        self.listeners[event].append(listener)


bus = Bus()
pages = {}


@functools.lru_cache(maxsize=None)
def price(article, customer):
    return {"article": article, "customer": customer, "cents": 100 + article % 900}


def serve(request):
    basket = Basket(request)
    for count in range(request % 5):
        basket.lines.append(Line(count, count + 1))
    bus.on("stock", basket.refresh)
    price(request % 300, request)
    pages[f"/page/{request % 2000}"] = bytearray(200)
    if len(pages) > 500:
        pages.pop(next(iter(pages)))


def main():
    for requests in (range(2000), range(2000, 14000)):
        for request in requests:
            serve(request)
        print("ready", flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    main()

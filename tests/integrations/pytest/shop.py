"""A shop as services are written: prices that are memoized, a log of the last lines, baskets that listen to the stock, a pool of threads for mails."""
import collections
import concurrent.futures
import functools

SESSIONS = {}


@functools.lru_cache(maxsize=500)
def price_of(item):
    return {"item": item, "cents": 100 + len(item)}


class Stock:
    def __init__(self):
        self.listeners = []

    def subscribe(self, listener):
        self.listeners.append(listener)

    def unsubscribe(self, listener):
        self.listeners.remove(listener)


class Basket:
    def __init__(self, customer, stock):
        self.customer = customer
        self.lines = []
        self.stock = stock
        stock.subscribe(self.refresh)

    def refresh(self, item):
        self.lines = [line for line in self.lines if line["item"] != item]

    def close(self):
        self.stock.unsubscribe(self.refresh)


class Shop:
    def __init__(self):
        self.stock = Stock()
        self.log = collections.deque(maxlen=200)
        self.mails = concurrent.futures.ThreadPoolExecutor(max_workers=2)
        self.customers = 0

    def serve(self, forgets=None):
        import decimal  # loaded when it is first needed

        self.customers += 1
        customer = "customer %d" % self.customers
        basket = Basket(customer, self.stock)
        SESSIONS[customer] = basket
        basket.lines = [dict(price_of("item %d" % ((self.customers + i) % 50))) for i in range(3)]
        total = sum(decimal.Decimal(line["cents"]) for line in basket.lines)
        self.log.append("%s bought for %s" % (customer, total))
        self.mails.submit(str.upper, customer).result()
        if forgets != "session":
            del SESSIONS[customer]
        if forgets != "listener":
            basket.close()

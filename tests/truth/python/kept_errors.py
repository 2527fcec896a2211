"""Errors are kept by who reports them, and with each the frames that it came through: what these worked on stays."""
import collections
import sys

pages = collections.OrderedDict()
answers = collections.deque(maxlen=256)


class Order:
    def __init__(self, number):
        self.number = number
        self.lines = [{"sku": number}, {"sku": number + 1}]


class Reporter:
    def __init__(self):
        self.recent = []

    def report(self, error):
        self.recent.append(error)


reporter = Reporter()


def validate(order):
    seen = bytearray(200)
    raise ValueError(f"order {order.number} has no address, {len(seen)}")


def handle(number):
    order = Order(number)
    try:
        validate(order)
    except ValueError as error:
        reporter.report(error)


def request(number):
    key = number * 7919 % 700
    pages[key] = pages.pop(key, None) or {"key": key, "body": "p" * 40 + str(key)}
    if len(pages) > 300:
        pages.popitem(last=False)
    answers.append({"status": 200, "number": number})


def main():
    for number in range(3000):
        request(number)
    planted = 0
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        for _ in range(int(line.split()[1])):
            handle(planted)
            planted += 1
            request(planted)
        print("leaked", planted, flush=True)


main()

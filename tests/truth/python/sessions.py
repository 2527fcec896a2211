"""Sessions in a dictionary of the module, and none is closed: CPython in the native agent, which sees what malloc gives and no name of Python."""
import collections
import sys

SESSIONS = {}
answers = collections.deque(maxlen=512)
pages = collections.OrderedDict()


class Session:
    def __init__(self, number):
        self.number = number
        self.user = f"user {number}"
        self.cart = [number] * 8


def request(number):
    key = number * 7919 % 400
    if key not in pages:
        pages[key] = "p" * 1000 + str(key)
        if len(pages) > 256:
            pages.popitem(last=False)
    answers.append(pages[key][:200] + str(number))


def main():
    for number in range(3000):
        request(number)
    planted = 0
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        if line.startswith("leak "):
            for _ in range(int(line.split()[1])):
                SESSIONS[planted] = Session(planted)
                planted += 1
                request(planted)
            print("leaked", planted, flush=True)


main()

"""python shop.py SECRETS FOLDER: what a program reads, in every place that data can take. The keys look like names. See test_canaries.py."""
import collections
import contextvars
import decimal
import io
import os
import re
import sys
import threading
import types


class Customer:
    def __init__(self, text):
        self.password = text
        self.parts = (text, [text], {text}, frozenset([text]), {text: {text: text}})


Row = collections.namedtuple("Row", "key value")
by_name, ordered, grouped, held, counted = {}, collections.OrderedDict(), collections.defaultdict(list), [], collections.Counter()
context = contextvars.ContextVar("context")


def generate(text):
    mine = text + text
    yield mine


def hold(text):
    by_name[text] = Customer(text)
    ordered[text] = text
    grouped[text].append(text)
    counted[text] += 1
    generator = generate(text)
    next(generator)
    held.extend([text.encode(), bytearray(text.encode()), io.StringIO(text), io.BytesIO(text.encode()), re.compile(text), ValueError(text), generator, lambda: text,
                 Row(text, text), memoryview(text.encode()), types.MappingProxyType({text: text}), text.upper(), decimal.Decimal(len(text)), iter([text])])


def wait(text):
    mine = text + text
    context.set(mine)
    threading.Event().wait()


SECRETS = open(sys.argv[1], encoding="ascii").read().split()
for one in SECRETS:
    hold(one)
for one in SECRETS[:10]:
    held.append(open(f"{sys.argv[2]}/{one}", "w", encoding="ascii"))
    os.environ["SHOP_" + one] = one
    threading.Thread(target=wait, args=(one,), daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "quit":
        break
os._exit(0)

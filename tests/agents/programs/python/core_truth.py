"""Builds objects of every kind, and has the agent capture the interpreter into descriptor 1, which its reader lets wait: meanwhile a core of the program is written.

    python core_truth.py AGENT SEED
"""
import asyncio
import collections
import contextvars
import ctypes
import decimal
import functools
import gc
import io
import itertools
import json
import mmap
import operator
import os
import random
import re
import struct
import sys
import threading
import types
import weakref
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import truth  # noqa: E402


class Managed:
    def __init__(self):
        self.first = object()


def wrapper_of(managed):
    """Has a copy of what the object has, and `first` of its own in every other one."""
    @functools.wraps(managed)
    def wrapper():
        return managed
    return wrapper


class Slotted:
    __slots__ = ("one", "two")


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    kept = {}


async def waits(seconds):
    await asyncio.sleep(seconds)


def kinds(dice):
    """Objects of C of many types, in states that programs have."""
    @functools.lru_cache(maxsize=None)
    def cached(a, b=0):
        return [a, b]

    for i in range(30):
        cached(i, b=str(i))
    queue = collections.deque([[i] for i in range(200)], maxlen=500)
    ordered = collections.OrderedDict((str(i), [i]) for i in range(40))
    ordered.move_to_end("3")
    variable = contextvars.ContextVar("variable", default=[1])
    variable.set(["set"])
    local = threading.local()
    local.kept = {"local": [1]}
    tree = xml.etree.ElementTree.fromstring("<a b='c'><d>text</d><e/></a>")
    buffer = io.BytesIO(b"x" * 5000)
    text = io.StringIO("y" * 300)
    mapped = mmap.mmap(-1, 1 << 16)
    iterators = [iter([1, 2]), iter((1, 2)), iter({1: 2}), iter({1}), iter("abc"), itertools.count(3), itertools.chain([1], [2]), itertools.cycle([[1], [2]]),
                 itertools.islice([1, 2], 1), zip([1], [2]), map(str, [1]), filter(None, [1]), enumerate([1]), reversed([1, 2]), itertools.product([1], [2]),
                 itertools.permutations([1, 2]), itertools.tee([1, 2])[0], iter(int, 1), itertools.groupby([1, 1, 2]), itertools.accumulate([1, 2])]
    for one in iterators[:6]:
        next(one)
    managed = [Managed() for _ in range(20)]
    wrappers = [wrapper_of(each) for each in managed]
    for wrapper in wrappers[::2]:
        wrapper.first = object()
    for i, one in enumerate(managed):
        if i % 3 == 0:
            one.__dict__
        if i % 4 == 0:
            setattr(one, f"more_{i}", [i])
    slotted = Slotted()
    slotted.one = [slotted]
    failed = []
    for i in range(5):
        try:
            raise ValueError([i]) from KeyError(i)
        except ValueError as error:
            failed.append(error)
    sets = [set(range(100)), frozenset("abcdef"), {(1, 2), None}, set()]
    sets[0].discard(5)
    dicts = [{}, {1: 2}, {"a": [1]}, dict.fromkeys(range(1000)), {(1,): [2]}, {f"k{i}": i for i in range(300)}]
    del dicts[3][5], dicts[5]["k7"]
    numbers = [0, 1, -1, 1 << 30, 1 << 100, -(1 << 200), 1.5, 2j, True, decimal.Decimal("1.5"), decimal.Context()]
    texts = ["", "a", "é", "€" * 10, "\U0001f600", sys.intern("interned_" + str(dice.random())), "long" * 1000]
    texts[3].encode()
    byte_likes = [b"", b"abc" * 100, bytearray(b"x" * 100), memoryview(b"abc"), memoryview(bytearray(5))[1:]]
    functional = [functools.partial(print, [1], end=""), operator.itemgetter(1, 2), operator.attrgetter("a.b"), operator.methodcaller("x", [1]), functools.cmp_to_key(lambda a, b: 0),
                  re.compile("(a|b)+"), re.compile("x").match("x"), struct.Struct("<iq"), json.JSONEncoder(), property(lambda self: 1), staticmethod(len), classmethod(len),
                  types.SimpleNamespace(a=[1]), types.MappingProxyType({"a": [1]}), slice([1], None), range(1 << 70), super(Managed, managed[0]), types.MethodType(len, [1]), [].append,
                  Managed.__init__, managed[0].__init__, type.__call__, object().__str__, str.join, weakref.ref(managed[1]), weakref.proxy(managed[2]), weakref.WeakValueDictionary(a=managed[3]),
                  types.ModuleType("made"), ctypes.c_int(3), (ctypes.c_char * 10)(), ctypes.pointer(ctypes.c_int(4)), collections.Counter("abca"), collections.defaultdict(list, a=[1])]
    functional[0].__dict__["more"] = [1]
    return locals()


def main():
    agent, dice = ctypes.PyDLL(sys.argv[1]), random.Random(int(sys.argv[2]))
    agent.hspy_capture.restype = ctypes.c_int
    graph = truth.Graph(int(sys.argv[2]))
    graph.build(1500)
    kept, loop = kinds(dice), asyncio.new_event_loop()
    pending = [loop.create_task(waits(1000)) for _ in range(3)]
    loop.run_until_complete(asyncio.sleep(0))
    stop, started = threading.Event(), threading.Event()

    def wait():
        inside = {"of": "thread"}
        started.set()
        stop.wait()
        return inside

    thread = threading.Thread(target=wait, name="waits", daemon=True)
    thread.start()
    started.wait()
    gc.collect()
    for _ in range(500):
        kept["later"] = [kept.get("later"), {"a": ()}]
    error = ctypes.create_string_buffer(256)
    result = agent.hspy_capture(1, None, error, len(error))
    if result != 0:
        sys.exit(error.value.decode())
    os._exit(0 if pending else 1)


main()

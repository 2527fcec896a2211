"""Builds a random graph of objects, has the agent capture the interpreter, and says what gc and sys know of every object of that graph.

    python truth.py AGENT SEED CAPTURE.hs TRUTH.json
"""
import array
import collections
import ctypes
import dataclasses
import enum
import functools
import gc
import json
import os
import random
import sys
import types
import weakref


class Plain:
    pass


class Slots:
    __slots__ = ("left", "right", "__weakref__")


class SlotsAndMore(Slots):
    pass


class Child(Plain):
    shared = []

    def method(self):
        return self


class MyList(list):
    pass


class MyDict(dict):
    pass


class MyTuple(tuple):
    pass


class MySet(set):
    pass


class MyText(str):
    pass


class MyNumber(int):
    pass


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: object
    y: object


Pair = collections.namedtuple("Pair", "first second")


class Graph:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.objects = []

    def any(self):
        return self.dice.choice(self.objects) if self.objects else None

    def some(self, most=8):
        return [self.any() for _ in range(self.dice.randrange(most))]

    def key(self):
        return self.dice.choice([f"key_{self.dice.randrange(50)}", f"not a name {self.dice.random()}", self.dice.randrange(1000), (1, self.dice.randrange(9)), None, 1.5])

    def text(self):
        return self.dice.choice(["a", "é", "€", "\U0001f600"]) * self.dice.randrange(40)

    def attributes(self, thing):
        for _ in range(self.dice.randrange(6)):
            setattr(thing, f"attribute_{self.dice.randrange(12)}", self.any())
        return thing

    def slots(self, kind):
        thing = kind()
        for name in ("left", "right"):
            if self.dice.random() < 0.7:
                setattr(thing, name, self.any())
        return thing

    def closure(self):
        first, second = self.any(), self.any()

        def inner(argument=self.any(), *, word=self.any()):
            nonlocal second
            second = first
            return second

        if self.dice.random() < 0.3:
            inner.mark = self.any()
        return inner

    def generator(self):
        def steps(start, kept):
            seen = [start]
            for one in kept:
                yield one, seen
        made = steps(self.any(), [self.any(), self.any()])
        if self.dice.random() < 0.7:
            next(made)
        return made

    def error(self):
        try:
            raise ValueError(self.any())
        except ValueError as error:
            return error.with_traceback(None) if self.dice.random() < 0.5 else error

    def grown(self):
        made = []
        for _ in range(self.dice.randrange(60)):
            made.append(self.any())
        return made

    def shrunk(self):
        made = {self.key(): self.any() for _ in range(self.dice.randrange(30))}
        for key in list(made)[:self.dice.randrange(1 + len(made))]:
            del made[key]
        return made

    def weak(self):
        target = next((o for o in reversed(self.objects) if isinstance(o, (Plain, Slots))), None)
        return weakref.ref(target) if target is not None else 0

    def make(self):
        d = self.dice
        return d.choice([
            lambda: d.randrange(1 << d.randrange(1, 200)), lambda: -d.randrange(1 << 70), d.random, lambda: complex(d.random(), 1), self.text,
            lambda: self.text().encode(), lambda: bytearray(d.randrange(99)), lambda: tuple(self.some()), lambda: self.some(), self.grown,
            lambda: {self.key(): self.any() for _ in range(d.randrange(20))}, self.shrunk,
            lambda: {f"name_{i}": self.any() for i in range(d.randrange(12))},
            lambda: {self.key() for _ in range(d.randrange(30))}, lambda: frozenset(self.key() for _ in range(d.randrange(8))),
            lambda: self.attributes(Plain()), lambda: self.attributes(Child()), lambda: self.slots(Slots), lambda: self.attributes(self.slots(SlotsAndMore)),
            lambda: self.attributes(MyList(self.some())), lambda: MyDict((self.key(), self.any()) for _ in range(9)), lambda: MyTuple(self.some()),
            lambda: MySet(self.key() for _ in range(20)), lambda: MyText(self.text()), lambda: MyNumber(d.randrange(1 << 80)), self.closure, self.generator,
            lambda: Child().method, lambda: functools.partial(self.closure(), self.any(), word=self.any()), self.error,
            lambda: collections.deque(self.some()), lambda: collections.OrderedDict((self.key(), self.any()) for _ in range(7)),
            lambda: collections.defaultdict(list, {self.key(): self.any()}), lambda: collections.Counter(self.text()), lambda: array.array("d", [1.0] * d.randrange(30)),
            lambda: Pair(self.any(), self.any()), lambda: Point(self.any(), self.any()), lambda: d.choice(list(Color)), self.weak,
            lambda: memoryview(bytes(20)), lambda: range(d.randrange(10)), lambda: slice(self.any(), 2), lambda: property(self.closure()),
            lambda: types.SimpleNamespace(name=self.any()), lambda: iter(self.some()), lambda: {}.items(), lambda: staticmethod(self.closure())])()

    def build(self, count):
        for _ in range(count):
            self.objects.append(self.make())
        for one in self.objects:  # cycles
            if type(one) is list and self.dice.random() < 0.3:
                one.append(self.any())
            if isinstance(one, Plain) and self.dice.random() < 0.3:
                one.later = self.any()
        for one in self.objects[::7]:
            if isinstance(one, Plain):
                one.__dict__


def is_heap(kind):
    return bool(kind.__flags__ & (1 << 9))


def is_leaf(one):
    return isinstance(one, (type, types.ModuleType, types.CodeType, types.BuiltinFunctionType, types.FrameType)) or one is MODULE


def type_name(one):
    kind = type(one)
    if isinstance(one, types.FunctionType):
        code = one.__code__
        return f"function {one.__module__}.{one.__qualname__} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"
    if isinstance(one, types.MethodType):
        code = one.__func__.__code__
        return f"method {one.__func__.__module__}.{one.__func__.__qualname__} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"
    if isinstance(one, types.GeneratorType):
        code = one.gi_code
        return f"generator {one.__qualname__} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"
    return (kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}")


def members(one):
    """Values of the members that C declares, which a traverse does not have to tell."""
    found = []
    for kind in type(one).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType):
                try:
                    found.append(getattr(one, name))
                except AttributeError:
                    pass
    return found


HELD_ONCE = 3  # as sys.getrefcount says it: by the tuple of defaults, by who asks, and by the call


def references(one):
    """(what gc tells, what is held besides)."""
    if type(one) is dict:
        return list(one.keys()) + list(one.values()), []
    told = gc.get_referents(one)
    more = []
    if isinstance(one, dict):
        more += [key for key in one.keys() if not any(key is t for t in told)]
    if is_heap(type(one)) and not any(t is type(one) for t in told):
        more.append(type(one))
    if isinstance(one, types.FunctionType) and one.__closure__:
        more += [cell.cell_contents for cell in one.__closure__]
    if isinstance(one, types.FunctionType) and one.__defaults__:
        more += [value for value in one.__defaults__ if sys.getrefcount(value) == HELD_ONCE]
    if isinstance(one, types.GeneratorType) and not gc.is_tracked(one.__qualname__):
        more += [x for x in (one.__name__, one.__qualname__, one.gi_code) if not any(t is x for t in told)]
    if not isinstance(one, (types.FunctionType, types.GeneratorType)):
        more += [m for m in members(one) if isinstance(one, (range, slice)) and not any(t is m for t in told)]
    return told, more


CACHED_KEYS_AT = {11: 872, 12: 880, 13: 880, 14: 880}
INLINE_VALUES, MANAGED_DICT = 1 << 2, 1 << 4


def word(address):
    return ctypes.c_size_t.from_address(address).value


def values_bytes(one):
    """Of attributes that an instance has without a dict, which are memory that sys.getsizeof does not count."""
    kind, minor = type(one), sys.version_info[1]
    if minor < 11 or not kind.__flags__ & MANAGED_DICT or isinstance(one, type):
        return 0
    keys = word(id(kind) + CACHED_KEYS_AT[minor])
    room = word(keys + 16) + word(keys + 24) if keys else 0
    if minor >= 13:
        is_behind = kind.__flags__ & INLINE_VALUES and object.__sizeof__(one) == kind.__basicsize__
        return (room + 7) // 8 * 8 + (room + 1) * 8 if is_behind else 0
    values = word(id(one) - (32 if minor == 11 else 24))
    if minor == 12:
        values = values + 1 if values & 1 else 0
    return ctypes.c_uint8.from_address(values - 1).value + room * 8 if values else 0


def reach(start):
    known, waiting = {}, [start]
    while waiting:
        one = waiting.pop()
        if id(one) in known or is_leaf(one):
            continue
        known[id(one)] = one
        told, more = references(one)
        waiting += told + more
    return known


MODULE = vars(sys.modules["__main__"])


def main():
    agent, seed, capture, truth = sys.argv[1:]
    library = ctypes.PyDLL(agent)
    graph = Graph(int(seed))
    graph.build(1500)
    error = ctypes.create_string_buffer(512)
    fd = os.open(capture, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    if library.hspy_capture(fd, None, error, 512) != 0:
        sys.exit(error.value.decode())
    os.close(fd)
    rows = {}
    objects = graph.objects
    graph.objects = None
    known = reach(objects)
    for key, one in known.items():
        if one is objects or one is known or one is graph:
            continue
        told, more = references(one)
        target = one() if isinstance(one, weakref.ref) else None
        rows[key] = {"type": type_name(one), "size": sys.getsizeof(one) + values_bytes(one), "tracked": gc.is_tracked(one), "references": [id(t) for t in told],
                     "more": [id(t) for t in more], "weak": None if target is None else id(target)}
    with open(truth, "w") as out:
        json.dump({"version": sys.version_info[:3], "none": id(None), "objects": rows}, out)


if __name__ == "__main__":
    main()

"""python inside.py AGENT FOLDER: captures from places where objects are half made, and from everything that could run Python code if a capture asked for it.

Prints a line for each capture, "capture NAME", and for each that something of the program ran in, "ran NAME".
"""
import ctypes
import functools
import gc
import os
import sys
import threading
import weakref

agent = ctypes.PyDLL(sys.argv[1])
folder = sys.argv[2]
descriptors = {}
is_inside = False
ran = []


def note(what):
    if is_inside:
        ran.append(what)


def capture(name):
    """May be called anywhere; twice under a name only the first counts."""
    global is_inside
    if name in descriptors:
        return
    descriptors[name] = os.open(os.path.join(folder, name + ".hs"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    error = ctypes.create_string_buffer(512)
    call, descriptor = agent.hspy_capture, descriptors[name]
    is_inside = True
    failed = call(descriptor, None, error, 512)
    is_inside = False
    print("capture", name, error.value.decode() if failed else "", flush=True)


# ---- what could run ----

class Nosy(type):
    def __getattribute__(cls, name):
        note("metaclass " + name)
        return type.__getattribute__(cls, name)


class Watching(metaclass=Nosy):
    def __init__(self, value=None):
        self.value = value

    def __getattribute__(self, name):
        note("getattribute " + name)
        return object.__getattribute__(self, name)

    def __sizeof__(self):
        note("sizeof")
        return 1 << 40

    def __len__(self):
        note("len")
        return 0

    def __iter__(self):
        note("iter")
        return iter(())

    def __hash__(self):
        note("hash")
        return 7

    def __eq__(self, other):
        note("eq")
        return self is other

    def __repr__(self):
        note("repr")
        return "Watching"

    @property
    def trap(self):
        note("property")
        return 1


class WatchingDict(dict):
    def __getitem__(self, key):
        note("getitem")
        return dict.__getitem__(self, key)

    def items(self):
        note("items")
        return dict.items(self)

    def __sizeof__(self):
        note("sizeof of a dict")
        return 1


watched = [Watching(i) for i in range(10)]
watched_dict = WatchingDict({watched[0]: watched[1], "a": watched[2]})
watched_set = {watched[3], watched[4]}


def plain():
    """The program's own state is what it was: nothing is left, nothing counted, nothing collected."""
    gc.callbacks.append(lambda phase, info: note("gc " + phase))
    sys.setprofile(lambda frame, event, argument: note("profile " + event) if event == "call" else None)
    capture("plain")
    sys.setprofile(None)
    gc.callbacks.clear()
    nothing = os.open("/dev/null", os.O_WRONLY)
    call, states = agent.hspy_capture, [None] * 12
    gc.collect()
    gc.disable()
    for i in range(12):  # the first ones warm up, the next capture nothing, the last capture
        failed = call(nothing, None, None, 0) if i < 4 or i >= 8 else 0
        states[i] = failed, len(gc.get_objects()), sys.getallocatedblocks(), sys.getrefcount(watched[0]), gc.isenabled()
    gc.enable()

    def growth(first):
        return [b - a for a, b in zip(states[first], states[first + 2])]
    print("same" if growth(5) == growth(9) else f"changed {growth(5)} {growth(9)}", flush=True)
    os.close(nothing)


# ---- half made ----

def in_tuple():
    def items():
        for i in range(20):
            yield [i]
            if i == 10:
                capture("tuple")
    return tuple(items()), list(items()), set(map(id, items())), {str(i): i for i in items()}


class Key:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 1

    def __eq__(self, other):
        capture("dict_lookup")
        return self.number == other.number

    def __lt__(self, other):
        capture("sort")
        return self.number < other.number


class Meta(type):
    def __new__(mcs, name, bases, members):
        capture("class_before")
        made = type.__new__(mcs, name, bases, members)
        capture("class_made")
        return made


class SetName:
    def __set_name__(self, owner, name):
        capture("set_name")


class Dying:
    def __init__(self):
        self.me = self

    def __del__(self):
        capture("del_in_collection")


class DyingPlainly:
    def __del__(self):
        capture("del")


def in_collection():
    gc.collect()
    gc.callbacks.append(lambda phase, info: capture("collection_" + phase))
    Dying()
    gone = Dying()
    reference = weakref.ref(gone, lambda _: capture("weak_callback"))
    del gone
    gc.collect()
    gc.callbacks.clear()
    return reference


def in_exception():
    try:
        try:
            raise KeyError(1)
        except KeyError:
            capture("except")
            raise ValueError(2)
        finally:
            capture("finally")
    except ValueError as error:
        return error


def in_generator():
    def steps():
        capture("generator")
        yield 1
    for _ in steps():
        pass
    made = steps()
    return made


async def waits():
    capture("coroutine")


def in_thread():
    def run():
        deep(200)

    def deep(left):
        if left == 0:
            capture("thread")
        else:
            deep(left - 1)
    worker = threading.Thread(target=run)
    worker.start()
    worker.join()


class Traced:
    """Deallocated deep inside one another."""
    def __init__(self, inner):
        self.inner = inner


def long_list():
    chain = None
    for _ in range(100000):
        chain = [chain]
    capture("long")
    return None


def others():
    sys.path.insert(0, folder)
    with open(os.path.join(folder, "half.py"), "w") as out:
        out.write("import __main__\nVALUE = 1\n__main__.capture('import')\n")
    sys.modules["nothing"] = None
    sys.modules["strange"] = Watching()
    import half
    assert half
    functools.reduce(lambda a, b: (capture("reduce"), b), [1, 2, 3])
    sorted([3, 2, 1], key=lambda one: (capture("sort_key"), one)[1])
    "%s" % type("Shown", (), {"__str__": lambda self: (capture("format"), "x")[1]})()
    memoryview(bytearray(10))
    exec("capture('exec')", {"capture": capture, "__builtins__": {}})
    eval("capture('eval')")
    type("Bare", (), {"__slots__": ()})
    type("NoModule", (), {"__module__": 7})
    Meta("Made", (), {"name": SetName()})
    capture("end")


plain()
in_tuple()
{Key(1): 1, Key(2): 2, Key(3): 3}
[Key(i) for i in (3, 1, 2)].sort()
in_collection()
DyingPlainly()
in_exception()
in_generator()
try:
    waits().send(None)
except StopIteration:
    pass
in_thread()
long_list()
others()
for what in ran:
    print("ran", what, flush=True)
import atexit  # noqa: E402
atexit.register(capture, "atexit")
keep = [watched, watched_dict, watched_set]

#!/usr/bin/env python3
"""A Dart VM as far as its heap snapshots show it, and programs in it that leak. Written from runtime/vm/service/heap_snapshot.md of dart-lang/sdk and from what the VM's writer does
(doc/formats/dart.md has the sources), not from hsdiff's reader.

An object keeps its identity hash for life: the VM draws one for each object that can have one when it writes the first snapshot which the object is in. A collection takes
what is not reachable and closes the gaps, so the order of what lives stays, and every number of an object changes. Usage: dart_snapshot.py PROGRAM FOLDER [NAME…] writes NAME.data, before.data and after.data if there is no name."""
import argparse
import pathlib
import random
import struct

NO_DATA, NULL, BOOL, INT, DOUBLE, LATIN1, UTF16, LENGTH, NAME = range(9)
MOST_CHARACTERS = 128
DEVTOOLS_PIECE = 1048055  # bytes; the last one of an export is not cut to what is in it
# objects of these classes never have a hash: strings, numbers, lists, maps, sets, and what the VM has for itself
WITHOUT_HASH = {"_List", "_ImmutableList", "_GrowableList", "_Map", "_ConstMap", "_Set", "_ConstSet", "_OneByteString", "_TwoByteString", "_Mint", "_Double", "bool", "Null",
                "ObjectPool", "Sentinel", "PcDescriptors", "Instructions"}


def uleb(value):
    out = bytearray()
    while True:
        out.append(value & 0x7f | (0x80 if value > 0x7f else 0))
        value >>= 7
        if value == 0:
            return bytes(out)


def sleb(value):
    out = bytearray()
    while True:
        byte = value & 0x7f
        value >>= 7
        done = (value == 0 and not byte & 0x40) or (value == -1 and byte & 0x40)
        out.append(byte | (0 if done else 0x80))
        if done:
            return bytes(out)


def utf8(text):
    data = text.encode()
    return uleb(len(data)) + data


def number_at(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def exported(data):
    """Data as DevTools writes it again: a text as a name, with dots where it was cut."""
    if data[0] not in (LATIN1, UTF16):
        return data
    length, at = number_at(data, 1)
    count, at = number_at(data, at)
    text = data[at:].decode("latin-1" if data[0] == LATIN1 else "utf-16-le")
    return uleb(NAME) + utf8(text + ("..." if count < length else ""))


class Class:
    def __init__(self, name, library, fields, size=None):
        self.name, self.library, self.fields, self.cid = name, library, list(fields), None
        self.size = (len(self.fields) + 2) // 2 * 16 if size is None else size


class Object:
    __slots__ = ("cls", "size", "data", "refs", "hash", "mark", "external")

    def __init__(self, cls, refs, data, size):
        self.cls, self.refs, self.data, self.size, self.hash, self.mark, self.external = cls, refs, data, size, 0, 0, 0


class Vm:
    def __init__(self, seed=1, name="main"):
        self.random, self.name, self.marks = random.Random(seed), name, 0
        self.port = self.random.getrandbits(52)
        self.libraries, self.classes, self.heap, self.statics, self.vm_roots, self.stack = {}, {}, [], [], [], []
        self.hash_bits, self.has_isolates, self.has_hashes = 32, True, True
        for line in INTERNAL:
            self.define("", *line)
        for library, classes in CORE.items():
            for line in classes:
                self.define(library, *line)
        self.null = Object(self.classes["dart:core", "Null"], [], uleb(NULL), 0)
        self.bools = [Object(self.classes["dart:core", "bool"], [], uleb(BOOL) + uleb(i), 0) for i in (0, 1)]
        self.sentinel = Object(self.classes["", "Sentinel"], [], uleb(NAME) + utf8("uninitialized"), 0)
        self.described, self.methods = {}, []

    # ---- program ----

    def define(self, library, name, fields=(), size=None):
        cls = self.classes[library, name] = Class(name, library, fields, size)
        return cls

    def add(self, obj):
        self.heap.append(obj)
        return obj

    def new(self, library, class_name, /, **values):
        cls = self.classes[library, class_name]
        unknown = set(values) - set(cls.fields)
        assert not unknown, unknown
        return self.add(Object(cls, [values.get(field) for field in cls.fields], uleb(NO_DATA), cls.size))

    def set(self, obj, field, value):
        obj.refs[obj.cls.fields.index(field)] = value

    def get(self, obj, field):
        return obj.refs[obj.cls.fields.index(field)]

    def string(self, text):
        wide = any(ord(c) > 255 for c in text)
        cls = self.classes["dart:core", "_TwoByteString" if wide else "_OneByteString"]
        units = text.encode("utf-16-le") if wide else text.encode("latin-1")
        count = len(units) // (2 if wide else 1)
        kept = units[:MOST_CHARACTERS * (2 if wide else 1)]
        data = uleb(UTF16 if wide else LATIN1) + uleb(count) + uleb(min(count, MOST_CHARACTERS)) + kept
        return self.add(Object(cls, [], data, (16 + len(units) + 15) // 16 * 16))

    def double(self, value):
        return self.add(Object(self.classes["dart:core", "_Double"], [], uleb(DOUBLE) + struct.pack("<d", value), 16))

    def mint(self, value):
        return self.add(Object(self.classes["dart:core", "_Mint"], [], uleb(INT) + sleb(value), 16))

    def array(self, items, name="_List"):
        cls = self.classes["dart:core", name]
        return self.add(Object(cls, [None, len(items)] + list(items), uleb(LENGTH) + uleb(len(items)), (24 + 8 * len(items)) // 16 * 16))

    def list(self, items=()):
        room = max(4, 1 << (len(items) - 1).bit_length()) if items else 0
        cls = self.classes["dart:core", "_GrowableList"]
        obj = self.add(Object(cls, [None, len(items), self.array(list(items) + [None] * (room - len(items)))], uleb(LENGTH) + uleb(len(items)), 32))
        return obj

    def append(self, grown, item):
        """Its array is replaced where it is full, as the VM's is."""
        count, array = grown.refs[1], grown.refs[2]
        if count == len(array.refs) - 2:
            items = array.refs[2:] + [None] * max(4, count)
            array = grown.refs[2] = self.array(items)
        array.refs[2 + count] = item
        grown.refs[1] = count + 1
        grown.data = uleb(LENGTH) + uleb(count + 1)

    def map(self, name="_Map"):
        cls = self.classes["dart:_compact_hash", name]
        return self.add(Object(cls, [None, 7, self.array([]), 0, 0, self.typed("_Uint32List", 8)], uleb(LENGTH) + uleb(0), 48))

    def put(self, table, key, value):
        used, array = table.refs[3], table.refs[2]
        pair = [key] if table.cls.name == "_Set" else [key, value]
        if used + len(pair) > len(array.refs) - 2:
            array = table.refs[2] = self.array(array.refs[2:] + [None] * max(8, used))
            table.refs[5] = self.typed("_Uint32List", max(8, used))
        array.refs[2 + used:2 + used + len(pair)] = pair
        table.refs[3] = used + len(pair)
        table.data = uleb(LENGTH) + uleb(used + len(pair))

    def typed(self, name, length, unit=4):
        return self.add(Object(self.classes["dart:typed_data", name], [length], uleb(LENGTH) + uleb(length), (24 + unit * length) // 16 * 16))

    def function(self, name, library=None, class_name=None, inside=None):
        """A method, or a function without a name inside another one. It lives as long as the program."""
        data = self.add(Object(self.classes["", "ClosureData"], [None, inside], uleb(NO_DATA), 32)) if inside else None
        function = self.add(Object(self.classes["", "Function"], [None, None, None, data], uleb(NAME) + utf8(name), 96))
        self.methods.append((function, library, class_name))
        self.vm_roots.append(function)
        return function

    def closure(self, function, variables=()):
        context = self.add(Object(self.classes["", "Context"], [None] + list(variables), uleb(NO_DATA), (24 + 8 * len(variables)) // 16 * 16)) if variables else None
        return self.new("dart:core", "_Closure", function_=function, context_=context)

    def static(self, library, class_name, name, value):
        """A static field of a class, or, with "" for the class, a variable of the library."""
        self.statics.append([library, class_name, name, value])
        return len(self.statics)

    # ---- what the VM has of the program ----

    def describe(self):
        """Objects of the VM for libraries, classes and fields: made once each."""
        for library in dict.fromkeys(cls.library for cls in self.classes.values()):
            if library and library not in self.described:
                self.described[library] = self.add(Object(self.classes["", "Library"], [None], uleb(NAME) + utf8(library), 160))
                self.vm_roots.append(self.described[library])
        for cls in list(self.classes.values()):
            if cls.library and (cls.library, cls.name) not in self.described:
                self.describe_class(cls.library, cls.name)
                for i, field in enumerate(cls.fields):  # of instances: the number is its offset
                    self.describe_field(field, self.described[cls.library, cls.name], i + 1)
        for place, (library, class_name, name, _) in enumerate(self.statics, 1):
            key = ("static", place)
            if key in self.described:
                continue
            if library not in self.described:
                self.described[library] = self.add(Object(self.classes["", "Library"], [None], uleb(NAME) + utf8(library), 160))
            owner = self.described.get((library, class_name or "::")) or self.describe_class(library, class_name or "::")
            if not class_name:  # variables of a library belong to a part of its nameless class
                owner = self.add(Object(self.classes["", "PatchClass"], [owner, None], uleb(NO_DATA), 32))
            self.described[key] = self.describe_field(name, owner, place)

        for function, library, class_name in self.methods:
            function.refs[1] = self.described.get((library, class_name))

    def describe_class(self, library, name):
        obj = self.add(Object(self.classes["", "Class"], [None, None, self.described[library]], uleb(NAME) + utf8(name), 176))
        self.described[library, name] = obj
        self.vm_roots.append(obj)
        return obj

    def describe_field(self, name, owner, number):
        obj = self.add(Object(self.classes["", "Field"], [None, owner, None, None, number], uleb(NAME) + utf8(name), 64))
        self.vm_roots.append(obj)
        return obj

    # ---- collection ----

    def roots(self):
        return [entry[3] for entry in self.statics] + self.vm_roots + self.stack

    def collect(self):
        self.marks += 1
        stack = [obj for obj in self.roots() if isinstance(obj, Object)]
        for obj in stack:
            obj.mark = self.marks
        while stack:
            for target in stack.pop().refs:
                if isinstance(target, Object) and target.mark != self.marks:
                    target.mark = self.marks
                    stack.append(target)
        self.heap = [obj for obj in self.heap if obj.mark == self.marks]

    # ---- writing ----

    def snapshot(self, collects=True, numbers=None, form="vm"):
        """The bytes of a snapshot. `numbers` gets the number of each object. Forms: "vm"; "devtools", as an export is; "bare", an export of a snapshot of which DevTools has read
        no data."""
        self.describe()
        if collects:
            self.collect()
        vm_objects = [self.null, *self.bools, self.sentinel]
        front = ["root", "pages", "isolate"] if self.has_isolates else ["root"]
        extra = ["Root", "Read-Only Pages", "Isolate"] if self.has_isolates else []
        classes = list(self.classes.values())
        for i, cls in enumerate(classes, 1):
            cls.cid = i + len(extra)
        order = vm_objects + self.heap
        number = {id(obj): i for i, obj in enumerate(order, len(front) + 1)}
        smis, small = {}, []
        count = len(front) + len(order)

        def of(value):
            if value is None:
                return number[id(self.null)]
            if isinstance(value, bool):
                return number[id(self.bools[value])]
            if isinstance(value, int):
                if value not in smis:
                    smis[value] = count + len(small) + 1
                    small.append(value)
                return smis[value]
            return number.get(id(value), 0)

        statics = [0] + [of(entry[3]) for entry in self.statics]
        rest = [of(obj) for obj in self.stack]
        shared = [of(obj) for obj in self.vm_roots]
        body, references = [], 0

        def write(cid, size, data, refs):
            nonlocal references
            references += len(refs)
            data = {"vm": data, "devtools": exported(data), "bare": uleb(NO_DATA)}[form]
            body.append(uleb(cid) + uleb(size) + data + uleb(len(refs)) + b"".join(uleb(r) for r in refs))

        if self.has_isolates:
            write(1, 0, uleb(NO_DATA), shared + [2, 3])
            write(2, 0, uleb(NO_DATA), [number[id(self.null)]])
            write(3, 0, uleb(NAME) + utf8(str(self.port)), statics + rest)
        else:
            write(0, 0, uleb(NO_DATA), shared + statics + rest)
        for obj in order:
            write(obj.cls.cid, obj.size, obj.data, [of(target) for target in obj.refs])
        smi_cid = self.classes["dart:core", "_Smi"].cid
        for value in small:
            write(smi_cid, 0, uleb(INT) + uleb(value & (1 << 64) - 1), [])
        out = [b"dartheap", uleb(0), utf8(self.name)]
        outside = [obj for obj in self.heap if obj.external]
        used = sum(obj.size for obj in self.heap)
        out += [uleb(used), uleb(used + (used >> 3)), uleb(sum(obj.external for obj in outside)), uleb(len(classes) + len(extra))]
        for name in extra:
            fields = [""] + [entry[2] for entry in self.statics] if name == "Isolate" else []
            out += [uleb(0), utf8(name), utf8(""), utf8(""), utf8(""), uleb(len(fields))]
            out += [uleb(1) + uleb(i) + utf8(field) + utf8("") for i, field in enumerate(fields)]
        for cls in classes:
            out += [uleb(0), utf8(cls.name), utf8(cls.library.replace(":", ".") if cls.library.startswith("dart:") else ""), utf8(cls.library), utf8(""), uleb(len(cls.fields))]
            out += [uleb(1) + uleb(i) + utf8(field) + utf8("") for i, field in enumerate(cls.fields)]
        out += [uleb(references), uleb(count + len(small))] + body
        out += [uleb(len(outside))] + [uleb(number[id(obj)]) + uleb(obj.external) + utf8("Unknown native function") for obj in outside]
        if self.has_hashes:
            out += [uleb(0)] * len(front) + [uleb(self.hash_of(obj)) for obj in order] + [uleb(0)] * len(small)
        if numbers is not None:
            numbers.update((id(obj), number[id(obj)]) for obj in self.heap)
        whole = b"".join(out)
        return whole if form == "vm" else whole + bytes(-len(whole) % DEVTOOLS_PIECE)

    def hash_of(self, obj):
        if obj.cls.name in WITHOUT_HASH or obj is self.null:
            return 0
        while obj.hash == 0:
            obj.hash = self.random.getrandbits(self.hash_bits)
        return obj.hash


INTERNAL = [("Class", ("name_", "functions_", "library_"), 176), ("PatchClass", ("wrapped_class_", "script_"), 32), ("Function", ("name_", "owner_", "signature_", "data_"), 96), ("ClosureData", ("context_scope_", "parent_function_"), 32),
            ("Field", ("name_", "owner_", "type_", "initializer_function_", "host_offset_or_field_id_"), 64), ("Library", ("name_",), 160), ("Code", ("object_pool_",), 128),
            ("ObjectPool", (), 64), ("TypeArguments", ("instantiations_", "length_", "hash_"), 48), ("Context", ("parent_",), 32), ("Sentinel", (), 16)]
CORE = {
    "dart:core": [("Null", (), 16), ("bool", (), 16), ("_Smi", (), 0), ("_Mint", (), 16), ("_Double", (), 16), ("_OneByteString", (), 16), ("_TwoByteString", (), 16),
                  ("_List", ("type_arguments_", "length_"), 32), ("_ImmutableList", ("type_arguments_", "length_"), 32), ("_GrowableList", ("type_arguments_", "length_", "data_"), 32),
                  ("_Closure", ("instantiator_type_arguments_", "function_type_arguments_", "delayed_type_arguments_", "function_", "context_", "hash_"), 64),
                  ("_WeakProperty", ("key_", "value_"), 32), ("_WeakReference", ("target_", "type_arguments_"), 32), ("Expando", ("name", "_data", "_used"), 32)],
    "dart:_compact_hash": [("_Map", ("type_arguments_", "hash_mask_", "data_", "used_data_", "deleted_keys_", "index_"), 48),
                           ("_Set", ("type_arguments_", "hash_mask_", "data_", "used_data_", "deleted_keys_", "index_"), 48)],
    "dart:typed_data": [("_Uint32List", ("length_",), 16), ("_Uint8List", ("length_",), 16), ("_ExternalUint8Array", ("length_",), 32)],
    "dart:isolate": [("_Timer", ("_callback", "_wakeupTime", "_milliSeconds", "_repeating", "_indexOrNext", "_id"), 64), ("_TimerHeap", ("_list", "_used"), 32)],
    "dart:async": [("_AsyncBroadcastStreamController", ("onListen", "onCancel", "_state", "_firstSubscription", "_lastSubscription", "_addStreamState", "_doneFuture"), 64),
                   ("_BroadcastSubscription", ("_onData", "_onError", "_onDone", "_zone", "_state", "_cancelFuture", "_pending", "_controller", "_eventState", "_next", "_previous"), 96),
                   ("_ControllerSubscription", ("_onData", "_onError", "_onDone", "_zone", "_state", "_cancelFuture", "_pending", "_controller"), 80),
                   ("_Future", ("_state", "_zone", "_resultOrListeners"), 32)],
}


# ---- programs that leak ----

SHOP = "package:shop/src/cart.dart"
MAIN = "package:shop/main.dart"
HOME = "package:shop/ui/home.dart"
UI = "package:flutter/src/widgets/framework.dart"


class Shop:
    """What every program has: a catalogue that stays, carts that come and go, settings. The leak is in `leak`."""

    def __init__(self, seed=1, vm=None, stays=400):
        vm = self.vm = vm or Vm(seed)
        vm.define(SHOP, "Product", ("name", "price", "tags"))
        vm.define(SHOP, "CartItem", ("product", "count", "note"))
        vm.define(SHOP, "Session", ("id", "user", "cart", "seen"))
        vm.define(MAIN, "Settings", ("values", "theme"))
        vm.define(HOME, "_HomePageState", ("_element", "_title", "_timer", "_subscription", "_cache"))
        vm.define(UI, "StatefulElement", ("_parent", "_state", "_slot", "_depth"))
        self.catalogue = vm.list()
        for i in range(stays):
            tags = vm.list([vm.string(f"tag {i % 7}"), vm.string("new")])
            vm.append(self.catalogue, vm.new(SHOP, "Product", name=vm.string(f"Product {i} ☕" if i % 5 == 0 else f"Product {i}"), price=vm.double(i * 1.25), tags=tags))
        settings = vm.new(MAIN, "Settings", values=vm.map(), theme=vm.string("dark"))
        for i in range(20):
            vm.put(vm.get(settings, "values"), vm.string(f"setting {i}"), vm.string(f"value {i}"))
        self.carts = vm.list()
        vm.static(MAIN, "", "settings", settings)
        vm.static(SHOP, "Product", "catalogue", self.catalogue)
        vm.static(SHOP, "Session", "carts", self.carts)
        vm.static(SHOP, "Product", "count", stays)
        self.sessions = 0

    def session(self):
        vm = self.vm
        self.sessions += 1
        cart = vm.list()
        for _ in range(3):
            product = self.catalogue.refs[2].refs[2 + vm.random.randrange(self.catalogue.refs[1])]
            vm.append(cart, vm.new(SHOP, "CartItem", product=product, count=vm.random.randrange(9), note=vm.string(f"note {vm.random.randrange(1000)}")))
        return vm.new(SHOP, "Session", id=self.sessions, user=vm.string(f"user {self.sessions}"), cart=cart, seen=vm.mint((-1) ** self.sessions * (1 << 62 | self.sessions)))

    def churn(self, rounds):
        """Carts are replaced: as many as there were."""
        vm = self.vm
        for _ in range(rounds):
            if self.carts.refs[1] < 200:
                vm.append(self.carts, self.session())
            else:
                self.carts.refs[2].refs[2 + vm.random.randrange(200)] = self.session()

    def work(self, rounds):
        for _ in range(rounds):
            self.churn(1)
            self.leak()

    def leak(self):
        pass


class StaticList(Shop):
    """Cart.log, a static List, is never emptied."""
    expects = "static Session.log"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.log = self.vm.list()
        self.vm.static(SHOP, "Session", "log", self.log)

    def leak(self):
        self.vm.append(self.log, self.session())


class GlobalMap(Shop):
    """sessions, a Map that is a variable of main.dart."""
    expects = "static sessions (shop/main.dart)"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.table = self.vm.map()
        self.vm.static(MAIN, "", "sessions", self.table)

    def leak(self):
        session = self.session()
        self.vm.put(self.table, self.vm.string(f"key {self.sessions}"), session)


class Timers(Shop):
    """Timer.periodic in initState, and no cancel in dispose: the VM's heap of timers holds the page's state."""
    expects = "Timer"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        vm = self.vm
        self.heap = vm.new("dart:isolate", "_TimerHeap", _list=vm.array([None] * 16), _used=0)
        vm.static("dart:isolate", "_Timer", "_heap", self.heap)
        self.tick = vm.function("<anonymous closure>", HOME, "_HomePageState", inside=vm.function("initState", HOME, "_HomePageState"))

    def leak(self):
        vm, used = self.vm, self.vm.get(self.heap, "_used")
        state = vm.new(HOME, "_HomePageState", _title=vm.string("Home"), _cache=vm.typed("_Uint8List", 200, 1))
        timer = vm.new("dart:isolate", "_Timer", _callback=vm.closure(self.tick, [state]), _wakeupTime=used, _milliSeconds=1000, _repeating=True, _indexOrNext=used, _id=used)
        vm.set(state, "_timer", timer)
        array = vm.get(self.heap, "_list")
        if used == len(array.refs) - 2:
            array = vm.array(array.refs[2:] + [None] * used)
            vm.set(self.heap, "_list", array)
        array.refs[2 + used] = timer
        vm.set(self.heap, "_used", used + 1)


class Subscriptions(Shop):
    """listen in initState, and no cancel in dispose: a broadcast stream holds the page's states."""
    expects = "StreamSubscription"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        vm = self.vm
        vm.define(HOME, "EventBus", ("_controller",))
        self.controller = vm.new("dart:async", "_AsyncBroadcastStreamController", _state=0)
        vm.static(HOME, "EventBus", "instance", vm.new(HOME, "EventBus", _controller=self.controller))
        self.on_event = vm.function("_onEvent", HOME, "_HomePageState")

    def leak(self):
        vm = self.vm
        state = vm.new(HOME, "_HomePageState", _title=vm.string("Home"), _cache=vm.typed("_Uint8List", 200, 1))
        last = vm.get(self.controller, "_lastSubscription")
        entry = vm.new("dart:async", "_BroadcastSubscription", _onData=vm.closure(self.on_event, [state]), _state=0, _controller=self.controller, _previous=last)
        vm.set(state, "_subscription", entry)
        vm.set(entry, "_next", None)
        if last is None:
            vm.set(self.controller, "_firstSubscription", entry)
        else:
            vm.set(last, "_next", entry)
        vm.set(self.controller, "_lastSubscription", entry)


class Cancelled(Subscriptions):
    """The same with a cancel in dispose: pages come and go, and the last ten are open."""
    expects = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.open = []

    def leak(self):
        super().leak()
        vm = self.vm
        self.open.append(vm.get(self.controller, "_lastSubscription"))
        if len(self.open) <= 10:
            return
        gone = self.open.pop(0)
        vm.set(self.controller, "_firstSubscription", self.open[0])
        vm.set(self.open[0], "_previous", None)
        vm.set(gone, "_next", None)


class Images(Shop):
    """Bytes outside the heap: what an engine gave to the objects of a cache."""
    expects = "static Product.images"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.images = self.vm.map()
        self.vm.static(SHOP, "Product", "images", self.images)

    def leak(self):
        self.sessions += 1
        pixels = self.vm.typed("_ExternalUint8Array", 0)
        pixels.external = 4096
        self.vm.put(self.images, self.vm.string(f"image {self.sessions}"), pixels)


PROGRAMS = {"static-list": StaticList, "global-map": GlobalMap, "timers": Timers, "subscriptions": Subscriptions, "cancelled": Cancelled, "images": Images, "clean": Shop}


def pair(program, first=1000, then=2000, seed=1, **shape):
    """A program's snapshots behind `first` and `first + then` rounds, and the program."""
    shop = PROGRAMS[program](seed)
    for key, value in shape.items():
        setattr(shop.vm, key, value)
    shop.work(first)
    before = shop.vm.snapshot()
    shop.work(then)
    return before, shop.vm.snapshot(), shop


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=1000, help="before the first snapshot, and between two")
    parser.add_argument("names", nargs="*", default=["before", "after"])
    args = parser.parse_args()
    shop = PROGRAMS[args.program]()
    for name in args.names or ["before", "after"]:
        shop.work(args.rounds)
        (args.folder / f"{name}.data").write_bytes(shop.vm.snapshot())


if __name__ == "__main__":
    main()

"""Portable heap dumps as OpenJ9 writes them, out of the format's documentation: for tests, where no such JVM can be had.

Writer takes objects, arrays and classes in any order. heap() is a small one with a truth: `com.acme.Shop` has a HashMap of sessions in a static field, a thread's stack alone
refers to a list of orders, and each session refers back to its list. lines() are the same records as text.
"""
import struct

KINDS = ("boolean", "char", "float", "double", "byte", "short", "int", "long")


def width_code(number):
    """Of a signed number: 0 a byte, 1 two, 2 four, 3 eight."""
    return next(code for code, bits in enumerate((7, 15, 31, 63)) if -(1 << bits) <= number < 1 << bits)


class Writer:
    def __init__(self, version=6, is_64=True, j9=True, short_hashes=False, vm="JRE 17 Linux amd64-64-Bit 20260101_1 (JIT enabled, AOT enabled)"):
        self.version, self.is_64, self.j9, self.short_hashes = version, is_64, j9, short_hashes
        self.shift = 2 if j9 or version == 5 else 3
        self.last, self.cache, self.next = 0, [0, 0, 0, 0], 0
        name = b"portable heap dump"
        self.out = bytearray(struct.pack("!H", len(name)) + name + struct.pack("!II", version, is_64 | short_hashes << 1 | j9 << 2) + b"\1")
        if vm is not None:
            self.out += b"\4" + struct.pack("!H", len(vm)) + vm.encode()
        self.out += b"\2\2"

    def number(self, value, code):
        self.out += (value & (1 << (8 << code)) - 1).to_bytes(1 << code, "big")

    def word(self, value):
        self.number(value, 3 if self.is_64 else 2)

    def gap(self, address):
        """The distance from the record before; its code."""
        distance = address - self.last >> self.shift
        self.last = address
        return distance, width_code(distance)

    def distances(self, address, references):
        found = [reference - address >> self.shift for reference in references]
        # as the JVM: the largest without its sign says how wide all are
        return found, width_code(max(map(abs, found), default=0))

    def hash(self, value):
        if self.short_hashes:
            self.number(value or 1, 1)
        elif value:
            self.number(value, 2)

    def object(self, address, of, references, hash_code=0):
        (gap, gap_code), (found, code) = self.gap(address), self.distances(address, references)
        flagged = hash_code and not self.short_hashes
        if gap_code > 1 or len(found) > 7 or flagged:
            self.out += bytes([4, 1 | gap_code << 6 | code << 4 | (2 if flagged else 0)])
            self.number(gap, gap_code)
            self.word(of)
            self.hash(hash_code)
            self.number(len(found), 2)
        elif len(found) <= 3 and of in self.cache:
            self.out.append(0x80 | self.cache.index(of) << 5 | len(found) << 3 | gap_code << 2 | code)
            self.number(gap, gap_code)
            self.hash(hash_code)
        else:
            self.out.append(0x40 | len(found) << 3 | gap_code << 2 | code)
            self.number(gap, gap_code)
            self.word(of)
            self.hash(hash_code)
        if self.out and not (gap_code <= 1 and len(found) <= 3 and of in self.cache and not flagged):
            self.cache[self.next] = of
            self.next = (self.next + 1) % 4
        for one in found:
            self.number(one, code)

    def array(self, address, of, references, length, size, hash_code=0):
        (gap, gap_code), (found, code) = self.gap(address), self.distances(address, references)
        flagged = hash_code and not self.short_hashes
        self.out += bytes([8, 1 | gap_code << 6 | code << 4 | (2 if flagged else 0)])
        self.number(gap, gap_code)
        self.word(of)
        self.hash(hash_code)
        self.number(len(found), 2)
        for one in found:
            self.number(one, code)
        self.number(length, 2)
        self.size(size)

    def primitives(self, address, kind, length, size, hash_code=0):
        gap, gap_code = self.gap(address)
        code = max(gap_code, width_code(length))
        flagged = hash_code and not self.short_hashes
        if flagged:
            self.out += bytes([7, KINDS.index(kind) << 5 | (0x10 if code > 0 else 0) | 2])
            code = 0 if code == 0 else 3 if self.is_64 else 2
        else:
            self.out.append(0x20 | KINDS.index(kind) << 2 | code)
        self.number(gap, code)
        self.number(length, code)
        self.hash(hash_code)
        self.size(size)

    def size(self, size):
        if self.version >= 6:
            self.number(size // 4, 2)

    def type(self, address, name, above, instance, references, hash_code=0):
        (gap, gap_code), (found, code) = self.gap(address), self.distances(address, references)
        self.out += bytes([6, gap_code << 6 | code << 4 | (8 if hash_code and not self.short_hashes else 0)])
        self.number(gap, gap_code)
        self.number(instance, 2)
        self.hash(hash_code)
        self.word(above)
        self.out += struct.pack("!H", len(name)) + name.encode()
        self.number(len(found), 2)
        for one in found:
            self.number(one, code)

    def end(self):
        return bytes(self.out) + b"\3"


# ---- a heap with a truth ----

CLASSES = {name: 0xE0000000 + 0x80 * i for i, name in enumerate((
    "java/lang/Object", "java/lang/Class", "java/lang/String", "java/util/HashMap", "java/util/HashMap$Node", "java/util/ArrayList", "java/lang/Thread", "java/lang/ClassLoader",
    "com/acme/Loader", "com/acme/Shop", "com/acme/Session", "com/acme/Order", "[I", "[B", "[Ljava/lang/Object;"))}
ABOVE = {"com/acme/Loader": "java/lang/ClassLoader", "java/lang/Object": None}
SIZES = {"java/lang/Object": 8, "java/lang/Class": 104, "java/lang/String": 16, "java/util/HashMap": 48, "java/util/HashMap$Node": 24, "java/util/ArrayList": 20,
         "java/lang/Thread": 112, "java/lang/ClassLoader": 80, "com/acme/Loader": 88, "com/acme/Shop": 16, "com/acme/Session": 20, "com/acme/Order": 24}
START = 0xE0100000


class Heap:
    """Records as tuples, and the address that comes next."""

    def __init__(self, start=START):
        self.records, self.at = [], start

    def take(self, size):
        address, self.at = self.at, self.at + (size + 7 & ~7)
        return address

    def object(self, name, references, hash_code=0):
        address = self.take(SIZES[name] + (4 if hash_code else 0))
        self.records.append(("object", address, CLASSES[name], references, hash_code))
        return address

    def array(self, name, references, length, hash_code=0):
        size = 16 + 4 * length + 7 & ~7
        address = self.take(size)
        self.records.append(("array", address, CLASSES[name], references, length, size, hash_code))
        return address

    def primitives(self, kind, length, bytes_of_one, hash_code=0):
        size = 16 + length * bytes_of_one + 7 & ~7
        address = self.take(size)
        self.records.append(("primitives", address, kind, length, size, hash_code))
        return address

    def string(self, length):
        return self.object("java/lang/String", [self.primitives("byte", length, 1)])


def heap(sessions, orders, start=START, noise=0):
    """A session: 152 bytes with its node, its key and its cart of int[4]. An order: 24."""
    made = Heap(start)
    for _ in range(noise):  # a collector moves what is behind it
        made.primitives("int", 3, 4)
    loader = made.object("com/acme/Loader", [])
    group = made.array("java/lang/Object", [], 4)
    threads = [made.object("java/lang/Thread", [group, made.string(4)], 0x7000 + i) for i in range(2)]
    made.records[-1] = made.records[-1][:3] + ([group, threads[0]],) + made.records[-1][4:]
    nodes = []
    for i in range(sessions):
        session = made.object("com/acme/Session", [made.string(12), made.primitives("int", 4, 4)], 0x1234567 + i if i % 5 == 0 else 0)
        nodes.append(made.object("java/util/HashMap$Node", [made.string(9), session]))
    capacity = 16
    while capacity * 3 < sessions * 4:
        capacity *= 2
    table = made.array("java/util/HashMap$Node", nodes[::-1], capacity)
    map_ = made.object("java/util/HashMap", [table])
    kept = made.at + 16 + 4 * orders + 7 & ~7
    elements = [kept + 24 + 24 * i for i in range(orders)]  # each refers back to the list
    list_table = made.array("java/lang/Object", elements[::-1], orders)
    assert made.at == kept
    list_ = made.object("java/util/ArrayList", [list_table])
    assert made.at == kept + 24
    for _ in range(orders):
        made.object("com/acme/Order", [])
    made.object("com/acme/Order", [list_])  # what the stack refers to: the list hangs from it
    strings = made.array("java/lang/String", [made.string(i % 200) for i in range(300)][::-1], 300, 0x55)
    for name, address in CLASSES.items():
        statics = {"com/acme/Shop": [map_], "java/lang/String": [strings], "java/lang/Thread": [group]}.get(name, [])
        first = [loader] if name.startswith("com/acme") else []
        others = [CLASSES["java/lang/Object"]] if name != "java/lang/Object" else []
        above = ABOVE.get(name, "java/lang/Object")
        made.records.append(("type", address, name, CLASSES[above] if above else 0, SIZES.get(name, 16), first + statics + others, 0x99 if name == "com/acme/Shop" else 0))
    return made.records


def write(records, **options):
    writer = Writer(**options)
    for kind, *arguments in records:
        getattr(writer, kind)(*arguments)
    return writer.end()


def lines(records):
    return "".join(" ".join([kind] + [",".join(map(str, part)) or "-" if isinstance(part, list) else str(part) for part in arguments]) + "\n" for kind, *arguments in records)

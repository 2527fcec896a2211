"""How much memory containers take in each runtime, by their sources: what the expressions of a truth may use besides N and B. All numbers
are bytes of what the container has for n entries, without the entries."""


def v8_push(n, capacity=0):
    """The elements of an Array after n times push(), of a V8 without compressed pointers: a half and 16 more whenever it is full. The
    listeners of an EventEmitter begin as an array of two."""
    while capacity < n:
        capacity = capacity + 1 + (capacity + 1 >> 1) + 16
    return 8 * capacity


def v8_map(n, words=3):
    """The table of a Map after n set(): a bucket for two entries, and three words for each."""
    capacity = 4
    while capacity < n:
        capacity *= 2
    return 8 * (capacity // 2 + words * capacity)


def v8_set(n):
    """The table of a Set after n add()."""
    return v8_map(n, 2)


def java_list(n):
    """The array of an ArrayList after n add(): 10 places, and a half more whenever it is full. All of Java is with compressed pointers, as
    below 32 GiB."""
    capacity = 10
    while capacity < n:
        capacity += capacity >> 1
    return _java_array(capacity)


def java_deque(n):
    """The array of an ArrayDeque, which always has a free place."""
    capacity = 17
    while capacity <= n:
        capacity += capacity + 2 if capacity < 64 else capacity >> 1
    return _java_array(capacity)


def java_priority_queue(n, capacity=11):
    """The array of a PriorityQueue, which DelayQueue has too."""
    while capacity < n:
        capacity += capacity + 2 if capacity < 64 else capacity >> 1
    return _java_array(capacity)


def java_work_queue(n):
    """The array of the queue of a ScheduledThreadPoolExecutor."""
    capacity = 16
    while capacity < n:
        capacity += capacity >> 1
    return _java_array(capacity)


def java_hash(n):
    """The table of a HashMap, which is doubled when there are more than three quarters; HashSet and LinkedHashMap have it too."""
    capacity = 16
    while n > capacity * 3 // 4:
        capacity *= 2
    return _java_array(capacity)


def java_weak_hash(n):
    """The table of a WeakHashMap: doubled one earlier."""
    return java_hash(n + 1)


def java_concurrent_hash(n):
    """The table of a ConcurrentHashMap: likewise."""
    return java_hash(n + 1)


def java_builder(n, capacity=16):
    """The bytes of a StringBuilder with n Latin characters: twice as many and two whenever they do not suffice. Where a text is added for which that
    is too little there is as much as is needed: `capacity` by then."""
    while capacity < n:
        capacity = 2 * capacity + 2
    return (16 + capacity + 7) // 8 * 8


def _java_array(places):
    return (16 + 4 * places + 7) // 8 * 8


def mono_list(n):
    """The array of a List of references after n Add(): 4 places, doubled; Stack is the same. CoreCLR has them too."""
    return 32 + 8 * max(4, 1 << (n - 1).bit_length())


def mono_dictionary(n, entry=24):
    """Buckets and entries of a Dictionary: as many as the next prime of its table when it has to be doubled."""
    primes = (3, 7, 17, 37, 89, 197, 431, 919, 1931, 4049, 8419, 17519, 36353)
    return 2 * 32 + (4 + entry) * next(one for one in primes if one >= n)


def mono_queue(n):
    """The segments of a ConcurrentQueue from which nothing is taken: 32 slots, each segment twice as many."""
    size, slots = 0, 32
    while n > 0:
        n -= slots
        size += 16 * slots + 544
        slots *= 2
    return size


def ruby_hash(n):
    """Entries and bins of a Hash or Set with more than eight keys."""
    return 28 * (1 << (n - 1).bit_length())


def ruby_array(n):
    """The places of an Array after n <<, of which more than three do not stand in its slot."""
    capacity = 3
    while capacity < n:
        capacity = capacity + 1 + max(16, (capacity + 1) // 2)
    return 8 * capacity


def v8_dictionary(n):
    """The properties of an Object that is used as a dictionary."""
    return 24 * (1 << (n + n // 2 - 1).bit_length())


NAMES = {name: one for name, one in globals().items() if callable(one) and not name.startswith("_")}

"""A codec of C takes a buffer for each picture, and no one calls its close(): memory that Python knows nothing of."""
import collections
import ctypes
import sys

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
answers = collections.deque(maxlen=512)
thumbnails = collections.OrderedDict()
BUFFER = 8000


class Decoder:
    def __init__(self, number):
        self.number = number
        self.buffer = libc.malloc(BUFFER)
        libc.memset(self.buffer, 0, BUFFER)

    def close(self):
        libc.free(ctypes.c_void_p(self.buffer))


def request(number, closes):
    decoder = Decoder(number)
    key = number * 7919 % 400
    thumbnails[key] = thumbnails.pop(key, None) or b"t" * 200
    if len(thumbnails) > 256:
        thumbnails.popitem(last=False)
    answers.append({"number": number, "picture": key})
    if closes:
        decoder.close()


def main():
    for number in range(3000):
        request(number, True)
    planted = 0
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        if line.startswith("leak "):
            for _ in range(int(line.split()[1])):
                request(planted, False)
                planted += 1
            print("leaked", planted, flush=True)


main()

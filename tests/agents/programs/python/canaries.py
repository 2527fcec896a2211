"""python canaries.py AGENT CAPTURE SEED: 1,000 secrets as texts, bytes, keys that are no identifiers, in the environment and on the command line."""
import ctypes
import os
import random
import sys

agent = ctypes.PyDLL(sys.argv[1])
dice = random.Random(int(sys.argv[3]))
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def secret(number):
    """What is drawn at run time, as what a program reads."""
    return f"canary-{number:04d}-" + "".join(dice.choice(ALPHABET) for _ in range(12))


class User:
    pass


SECRETS = [secret(i) for i in range(1000)]
TEXTS, KEYS, VALUES, USERS, SETS = [], {}, {}, [], set()
for number, one in enumerate(SECRETS):
    kind = number % 10
    if kind == 0:
        TEXTS.append(one)
    elif kind == 1:
        TEXTS.append(one.encode())
    elif kind == 2:
        KEYS[one] = number
    elif kind == 3:
        VALUES[f"name_{number}"] = one
    elif kind == 4:
        user = User()
        user.password = one
        USERS.append(user)
    elif kind == 5:
        KEYS[(one, number)] = {one: one}
    elif kind == 6:
        SETS.add(one)
    elif kind == 7:
        TEXTS.append(bytearray(one.encode()))
    elif kind == 8:
        os.environ[f"CANARY_{number}"] = one
    else:
        KEYS["".join(c for c in one if c.isalnum()).lower()] = one  # looks like a name, and is none of the source


def hold(token):
    """A secret among the variables of a frame, in a closure, in an exception."""
    def inner():
        return token
    try:
        raise ValueError(token)
    except ValueError as error:
        capture(sys.argv[2], inner, error)


def capture(path, *kept):
    message = ctypes.create_string_buffer(512)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    class Options(ctypes.Structure):
        _fields_ = [("struct_bytes", ctypes.c_size_t), ("compression", ctypes.c_int), ("is_stored", ctypes.c_int)]
    if agent.hspy_capture(descriptor, ctypes.byref(Options(16, 0, 1)), message, 512) != 0:
        sys.exit(message.value.decode())
    os.close(descriptor)


hold(SECRETS[0])
for one in SECRETS:
    print(one)

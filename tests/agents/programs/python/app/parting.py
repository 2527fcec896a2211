"""Connections in a list, which a function that is called at the end closes: the list is the module's, and a default of that function."""
import atexit

from .leaked import Leaked

OPEN = []


def close_all(connections=OPEN):
    connections.clear()


atexit.register(close_all)


def leak(count):
    OPEN.extend(Leaked(number) for number in range(count))

"""A cycle with __del__, that a list of the dead keeps alive."""
from .leaked import Leaked

UNDEAD = []


class Node:
    def __init__(self, number):
        self.leaked = Leaked(number)
        self.me = self

    def __del__(self):
        UNDEAD.append(self)


def leak(count):
    import gc
    for i in range(count):
        Node(i)
    gc.collect()

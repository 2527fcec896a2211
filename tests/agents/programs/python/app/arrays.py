"""Arrays of numpy: their data lies outside of the heap of Python."""
import numpy

from .leaked import Leaked

FRAMES = []


class Frame(Leaked):
    def __init__(self, number):
        Leaked.__init__(self, number)
        self.pixels = numpy.zeros(1000)


def leak(count):
    for i in range(count):
        frame = Frame(i)
        frame.__class__ = Leaked
        FRAMES.append(frame)

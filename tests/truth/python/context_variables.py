"""The trail of a request is a ContextVar that is set when the program starts, and not for each request: all write into one list."""
import contextvars

import stage

trail = contextvars.ContextVar("trail")


class Step:
    def __init__(self, number):
        self.name = f"step {number}"
        self.number = number


def handle(number):
    trail.get().append(Step(number))


trail.set([])
stage.play(handle)

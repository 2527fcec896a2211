"""A list in a ContextVar that is set once for all requests, among so many others that the tree of the context has nodes of all kinds."""
import contextvars

from .leaked import Leaked

TRAIL = contextvars.ContextVar("trail")
OTHERS = [contextvars.ContextVar(f"other{number}") for number in range(60)]


def leak(count):
    if TRAIL.get(None) is None:
        TRAIL.set([])
        for number, other in enumerate(OTHERS):
            other.set([number])
    for i in range(count):
        TRAIL.get().append(Leaked(i))

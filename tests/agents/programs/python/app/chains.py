"""functools.partial around functools.partial."""
import functools

from .leaked import Leaked

STEPS = []


def step(leaked, inner, value):
    return leaked, inner, value


def leak(count):
    for i in range(count):
        STEPS.append(functools.partial(functools.partial(step, Leaked(i)), "inner"))

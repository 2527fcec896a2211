"""A default value that all calls share, and keep what they were given in."""
from .leaked import Leaked


def visit(number, seen=[]):  # noqa: B006
    seen.append(Leaked(number))


def leak(count):
    for i in range(count):
        visit(i)

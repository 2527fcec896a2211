"""A C extension, built for this interpreter (keeps.c), that remembers what it is given and forgets to let it go."""
import os
import sys

from .leaked import Leaked

sys.path.insert(0, os.environ["KEEPS"])
import keeps  # noqa: E402


def leak(count):
    for i in range(count):
        keeps.remember(Leaked(i))

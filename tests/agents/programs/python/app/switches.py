"""Greenlets that wait for ever, each with what its function has in a variable."""
import os
import sys

from .leaked import Leaked

sys.path.insert(0, os.environ["GREENLET"])
import greenlet  # noqa: E402

WAITING = []


def follow(leaked):
    greenlet.getcurrent().parent.switch()
    return leaked


def leak(count):
    for i in range(count):
        WAITING.append(greenlet.greenlet(follow))
        WAITING[-1].switch(Leaked(i))

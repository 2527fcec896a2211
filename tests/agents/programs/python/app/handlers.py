"""Closures in a registry."""
from .leaked import Leaked

REGISTRY = {"click": [], "close": []}


def on_event(number):
    kept = Leaked(number)

    def cb(event):
        return kept, event

    REGISTRY["click"].append(cb)


def leak(count):
    for i in range(count):
        on_event(i)

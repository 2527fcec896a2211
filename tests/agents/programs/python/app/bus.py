"""Bound methods in an event bus."""
from .leaked import Leaked


class Bus:
    def __init__(self):
        self.subscribers = {}

    def subscribe(self, topic, method):
        self.subscribers.setdefault(topic, []).append(method)


EVENTS = Bus()


def leak(count):
    for i in range(count):
        EVENTS.subscribe("order", Leaked(i).on_event)

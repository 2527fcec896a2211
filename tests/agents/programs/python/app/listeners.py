"""Listeners that are added and never taken off."""
from .leaked import Leaked


class Button:
    def __init__(self):
        self.listeners = []


BUTTON = Button()


def leak(count):
    for i in range(count):
        BUTTON.listeners.append(Leaked(i))

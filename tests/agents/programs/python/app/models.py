"""A list of the class, taken for one of the instance."""
from .leaked import Leaked


class Order:
    items = []

    def add(self, item):
        self.items.append(item)


def leak(count):
    for i in range(count):
        Order().add(Leaked(i))

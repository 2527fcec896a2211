"""functools.lru_cache without a bound on a method: it keeps each object that the method was asked of."""
import functools

import stage


class Customer:
    def __init__(self, number):
        self.number = number
        self.address = [f"street {number}", f"town {number % 30}"]

    @functools.lru_cache(maxsize=None)
    def discount(self, year):
        return self.number * year % 7 / 100


stage.play(lambda number: Customer(number).discount(2026))

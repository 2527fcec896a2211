"""lru_cache on a method: it keeps every report that was asked, whose rows are tuples as the cache's own keys are."""
import functools

from .leaked import Leaked


class Report:
    def __init__(self, number):
        self.leaked = Leaked(number)
        self.rows = [(number + 0.5, column) for column in range(6)]

    @functools.lru_cache(maxsize=None)
    def total(self, column):
        return sum(row[column] for row in self.rows)


def leak(count):
    for number in range(count):
        Report(number).total(0)

"""Visits by country and day: lists of dataclasses in dictionaries of a dictionary."""
import collections
import dataclasses

import stage


@dataclasses.dataclass
class Visit:
    number: int
    page: str
    seconds: float


@dataclasses.dataclass
class Statistics:
    visits: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(lambda: collections.defaultdict(list)))

    def note(self, visit):
        self.visits[f"country {visit.number % 20}"][f"day {visit.number % 7}"].append(visit)


statistics = Statistics()
stage.play(lambda number: statistics.note(Visit(number + 1000, f"/page/{number}", number / 7)))

"""Counters by name and labels. One label is the number of the user, and all names are interned."""
import collections
import sys

import stage


class Metrics:
    def __init__(self):
        self.counters = collections.Counter()

    def count(self, name, **labels):
        text = ",".join(f'{key}="{value}"' for key, value in labels.items())
        self.counters[sys.intern(f"{name}{{{text}}}")] += 1


metrics = Metrics()
stage.play(lambda number: metrics.count("requests_total", method="GET", user=number))

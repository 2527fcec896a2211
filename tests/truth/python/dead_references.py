"""Weak references to connections stay in a list when these have closed. Their callbacks count, and do not take them out."""
import weakref

import stage


class Connection:
    def __init__(self, number):
        self.number = number


class Watch:
    def __init__(self):
        self.references = []
        self.closed = 0

    def open(self, connection):
        self.references.append(weakref.ref(connection, self.close))

    def close(self, reference):
        self.closed += 1


watch = Watch()
stage.play(lambda number: watch.open(Connection(number)))

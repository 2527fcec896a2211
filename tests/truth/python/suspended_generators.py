"""Exports are generators. Clients that go away leave theirs half read, in the list of those that are open."""
import stage


class Row:
    def __init__(self, number, column):
        self.number = number
        self.column = column


def rows_of(number):
    page = [Row(number, column) for column in range(4)]
    for row in page:
        yield row


class Exports:
    def __init__(self):
        self.unfinished = []

    def start(self, number):
        rows = rows_of(number)
        next(rows)
        self.unfinished.append(rows)


exports = Exports()
stage.play(exports.start)

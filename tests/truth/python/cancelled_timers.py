"""Timers of a scheduler stand in a heap until their time. Those that are cancelled are only marked, and theirs is tomorrow."""
import heapq

import stage


class Timer:
    __slots__ = ("due", "number", "cancelled", "payload")

    def __init__(self, due, number):
        self.due = due
        self.number = number
        self.cancelled = False
        self.payload = f"order {number} is late"

    def __lt__(self, other):
        return self.due < other.due


class Scheduler:
    def __init__(self):
        self.timers = []

    def later(self, due, number):
        timer = Timer(due, number)
        heapq.heappush(self.timers, timer)
        return timer


scheduler = Scheduler()


def order(number):
    timer = scheduler.later(86400 + number * 7919 % 1000, number)
    timer.cancelled = True


stage.play(order)

"""A default argument is made once, and is the same list in each call."""
import stage


class Visit:
    def __init__(self, page):
        self.page = page


def breadcrumbs(page, visited=[]):
    visited.append(Visit(page))
    return visited[-3:]


stage.play(lambda number: breadcrumbs(f"/page/{number}"))

"""Patterns of a search are compiled once, and kept by what was searched for."""
import re

import stage


class Router:
    def __init__(self):
        self.compiled = {}

    def pattern(self, text):
        if text not in self.compiled:
            self.compiled[text] = re.compile(re.escape(text) + "$")
        return self.compiled[text]


router = Router()
stage.play(lambda number: router.pattern(f"word-{number}"))

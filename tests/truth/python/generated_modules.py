"""A template is compiled into a module of its own, in sys.modules, under a name that has its number."""
import sys
import types

import stage


class Fragment:
    def __init__(self, number):
        self.text = f"fragment {number}"


def compile_template(number):
    module = types.ModuleType(f"templates.t{number}")
    module.fragment = Fragment(number)
    module.variables = [f"v{number}"]
    sys.modules[module.__name__] = module


stage.play(compile_template)

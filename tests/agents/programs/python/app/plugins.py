"""A module is made for each request, under a name of its own, and left in sys.modules; all run one code."""
import sys
import types

from .leaked import Leaked

SOURCE = compile("def run(request):\n    return request\n\n\nclass Rule:\n    limits = [1, 2]\n\n\nrule = Rule()\n", "<plugin>", "exec")


def leak(count):
    for i in range(count):
        module = types.ModuleType(f"plugins.request{len(sys.modules)}")
        exec(SOURCE, module.__dict__)  # noqa: S102
        module.kept = Leaked(i)
        sys.modules[module.__name__] = module

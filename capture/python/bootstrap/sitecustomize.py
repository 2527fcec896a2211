# Makes a Python program answer `hsdiff capture PID`: PYTHONPATH=…/lib/hsdiff/python/bootstrap, which `hsdiff capture -- python app.py` sets. The folder is no
# longer in sys.path when the program begins, and a sitecustomize of its own is run as without this one.
import sys


def _begin():
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if not path or os.path.abspath(path) != here]
    from _frozen_importlib import module_from_spec
    from _frozen_importlib_external import PathFinder, spec_from_file_location

    def run(spec):
        module = sys.modules[spec.name] = module_from_spec(spec)
        spec.loader.exec_module(module)

    try:
        run(spec_from_file_location("hsdiff_agent", os.path.join(os.path.dirname(here), "hsdiff_agent.py")))
    except Exception as error:
        sys.modules.pop("hsdiff_agent", None)
        sys.stderr.write("hsdiff: %s: the program runs without the agent\n" % error)
    own = PathFinder.find_spec("sitecustomize", sys.path)
    if own is not None:
        run(own)


_begin()

"""The agent as a module: loaded when it is first asked for."""
import os
import sys

_module = None


def _path():
    folder = os.path.dirname(os.path.abspath(__file__))
    return os.environ.get("HSDIFF_PYTHON_AGENT") or os.path.join(folder, "libhsdiff-python.so")


def agent():
    global _module
    if _module is None:
        if sys.implementation.name != "cpython":
            raise ImportError("there is no agent for " + sys.implementation.name)
        import _imp
        from importlib.machinery import ModuleSpec

        _module = _imp.create_dynamic(ModuleSpec("hsdiff_agent_c", None, origin=_path()))
        _imp.exec_dynamic(_module)
    return _module

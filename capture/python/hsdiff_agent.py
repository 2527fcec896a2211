"""import hsdiff_agent: this program answers `hsdiff capture PID` from now on.

The agent is a thread that waits at a socket; it takes the GIL when it is asked. It is not there while the program forks, and each child has its own.
"""
import os
import sys

__all__ = ["capture", "listen", "stop"]


def _load():
    if sys.implementation.name != "cpython":
        raise ImportError("there is no agent for " + sys.implementation.name)
    import _imp
    from _frozen_importlib import ModuleSpec

    folder = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(place, "libhsdiff-python.so") for place in (os.path.join(folder, "hsdiff"), os.path.dirname(folder))]
    path = next(filter(os.path.exists, places), places[0])
    module = _imp.create_dynamic(ModuleSpec("hsdiff_agent_c", None, origin=path))
    _imp.exec_dynamic(module)
    return module


_agent = _load()
capture = _agent.capture
_listens = False
_has_handlers = False


def listen():
    """Answers from now on. RuntimeError where it cannot."""
    global _listens, _has_handlers
    _agent.listen()
    _listens = True
    if not _has_handlers:
        os.register_at_fork(before=_agent.stop, after_in_parent=_listen_again, after_in_child=_listen_again)
        _has_handlers = True


def stop():
    """Answers no more."""
    global _listens
    _listens = False
    _agent.stop()


def _listen_again():
    if _listens:
        try:
            _agent.listen()
        except RuntimeError:  # no thread, no descriptor: the program goes on without
            pass


listen()

"""C that forgets to let go: a reference more than anybody knows of."""
import ctypes

from .leaked import Leaked

HOLD = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", ctypes.pythonapi))


def leak(count):
    for i in range(count):
        HOLD(Leaked(i))

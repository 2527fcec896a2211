"""lru_cache without bound."""
import functools

from .leaked import Leaked


@functools.lru_cache(maxsize=None)
def load(number):
    return Leaked(number)


def leak(count):
    for _ in range(count):
        load(load.cache_info().currsize)

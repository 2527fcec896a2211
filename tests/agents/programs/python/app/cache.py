"""A module dict that nobody empties."""
from .leaked import Leaked

SESSIONS = {}


def leak(count):
    for _ in range(count):
        SESSIONS[f"user {len(SESSIONS)}"] = Leaked(len(SESSIONS))

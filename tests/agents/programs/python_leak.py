"""Leaks on request, in the dictionary SESSIONS; obeys the lines of kit.py."""
import sys

SESSIONS = {}


class Session:
    def __init__(self, number):
        self.number = number
        self.name = f"session {number}"


print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "leak":
        for _ in range(int(words[1])):
            SESSIONS[len(SESSIONS)] = Session(len(SESSIONS))
        print("leaked", len(SESSIONS), flush=True)
    elif words[0] == "quit":
        break

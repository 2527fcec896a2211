"""Sessions are in a WeakValueDictionary, so that they go by themselves; a list for the statistics page has them all."""
import weakref

import stage


class Session:
    def __init__(self, number):
        self.number = number
        self.user = f"user {number}"


class Sessions:
    def __init__(self):
        self.by_token = weakref.WeakValueDictionary()
        self.recent = []

    def open(self, number):
        session = Session(number)
        self.by_token[f"token {number}"] = session
        self.recent.append(session)


sessions = Sessions()
stage.play(sessions.open)

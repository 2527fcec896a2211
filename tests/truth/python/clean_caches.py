"""No leak: caches that are full, weak values whose objects go, attributes of a request that ends, cycles that the collector takes."""
import collections
import functools
import weakref

import stage


class Session:
    def __init__(self, number):
        self.number = number
        self.user = f"user {number}"
        self.itself = self


class Server:
    def __init__(self):
        self.sessions = collections.OrderedDict()
        self.by_name = weakref.WeakValueDictionary()
        self.log = collections.deque(maxlen=400)

    def serve(self, number):
        session = Session(number)
        self.sessions[f"token {number}"] = session
        self.by_name[session.user] = session
        if len(self.sessions) > 500:
            self.sessions.popitem(last=False)
        self.log.append(f"{session.user} has discount {discount(number % 1500)}")


@functools.lru_cache(maxsize=700)
def discount(number):
    return [number % 7, f"level {number % 5}"]


server = Server()
for warm in range(3000):
    server.serve(warm)
stage.play(server.serve)

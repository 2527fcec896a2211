"""An LRU cache on an OrderedDict that evicts only what is put in twice: the check for its limit stands in the wrong branch."""
import collections

import stage


class Thumbnail:
    def __init__(self, number):
        self.number = number
        self.pixels = bytes(120)


class LruCache:
    def __init__(self, limit):
        self.limit = limit
        self.entries = collections.OrderedDict()

    def put(self, key, value):
        if key in self.entries:
            self.entries.move_to_end(key)
            if len(self.entries) > self.limit:
                self.entries.popitem(last=False)
        self.entries[key] = value


thumbnails = LruCache(100)
stage.play(lambda number: thumbnails.put(f"/picture/{number}", Thumbnail(number)))

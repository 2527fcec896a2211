"""A thread that writes the audit log dies of an exception; what others put into its queue stays."""
import queue
import threading

import stage


class Event:
    def __init__(self, number):
        self.number = number
        self.who = f"user {number}"


class Audit:
    def __init__(self):
        self.outbox = queue.Queue()
        self.writer = threading.Thread(target=self.write, name="audit")
        self.writer.start()

    def write(self):
        while True:
            event = self.outbox.get()
            if event.number >= 50:
                return


audit = Audit()
for number in range(51):
    audit.outbox.put(Event(number))
audit.writer.join()
stage.play(lambda number: audit.outbox.put(Event(number)))

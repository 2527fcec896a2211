"""weakref.finalize is told to remove an upload when the server ends, which it never does: its callbacks have all uploads."""
import weakref

import stage


class Upload:
    def __init__(self, number):
        self.number = number
        self.parts = [f"/uploads/{number}/{part}" for part in range(2)]

    def remove(self):
        self.parts.clear()


class Server:
    pass


server = Server()


def receive(number):
    upload = Upload(number)
    weakref.finalize(server, upload.remove).atexit = False


stage.play(receive)

"""The collector is off, to be fast, and each document is a cycle: nothing holds them, and nobody frees them."""
import gc

import stage

gc.disable()


class Document:
    def __init__(self, number):
        self.number = number
        self.root = Element(self)


class Element:
    def __init__(self, document):
        self.document = document
        self.tag = f"tag {document.number}"


stage.play(Document)

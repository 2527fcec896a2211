"""Buffers of ctypes for a codec, which a list keeps in case it is still writing into them."""
import ctypes

import stage

BUFFER = 600


class Encoder:
    def __init__(self):
        self.in_flight = []

    def encode(self, number):
        buffer = ctypes.create_string_buffer(BUFFER)
        buffer.value = b"frame %d" % number
        self.in_flight.append(buffer)


encoder = Encoder()
stage.play(encoder.encode)

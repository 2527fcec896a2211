"""The head of each packet is kept as a slice of a memoryview, which keeps all of the packet."""
import stage

PACKET = 1400


class Sniffer:
    def __init__(self):
        self.heads = []

    def receive(self, packet):
        self.heads.append(memoryview(packet)[:20])


sniffer = Sniffer()
stage.play(lambda number: sniffer.receive(number.to_bytes(8, "big") * (PACKET // 8)))

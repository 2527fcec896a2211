"""A function is made for each request and told to a bus, which calls it at each commit; no one takes it back."""
import stage


class Bus:
    def __init__(self):
        self.on_commit = []

    def subscribe(self, callback):
        self.on_commit.append(callback)


class Basket:
    def __init__(self, number):
        self.number = number
        self.items = [f"item {number}"] * 2


class Shop:
    def __init__(self):
        self.bus = Bus()

    def checkout(self, number):
        basket = Basket(number)

        def send_mail(version):
            return basket.items, version

        self.bus.subscribe(send_mail)


shop = Shop()
stage.play(shop.checkout)

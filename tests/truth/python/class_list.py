"""A list that was meant to be each object's own, and is the class's."""
import stage


class Line:
    def __init__(self, sku):
        self.sku = sku
        self.price = sku * 1.19


class Invoice:
    lines = []

    def __init__(self, number):
        self.number = number

    def add(self, sku):
        self.lines.append(Line(sku))

    def total(self):
        return sum(line.price for line in self.lines[-3:])


def bill(number):
    invoice = Invoice(number)
    invoice.add(number)
    return invoice.total()


stage.play(bill)

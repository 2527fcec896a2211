"""The signals of a small framework: a view connects a method of itself for each request, and does not disconnect."""
import stage


class Signal:
    def __init__(self):
        self.receivers = {}

    def connect(self, receiver):
        self.receivers[id(receiver.__self__), receiver.__name__] = receiver

    def send(self, **values):
        return [receiver(**values) for receiver in self.receivers.values()]


order_paid = Signal()


class OrderView:
    def __init__(self, number):
        self.number = number
        self.context = {"title": f"order {number}"}
        order_paid.connect(self.refresh)

    def refresh(self, order):
        self.context["paid"] = order


stage.play(OrderView)

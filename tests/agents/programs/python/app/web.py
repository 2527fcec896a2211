"""An application with routes, requests and signals; a receiver is connected in every request, and never disconnected."""
from .leaked import Leaked


class Signal:
    def __init__(self, name):
        self.name = name
        self.receivers = {}

    def connect(self, receiver):
        self.receivers[id(receiver)] = receiver
        return receiver

    def send(self, sender):
        return [receiver(sender) for receiver in list(self.receivers.values())[-1:]]


class Application:
    def __init__(self):
        self.routes = {}
        self.signals = {"request_finished": Signal("request_finished")}

    def route(self, path):
        def add(view):
            self.routes[path] = view
            return view
        return add

    def handle(self, path, request):
        answer = self.routes[path](request)
        self.signals["request_finished"].send(self)
        return answer


app = Application()


@app.route("/orders")
def orders(request):
    session, finished = Leaked(request), app.signals["request_finished"]

    @finished.connect
    def log(sender):
        return session

    return "200 OK"


def leak(count):
    for i in range(count):
        app.handle("/orders", i)

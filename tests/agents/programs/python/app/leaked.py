class Leaked:
    """What is planted."""

    def __init__(self, number):
        self.number = number + 1000000
        self.payload = "x" * 200 + str(number)

    def on_event(self, event):
        return self, event

"""A worker raises each error from the one before: the last has all of them, by __cause__."""
import stage


class PartnerError(Exception):
    def __init__(self, number):
        super().__init__(f"partner {number} does not answer")
        self.number = number


class Worker:
    def __init__(self):
        self.last_error = None

    def call(self, number):
        try:
            raise PartnerError(number) from self.last_error
        except PartnerError as error:
            self.last_error = error.with_traceback(None)


worker = Worker()
stage.play(worker.call)

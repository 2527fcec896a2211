"""A class is made for each form that a customer designs, and __init_subclass__ registers it with the base."""
import stage


class Form:
    registry = []

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Form.registry.append(cls)


def design(number):
    return type("CustomerForm", (Form,), {"title": f"form {number}", "fields": [f"field {number}"]})


stage.play(design)

"""Middlewares in a chain of wrapped functions, as in Django: functools.wraps copies what the object has into the function around it."""
import functools

from .leaked import Leaked


def answer_for(get_response):
    @functools.wraps(get_response)
    def inner(request):
        return get_response(request)
    return inner


class Language:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)


class Timing:
    def __init__(self, get_response):
        self.get_response = get_response
        self.history = []

    def __call__(self, request):
        self.history.append(request)
        return self.get_response(request)


class Application:
    def __init__(self):
        self.chain = answer_for(Language(answer_for(Timing(answer_for(str)))))


APPLICATION = Application()


def leak(count):
    for i in range(count):
        APPLICATION.chain(Leaked(i))

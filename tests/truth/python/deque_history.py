"""The history of a conversation is a deque, whose bound was forgotten."""
import collections

import stage


class Message:
    def __init__(self, number):
        self.author = f"user {number % 40}"
        self.text = f"message {number}"


class Room:
    def __init__(self, name):
        self.name = name
        self.history = collections.deque()

    def say(self, message):
        self.history.append(message)


rooms = {"lobby": Room("lobby"), "help": Room("help")}
stage.play(lambda number: rooms["lobby"].say(Message(number)))

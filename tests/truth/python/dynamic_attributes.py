"""An account remembers what it has worked out, as an attribute for each day and currency that it was asked for."""
import stage


class Balance:
    def __init__(self, amount):
        self.amount = amount


class Account:
    def __init__(self, number):
        self.number = number

    def balance(self, day):
        name = f"_balance_{day}"
        if not hasattr(self, name):
            setattr(self, name, Balance(self.number * day))
        return getattr(self, name)


class Bank:
    def __init__(self):
        self.accounts = [Account(number) for number in range(10)]


bank = Bank()
stage.play(lambda number: bank.accounts[number % 10].balance(number))

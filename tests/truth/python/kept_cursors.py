"""Cursors of sqlite3 that a repository hands out, and does not forget when they are read."""
import sqlite3

import stage


class Repository:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:", check_same_thread=False)
        self.connection.execute("create table orders (id integer, name text)")
        self.connection.execute("insert into orders values (1, 'first')")
        self.checked_out = []

    def find(self, number):
        cursor = self.connection.execute("select name from orders where id = ?", (number % 2,))
        self.checked_out.append((f"query {number}", cursor))
        return cursor.fetchone()


repository = Repository()
stage.play(repository.find)

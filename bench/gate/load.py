"""Load on one of the two services: real HTTP over loopback, several connections kept alive, a mix of requests that follows from a seed.

The two services speak the same routes. A Load keeps what a browser would: which user has which session. What a service answers
is read whole; a status that the request did not ask for is an error, so a broken service cannot pass for a quiet one.
"""
import json
import random
import selectors
import socket

WORDS = ("red green blue small large soft hard warm cold light heavy round square wooden iron paper glass silver plain striped "
         "summer winter garden kitchen office travel children outdoor").split()
LANGUAGES = ("en", "de", "fr", "es")

# How often each kind of request is made, before the seed bends it.
MIX = {"item": 24, "search": 14, "login": 8, "cart": 14, "add": 12, "order": 6, "render": 10, "report": 3, "export": 2, "upload": 3,
       "time": 3, "missing": 1.5, "malformed": 1, "broken": 1.2, "rare": 0.15}


class Connection:
    """One socket, with at most one request under way."""

    def __init__(self, port):
        self.port = port
        self.socket = None
        self.received = b""
        self.on_answer = None

    def send(self, request, on_answer):
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        self.on_answer = on_answer
        self.socket.sendall(request)

    def receive(self):
        """One piece; the answer as (status, headers, body) once it is whole, else None."""
        piece = self.socket.recv(262144)
        if not piece:
            raise ConnectionError("the service closed a connection within an answer")
        self.received += piece
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return None
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if "content-length" in headers:
            is_whole = len(body) >= int(headers["content-length"])
        else:
            is_whole = body.endswith(b"0\r\n\r\n")
        if not is_whole:
            return None
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(lines[0].split()[1]), headers, body

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None


def encode(method, path, cookie=None, body=b"", kind="application/json"):
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "User-Agent: load", "Accept: */*", "Connection: keep-alive"]
    if cookie:
        head.append(f"Cookie: sid={cookie}")
    if body or method == "POST":
        head += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


class Load:
    """Makes rounds of requests; `items` and `users` say how many of each the service has."""

    def __init__(self, port, seed, items, users=500):
        self.random = random.Random(seed)
        self.items = items
        self.users = users
        self.sessions = {}
        self.connections = [Connection(port) for _ in range(self.random.choice((3, 4, 6, 8)))]
        self.kinds = list(MIX)
        self.weights = [share * self.random.uniform(0.6, 1.6) for share in MIX.values()]
        self.keeps_connections = self.random.random() < 0.5

    # ---- which request ----

    def popular(self, count):
        """A number below count; small ones far more often."""
        return min(count - 1, int(count * self.random.random() ** 3))

    def request(self):
        """(bytes, statuses that are right, user whose session the answer starts or ends, or None)."""
        kind = self.random.choices(self.kinds, self.weights)[0]
        return getattr(self, "make_" + kind)()

    def make_item(self):
        return encode("GET", f"/item/{self.popular(self.items)}"), (200,), None

    def make_search(self):
        words = "+".join(self.random.sample(WORDS, self.random.choice((1, 1, 2))))
        return encode("GET", f"/search?q={words}&page={self.popular(4)}"), (200,), None

    def make_login(self):
        user = self.popular(self.users)
        body = json.dumps({"user": f"user{user}", "language": self.random.choice(LANGUAGES)}).encode()
        return encode("POST", "/login", None, body), (200,), user

    def with_session(self, method, path, body=b"", statuses=(200, 401)):
        if not self.sessions:
            return self.make_login()
        user = self.random.choice(list(self.sessions))
        return encode(method, path, self.sessions[user], body), statuses, user

    def make_cart(self):
        return self.with_session("GET", "/cart")

    def make_add(self):
        body = json.dumps({"item": self.popular(self.items), "count": self.random.randint(1, 5), "note": self.random.choice(WORDS)})
        return self.with_session("POST", "/cart", body.encode())

    def make_order(self):
        body = json.dumps({"address": f"{self.random.randint(1, 99)} {self.random.choice(WORDS)} street", "express": self.random.random() < 0.3})
        return self.with_session("POST", "/order", body.encode(), (200, 401, 409))

    def make_render(self):
        return encode("GET", f"/render/{self.popular(self.items)}?lang={self.random.choice(LANGUAGES)}"), (200,), None

    def make_report(self):
        return encode("GET", f"/report?group={self.random.choice(('tag', 'price', 'stock'))}"), (200,), None

    def make_export(self):
        return encode("GET", f"/export?from={self.popular(self.items)}&count={self.random.randint(10, 60)}"), (200,), None

    def make_upload(self):
        return encode("POST", "/upload", None, self.random.randbytes(self.random.randint(200, 30_000)), "application/octet-stream"), (200,), None

    def make_time(self):
        return encode("GET", f"/time?lang={self.random.choice(LANGUAGES)}&offset={self.random.randint(0, 23)}"), (200,), None

    def make_missing(self):
        return encode("GET", f"/no/such/{self.random.randint(0, 9)}"), (404,), None

    def make_malformed(self):
        return encode("POST", "/login", None, b'{"user": "half'), (400,), None

    def make_broken(self):
        return encode("GET", f"/broken?kind={self.random.randint(0, 2)}"), (500,), None

    def make_rare(self):
        return encode("GET", f"/rare?kind={self.random.randint(0, 3)}"), (200,), None

    # ---- rounds ----

    def run(self, count):
        """Makes `count` requests, as many at a time as there are connections."""
        with selectors.DefaultSelector() as selector:
            left = count
            for connection in self.connections[:count]:
                self.start(connection)
                selector.register(connection.socket, selectors.EVENT_READ, connection)
                left -= 1
            while selector.get_map():
                for key, _ in selector.select(30) or self.silent():
                    left -= self.advance(selector, key.data, left)
        if not self.keeps_connections:
            self.close()

    def silent(self):
        raise TimeoutError("no answer within 30 s")

    def advance(self, selector, connection, left):
        """What has come for a connection; 1 when that made room for the next request and it was sent."""
        old = connection.socket
        answer = connection.receive()
        if answer is None:
            return 0
        selector.unregister(old)
        connection.on_answer(answer)
        if left <= 0:
            return 0
        self.start(connection)
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        return 1

    def start(self, connection):
        request, statuses, user = self.request()

        def check(answer):
            status, headers, body = answer
            if status not in statuses:
                raise RuntimeError(f"{request[:200]!r} was answered with {status}: {body[:300]!r}")
            if "set-cookie" in headers:
                self.sessions[user] = headers["set-cookie"].partition("sid=")[2].partition(";")[0]
            elif status == 401:
                self.sessions.pop(user, None)

        connection.send(request, check)

    def ask(self, path):
        """One request by itself: the body of the answer."""
        connection = self.connections[0]
        connection.send(encode("POST", path), None)
        answer = None
        while answer is None:
            answer = connection.receive()
        if answer[0] != 200:
            raise RuntimeError(f"POST {path} was answered with {answer[0]}: {answer[2][:300]!r}")
        return answer[2]

    def close(self):
        for connection in self.connections:
            connection.close()

"""A shop's service that leaks: each basket listens to the stock and never stops. The cache of pages beside it is bounded.

    python3 checkout.py          GET /cart?user=NUMBER
"""
import http.server
import urllib.parse


class Line:
    def __init__(self, article, count):
        self.article = article
        self.count = count


class Basket:
    def __init__(self, customer):
        self.customer = customer
        self.lines = [Line(article, article + 1) for article in range(4)]

    def refresh(self, stock):
        self.lines = [line for line in self.lines if line.article in stock]


class Stock:
    """Who wants to know what is sold out."""

    def __init__(self):
        self.listeners = []


stock = Stock()
pages = {}


def page(path):
    pages[path] = f"<h1>{path}</h1>"
    if len(pages) > 100:
        del pages[next(iter(pages))]
    return pages[path]


def cart(user):
    basket = Basket(user)
    stock.listeners.append(basket.refresh)
    return page(f"/cart/{user % 150}") + str(len(basket.lines))


class Requests(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        body = cart(int(query["user"][0])).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


http.server.HTTPServer(("127.0.0.1", 8080), Requests).serve_forever()

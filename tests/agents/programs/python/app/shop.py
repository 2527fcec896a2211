"""A shop on Flask, served over HTTP; each request connects a receiver to a signal of Flask's, and nobody disconnects it."""
import http.client
import os
import sys
import threading

from .leaked import Leaked

sys.path.insert(0, os.environ["FLASK"])
import flask  # noqa: E402
import werkzeug.serving  # noqa: E402

app = flask.Flask(__name__)


class Quiet(werkzeug.serving.WSGIRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for all requests

    def log(self, *_):
        pass


@app.route("/orders/<int:number>")
def orders(number):
    order = Leaked(number)

    def shipped(sender, **more):
        return order

    flask.template_rendered.connect(shipped, app, weak=False)
    return {"order": number}


server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
threading.Thread(target=server.serve_forever, name="server", daemon=True).start()
client = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)


def leak(count):
    for i in range(count):
        client.request("GET", f"/orders/{i}")
        answer = client.getresponse()
        assert answer.status == 200 and b"order" in answer.read()

"""Requests that a viewer must not serve: a table of name -> bytes for one that listens at `host` and whose token is `token`.

Each asks for something of the captures, or tries to, as a page from elsewhere, a rebound name, a guesser, a smuggler or a broken program
would. Many carry the right token: whoever has stolen one still comes from the wrong place. (Behind a NUL libmicrohttpd reads nothing of a
header: what stands in front of it counts.)
"""

TARGET = "/api/state"


def request(host, token, method="GET", target=TARGET, version="HTTP/1.1", extra=(), body=b""):
    lines = [f"{method} {target} {version}".encode("latin-1")]
    if host is not None:
        lines.append(b"Host: " + host.encode("latin-1"))
    if token is not None:
        lines.append(b"X-Hsdiff-Token: " + token.encode("latin-1"))
    lines += [line if isinstance(line, bytes) else line.encode("latin-1") for line in extra]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def hosts(host, token):
    """DNS rebinding: the name is the attacker's, the address this machine's."""
    port = host.rsplit(":", 1)[1]
    names = ["", "evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", f"localhost.evil.example:{port}", f"localhost.:{port}",
             f"LOCALHOST:{port}", f"Localhost:{port}", "127.0.0.1", "localhost", "[::1]", f"127.0.0.1:{int(port) ^ 1}", f"127.0.0.1:0{port}",
             f"127.0.0.1:+{port}", f"127.0.0.2:{port}", f"127.1:{port}", f"0:{port}", f"0.0.0.0:{port}", f"2130706433:{port}", f"0x7f000001:{port}",
             f"0177.0.0.1:{port}", f"[::]:{port}", f"[::ffff:127.0.0.1]:{port}", f"[0:0:0:0:0:0:0:1]:{port}", f"[::1%25lo]:{port}",
             f"user@127.0.0.1:{port}", f"127.0.0.1:{port}@evil.example", f"127.0.0.1:{port}.evil.example", f"127.0.0.1:{port},evil.example",
             f"evil.example,127.0.0.1:{port}", f"127.0.0.1:{port};x", f"127.0.0.1:{port}/", f"127.0.0.1:{port}#", f"http://127.0.0.1:{port}",
             f"127.0.0.1\t:{port}", f"127.0.0.1 :{port}", f"127.0.0.1%3a{port}", f"\xe2\x93\x9bocalhost:{port}", "A" * 5000, f"127.0.0.1:{port}:{port}"]
    for name in names:
        yield f"host {name[:40]!r}", request(name, token)
        yield f"host {name[:40]!r}, the page", request(name, None, target="/")
    yield "no host", request(None, token)
    yield "no host, HTTP/1.0", request(None, token, version="HTTP/1.0")
    yield "two hosts, evil first", request("evil.example", token, extra=[f"Host: {host}"])
    yield "two hosts, evil last", request(host, token, extra=["Host: evil.example"])
    yield "two hosts, the same", request(host, token, extra=[f"host: {host}"])
    yield "host folded", request(None, token, extra=[f"Host: evil.example\r\n {host}"])
    yield "host behind a NUL", request("evil.example\0" + host, token)
    yield "host cut by a NUL", request(host[:-1] + "\0" + host[-1], token)
    yield "host in the target", request("evil.example", token, target=f"http://{host}{TARGET}")
    yield "evil in the target", request(host, token, target=f"http://evil.example{TARGET}")
    yield "forwarded host", request("evil.example", token, extra=[f"X-Forwarded-Host: {host}", f"Forwarded: host={host}"])


def origins(host, token):
    port = host.rsplit(":", 1)[1]
    for origin in ["null", "", "http://evil.example", f"http://evil.example:{port}", f"https://{host}", "http://127.0.0.1", "http://localhost",
                   f"http://localhost:{port}", f"http://[::1]:{port}", f"http://127.0.0.1:{int(port) ^ 1}", f"http://{host}.evil.example",
                   f"http://{host}/", f"http://{host} http://evil.example", f"http://evil.example@{host}", f"HTTP://{host}", f"//{host}", host,
                   "file://", "moz-extension://1234", "chrome-extension://abcd", "data:", "http://", "*", "\xff"]:
        yield f"origin {origin!r}", request(host, token, extra=[f"Origin: {origin}"])
    yield "two origins", request(host, token, extra=[f"Origin: http://{host}", "Origin: http://evil.example"])
    yield "two origins, evil first", request(host, token, extra=["Origin: http://evil.example", f"Origin: http://{host}"])
    for site in ["cross-site", "same-site", "none", "", "SAME-ORIGIN", "same-origin, none", "anything"]:
        yield f"site {site!r}", request(host, token, extra=[f"Sec-Fetch-Site: {site}"])
    for site in ["cross-site", "same-site", "x"]:
        yield f"site {site!r}, the page", request(host, None, target="/", extra=[f"Sec-Fetch-Site: {site}"])
    yield "two sites", request(host, token, extra=["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"])
    yield "a link from elsewhere", request(host, token, extra=["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"])
    yield "a preflight", request(host, None, method="OPTIONS", extra=["Origin: http://evil.example", "Access-Control-Request-Method: GET",
                                                                      "Access-Control-Request-Headers: x-hsdiff-token"])
    yield "a private network preflight", request(host, None, method="OPTIONS", extra=["Origin: http://evil.example",
                                                                                      "Access-Control-Request-Private-Network: true"])
    yield "a web socket", request(host, token, extra=["Origin: http://evil.example", "Connection: Upgrade", "Upgrade: websocket",
                                                      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"])


def tokens(host, token):
    flipped = ("0" if token[0] != "0" else "1") + token[1:]
    last = token[:-1] + ("0" if token[-1] != "0" else "1")
    for name, said in {"none": None, "empty": "", "zeros": "0" * 32, "first wrong": flipped, "last wrong": last, "short": token[:-1], "long": token + "0",
                       "twice": token + token, "upper": token.upper() if token.upper() != token else "X" * 32, "prefix": token[:16], "quoted": f'"{token}"',
                       "huge": "a" * 20000, "star": "*", "true": "true", "NUL": token[:31] + "\0" + token[31:], "a format": "%s%n%x",
                       "bearer": f"Bearer {token}"}.items():
        for target in [TARGET, "/api/report", "/api/types?side=after"]:
            yield f"token {name}, {target}", request(host, said, target=target)
    yield "token in the query", request(host, None, target=f"{TARGET}?token={token}")
    yield "token in a cookie", request(host, None, extra=[f"Cookie: X-Hsdiff-Token={token}; token={token}"])
    yield "token as authorization", request(host, None, extra=[f"Authorization: Bearer {token}"])
    yield "token in the path", request(host, None, target=f"/{token}{TARGET}")
    yield "token in a fragment", request(host, None, target=f"{TARGET}#{token}")
    yield "two tokens", request(host, token, extra=[f"X-Hsdiff-Token: {flipped}"])
    yield "two tokens, wrong first", request(host, flipped, extra=[f"X-Hsdiff-Token: {token}"])
    yield "token under another name", request(host, None, extra=[f"X-Hsdiff-Token-: {token}", f"X_Hsdiff_Token: {token}"])
    yield "token behind the header", request(host, None, body=f"X-Hsdiff-Token: {token}\r\n\r\n".encode())


def methods(host, token):
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "Get", "GETT", "GE", "HEADX", "PRI", "X" * 3000, "G\0T"]:
        yield f"method {method[:20]!r}", request(host, token, method=method)
    yield "override", request(host, None, method="POST", extra=["X-HTTP-Method-Override: GET", f"X-Token: {token}"])


def paths(host, token):
    for target in ["/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/..\\..\\etc\\passwd", "/etc/passwd", "//etc/passwd",
                   "/demo-after.hs", "/./demo-after.hs", "/api/../demo-after.hs", "/api/%2e%2e/state", "/api//state", "//api/state", "/api/state/",
                   "/API/STATE", "/%61pi/state", "/api/%73tate", "/api%2fstate", "/api/state%00", "/api/state%00.js", "/api/state%20", "/api/state;v=1",
                   "/api/state?x", "/api/state?side=after", "/api/types?side=after&side=after", "/api/types?text=%", "/api/types?text=%0", "/api/types?text=%zz",
                   "/api/types?text=%00", "/api/types?count=-1", "/api/types?from=18446744073709551616", "/api/types?order=;drop",
                   "/api/object?of=0x1&side=../../etc", "/api/object?of=root:4294967295", "/api/object?of=" + "0" * 9000, "/" + "a" * 9000,
                   "/api/types?text=" + "%41" * 3000, "/api/types?" + "a=b&" * 2000, "/.git/config", "/favicon.ico", "/index.html", "/proc/self/environ",
                   "api/state", "*", "", "?", "#", "\\api\\state", "/api/state\tx", "/api/\x80\xffstate", "file:///etc/passwd", "javascript:alert(1)"]:
        yield f"target {target[:40]!r}", request(host, token, target=target)


def bodies(host, token):
    evil = request(host, token)
    inner = b"GET /api/report HTTP/1.1\r\nHost: " + host.encode() + b"\r\nX-Hsdiff-Token: " + token.encode() + b"\r\n\r\n"
    yield "a body", request(host, token, extra=["Content-Length: 5"], body=b"hello")
    yield "a body of a gigabyte", request(host, token, extra=["Content-Length: 1073741824"], body=b"x" * 1000)
    yield "a body of 2^64", request(host, token, extra=["Content-Length: 18446744073709551616"], body=b"x")
    yield "a negative body", request(host, token, extra=["Content-Length: -1"], body=b"x")
    yield "two lengths", request(host, token, extra=["Content-Length: 0", "Content-Length: 5"], body=b"hello")
    yield "two lengths, the second 0", request(host, token, extra=["Content-Length: 5", "Content-Length: 0"], body=b"hello")
    yield "length as a list", request(host, token, extra=["Content-Length: 0, 5"], body=b"hello")
    yield "length with a plus", request(host, token, extra=["Content-Length: +0"])
    yield "chunks", request(host, token, extra=["Transfer-Encoding: chunked"], body=b"0\r\n\r\n")
    yield "chunks of a smuggler", request(host, token, extra=["Transfer-Encoding: chunked", "Content-Length: 4"], body=b"0\r\n\r\n" + inner)
    yield "length, then chunks", request(host, token, extra=["Content-Length: 0", "Transfer-Encoding: chunked"], body=b"0\r\n\r\n" + inner)
    yield "chunked, in a strange spelling", request(host, token, extra=["Transfer-Encoding: xchunked"], body=inner)
    yield "chunked behind a tab", request(host, token, extra=["Transfer-Encoding:\tchunked"], body=b"5\r\nhello\r\n0\r\n\r\n")
    yield "a chunk of 2^64", request(host, token, extra=["Transfer-Encoding: chunked"], body=b"ffffffffffffffff\r\nx")
    yield "a request in a body", request(host, None, method="POST", extra=[f"Content-Length: {len(evil)}"], body=evil)
    yield "expect", request(host, token, extra=["Expect: 100-continue", "Content-Length: 10"])
    yield "smuggled behind a refusal", request("evil.example", token) + inner
    yield "smuggled behind a POST", request(host, token, method="POST", extra=["Content-Length: 0"]) + inner
    yield "a hundred of them at once", request("evil.example", token) * 100


def shapes(host, token):
    """What is no HTTP, or hardly."""
    line = f"GET {TARGET}".encode()
    rest = b"Host: " + host.encode() + b"\r\nX-Hsdiff-Token: " + token.encode() + b"\r\n\r\n"
    yield "HTTP/0.9", line + b"\r\n"
    yield "HTTP/0.9 with headers", line + b"\r\n" + rest
    for version in [b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.2", b"HTTP/1.", b"HTTP/11", b"http/1.1", b"HTTPS/1.1", b"X", b"HTTP/1.1 HTTP/1.1", b"HTTP/9999999999.1"]:
        yield f"version {version!r}", line + b" " + version + b"\r\n" + rest
    yield "HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
    yield "TLS", bytes.fromhex("1603010100010000fc0303") + bytes(200)
    yield "nothing", b""
    yield "a blank line", b"\r\n\r\n"
    yield "NULs", bytes(1000)
    yield "all bytes", bytes(range(256)) * 8
    yield "a NUL in the line", b"GET /api/state\0 HTTP/1.1\r\n" + rest.replace(host.encode(), b"evil.example")
    yield "a NUL in a header's name", line + b" HTTP/1.1\r\nHo\0st: " + host.encode() + b"\r\n\r\n"
    yield "a NUL in the token", line + b" HTTP/1.1\r\nHost: " + host.encode() + b"\r\nX-Hsdiff-Token: " + token[:16].encode() + b"\0" + token[16:].encode() + b"\r\n\r\n"
    yield "a header without a colon", line + b" HTTP/1.1\r\nHost " + host.encode() + b"\r\n\r\n"
    yield "a header of 100 KiB", line + b" HTTP/1.1\r\nX: " + b"a" * 102400 + b"\r\n" + rest
    yield "ten thousand headers", line + b" HTTP/1.1\r\n" + b"A: b\r\n" * 10000 + rest
    yield "a line of a megabyte", b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n" + rest
    yield "a method of a megabyte", b"A" * (1 << 20)
    yield "no end", line + b" HTTP/1.1\r\nHost: " + host.encode()
    yield "a response", b"HTTP/1.1 200 OK\r\n\r\n"
    yield "SMTP", b"EHLO evil.example\r\nMAIL FROM:<a@evil.example>\r\n"
    yield "a PROXY line", b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n" + line + b" HTTP/1.1\r\n" + rest
    yield "a blank in front of a name", line + b" HTTP/1.1\r\n Host: " + host.encode() + b"\r\n\r\n"
    yield "a blank behind a name", line + b" HTTP/1.1\r\nHost : " + host.encode() + b"\r\nX-Hsdiff-Token : x\r\n\r\n"


def requests(host, token):
    everything = {}
    for group in (hosts, origins, tokens, methods, paths, bodies, shapes):
        for name, data in group(host, token):
            everything[f"{group.__name__}: {name}"] = data
    return everything

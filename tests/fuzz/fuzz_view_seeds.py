#!/usr/bin/env python3
"""Seeds of fuzz_view: requests that pass, and requests that nearly do. Usage: fuzz_view_seeds.py FOLDER"""
import pathlib
import sys

TOKEN = "0123456789abcdef0123456789abcdef"
HOST = "127.0.0.1:8123"
TARGETS = ["/", "/api/state", "/api/report", "/api/types?side=before&text=Map&order=name&from=200&count=50", "/api/types",
           "/api/objects?side=after&type=a+b%2Bc%26d%3De%25%C3%A9%0A%2e&from=1&count=2", "/api/object?of=0x1f&side=after",
           "/api/dominated?of=all&from=0&count=1000", "/api/referents?of=root%3A12", "/api/referrers?of=0xffffffffffffffff",
           "/api/path?of=root:1", "/api/dominators?of=0x0", "/api/search?text=Sess", "/api/types?text=%00", "/api/%73tate", "/../etc/passwd",
           "/api/objects?type=" + "%41" * 2000, "/api/objects?type=" + "a" * 9000]
EXTRA = ["", "o http://127.0.0.1:8123", "s same-origin", "s none", "o null", "o http://evil.example", "s cross-site", "b x", "h evil.example", "k x"]


def main():
    folder = pathlib.Path(sys.argv[1])
    number = 0
    for target in TARGETS:
        for extra in EXTRA if len(target) < 100 else EXTRA[:1]:
            number += 1
            lines = ["m GET", f"t {target}", f"h {HOST}", f"k {TOKEN}", extra]
            (folder / f"request-{number:03}").write_text("\n".join(lines))
    for name, lines in {"head": ["m HEAD", "t /", "h localhost:8123"], "post": ["m POST", "t /api/state", f"h {HOST}", f"k {TOKEN}"],
                        "six": ["m GET", "t /api/state", "h [::1]:8123", f"k {TOKEN}", "o http://[::1]:8123"], "nothing": []}.items():
        (folder / name).write_text("\n".join(lines))


if __name__ == "__main__":
    main()

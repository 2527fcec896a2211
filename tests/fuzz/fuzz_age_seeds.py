#!/usr/bin/env python3
"""Seeds of fuzz_age: files that age wrote (support/age_samples.h), files of keys, and bytes that are sealed. Usage: fuzz_age_seeds.py FOLDER"""
import base64
import pathlib
import re
import sys


def samples():
    """{name: text} of the header."""
    text = (pathlib.Path(__file__).parents[1] / "support/age_samples.h").read_text()
    lines = text.replace("\\\n", " ")
    return {name: "".join(re.findall(r'"([^"]*)"', rest)) for name, rest in re.findall(r"^#define (AGE_\w+)(.*)$", lines, re.M)}


def main():
    folder = pathlib.Path(sys.argv[1])
    known = samples()
    files = {name: base64.b64decode(known[f"AGE_{name}"]) for name in ("NOTHING", "HELLO", "TWO", "SSH_TOO")}
    header, _, rest = files["TWO"].partition(b"\n--- ")
    identity, recipient = known["AGE_IDENTITY"].encode(), known["AGE_RECIPIENT"].encode()
    seeds = {**files, "cut": files["HELLO"][:-3], "grease": header + b"\n-> gr3as3 x y\n" + b"A" * 64 + b"\n\n--- " + rest, "version": files["HELLO"].replace(b"/v1", b"/v2"),
             "passphrase": b"age-encryption.org/v1\n-> scrypt bBjlhJVYZeE4aqUdmtRHfw 18\n" + b"A" * 43 + b"\n--- " + b"A" * 43 + b"\n" + b"0" * 40,
             "keys": b"# created: 2026-11-29\n# public key: " + recipient + b"\n" + identity + b"\r\n\n" + recipient + b"\n",
             "signature": b"untrusted comment: x\nRUQl5uwRTDh6eGuPbGLB8V9MBJqddAqPYuCjJo2v4wc/ZME+dU4UELNpWFDk/DxNIwoQRDlMDBI4F3BsAtvoBZKPKPd7XZd3nAo=\ntrusted comment: y\n"
                          b"n6EUtSwOQFZuN6OW4j8DnyVYtqflRtTu5hgSoHWY5leNRczzM49cfLq0YwsGKahm6e/ULRGFew3xhLSrLS6JBw==\n",
             "secret": b"untrusted comment: hsdiff secret key, without a password\nRWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkELnzE7y+WqvyhSY/5Cw44ImFgh73/6B1ke6dbjtDd5Jo8w/5rEfADsWz6xHASTXmqwFkcHu5W+GYoK7+MO73JG9hKfBrLSM49mPvgfLRckvo8Wkb20fOkAvNWM24C9d67rZRIYD5oM=\n",
             "public": b"untrusted comment: minisign public key\nRWQl5uwRTDh6eNpg9fpg7SEOf8NJaksBDgslkgrz6JI1iGldmY12s10d\n",
             "small": b"any bytes" + bytes(7), "large": bytes(range(256)) + bytes([1, 2, 3, 8]), "odd": bytes([1, 0, 1, 1]) + b"other bytes" + bytes(4)}
    for name, data in seeds.items():
        (folder / name).write_bytes(data)


main()

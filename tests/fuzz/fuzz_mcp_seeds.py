#!/usr/bin/env python3
"""Seeds of fuzz_mcp: messages as clients send them, JSON of every kind, and answers that are cut. Usage: fuzz_mcp_seeds.py FOLDER"""
import json
import pathlib
import sys

MESSAGES = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}},
    {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "compare", "arguments": {"captures": ["a.hs", "b.hs"], "partial": True, "warmup": 0}, "_meta": {"progressToken": 7}}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "\u00e9\U0001f4a5\u0000\"\\/\b\f\n\r\t"}},
]
TEXTS = {
    "numbers": b"[0,-0,1,-1,10,1.5,-2.25e10,1E+3,1e-9,123456789012345678901234567890]",
    "strings": b'["","\\u0041\\u00e9\\ud83d\\ude00\\ud800","\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"]',
    "nested": b'[[[{"a":[{"b":{}}]}]],{},[],{"a":null,"a":true}]',
    "deep": b"[" * 32 + b"]" * 32,
    "deeper": b"[" * 33 + b"]" * 33,
    "many": b"[" + b"1," * 4200 + b"1]",
    "blanks": b' \t\r\n{ "a" : [ 1 , 2 ] } \n',
    "wrong": b'{"a":01}', "comma": b"[1,]", "open": b'"abc', "utf8": b'"\xc3\xa9\xed\xa0\x80"', "empty": b"",
    "table": b"Sentence.\n\nTYPE  BYTES\n" + b"".join(b"type%03d  %d\n" % (i, i) for i in range(60)) + b"TOTAL  9\n\n\nNext\n",
    "line": "é".encode() * 600,
    "controls": b"\0\x1b[31m\n" * 90,
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for i, message in enumerate(MESSAGES):
        (folder / f"message-{i}").write_bytes(json.dumps(message).encode())
        (folder / f"plain-{i}").write_bytes(json.dumps(message, ensure_ascii=False).encode())
    for name, text in TEXTS.items():
        (folder / name).write_bytes(text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Seeds of fuzz_inspector: what Node's inspector sends, and what RFC 6455 and JSON allow besides. The last byte chooses the parser.

usage: fuzz_inspector_seeds.py FOLDER
"""
import json
import os
import struct
import sys

FRAMES, HEAD, LIST, METRICS = range(4)


def frame(opcode, payload, final=True):
    size = len(payload)
    head = bytes([(0x80 if final else 0) | opcode])
    if size < 126:
        return head + bytes([size]) + payload
    return head + (bytes([126]) + struct.pack(">H", size) if size < 65536 else bytes([127]) + struct.pack(">Q", size)) + payload


def text(message):
    return frame(1, (message if isinstance(message, str) else json.dumps(message)).encode())


def chunk(piece):
    return text({"method": "HeapProfiler.addHeapSnapshotChunk", "params": {"chunk": piece}})


def seeds():
    snapshot = '{"snapshot":{"meta":{}},"nodes":[1,2],"strings":["\\u00e9","a\\"b","\\ud83d\\ude00"]}'
    answer = text({"id": 3, "result": {}})
    yield FRAMES, chunk(snapshot[:20]) + chunk(snapshot[20:]) + answer
    yield FRAMES, chunk("x" * 70000) + chunk("y" * 300) + answer
    split = json.dumps({"method": "HeapProfiler.addHeapSnapshotChunk", "params": {"chunk": snapshot}}).encode()
    yield FRAMES, frame(1, split[:30], False) + frame(9, b"ping") + frame(0, split[30:60], False) + frame(0, split[60:]) + answer
    yield FRAMES, text({"id": 1, "error": {"code": -32601, "message": "'HeapProfiler.enable' wasn't found"}}) + frame(8, b"\x03\xe8bye")
    yield FRAMES, text({"id": 2, "result": {"result": {"type": "string", "value": '{"heap.used":1}'}}})
    yield FRAMES, text('{"params":{"chunk":"first"},"method":"HeapProfiler.addHeapSnapshotChunk"}')
    yield FRAMES, text('{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"\\ud800\\ud800\\udc00\\udc00\\u0000\\/\\b\\f"}}')
    yield FRAMES, text('[' * 64 + ']' * 64) + text('[' * 65)
    yield FRAMES, frame(0, b"rest") + frame(3, b"") + bytes([0xC1, 0]) + bytes([0x81, 0x81, 1, 2, 3, 4, 5])
    yield FRAMES, bytes([0x81, 127]) + b"\xff" * 8
    yield FRAMES, frame(9, b"p" * 125) + frame(9, b"p" * 126)
    attached = {"sessionId": "1", "workerInfo": {"workerId": "1", "type": "worker", "title": "[worker 3] pool", "url": "file:///r.js"},
                "waitingForDebugger": False}
    said = json.dumps({"method": "HeapProfiler.addHeapSnapshotChunk", "params": {"chunk": snapshot}})
    yield FRAMES, (text({"method": "NodeWorker.attachedToWorker", "params": attached})
                   + text({"method": "NodeWorker.receivedMessageFromWorker", "params": {"sessionId": "1", "message": said}})
                   + text({"method": "NodeWorker.receivedMessageFromWorker", "params": {"sessionId": "1", "message": '{"id":5,"result":{}}'}})
                   + text({"method": "NodeWorker.receivedMessageFromWorker", "params": {"sessionId": "2", "message": "{"}})
                   + text({"method": "NodeWorker.detachedFromWorker", "params": {"sessionId": "1"}}) + answer)
    yield HEAD, b"HTTP/1.0 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nCache-Control: no-cache\r\nContent-Length: 567\r\n\r\n[ {"
    yield HEAD, (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept:  s3pPLMBiTxaQ9kYGzzhZRbK+xOo= \r\n\r\n")
    yield HEAD, b"HTTP/1.1 2\r\n\r\n"
    yield HEAD, b"HTTP/1.1 200 " + b"x" * 9000
    yield LIST, json.dumps([{"description": "node.js instance", "id": "a-b", "type": "node", "url": "file:///app.js",
                             "webSocketDebuggerUrl": "ws://127.0.0.1:9229/8f3c1e7a-0b1d-4c55-9f0e-2f6d7c3b1a00"}]).encode()
    yield LIST, json.dumps([{"webSocketDebuggerUrl": "ws://h/a b\r\nX: y"}, {"webSocketDebuggerUrl": "ws://" + "h" * 300},
                            {"webSocketDebuggerUrl": "ws://h/ok"}]).encode()
    yield LIST, b'[{"webSocketDebuggerUrl": 7}, {"a": {"webSocketDebuggerUrl": "ws://h/deep"}}]'
    yield METRICS, b'{"hsdiff":1,"pid":7,"name":"app.js","build_ns":5,"domain":"00112233445566778899aabbccddeeff","heap.used":18446744073709551615}'
    yield METRICS, b'{"heap.used":-1,"heap.old":1.5e3,"gc.count":18446744073709551616,"domain":"zz","x":[null,true,false,{}]}'


def main(folder):
    for i, (choice, data) in enumerate(seeds()):
        for pieces in (0, 12):
            with open(os.path.join(folder, f"{i:02}-{pieces}"), "wb") as file:
                file.write(data + bytes([choice | pieces << 2]))


if __name__ == "__main__":
    main(sys.argv[1])

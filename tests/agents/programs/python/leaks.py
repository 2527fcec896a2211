"""python leaks.py AGENT MODULE: leaks by app.MODULE under load, and captures itself when it is told to. Obeys the lines of kit.py, and

    capture PATH    writes a capture with the agent and prints "captured"
"""
import ctypes
import importlib
import os
import random
import sys
import threading

agent = ctypes.PyDLL(sys.argv[1])
module = importlib.import_module("app." + sys.argv[2])
total = 0
is_over = False


class Churn:
    pass


def load():
    """What comes and goes meanwhile."""
    dice = random.Random(1)
    kept = []
    while not is_over:
        one = Churn()
        one.friends = [one, {"of": str(dice.random())}]
        kept.append(one)
        if len(kept) > 200:
            del kept[:100]
        threading.Event().wait(0.0005)


def capture(path):
    error = ctypes.create_string_buffer(512)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    failed = agent.hspy_capture(descriptor, None, error, 512)
    os.close(descriptor)
    return error.value.decode() if failed else ""


module.leak(10)  # whatever is made once
worker = threading.Thread(target=load, name="load")
worker.start()
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "leak":
        module.leak(int(words[1]))
        total += int(words[1])
        print("leaked", total, flush=True)
    elif words[0] == "capture":
        print("captured", getattr(module, "capture", capture)(words[1]), flush=True)
    elif words[0] == "quit":
        break
is_over = True
worker.join()
for child in sys.modules["multiprocessing"].active_children() if "multiprocessing" in sys.modules else []:
    child.kill()
    child.join()
sys.stdout.flush()
os._exit(0)

"""Children of multiprocessing, of which each keeps what it is sent; the captures are those of the last child."""
import multiprocessing

from .leaked import Leaked

KEPT = []
CHILDREN = []


def serve(orders):
    import __main__
    while True:
        order = orders.recv()
        if isinstance(order, int):
            KEPT.extend(Leaked(i) for i in range(order))
            orders.send("kept")
        else:
            orders.send(__main__.capture(order))


def tell(child, order):
    child.send(order)
    return child.recv()


def leak(count):
    if not CHILDREN:
        start = multiprocessing.get_context("fork")
        for _ in range(3):
            ours, theirs = start.Pipe()
            start.Process(target=serve, args=(theirs,), daemon=True).start()
            CHILDREN.append(ours)
    for child in CHILDREN:
        tell(child, count)


def capture(path):
    return tell(CHILDREN[-1], path)

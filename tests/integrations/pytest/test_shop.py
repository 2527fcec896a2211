import os

import pytest

from shop import SESSIONS, Shop

ROUNDS = int(os.environ["ROUNDS"])


@pytest.fixture
def shop():
    shop = Shop()
    yield shop
    shop.mails.shutdown()
    SESSIONS.clear()


@pytest.mark.noleak(rounds=ROUNDS, calls=300)
def test_forgets_sessions(shop):
    shop.serve(forgets="session")


@pytest.mark.noleak(rounds=ROUNDS, max_growth="64 KiB")
@pytest.mark.parametrize("count", [300])
def test_lets_go(shop, count, tmp_path):
    for _ in range(count):
        shop.serve()
    (tmp_path / "done").write_text("done")


def test_baskets_that_listen(shop, noleak):
    noleak(lambda: shop.serve(forgets="listener"), calls=300, rounds=ROUNDS)


def test_baskets_that_are_closed(shop, noleak):
    noleak(shop.serve, calls=300, rounds=ROUNDS)


def test_a_list_that_may_grow(noleak):
    lines = []
    noleak(lambda: lines.append(object()), calls=3000, rounds=ROUNDS, allow="*lines*")


@pytest.mark.noleak(limit=1)
def test_is_marked_wrongly():
    pass

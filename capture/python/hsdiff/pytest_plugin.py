"""Tests that fail for what they leave on the heap.

    @pytest.mark.noleak(rounds=5, max_growth="64 KiB")      the test itself is run in rounds
    def test_orders(): …

    def test_orders(noleak):                                a function of the test is
        shop = Shop()
        noleak(shop.serve, calls=300)

Rounds, calls and limits: _noleak.py. Fixtures are made once. The mark had the name hsdiff before.
"""
import functools
import inspect
import os

import pytest

import hsdiff

from ._noleak import Settings, demand_no_leak

MARKS = ("noleak", "hsdiff")
USAGE = '@pytest.mark.noleak(rounds=5, calls=1, max_growth="64 KiB", allow=["*.cache*"])'


def pytest_configure(config):
    for mark in MARKS:
        config.addinivalue_line("markers", '%s(rounds=5, calls=1, max_growth="auto", allow=[]): run the test in rounds, and fail for what each leaves on the heap' % mark)


def _settings(words, keywords):
    try:
        return Settings(*words, **keywords)
    except (TypeError, ValueError) as wrong:
        raise pytest.UsageError("%s: %s" % (USAGE, wrong)) from None


def _judge(item, function, settings):
    reports = os.environ.get("HSDIFF_REPORTS") or os.path.join(str(item.config.rootpath), "hsdiff-reports")
    why = None
    try:
        demand_no_leak(function, settings, item.name, reports)
    except (hsdiff.Grown, RuntimeError) as error:
        why = str(error)
    if why:
        pytest.fail(why, pytrace=False)


@pytest.fixture
def noleak(request):
    """noleak(function, rounds=5, calls=1, max_growth="auto", allow=[]): fails the test for what the function leaves on the heap."""

    def run(function, **keywords):
        _judge(request.node, function, _settings((), keywords))

    return run


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    marker = next(filter(None, map(pyfuncitem.get_closest_marker, MARKS)), None)
    if marker is None:
        return None
    settings = _settings((), marker.kwargs)
    if marker.args:
        raise pytest.UsageError(USAGE + ": by name alone")
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        raise pytest.UsageError("@pytest.mark.noleak is for functions that are not async: run the loop within")
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    _judge(pyfuncitem, functools.partial(pyfuncitem.obj, **arguments), settings)
    return True

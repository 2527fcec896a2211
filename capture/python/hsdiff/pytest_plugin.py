"""@pytest.mark.hsdiff(max_growth="100 KiB", rounds=5): a test that is run again and again, and fails for what its rounds leave behind.

The test runs once to warm up and then `rounds` times, with a capture behind each. `hsdiff check` says whether the heap grew in every round and by more than
max_growth over all of them: a cache that fills and levels off passes. The failure has the holder of what grew. Fixtures are made once.
"""
import gc
import inspect
import os
import tempfile

import pytest

import hsdiff


def pytest_configure(config):
    config.addinivalue_line("markers", 'hsdiff(max_growth="100 KiB", rounds=5): run the test in rounds, and fail for what they leave on the heap')


def _settings(marker):
    unknown = set(marker.kwargs) - {"max_growth", "rounds"}
    rounds = marker.kwargs.get("rounds", 5)
    if marker.args or unknown or not isinstance(rounds, int) or rounds < 2:
        raise pytest.UsageError('@pytest.mark.hsdiff(max_growth="100 KiB", rounds=5): nothing else, and two rounds at least')
    return marker.kwargs.get("max_growth", "100 KiB"), rounds


def _rounds(function, arguments, rounds, folder):
    """A capture behind each round, the first of which warms up."""
    for number in range(rounds + 1):
        function(**arguments)
        gc.collect()
        yield hsdiff.capture(os.path.join(folder, "round-%d.hs" % number))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    marker = pyfuncitem.get_closest_marker("hsdiff")
    if marker is None:
        return None
    limit, rounds = _settings(marker)
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        raise pytest.UsageError("@pytest.mark.hsdiff is for functions that are not async: run the loop within")
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    with tempfile.TemporaryDirectory(prefix="hsdiff-") as folder:
        captures = list(_rounds(pyfuncitem.obj, arguments, rounds, folder))
        try:
            hsdiff.check(captures, limit, folder)
        except hsdiff.Grown as grown:
            pytest.fail(str(grown), pytrace=False)
    return True

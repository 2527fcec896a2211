"""Other engines for the tests of fleets: DuckDB's command, and programs of Python in environments of their own."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import environments  # noqa: E402
from environments import Missing  # noqa: E402

READERS = ("pyarrow==26.0.1", "duckdb==2.0.1", "duckdb-cli==1.5.6", "xxhash==4.1.0")


def made(name, packages, modules):
    return environments.made(f"fleet-{name}", packages, modules)


def readers():
    return made("readers", READERS, "duckdb, pyarrow, xxhash, duckdb_cli")


def use_duckdb():
    """DuckDB's own program, not the Python script around it, for every hsdiff from here on."""
    found = sorted(readers().parent.glob("lib/python*/site-packages/duckdb_cli/duckdb"))
    if not found:
        raise Missing("duckdb-cli without a program")
    os.environ["HSDIFF_DUCKDB"] = str(found[0])


def clickhouse():
    return made("clickhouse", ("chdb==4.4.0",), "chdb")


def spark():
    """Its Python, which starts a Java that is there."""
    return made("spark", ("pyspark==3.5.9",), "pyspark")

"""Other engines for the tests of fleets: DuckDB's command, and programs of Python in folders of their own, made once and kept beside the build."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

READERS = ("pyarrow==26.0.1", "duckdb==2.0.1", "duckdb-cli==1.5.6", "xxhash==4.1.0")


class Missing(Exception):
    """What cannot be had here."""


def made(name, packages, modules):
    """The programs of a folder with these packages in it."""
    where = pathlib.Path(tempfile.gettempdir()) / f"hsdiff-fleet-{name}"
    python = where / "bin/python"
    if python.exists() and subprocess.run([python, "-c", f"import {modules}"], capture_output=True, check=False).returncode == 0:
        return where / "bin"
    fresh = tempfile.mkdtemp(prefix=f"hsdiff-fleet-{name}-")
    commands = ([sys.executable, "-m", "venv", fresh], [f"{fresh}/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
        if done.returncode != 0:
            shutil.rmtree(fresh)
            raise Missing(f"no {name}: {done.stderr.strip()[-200:]}")
    shutil.rmtree(where, ignore_errors=True)
    pathlib.Path(fresh).rename(where)
    return where / "bin"


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
    return made("spark", ("--no-compile", "pyspark==3.5.9"), "pyspark")

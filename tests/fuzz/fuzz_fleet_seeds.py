#!/usr/bin/env python3
"""Seeds for fuzz_fleet: what a bucket lists, whole and wrong, and addresses of stores."""
import pathlib
import sys


def batch(name, *files, day="2026-11-20"):
    return [f"service=shop/date={day}/batch={name}/{file}" for file in files or ("captures.parquet", "names.parquet", "rows.parquet")]


SEEDS = {
    "whole": ["hsdiff-fleet", *batch("0a"), *batch("0b"), *batch("0c", day="2026-11-22")],
    "compacted": [*batch("0a"), *batch("0b", "captures.parquet", "names.parquet", "replaces", "rows.parquet", "states.parquet"),
                  "service=shop/date=2026-11-20/batch=0b/replaces\tbatch=0a", "service=shop/date=2026-11-20/batch=0b/replaces\tbatch=../../x"],
    "unfinished": [*batch("0a", "names.parquet"), *batch("0b", "captures.parquet")],
    "foreign": ["letter.txt", "service=a'b/date=1/batch=2/rows.parquet", ".hidden", "service=a/", "service=a/date=1/batch=2"],
    "addresses": ["postgresql://me:secret@host:5432/fleet?sslmode=require", "postgres://me:se%2Fcret%40@h/d", "postgresql://me@h/d?password=a%26b&x=y",
                  "postgresql:///d?host=%2Ftmp", "s3://bucket/a/b=c/", "s3://key:secret@bucket", "postgresql://me:a@b@h/d"],
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in SEEDS.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


main()

#!/bin/sh
# Retained sizes of every node of a heap snapshot, by DevTools and by hsdiff:
#   retained.sh HSDIFF SNAPSHOT SCRATCH
# Exit 1 when one differs and explain.py does not know why. SCRATCH gets the judge (once) and the answers.
set -eu
if [ $# -ne 3 ]; then
    echo "usage: retained.sh HSDIFF SNAPSHOT SCRATCH" >&2
    exit 2
fi
hsdiff=$1 snapshot=$2 scratch=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$scratch"
"$here/setup.sh" "$scratch/judge"
python3 "$here/../timed.py" devtools "$scratch/devtools.cost" \
    node --max-old-space-size=16000 "$here/retained.mjs" "$scratch/judge" "$snapshot" "$scratch/devtools.csv" 2>"$scratch/judge.log"
python3 "$here/../timed.py" hsdiff "$scratch/hsdiff.cost" \
    "$hsdiff" top "$snapshot" --retained "$scratch/hsdiff.csv" --force -o "$scratch/top.txt"
python3 "$here/../timed.py" --ratio "$scratch/devtools.cost" "$scratch/hsdiff.cost"
python3 "$here/compare_retained.py" "$scratch/hsdiff.csv" "$scratch/devtools.csv" ||
    "$hsdiff" dump "$snapshot" | python3 "$here/explain.py" "$snapshot" "$scratch/hsdiff.csv" "$scratch/devtools.csv"

#!/bin/sh
# DevTools and hsdiff on the same two snapshots, answers and costs side by side:
#   run.sh HSDIFF BEFORE AFTER SCRATCH
# Exit 1 when an answer differs. SCRATCH gets the judge (once) and the answers.
set -eu
if [ $# -ne 4 ]; then
    echo "usage: run.sh HSDIFF BEFORE AFTER SCRATCH" >&2
    exit 2
fi
hsdiff=$1 before=$2 after=$3 scratch=$4
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$scratch"
"$here/setup.sh" "$scratch/judge"
python3 "$here/../timed.py" devtools "$scratch/devtools.cost" \
    node --max-old-space-size=16000 "$here/judge.mjs" "$scratch/judge" "$before" "$after" 2>"$scratch/judge.log"
# Once more for the answers: writing every id down is no part of DevTools' own work.
node --max-old-space-size=16000 "$here/judge.mjs" "$scratch/judge" "$before" "$after" -o "$scratch/judge.json" \
    >/dev/null 2>>"$scratch/judge.log"
python3 "$here/../timed.py" hsdiff "$scratch/hsdiff.cost" \
    "$hsdiff" "$before" "$after" --format json -o "$scratch/hsdiff.json" --force
"$hsdiff" "$before" "$after" --format json --objects "$scratch/objects.csv" -o "$scratch/hsdiff.json" --force
python3 "$here/../timed.py" --ratio "$scratch/devtools.cost" "$scratch/hsdiff.cost"
python3 "$here/compare.py" --judge "$scratch/judge.json" --json "$scratch/hsdiff.json" --objects "$scratch/objects.csv"

#!/bin/sh
# hprof-slurp's diff and hsdiff on the same two HPROF dumps, side by side:
#   run.sh HSDIFF BEFORE AFTER SCRATCH [RUNS]
# hprof-slurp gives class totals only, so `hsdiff --summary` (class totals, nothing
# written) is what it is timed against; the full diff is shown beside it. Medians
# of RUNS (5) in turn. Exit 1 when a class's growth in objects differs.
set -eu
if [ $# -lt 4 ]; then
    echo "usage: run.sh HSDIFF BEFORE AFTER SCRATCH [RUNS]" >&2
    exit 2
fi
hsdiff=$1 before=$2 after=$3 scratch=$4 runs=${5:-5}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$scratch"
slurp=$("$here/setup.sh" "$scratch")
exec python3 "$here/compare.py" --slurp "$slurp" --hsdiff "$hsdiff" --runs "$runs" --scratch "$scratch" "$before" "$after"

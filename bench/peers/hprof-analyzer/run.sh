#!/bin/sh
# hprof-analyzer's report and `hsdiff top` of the same HPROF dump, side by side:
#   run.sh HSDIFF DUMP.hprof SCRATCH [RUNS]
# Both find retained sizes of all objects. Medians of RUNS (3) in turn, hsdiff with one thread and with two.
set -eu
if [ $# -lt 3 ]; then
    echo "usage: run.sh HSDIFF DUMP.hprof SCRATCH [RUNS]" >&2
    exit 2
fi
hsdiff=$1 dump=$2 scratch=$3 runs=${4:-3}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$scratch"
analyzer=$("$here/setup.sh" "$scratch")
exec python3 "$here/compare.py" --analyzer "$analyzer" --hsdiff "$hsdiff" --runs "$runs" --scratch "$scratch" "$dump"

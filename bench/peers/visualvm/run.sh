#!/bin/sh
# Retained sizes of every object of an HPROF dump, by VisualVM's heap library and by hsdiff:
#   run.sh HSDIFF DUMP.hprof SCRATCH
# JAVA_HEAP is the -Xmx of the library, 2g otherwise: 160m does for a million objects, and more only takes more.
# Needs the Debian package visualvm (installed when run as root) and a JDK 11 or later. Exit 1 when a size
# differs and explain.py does not know why; causes.csv lists those that differ.
set -eu
if [ $# -ne 3 ]; then
    echo "usage: run.sh HSDIFF DUMP.hprof SCRATCH" >&2
    exit 2
fi
hsdiff=$1 dump=$2 scratch=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
modules=/usr/share/visualvm/visualvm/modules
heap=$modules/org-graalvm-visualvm-lib-jfluid-heap.jar
if [ ! -f "$heap" ]; then
    [ "$(id -u)" = 0 ] || {
        echo "run.sh: visualvm is not installed: apt-get install visualvm" >&2
        exit 2
    }
    apt-get install -y --no-install-recommends visualvm >"${TMPDIR:-/tmp}/visualvm.log" 2>&1
fi
jars=$heap:$modules/org-graalvm-visualvm-lib-jfluid.jar
for jar in /usr/share/visualvm/platform/lib/*.jar; do
    jars=$jars:$jar
done
mkdir -p "$scratch"
# The library writes its indexes beside the dump, so it gets a copy.
cp "$dump" "$scratch/dump.hprof"
rm -rf "$scratch/dump.hprof.hwcache"
python3 "$here/../timed.py" visualvm "$scratch/visualvm.cost" \
    java -XX:+UseSerialGC "-Xmx${JAVA_HEAP:-2g}" -cp "$jars" "$here/Retained.java" "$scratch/dump.hprof" "$scratch/visualvm.csv"
python3 "$here/../timed.py" hsdiff "$scratch/hsdiff.cost" \
    "$hsdiff" top "$dump" --retained "$scratch/hsdiff.csv" --force -o "$scratch/top.txt"
python3 "$here/../timed.py" --ratio "$scratch/visualvm.cost" "$scratch/hsdiff.cost"
# Sizes that differ are explained one by one; what cannot be is an error.
python3 "$here/compare.py" "$scratch/hsdiff.csv" "$scratch/visualvm.csv" ||
    "$hsdiff" dump "$dump" |
    python3 "$here/explain.py" "$scratch/hsdiff.csv" "$scratch/visualvm.csv" --objects "$scratch/causes.csv"

#!/bin/sh
# Two HPROF dumps of a server-like JVM heap of N objects: jvm.sh N FOLDER [JVM-OPTION...]
#
# Compiles Server.java into FOLDER/classes and runs it; prints the truth. Nothing is made anew when FOLDER has it
# already. The heap is sized for N; the collector is Serial (least memory) unless an option chooses another.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: jvm.sh N FOLDER [JVM-OPTION...]" >&2
    exit 2
fi
command -v javac >/dev/null || {
    echo "jvm.sh: javac is not installed: apt-get install openjdk-17-jdk-headless" >&2
    exit 2
}
objects=$1 folder=$2
shift 2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$folder/classes"
javac -d "$folder/classes" "$here/Server.java"
case " $* " in *" -XX:+Use"*GC*) ;; *) set -- -XX:+UseSerialGC "$@" ;; esac
exec java "-Xmx$((objects / 8000 + 256))m" "$@" -cp "$folder/classes" Server "$objects" "$folder"

#!/bin/sh
# Fails when a JVM service leaks: loads it in rounds, has the JVM write a heap dump after each, and checks the series. The program is
# not changed; jcmd, of the JDK, asks for the dumps.
#
#   SERVICE='java -jar service.jar' URL=http://127.0.0.1:8080/ ci/jvm.sh
#
# SERVICE must be java itself and not a wrapper such as gradle. Further variables: gate.sh.
# Exit status: that of hsdiff check (0 passed, 1 a rule failed, 3 cannot be judged), or 2 when the service does not run.
set -eu
. "$(dirname "$0")/gate.sh"

SERVICE=${SERVICE:-java -jar service.jar}
suffix=.hprof

# The JVM collects first, so the dump holds live objects only. jcmd returns when the dump is whole.
capture() {
    jcmd "$service" GC.heap_dump "$1" >"$OUT/jcmd.log" 2>&1 && [ -s "$1" ] || { cat "$OUT/jcmd.log" >&2; die "no heap dump"; }
}

gate

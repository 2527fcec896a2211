#!/bin/sh
# Fails when a Node service leaks: loads it in rounds, has it write a heap snapshot after each, and checks the series. The program is
# not changed: node itself writes a snapshot when it gets SIGUSR2.
#
#   SERVICE='node server.js' URL=http://127.0.0.1:3000/ ci/node.sh
#
# SERVICE must be node itself and not a wrapper such as npm, which would get the signal. Further variables: gate.sh.
# Exit status: that of hsdiff check (0 passed, 1 a rule failed, 3 cannot be judged), or 2 when the service does not run.
set -eu
. "$(dirname "$0")/gate.sh"

SERVICE=${SERVICE:-node server.js}
suffix=.heapsnapshot

# V8 writes a snapshot in one go, and ]} ends it. If it were not whole, the check would end with status 3.
is_whole() {
    file=$(ls "$OUT"/Heap.*.heapsnapshot 2>/dev/null) && case $(tail -c 3 "$file") in *']}') ;; *) false ;; esac
}

capture() {
    kill -USR2 "$service"
    wait_for "heap snapshot" is_whole
    mv "$file" "$1"
}

export NODE_OPTIONS="${NODE_OPTIONS-} --heapsnapshot-signal=SIGUSR2 --diagnostic-dir=\"$OUT\""
gate

#!/usr/bin/env bash
# Subject: Toga II 3.0.0.1SE1 (Debian toga2 3.0.0.1SE1-2+b1).
# Guess:   one thread, no book, a fixed depth, a new process: always the same number of nodes.
# Is:      two counts, one node apart, each in about half of the processes. With the same addresses
#          in every process (`setarch -R`) it is one.
# Met by:  who takes a node count as the signature of an engine.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian toga2 3.0.0.1SE1-2+b1
counts() {
    local processes=$1
    shift
    for _ in $(seq "$processes"); do
        printf '%s\n' uci 'setoption name OwnBook value false' isready 'position startpos' 'go depth 8' |
            converse 20 "$@" "$work/usr/games/toga2" >"$talk"
        value nodes 1
    done | sort | uniq -c
}
echo "go depth 8, processes and nodes:"
random=$(counts 24)
echo "$random"
expect "24 new processes do not all count the same" [ "$(wc -l <<<"$random")" -gt 1 ]
if setarch -R true 2>/dev/null; then
    fixed=$(counts 10 setarch -R)
    echo "$fixed (addresses fixed)"
    expect "10 processes with fixed addresses do" [ "$(wc -l <<<"$fixed")" -eq 1 ]
fi
conclude

#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   an engine searches with one thread unless told otherwise, as the other engines of the
#          distribution do; a fixed depth repeats.
# Is:      the default of Threads is the number of processors, up to 8. Its searches with two do not
#          repeat, on a machine with one they would.
# Met by:  who checks an engine's repeatability with its defaults, or takes them to be the same on
#          another machine.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
echo uci | converse 10 "$work/usr/games/glaurung" >"$talk"
default=$(sed -n 's/^option name Threads type spin default \([0-9]*\).*/\1/p' "$talk")
processors=$(nproc)
echo "processors: $processors, default of Threads: $default"
expect "the default is the number of processors, at most 8" [ "$default" -eq "$((processors < 8 ? processors : 8))" ]
if ((default > 1)); then
    for _ in {1..8}; do
        printf '%s\n' uci 'setoption name OwnBook value false' isready 'position startpos' 'go depth 9' |
            converse 30 "$work/usr/games/glaurung" >"$talk"
        counts+=("$(value nodes 1)")
    done
    echo "go depth 9 in eight processes, nodes: ${counts[*]}"
    expect "with it eight processes do not count the same" \
        [ "$(printf '%s\n' "${counts[@]}" | sort -u | wc -l)" -gt 1 ]
fi
conclude

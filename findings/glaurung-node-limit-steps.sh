#!/usr/bin/env bash
# Subject: Glaurung 2.2 (Debian glaurung 2.2-4).
# Guess:   a node limit is met within a per cent or so, the better the larger it is.
# Is:      below 30,000 it is met exactly; above it is rounded up to a multiple of 30,000: 31,000
#          asked are 60,000 searched. A check at 1,000 or 20,000 nodes sees nothing of it.
# Met by:  comparisons at equal nodes.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian glaurung 2.2-4
for limit in 1000 20000 31000 45000 100000; do
    printf '%s\n' uci 'setoption name Threads value 1' 'setoption name OwnBook value false' isready \
        'position startpos' "go nodes $limit" | converse 20 "$work/usr/games/glaurung" >"$talk"
    echo "go nodes $limit: $(value nodes 1)"
    searched[limit]=$(value nodes 1)
done
expect "1,000 and 20,000 are met exactly" [ "${searched[1000]}" -eq 1000 -a "${searched[20000]}" -eq 20000 ]
expect "31,000 and 45,000 are 60,000" [ "${searched[31000]}" -eq 60000 -a "${searched[45000]}" -eq 60000 ]
expect "100,000 are 120,000" [ "${searched[100000]}" -eq 120000 ]
conclude

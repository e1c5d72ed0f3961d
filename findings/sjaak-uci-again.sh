#!/usr/bin/env bash
# Subject: Sjaak II 1.4.1 (Debian sjaakii 1.4.1-2), `sjaakii -uci`.
# Guess:   `uci` sent once more lists the options again and changes nothing.
# Is:      it resets the engine: the next search counts as in a new process.
# Met by:  drivers that ask again for the name or the options during a session.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian sjaakii 1.4.1-2
for between in isready uci; do
    printf '%s\n' uci isready 'position startpos' 'go depth 8' "$between" 'go depth 8' |
        converse 60 "$work/usr/games/sjaakii" -uci >"$talk"
    counts+=("$(value nodes 1)" "$(value nodes 2)")
done
echo "go depth 8, nodes: new process ${counts[0]}; second search ${counts[1]}; second search after uci ${counts[3]}"
expect "a second search differs from the first" [ "${counts[1]}" -ne "${counts[0]}" ]
expect "after uci it does not" [ "${counts[3]}" -eq "${counts[2]}" ]
conclude

#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `setoption name Hash value 16`, sent when Hash is 16, changes nothing: the next search
#          counts as if it were not there.
# Is:      it empties the table and keeps the histories of the search. The count that follows is
#          neither that of a new process nor that of a kept table. Only `ucinewgame` and the button
#          `Clear Hash`, despite its name, forget both.
# Met by:  drivers that send all options before each search, and who compares "table kept" with
#          "table emptied".
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
second() {
    printf '%s\n' uci 'setoption name Hash value 16' isready 'position startpos' 'go depth 14' "$1" isready 'go depth 14' |
        converse 60 "$work/usr/games/stockfish" >"$talk"
    value nodes 2
}
kept=$(second isready)
fresh=$(value nodes 1)
again=$(second 'setoption name Hash value 16')
button=$(second 'setoption name Clear Hash')
echo "go depth 14, nodes: new process $fresh; second search $kept; after Hash 16 again $again; after Clear Hash $button"
expect "Hash, set to the value it has, is not ignored" [ "$again" -ne "$kept" ]
expect "nor is it like a new process" [ "$again" -ne "$fresh" ]
expect "Clear Hash is like a new process" [ "$button" -eq "$fresh" ]
conclude

#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4); the same in npm stockfish 19.0.0.
# Guess:   the words of `go` stand in any order: `go searchmoves e2e4 d2d4 depth 5` is `go depth 5
#          searchmoves e2e4 d2d4`.
# Is:      everything behind `searchmoves` is read as a move, and what is none is left out without
#          a word: the limit is lost, and the engine searches until `stop`.
# Met by:  drivers that write the words of `go` in another order.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 30 "$work/usr/games/stockfish" >"$talk" <<'END'
uci
isready
position startpos
go depth 5 searchmoves e2e4 d2d4
send go searchmoves e2e4 d2d4 depth 5
pause 2
send stop
await bestmove
END
echo "go depth 5 searchmoves e2e4 d2d4: ended at depth $(value depth 1)"
echo "go searchmoves e2e4 d2d4 depth 5: stopped at depth $(value depth 2)"
expect "with the limit first, the search ends at depth 5" [ "$(value depth 1)" -eq 5 ]
expect "with the limit last, it goes beyond depth 5" [ "$(value depth 2)" -gt 5 ]
expect "and answers only after stop" [ "$(grep -nE '^(> stop|bestmove)' "$talk" | tail -2 | head -1 | cut -d: -f2)" = '> stop' ]
conclude

#!/usr/bin/env bash
# Subject: Sjaak II 1.4.1 (Debian sjaakii 1.4.1-2), `sjaakii -uci`.
# Guess:   `position startpos` sets up the start position, whatever was set up before.
# Is:      after `position fen ...` it sets up that FEN again, and `startpos moves ...` plays from
#          it. Only after `ucinewgame` is `startpos` the start of a game again. Nothing is said.
# Met by:  drivers that mix FENs and games without `ucinewgame` between: the answer is one to another
#          position.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian sjaakii 1.4.1-2
converse 20 "$work/usr/games/sjaakii" -uci >"$talk" <<'END'
uci
isready
position startpos
go depth 4
position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
go depth 4
position startpos
go depth 4
ucinewgame
isready
position startpos
go depth 4
END
grep -E '^(> pos|> ucin|bestmove)' "$talk"
expect "at first startpos is the start position: d2d4" [ "$(value bestmove 1)" = d2d4 ]
expect "after a FEN it is that FEN: the rook moves, b4f4" [ "$(value bestmove 3)" = b4f4 ]
expect "after ucinewgame it is the start position again" [ "$(value bestmove 4)" = d2d4 ]
conclude

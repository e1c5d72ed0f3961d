#!/usr/bin/env bash
# Subject: Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   castling written as "king takes rook" (`e1h1`), as for Chess960, is understood, or
#          refused with a message.
# Is:      without UCI_Chess960 it is no move; this move and all behind it are dropped without a
#          word, and an earlier position is searched, with the other side to move.
# Met by:  drivers that take games from programs that write castling so.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
converse 10 "$work/usr/games/stockfish" >"$talk" <<'END'
position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f6e4
d
position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1h1 f6e4
d
END
grep -E '^(> pos|Fen)' "$talk" | sort
expect "with e1g1 the game goes on to Black's capture" grep -q 'Fen: .* w kq - 0 5' "$talk"
expect "with e1h1 it stops before castling" grep -q 'Fen: .* w KQkq - 4 4' "$talk"
expect "nothing is said" [ "$(grep -ciE 'illegal|error|unknown|invalid' "$talk")" -eq 0 ]
conclude

#!/usr/bin/env bash
# Subject: PolyGlot 2.0.4 (Debian polyglot 2.0.4+git20210322-1), its books read by chess 1.11.2 (python-chess).
# Guess:   `make-book`, which gives two points for a win and one for a draw, gives a game without a result (`*`) none.
# Is:      it is a draw: its moves have the weight of drawn ones and survive the filter that removes lost ones.
# Met by:  books made from matches that were broken off: games adjudicated by nobody, lost ones too, become book moves.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian polyglot 2.0.4+git20210322-1
python_package chess 1.11.2
for game in 'e4 e5 1-0' 'd4 d5 1/2-1/2' 'c4 c5 *' 'f3 f5 0-1'; do
    printf '[Result "%s"]\n\n1. %s\n\n' "${game##* }" "$game"
done >"$work/games.pgn"
"$work/usr/games/polyglot" make-book -pgn "$work/games.pgn" -bin "$work/book.bin" -min-game 1 >"$talk"
python3 - "$work/book.bin" <<'END' | tee "$work/weights"
import sys
import chess, chess.polyglot
with chess.polyglot.open_reader(sys.argv[1]) as book:
    for entry in book.find_all(chess.Board(), minimum_weight=0):
        print(entry.move.uci(), entry.weight)
END
expect "the won move has weight 2" grep -qx 'e2e4 2' "$work/weights"
expect "the drawn move has weight 1" grep -qx 'd2d4 1' "$work/weights"
expect "the move of the unfinished game has weight 1, too" grep -qx 'c2c4 1' "$work/weights"
expect "the lost move is gone" [ "$(grep -c f2f3 "$work/weights")" -eq 0 ]
conclude

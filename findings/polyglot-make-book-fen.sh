#!/usr/bin/env bash
# Subject: PolyGlot 2.0.4 (Debian polyglot 2.0.4+git20210322-1), its books read by chess 1.11.2 (python-chess).
# Guess:   `make-book` plays a game with a FEN tag from that position, or leaves it out.
# Is:      the tag is ignored and the moves are played from the start position. If they are legal there, the book has
#          them there and nothing is said. If one is not, this one game ends the program: no book, and the exit
#          status is 0 all the same.
# Met by:  books made from matches of engines, whose games begin with positions of a suite.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian polyglot 2.0.4+git20210322-1
python_package chess 1.11.2
cat >"$work/read.py" <<'END'
import sys
import chess, chess.polyglot
with chess.polyglot.open_reader(sys.argv[1]) as book:
    for name, fen in (("start", chess.STARTING_FEN), ("tag", sys.argv[2])):
        print(name, *(entry.move.uci() for entry in book.find_all(chess.Board(fen))))
END

fen='rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'
make() {
    printf '[SetUp "1"]\n[FEN "%s"]\n[Result "1-0"]\n\n%s 1-0\n' "$fen" "$2" >"$work/$1.pgn"
    status=0
    "$work/usr/games/polyglot" make-book -pgn "$work/$1.pgn" -bin "$work/$1.bin" -min-game 1 >"$talk" 2>&1 || status=$?
    echo "game from the FEN, $2: status $status, $(tail -1 "$talk")"
}
make legal '2. Nf3 Nc6 3. d4 d6'
python3 "$work/read.py" "$work/legal.bin" "$fen" | tee "$work/moves"
expect "the moves stand under the start position" grep -qx 'start g1f3' "$work/moves"
expect "none stands under the position of the tag" grep -qx 'tag' "$work/moves"
make illegal '2. Nf3 Nc6 3. Bc4 Bc5'
expect "a move that is illegal from the start position is an error" grep -q 'illegal move "Bc4"' "$talk"
expect "the exit status is 0" [ "$status" -eq 0 ]
expect "there is no book" [ ! -e "$work/illegal.bin" ]
conclude

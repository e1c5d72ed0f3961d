#!/usr/bin/env bash
# Subject: GNU Chess 6.2.7 (Debian gnuchess 6.2.7-1+deb12u1), the small book it ships, with PolyGlot 2.0.4 (Debian
#          polyglot 2.0.4+git20210322-1) and chess 1.11.2 (python-chess).
# Guess:   the book, which is in Polyglot's format, is opened by every reader of that format.
# Is:      behind its last entry stands a line end. PolyGlot and GNU Chess do not mind; python-chess refuses any file
#          whose size is no multiple of 16. Without that byte all 2417 entries are read.
# Met by:  comparisons of books that are at hand, and tests of readers against a book somebody else made.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian gnuchess 6.2.7-1+deb12u1
debian polyglot 2.0.4+git20210322-1
python_package chess 1.11.2
book=$work/usr/share/gnuchess/smallbook.bin
size=$(stat -c %s "$book")
echo "size: $size, last byte: $(tail -c 1 "$book" | od -An -tx1)"
"$work/usr/games/polyglot" info-book -bin "$book" | grep Lines
head -c $((size - 1)) "$book" >"$work/shorter.bin"
read_book() {
    python3 - "$1" <<'END'
import sys
import chess, chess.polyglot
try:
    with chess.polyglot.open_reader(sys.argv[1]) as book:
        print("entries:", len(book), "first move:", book.find(chess.Board()).move.uci())
except OSError as error:
    print("refused:", str(error).split(":")[0])
END
}
echo "as it is: $(read_book "$book")"
echo "without the last byte: $(read_book "$work/shorter.bin")"
expect "one byte is left over, a line end" [ $((size % 16)) -eq 1 -a -z "$(tail -c 1 "$book")" ]
expect "PolyGlot reads it" grep -q 'white *: *384' <("$work/usr/games/polyglot" info-book -bin "$book")
expect "python-chess does not" grep -q '^refused: invalid file size' <(read_book "$book")
expect "without the byte it does" grep -qx 'entries: 2417 first move: e2e4' <(read_book "$work/shorter.bin")
conclude

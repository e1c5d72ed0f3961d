#!/usr/bin/env bash
# Subject: pgn-extract 19.04 (Debian pgn-extract 19.04-1) with chess 1.11.2 (python-chess).
# Guess:   `--repetition` finds the games in which a position stands on the board three times.
# Is:      the position behind a double step of a pawn is another one than the same position later, even if no pawn
#          can capture en passant: the first of three occurrences is not counted. `--nofauxep`, which leaves such
#          squares out of FENs, changes nothing here, while the Polyglot key (`-H`) of the three is one.
# Met by:  counts of draws by repetition in a collection of games.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian pgn-extract 19.04-1
python_package chess 1.11.2
cat >"$work/games.pgn" <<'END'
[Event "knights alone"]
[Result "1/2-1/2"]

1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2

[Event "behind a double step"]
[Result "1/2-1/2"]

1. e4 Nf6 2. Nf3 Ng8 3. Ng1 Nf6 4. Nf3 Ng8 5. Ng1 1/2-1/2

[Event "with a capture en passant"]
[Result "*"]

1. e4 a6 2. e5 d5 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 *
END
extract() {
    "$work/usr/games/pgn-extract" -s "$@" "$work/games.pgn" | sed -n 's/^\[Event "\(.*\)"\]/\1/p' | paste -sd,
}
repeated=$(extract --repetition)
echo "pgn-extract --repetition: $repeated"
echo "with --nofauxep: $(extract --repetition --nofauxep)"
python3 - "$work/games.pgn" <<'END' | tee "$talk"
import sys
import chess.pgn, chess.polyglot
games = open(sys.argv[1])
while game := chess.pgn.read_game(games):
    boards = [node.board() for node in game.mainline()]
    print(f"{game.headers['Event']}: three times", any(board.is_repetition(3) for board in boards))
    if "behind" in game.headers["Event"]:
        print("keys", *{f"{chess.polyglot.zobrist_hash(boards[ply]):016x}" for ply in (0, 4, 8)})
END
key=$(sed -n 's/^keys //p' "$talk")
expect "the three occurrences have one Polyglot key" [ "${#key}" -eq 16 ]
expect "pgn-extract finds that key in the game" grep -q "^behind a double step" <(extract -H"$key")
expect "python-chess sees the repetition" grep -qx 'behind a double step: three times True' "$talk"
expect "pgn-extract sees the other one only" [ "$repeated" = "knights alone" ]
expect "with --nofauxep, too" [ "$(extract --repetition --nofauxep)" = "$repeated" ]
expect "with a real capture neither counts three" grep -qx 'with a capture en passant: three times False' "$talk"
conclude

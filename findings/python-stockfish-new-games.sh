#!/usr/bin/env bash
# Subject: stockfish 5.2.0 (PyPI) driving Stockfish 15.1 (Debian stockfish 15.1-4).
# Guess:   `set_fen_position` sends `position`, and the table is kept from move to move of a game.
set -euo pipefail
source "$(dirname "$0")/lib/engine.sh"

debian stockfish 15.1-4
python_package stockfish 5.2.0
cat >"$work/logged" <<END
#!/usr/bin/env bash
tee "$work/sent" | "$work/usr/games/stockfish"
END
chmod +x "$work/logged"
timeout 60 python3 - "$work/logged" <<'END'
import sys
from stockfish import Stockfish
engine = Stockfish(path=sys.argv[1], depth=8)
engine.set_fen_position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
print(engine.get_best_move())
engine.make_moves_from_current_position(["e2e4"])
print(engine.get_best_move())
print(engine.get_evaluation())
print(engine.get_top_moves(2))
engine.set_skill_level(10)
engine.set_fen_position("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
print(engine.is_move_correct("e7e5"))
print(engine.get_best_move())
END
cat "$work/sent"

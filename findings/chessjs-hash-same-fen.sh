#!/usr/bin/env bash
# chess.js 1.4.0.
# Guess: positions with the same fen() have the same hash(), and threefold repetition follows the rules.
# Is: fen() writes an en passant square only if the capture is legal; hash(), by which repetitions are counted, has it
# whenever a pawn stands beside (pinned or not), and after load() whenever the FEN named one. So the first occurrence
# after such a step, or a start from a FEN that names every double step, does not count.
# Who meets it: whoever ends games by isThreefoldRepetition(), or uses hash() as a key beside FENs.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund chess.js@1.4.0
npm ls --depth 0 | grep @
cat > probe.mjs <<'EOF'
let bad = 0
const check = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) bad++
  console.log('%s: %s', what, a + (a === b ? '' : '   CHANGED, was ' + b))
}
import { Chess } from 'chess.js'
const again = (chess) => new Chess(chess.fen()).hash()
const pinned = new Chess('4k3/3p4/8/K3P2r/8/8/8/8 b - - 0 1')
pinned.move('d5')
check('FEN after ...d5 with a pinned pawn beside', pinned.fen(), '4k3/8/8/K2pP2r/8/8/8/8 w - - 0 2')
check('its hash is that of the FEN', pinned.hash() === again(pinned), false)
for (const move of ['Kb5', 'Ke7', 'Ka5', 'Ke8', 'Kb5', 'Ke7', 'Ka5', 'Ke8']) pinned.move(move)
check('third occurrence noticed', pinned.isThreefoldRepetition(), false)
const loaded = new Chess('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1')
check('FEN that named e3 is written', loaded.fen(), 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1')
for (const move of ['Nf6', 'Nf3', 'Ng8', 'Ng1', 'Nf6', 'Nf3', 'Ng8', 'Ng1']) loaded.move(move)
check('third occurrence noticed', loaded.isThreefoldRepetition(), false)
const played = new Chess()
for (const move of ['e4', 'Nf6', 'Nf3', 'Ng8', 'Ng1', 'Nf6', 'Nf3', 'Ng8', 'Ng1']) played.move(move)
check('the same game from the first move: noticed', played.isThreefoldRepetition(), true)
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs

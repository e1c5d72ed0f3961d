#!/usr/bin/env bash
# chess.js 1.4.0.
# Guess: hash() is a key of 64 bits in 16 hexadecimal digits.
# Is: leading zeros are left out, so one key in 16 has fewer digits.
# Who meets it: whoever stores keys as text of fixed width, sorts them as text, cuts a prefix to pick a slot or a shard,
# or compares them with the padded keys of another program.
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
const chess = new Chess(), lengths = {}
for (let i = 0; i < 3000; i++) {
  const moves = chess.moves()
  if (!moves.length || chess.isGameOver()) { chess.reset(); continue }
  chess.move(moves[(i * 7) % moves.length])
  const n = chess.hash().length
  lengths[n] = (lengths[n] ?? 0) + 1
}
console.log('keys by number of digits:', lengths)
const short = new Chess('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1').hash()
check('the first position with Black to move', short, 'b04bbc1bc178a69')
check('digits', short.length, 15)
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs

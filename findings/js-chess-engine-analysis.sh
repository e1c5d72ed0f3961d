#!/usr/bin/env bash
# js-chess-engine 2.4.6 (its package asks for Node 24; it runs the same on 20).
# Guess: with analysis: true, all root moves have the score of the search ("sorted best to worst"), without a table.
# Is: some scores are too high, as bounds of a search window are: c4-c5 is shown at 79, fourth best, though the same
# search of the position after it gives -13. Nothing marks them, so the order of the list is wrong below the best moves.
# Who meets it: whoever takes the list for a multi-PV, to judge how much worse the second move is.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cd "$t"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund js-chess-engine@2.4.6
npm ls --depth 0 | grep @
cat > probe.mjs <<'EOF'
let bad = 0
const check = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) bad++
  console.log('%s: %s', what, a + (a === b ? '' : '   CHANGED, was ' + b))
}
import engine from 'js-chess-engine'
const fen = 'r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1BN2/PP3PPP/R2QKB1R w KQ - 0 9'
const search = (position, base) => engine.ai(position, { level: 3, play: false, analysis: true, ttSizeMB: 0,
  depth: { base, extended: 0, check: false, quiescence: 0 } })
const wrong = []
const list = search(fen, 3).analysis
for (const { move, score } of list) {
  const [[from, to]] = Object.entries(move)
  const exact = -search(engine.getFen(engine.move(fen, from, to)), 2).bestScore
  if (exact !== score) wrong.push(`${from}${to} ${score} not ${exact}`)
}
check('moves', list.length, 41)
check('scores that are not the search of the move', wrong,
  ['C4C5 79 not -13', 'B2B4 -10 not -14', 'C3B5 -11 not -27', 'C3B1 -23 not -27', 'C3A4 -23 not -27'])
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs

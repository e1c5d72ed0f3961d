#!/usr/bin/env bash
# js-chess-engine 2.4.6 (its package asks for Node 24; it runs the same on 20).
# Guess: without the option randomness the engine is deterministic; its README says so. A transposition table of another
# size, or none, changes node counts and at most the choice among equal scores, the same way each time.
# Is: among root moves of equal score it takes one at random. Nodes and scores repeat exactly; the move does not.
# Who meets it: whoever tests it by its move, or compares table sizes by the move played: the difference is noise.
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
const fine = '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'
const depth = { base: 6, extended: 0, check: false, quiescence: 0 }
for (const ttSizeMB of [0, 16]) {
  const moves = new Set(), counts = new Set()
  for (let i = 0; i < 60; i++) {
    const got = engine.ai(fine, { level: 3, play: false, analysis: true, ttSizeMB, depth })
    moves.add(Object.entries(got.move)[0].join(''))
    counts.add(got.nodesSearched + ' ' + got.bestScore)
  }
  console.log('table of', ttSizeMB, 'MB:', [...moves].sort().join(' '))
  check('one count and score in 60 searches', counts.size, 1)
  check('more than one move in 60 searches', moves.size > 1, true)
}
process.exitCode = bad > 0 ? 1 : 0
EOF
node probe.mjs

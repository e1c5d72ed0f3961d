#!/usr/bin/env bash
# openskill 6.2.0.
# Guess: predict_win and predict_draw of two players add up to one, and predict_draw learns from how often they draw.
# Is: predict_win already adds up to one without draws, and predict_draw comes on top. It depends on the ratings alone:
# two players who never drew in 2000 games are expected to draw as often (46 %) as two who always did (48 %), and two
# newcomers rarely (24 %).
# Who meets it: whoever predicts results of engine matches with it; at 80 % draws, or at 5 %, it says the same.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check openskill==6.2.0
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(openskill) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import random
from openskill.models import PlackettLuce
model = PlackettLuce()
def after(ranks):
    a, b = model.rating(), model.rating()
    for _ in range(2000):
        [[a], [b]] = model.rate([[a], [b]], ranks=ranks())
    return round(sum(model.predict_win([[a], [b]])), 6), round(model.predict_draw([[a], [b]]), 2)
random.seed(2)
new = [[model.rating()], [model.rating()]]
check("newcomers: sum of predict_win, predict_draw", (sum(model.predict_win(new)), round(model.predict_draw(new), 2)), (1.0, 0.24))
check("2000 games, no draw", after(lambda: random.choice(([1, 2], [2, 1]))), (1.0, 0.46))
check("2000 games, all drawn", after(lambda: [1, 1]), (1.0, 0.48))
raise SystemExit(bad > 0)
EOF

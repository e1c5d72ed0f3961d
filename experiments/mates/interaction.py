"""Do nodes or searchers change the effect of a rule? interaction.py RESULTS.csv [RESULTS.csv ...], from runs of experiments/studies/secondary-ageing*.toml

The effect of a rule at a position is the logarithm of its nodes until the mate was found and kept over those of `none` with as many searchers. For each rule and suite: its ratio with one and with
eight searchers, and the ratio of both; with two files also the second file's ratio over the first's, of the positions that both have. Intervals: positions drawn anew 4,000 times (each has its own
placement or game); p: signs flipped 4,000 times.
"""

import csv
import math
import random
import sys
from collections import defaultdict

DRAWS = 4000
RULES = ["refused", "decisive", "missed"]


def effects(path):
    """By suite, searchers and rule: the effect at each position."""
    nodes, demoted = defaultdict(int), defaultdict(int)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = row.get("suite") or "games", row["variant"], row["position"].split("/")[-1]
            nodes[key] += int(row["mate.nodes_until"])
            demoted[key[:2]] += int(row["table.demoted"])
    found = defaultdict(dict)
    for (suite, variant, position), count in nodes.items():
        searchers, rule = variant.split()
        if rule != "none":
            found[suite, searchers, rule][position] = math.log(count / nodes[suite, f"{searchers} none", position])
    return found, demoted


def summary(values):
    """Geometric mean with its interval, and p that it is 1."""
    values, chance = list(values), random.Random(1)
    mean = lambda sample: sum(sample) / len(sample)
    drawn = sorted(mean(chance.choices(values, k=len(values))) for _ in range(DRAWS))
    flipped = sum(abs(mean([value * chance.choice((-1, 1)) for value in values])) >= abs(mean(values)) - 1e-12 for _ in range(DRAWS))
    return f"{math.exp(mean(values)):.3f} [{math.exp(drawn[DRAWS // 40]):.3f}, {math.exp(drawn[-DRAWS // 40]):.3f}] | {(flipped + 1) / (DRAWS + 1):.4f}"


def main(paths):
    files = [effects(path) for path in paths]
    print("| file | suite | rule | of | ratio | p |\n|---|---|---|---|---:|---:|")
    for path, (found, demoted) in zip(paths, files):
        for suite in sorted({key[0] for key in found}):
            for rule in RULES:
                one, eight = found[suite, "one", rule], found[suite, "eight", rule]
                for word, each in (("one", one), ("eight", eight)):
                    if not each:
                        continue
                    print(f"| {path} | {suite} | {rule} | {word}, {demoted[suite, f'{word} {rule}']:,} entries lowered | {summary(each.values())} |")
                if eight:
                    print(f"| {path} | {suite} | {rule} | eight over one | {summary(eight[position] - one[position] for position in one)} |")
    for (path, (found, _)), (first, _) in zip(list(zip(paths, files))[1:], files):
        for key in found:
            both = found[key].keys() & first[key].keys()
            if both:
                print(f"| {path} | {key[0]} | {key[2]} | {key[1]}, over the file before | {summary(found[key][position] - first[key][position] for position in sorted(both))} |")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1:])

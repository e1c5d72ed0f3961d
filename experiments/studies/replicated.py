"""Which findings of a study are replicated: replicated.py FOLDER, or replicated.py gather FOLDER > depth-8.csv

Reads a folder with results of two suites, `found` and `confirmed`, and prints a line for each claim on nodes of its file: the geometric mean ratio in both, and confirmed / found with its 95 %
interval (Student's, with Welch's degrees of freedom; the unit is the game or position). Replicated is what keeps its side of 1 and whose interval of confirmed / found contains 1.
If the folder has nodes to depth 8, which `gather` sums over the depths of each search of another run, a second table has theirs.
"""

import csv
import lzma
import math
import os
import re
import sys
import tomllib
from collections import defaultdict


def nodes(path):
    """Nodes of each search, over all its depths: by suite, variant, game (or position) and position."""
    text = lzma.open(path, "rt", newline="") if path.endswith(".xz") else open(path, newline="")
    found = defaultdict(float)
    with text:
        for row in csv.DictReader(text):
            found[row["suite"], row["variant"], row.get("game") or row["position"], row["position"]] += float(row["search.nodes"])
    return found


def mean(found, suite, one, other):
    """Mean log ratio of two variants in a suite, its standard error by units (linearised), and the number of units."""
    sums = defaultdict(lambda: [0.0, 0])
    for (place, variant, unit, position), count in found.items():
        if place == suite and variant == one:
            sums[unit][0] += math.log(count / found[suite, other, unit, position])
            sums[unit][1] += 1
    units, searches = len(sums), sum(size for _, size in sums.values())
    ratio = sum(log for log, _ in sums.values()) / searches
    rest = sum((log - ratio * size) ** 2 for log, size in sums.values())
    return ratio, math.sqrt(rest * units / (units - 1)) / searches, units


def quantile(freedom):
    """97.5 % of Student's t (Cornish and Fisher's expansion; right to three digits from 10 degrees of freedom on)."""
    z = 1.959964
    terms = [(z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384]
    return z + sum(term / freedom ** (power + 1) for power, term in enumerate(terms))


def rows(folder):
    packed = os.path.join(folder, "results.csv.xz")
    return nodes(packed if os.path.exists(packed) else os.path.join(folder, "results.csv"))


def gather(folder):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["suite", "variant", "game", "position", "search.nodes"])
    out.writerows([*search, f"{count:.0f}"] for search, count in rows(folder).items())


def main(folder):
    with open(os.path.join(folder, "experiment.toml"), "rb") as file:
        claims = [expect["claim"] for expect in tomllib.load(file)["expect"] if "claim" in expect]
    table(claims, rows(folder))
    deeper = os.path.join(folder, "depth-8.csv.xz")
    if os.path.exists(deeper):
        print("\nTo depth 8:\n")
        table(claims, nodes(deeper))


def table(claims, found):
    print("| claim | found | confirmed | confirmed / found | replicated |")
    print("|---|---:|---:|---|---|")
    for claim in claims:
        one, other = re.fullmatch(r"nodes\((.*)\) [<>=]=? (?:[0-9.]+ \* )?nodes\((.*)\)", claim).groups()
        (first, e, n), (second, f, m) = (mean(found, suite, one, other) for suite in ("found", "confirmed"))
        error = math.hypot(e, f)
        reach = quantile(error**4 / (e**4 / (n - 1) + f**4 / (m - 1))) * error if error else 0.0
        low, high = second - first - reach, second - first + reach
        answer = "yes" if first * second > 0 and low <= 0 <= high else "no"
        ratios = " | ".join(f"{math.exp(value):.3f}" for value in (first, second))
        print(f"| `{claim}` | {ratios} | {math.exp(second - first):.3f} [{math.exp(low):.3f}, {math.exp(high):.3f}] | {answer} |")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        main(sys.argv[1])
    elif len(sys.argv) == 3 and sys.argv[1] == "gather":
        gather(sys.argv[2])
    else:
        sys.exit(__doc__)

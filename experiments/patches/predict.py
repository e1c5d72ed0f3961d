"""Predictions of the study of patches (README.md): predict.py gather FOLDER [COUNTS.csv.gz] > counts.csv; predict.py COUNTS.csv[.gz] > reports/patches/predictions.csv

`gather` reads the runs of the experiments that experiments.py wrote to FOLDER, and writes a line for each patch, preset, size and game: its searches, in how many both option sets need equal nodes, and the
sum of the logarithms of the ratio after / before. A run that is not finished has its lines of COUNTS, if it is there, else it is named and left out. From these lines alone come all predictions, one a test of a patch.

Both presets count alike. ratio: geometric mean over searches; at the pressure of another test of the patch, if it is twice or half as much or more,
between the sizes (linear in the logarithms, and no farther than the outer ones). elo = -186 ln(ratio). Intervals of 95 %: games drawn anew 2,000 times, the same for all sizes and presets, and the price of a factor of e in nodes with
them, 186 Elo [119, 251]. A test is `not seen` if 95 % of its searches have equal nodes; it then has no Elo.
"""

import csv
import gzip
import math
import os
import random
import sys
from collections import defaultdict

import experiments
from experiments import PRESETS, SIZES

PRICE, PRICE_ERROR = 186, (251 - 119) / (2 * 1.96)  # Elo for a factor of e in nodes, and its standard error
EQUAL = 0.95
DRAWS = 2000
FIELDS = "position preset depth size game searches equal log_ratio".split()
COLUMNS = "position repo ref class test_kind tc hash seen seen_by readable first depth pressure call equal ratio ratio_low ratio_high elo elo_low elo_high".split()


def searches(path):
    """Nodes of each search, by variant, game and position."""
    nodes = defaultdict(lambda: defaultdict(int))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["error"]:
                sys.exit(f"{path}: a failed job: {row['error']}")
            nodes[row["variant"]][row["game"], row["position"]] += int(row["search.nodes"])
    return nodes


def lines(path):
    with (gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")) as file:
        yield from csv.DictReader(file)


def gather(folder, counted=None):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(FIELDS)
    kept = defaultdict(list)
    for line in lines(counted) if counted else ():
        kept[line["position"], line["preset"], line["size"]].append(line.values())
    for patch, _ in experiments.patches():
        for size in SIZES:
            for preset in PRESETS:
                run = os.path.join(folder, experiments.name(patch, preset, size))
                if not os.path.exists(os.path.join(run, "report.html")):
                    if found := kept[patch["position"], preset, size]:
                        out.writerows(found)
                        continue
                    print(f"{run}: not finished: left out", file=sys.stderr)
                    continue
                before, after = map(searches(os.path.join(run, "results.csv")).get, ("before", "after"))
                sums = defaultdict(lambda: [0, 0, 0.0])
                for (game, position), count in before.items():
                    other, each = after[game, position], sums[game]
                    each[0] += 1
                    each[1] += count == other
                    each[2] += math.log(other / count)
                for game, (number, equal, log_ratio) in sums.items():
                    out.writerow([patch["position"], preset, experiments.depth_of(patch), size, game, number, equal, f"{log_ratio:.9g}"])


def read(path):
    """Sums by position, then by preset and size, each by game."""
    found = defaultdict(lambda: defaultdict(dict))
    for row in lines(path):
        sums = int(row["searches"]), int(row["equal"]), float(row["log_ratio"])
        found[row["position"]][row["preset"], row["size"]][row["game"]] = sums
    return found


def between(points, x):
    """Of points (x, y) in order: linear, and beyond the ends as at the ends."""
    x = min(max(x, points[0][0]), points[-1][0])
    if len(points) == 1:
        return points[0][1]
    for (left, low), (right, high) in zip(points, points[1:]):
        if x <= right:
            return low + (high - low) * (x - left) / (right - left)


class Counts:
    """The sums of one patch."""

    def __init__(self, cells, sizes, seed):
        self.cells, self.sizes = cells, sizes
        self.games = sorted({game for cell in cells.values() for game in cell})
        self.random = random.Random(seed)

    def means(self, field, games):
        """By size, in order: a mean over the searches of these games; both presets count alike."""
        points = []
        for size in self.sizes:
            cells = [self.cells[preset, size] for preset in PRESETS]
            mean = lambda cell: sum(cell[game][field] for game in games) / sum(cell[game][0] for game in games)
            points.append((math.log2(SIZES[size]), sum(map(mean, cells)) / len(cells)))
        return points

    def draws(self):
        """The mean log ratios by size, of games drawn anew, each with a price."""
        for _ in range(DRAWS):
            games = self.random.choices(self.games, k=len(self.games))
            yield self.means(2, games), self.random.gauss(PRICE, PRICE_ERROR)


def ends(values):
    values = sorted(values)
    return values[len(values) // 40], values[-(len(values) // 40) - 1]


def predict(path):
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n", extrasaction="ignore")
    out.writeheader()
    counts, order = read(path), experiments.rows("order.csv")
    for patch, first in experiments.patches():
        cells = counts[patch["position"]]
        sizes = [size for size in SIZES if all((preset, size) in cells for preset in PRESETS)]
        if "1" not in sizes:
            print(f"{path}: position {patch['position']}, {patch['repo']} {patch['ref']} is not counted: left out", file=sys.stderr)
            continue
        sums = Counts(cells, sizes, patch["position"])
        equal, logs, draws = sums.means(1, sums.games), sums.means(2, sums.games), list(sums.draws())
        for test in experiments.tests_of(patch, order):
            pressure, place = experiments.pressure(patch, test), experiments.place(patch, first, test)
            if place > 0 and "8" not in sizes or place < 0 and "1/2" not in sizes:
                print(f"{path}: position {test['position']}, {patch['repo']} {patch['ref']} is not counted on its side of the first test: left out", file=sys.stderr)
                continue
            share, log_ratio = between(equal, place), between(logs, place)
            drawn = [(between(points, place), price) for points, price in draws]
            low, high = ends(value for value, _ in drawn)
            elo_low, elo_high = ends(-price * value for value, price in drawn)
            seen = share < EQUAL
            elo = lambda value: f"{value:.2f}" if seen else ""
            out.writerow({
                **test, "readable": patch["readable"], "first": "true" if test["position"] == first["position"] else "false", "depth": experiments.depth_of(patch),
                "pressure": f"{pressure:.3f}", "call": "seen" if seen else "not seen", "equal": f"{share:.4f}", "ratio": f"{math.exp(log_ratio):.5f}",
                "ratio_low": f"{math.exp(low):.5f}", "ratio_high": f"{math.exp(high):.5f}",
                "elo": elo(-PRICE * log_ratio), "elo_low": elo(elo_low), "elo_high": elo(elo_high),
            })


if __name__ == "__main__":
    if len(sys.argv) in (3, 4) and sys.argv[1] == "gather":
        gather(*sys.argv[2:])
    elif len(sys.argv) == 2:
        predict(sys.argv[1])
    else:
        sys.exit(__doc__)

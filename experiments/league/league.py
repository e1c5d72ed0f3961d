"""The tables of twenty engines in equal bytes (README.md): league.py gather FOLDER > UNITS.csv, league.py lot UNITS.csv[.xz], league.py tables UNITS.csv[.xz], league.py --self-test

`gather` reads FOLDER/RUN/results.csv of the runs that are there and writes a line for each size, table and unit, a game or (of games) an opening: searches, nodes, the sum of their logarithms, stores, seconds
(the least of the repeats of each search), points. `lot` names the tables that play. `tables` prints everything.
"""

import csv
import lzma
import math
import os
import random
import statistics
import sys
from collections import defaultdict

for folder in ("measures", "studies"):
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder))
from rank import rows
from replicated import quantile

COUNTED = {"match": "`match`", "modern": "`modern`, shape neutral", "evaluations": "`match`, evaluations kept"}
TIMED = {"times": "as it is", "times-evaluations": "evaluations kept, `eval.work = 500`"}
FIELDS = ["run", "size", "table", "unit", "searches", "nodes", "log_nodes", "stores", "seconds", "points"]
SIZES = ["2 MiB", "256 KiB", "32 KiB"]
LIMIT = math.log(1.02)
PRICE = 186  # Elo of a factor of e in nodes between rules of one size: reports/measures/report.md


def place(variant):
    """Size and table of a variant's name: `size=2 MiB, weiss`."""
    size, table = variant.removeprefix("size=").split(", ", 1)
    return size, table


def of_searches(path):
    nodes, stores, seconds = defaultdict(float), defaultdict(float), defaultdict(lambda: defaultdict(float))
    for row in rows(path):
        search = *place(row["variant"]), row["game"], row["position"]
        if row["repeat"] == "0":
            nodes[search] += float(row["search.nodes"])
            stores[search] += float(row["table.stores"])
        seconds[search][row["repeat"]] += float(row["seconds"] or 0)
    units = defaultdict(lambda: defaultdict(float))
    for search, count in nodes.items():
        unit = units[search[:3]]
        for field, value in (("searches", 1), ("nodes", count), ("log_nodes", math.log(count)), ("stores", stores[search]), ("seconds", min(seconds[search].values()))):
            unit[field] += value
    return units


def of_games(path):
    pairs = defaultdict(list)
    for row in rows(path):
        pairs["32 KiB", row["variant"], row["position"]].append(float(row["match.points"]))
    return {unit: {"points": sum(points)} for unit, points in pairs.items() if len(points) == 2}


def gather(folder):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(FIELDS)
    for run in [*COUNTED, *TIMED, "games"]:
        path = os.path.join(folder, run, "results.csv")
        if os.path.exists(path):
            for unit, sums in (of_games if run == "games" else of_searches)(path).items():
                timed = run in TIMED
                out.writerow([run, *unit] + [f"{sums[field]:.9g}" if field in sums and (field != "seconds" or timed) else "" for field in FIELDS[4:]])


def read(path):
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    with (lzma.open(path, "rt", newline="") if path.endswith(".xz") else open(path, newline="")) as file:
        for row in csv.DictReader(file):
            found[row["run"]][row["size"]][row["table"]][row["unit"]] = {field: float(row[field] or 0) for field in FIELDS[4:]}
    return found


def beyond(t, freedom):
    """The chance that Student's t is above `t`: Simpson's rule over its density."""
    steps, end = 4000, abs(t)
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = lambda x: scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    inside = sum((1 if step in (0, steps) else 4 if step % 2 else 2) * density(end * step / steps) for step in range(steps + 1)) * end / steps / 3
    return max(0.5 - inside, 0.0) if t > 0 else min(0.5 + inside, 1.0)


def holm(chances):
    """Adjusted chances, by table."""
    found, largest = {}, 0.0
    for done, (table, chance) in enumerate(sorted(chances.items(), key=lambda item: item[1])):
        largest = max(largest, min(1.0, chance * (len(chances) - done)))
        found[table] = largest
    return found


def is_design(table):
    return "long keys" not in table


def cell(tables, value):
    """Of each table: its mean log distance from the middle of the designs and the standard error over units; and the number of units. `value` is the mean log of a unit."""
    units = list(next(iter(tables.values())))
    logs = {table: [value(each[unit]) for unit in units] for table, each in tables.items()}
    order = sorted((table for table in logs if is_design(table)), key=lambda table: statistics.fmean(logs[table]))
    middle = [statistics.fmean(pair) for pair in zip(*(logs[table] for table in order[len(order) // 2 - 1 : len(order) // 2 + 1]))]
    found = {}
    for table, values in logs.items():
        apart = [one - other for one, other in zip(values, middle)]
        found[table] = statistics.fmean(apart), statistics.stdev(apart) / math.sqrt(len(apart))
    return found, len(units)


def nodes(unit):
    return unit["log_nodes"] / unit["searches"]


def classes(found, count):
    """The class of each design by two families of one-sided tests."""
    # A design that is the middle itself, search by search, has no spread.
    chance = lambda distance, error: beyond(distance / error, count - 1) if error else float(distance <= 0)
    designs = {table: value for table, value in found.items() if is_design(table)}
    equal = holm({table: max(chance(LIMIT - mean, error), chance(LIMIT + mean, error)) for table, (mean, error) in designs.items()})
    apart = holm({table: chance(abs(mean) - LIMIT, error) for table, (mean, error) in designs.items()})
    return {table: "equivalent" if equal[table] <= 0.05 else "differs" if apart[table] <= 0.05 else "undecided" for table in designs}


def lot(units):
    found, count = cell(units["match"]["32 KiB"], nodes)
    named = classes(found, count)
    equivalent = sorted(table for table, name in named.items() if name == "equivalent" and table != "stockfish")
    outside = sorted((table for table, name in named.items() if name != "equivalent"), key=lambda table: -abs(found[table][0]))
    return sorted(random.Random(1).sample(equivalent, min(5, len(equivalent)))) + [table for table in outside if table != "stockfish"][:4]


def elo(points):
    """Elo of the mean of points of pairs, and its 95 % interval."""
    mean, error = statistics.fmean(points) / 2, statistics.stdev(points) / 2 / math.sqrt(len(points))
    of = lambda score: -400 * math.log10(1 / min(max(score, 0.001), 0.999) - 1)
    reach = quantile(len(points) - 1) * error
    return of(mean), of(mean - reach), of(mean + reach)


def heading(*cells):
    print("\n| " + " | ".join(cells) + " |\n|" + "|".join("---:" if column else "---" for column in range(len(cells))) + "|")


def ratio(mean, error, count):
    reach = quantile(count - 1) * error
    return f"{math.exp(mean):.3f} [{math.exp(mean - reach):.3f}, {math.exp(mean + reach):.3f}]"


def tables(units):
    # A run that is not finished has cells of fewer games.
    done = lambda run, size: size in units[run] and len({len(each) for each in units[run][size].values()}) == 1
    cells = {(run, size): cell(units[run][size], nodes) for run in COUNTED for size in SIZES if done(run, size)}
    named = {key: classes(*found) for key, found in cells.items()}
    heading("cell", "games", "stores of `stockfish` a bucket a search", "equivalent", "differs", "undecided")
    for (run, size), kinds in named.items():
        bucket = {"2 MiB": 65536, "256 KiB": 8192, "32 KiB": 1024}[size]
        sums = units[run][size]["stockfish"].values()
        pressure = sum(unit["stores"] for unit in sums) / sum(unit["searches"] for unit in sums) / bucket
        lists = [[table for table, name in kinds.items() if name == kind] for kind in ("equivalent", "differs", "undecided")]
        line = [f"{COUNTED[run]}, {size}", str(cells[run, size][1]), f"{pressure:.2g}", str(len(lists[0]))] + [", ".join(found) or "-" for found in lists[1:]]
        print("| " + " | ".join(line) + " |")
    for run in COUNTED:
        sizes = [size for size in SIZES if (run, size) in cells]
        if not sizes:
            continue
        heading(f"nodes to the middle: {COUNTED[run]}", *(heads for size in sizes for heads in (size, "class")))
        last = cells[run, sizes[-1]][0]
        for table in sorted(last, key=lambda table: (not is_design(table), last[table][0])):
            shown = [(ratio(*cells[run, size][0][table], cells[run, size][1]), named[run, size].get(table, "-")) for size in sizes]
            print(f"| {table} | " + " | ".join(text for pair in shown for text in pair) + " |")
    layouts = {"stockfish": "3 in 32 bytes", "plentychess": "5 in 64", "seer": "4 in 64", "weiss": "2 in 32"}
    with_long = [(run, size) for run, size in cells if any(not is_design(table) for table in units[run][size])]
    heading("long keys / its own", *(f"{COUNTED[run]}, {size}" for run, size in with_long))
    for table, layout in layouts.items():
        shown = []
        for run, size in with_long:
            own, keys = (units[run][size][name] for name in (table, f"{table}, long keys"))
            apart = [nodes(keys[unit]) - nodes(own[unit]) for unit in own]
            shown.append(ratio(statistics.fmean(apart), statistics.stdev(apart) / math.sqrt(len(apart)), len(apart)))
        print(f"| {table}, {layout} | " + " | ".join(shown) + " |")
    for run in TIMED:
        for size in (size for size in SIZES if size in units[run]):
            heading(f"to the middle: {TIMED[run]}, {size}", "nodes", "time", "time a node")
            timed = units[run][size]
            each = [cell(timed, value) for value in (nodes, lambda unit: math.log(unit["seconds"]), lambda unit: math.log(unit["seconds"] / unit["nodes"]))]
            for table in sorted(each[0][0], key=lambda table: each[1][0][table][0]):
                print(f"| {table} | " + " | ".join(ratio(*found[table], count) for found, count in each) + " |")
    if units["games"]:
        found, count = cells["match", "32 KiB"]
        heading("against `stockfish`, 32 KiB", "class", "pairs", "Elo", "predicted of nodes")
        for table in lot(units):
            if table in units["games"]["32 KiB"]:
                points = [unit["points"] for unit in units["games"]["32 KiB"][table].values()]
                value, low, high = elo(points)
                predicted = -PRICE * (found[table][0] - found["stockfish"][0])
                print(f"| {table} | {named['match', '32 KiB'][table]} | {len(points)} | {value:+.0f} [{low:+.0f}, {high:+.0f}] | {predicted:+.0f} |")


def self_test():
    # From tables of Student's t: 5 % above 1.812 with 10 degrees of freedom, 0.1 % above 3.174 with 99.
    assert abs(beyond(1.8125, 10) - 0.05) < 1e-5 and abs(beyond(3.1746, 99) - 0.001) < 1e-6 and abs(beyond(-1.8125, 10) - 0.95) < 1e-5
    assert holm({"a": 0.04, "b": 0.01, "c": 0.03}) == {"b": 0.03, "c": 0.06, "a": 0.06}
    lots = random.Random(2)
    made = {f"d{number:02}": (0.0, 0.02) for number in range(17)} | {"far": (0.1, 0.02), "near": (0.021, 0.02), "wild": (0.0, 0.5), "x, long keys": (1.0, 0.02)}
    spread = [lots.gauss(8, 1) for _ in range(100)]
    games = {table: {str(game): {"searches": 2, "log_nodes": 2 * (base + mean + lots.gauss(0, error))} for game, base in enumerate(spread)} for table, (mean, error) in made.items()}
    found, count = cell(games, nodes)
    named = classes(found, count)
    assert count == 100 and abs(found["far"][0] - 0.1) < 0.01 and "x, long keys" not in named
    assert [table for table, name in named.items() if name != "equivalent"] == ["far", "near", "wild"], named
    assert named["far"] == "differs" and named["near"] == named["wild"] == "undecided"
    print("ok")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif len(sys.argv) == 3 and sys.argv[1] == "gather":
        gather(sys.argv[2])
    elif len(sys.argv) == 3 and sys.argv[1] == "lot":
        print("\n".join(lot(read(sys.argv[2]))))
    elif len(sys.argv) == 3 and sys.argv[1] == "tables":
        tables(read(sys.argv[2]))
    else:
        sys.exit(__doc__)

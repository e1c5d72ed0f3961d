"""Which measure ranks tables as games do (README.md): rank.py gather FOLDER > units.csv; rank.py UNITS.csv[.gz] [DRAWS]

`gather` reads the results of the study's runs, FOLDER/NAME/results.csv for each NAME of RUNS, as far as they are there, and writes a line for each table and unit: a game of a
suite, or an opening. Of games only the openings that every table of the run has played are taken. From these lines alone come all figures: Elo, measures, rank correlations
(Spearman's, ties at their mean rank) with 95 % intervals by drawing games and openings anew (2,000 times, seeded), and what it takes to tell 20 Elo.
"""

import csv
import gzip
import math
import os
import random
import statistics
import sys
from collections import defaultdict
from operator import mul, sub

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "traces"))
from agreement import ranks

BASE = "never full"
CUT = 150  # centipawns, as in score-error.toml
POWER = 1.960 + 0.842  # of a two-sided test at 5 % that finds four of five
FIELDS = ["run", "table", "unit", "searches", "nodes", "log_nodes", "saved", "error", "points"]
TRIVIAL = "size and rule"
NEUTRAL = "nodes, shape neutral"
# Measure, its run (and that of the tables held out), and how it is made of a table's sums and those of the table that is never full: more is worse.
NODES = lambda table, base: (table["log_nodes"] - base["log_nodes"]) / table["searches"]
ERROR = lambda table, base: math.log(table["error"] / base["error"])
SHARE = lambda sums: sums["saved"] / (sums["saved"] + sums["nodes"])
WORTH = lambda table, base: SHARE(base) - SHARE(table)
MEASURES = {
    "nodes, shape table": ("nodes", NODES),
    NEUTRAL: ("nodes-neutral", NODES),
    "nodes, match": ("nodes-plain", NODES),
    "score error, 5,000 nodes": ("score-error-5k", ERROR),
    "score error, 20,000 nodes": ("score-error-20k", ERROR),
    "worth, shape table": ("nodes", WORTH),
}
GAMES = ["games", "games-held", "games-plain"]
held = lambda run: run.replace("nodes", "nodes-held", 1).replace("score-error", "score-error-held", 1)
RUNS = [name for run in dict.fromkeys(run for run, _ in MEASURES.values()) for name in (run, held(run))] + ["score-error-handicap"] + GAMES


def rows(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["error"]:
                sys.exit(f"{path}: a failed job: {row['error']}")
            yield row


def of_games(path):
    """Points of each table and opening: the openings that all of them played, colours swapped."""
    pairs, sums = defaultdict(list), defaultdict(lambda: defaultdict(float))
    for row in rows(path):
        place = row["variant"], row["position"]
        pairs[place].append(float(row["match.points"]))
        sums[place]["nodes"] += float(row["search.nodes"]) + float(row["match.opponent_nodes"])
    tables = list(dict.fromkeys(table for table, _ in pairs))
    for start in dict.fromkeys(start for _, start in pairs):
        if all(len(pairs.get((table, start), [])) == 2 for table in tables):
            for table in tables:
                yield table, start, {"points": sum(pairs[table, start]), **sums[table, start]}


def of_searches(path):
    """Sums over the searches of each table and game: nodes, their logarithms, what cutoffs saved, distances from the scores that were judged."""
    judged = os.path.join(os.path.dirname(path), "reference.csv")
    judged = {row["position"]: float(row["score"]) for row in csv.DictReader(open(judged, newline=""))} if os.path.exists(judged) else None
    nodes, sums, scores = defaultdict(float), defaultdict(lambda: defaultdict(float)), {}
    for row in rows(path):
        unit = row["variant"], row["game"]
        search = *unit, row["position"]
        nodes[search] += float(row["search.nodes"])
        sums[unit]["saved"] += float(row["search.saved"])
        scores[search] = float(row["score"]) if row["score"] else scores.get(search, 0.0)
    for (table, game, position), count in nodes.items():
        unit = sums[table, game]
        unit["searches"] += 1
        unit["nodes"] += count
        unit["log_nodes"] += math.log(count)
        if judged is not None:
            if position not in judged:
                return  # The judging is not finished: there is no mean yet.
            unit["error"] += min(abs(scores[table, game, position] - judged[position]), CUT)
    for (table, game), unit in sums.items():
        yield table, game, unit


def gather(folder):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(FIELDS)
    for run in RUNS:
        path = os.path.join(folder, run, "results.csv")
        if os.path.exists(path):
            for table, unit, sums in (of_games if run in GAMES else of_searches)(path):
                out.writerow([run, table, unit] + [f"{sums[field]:.10g}" if field in sums else "" for field in FIELDS[3:]])


def read(path):
    """Sums by run, table and unit."""
    found = defaultdict(lambda: defaultdict(dict))
    with (gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")) as file:
        for row in csv.DictReader(file):
            found[row["run"]][row["table"]][row["unit"]] = {field: float(row[field] or 0) for field in FIELDS[3:]}
    return found


def size(table):
    """Entries, of the table's name."""
    return int(next(word for word in table.replace(",", "").split() if word.isdigit()))


def trivial(table):
    return -(math.log2(size(table)) + (table.startswith(("scored", "depth-preferred"))))


def correlation(a, b):
    a, b = [x - statistics.fmean(a) for x in a], [y - statistics.fmean(b) for y in b]
    under = math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b)) / under if under else math.nan


def within(values, groups):
    """Ranks less the mean rank of their group."""
    found, mean = ranks(values), {}
    for group in set(groups):
        mean[group] = statistics.fmean(rank for rank, other in zip(found, groups) if other == group)
    return [rank - mean[group] for rank, group in zip(found, groups)]


def agreement(tables, strength, measure, by_size=False):
    """Rank correlation of less of the measure with more Elo."""
    a, b = [strength[table] for table in tables], [-measure[table] for table in tables]
    groups = [size(table) for table in tables]
    return correlation(within(a, groups), within(b, groups)) if by_size else correlation(ranks(a), ranks(b))


class Sums(dict):
    """Sums over weighted units, by field, each made when it is asked for."""

    def __init__(self, columns, weights):
        self.columns, self.weights = columns, weights

    def __missing__(self, field):
        self[field] = sum(map(mul, self.columns[field], self.weights))
        return self[field]


class Study:
    """The units of all runs, and figures of them as they are or drawn anew."""

    def __init__(self, units):
        self.names = {run: list(next(iter(tables.values()))) for run, tables in units.items() if tables}
        self.columns = {
            run: {table: {field: [each[unit][field] for unit in self.names[run]] for field in FIELDS[3:]} for table, each in units[run].items()}
            for run in self.names
        }
        self.handicaps = {name: float(name.rsplit("/", 1)[1]) for name in self.columns.get("games", {}) if name.startswith(BASE)}
        self.tables, self.held = ([table for table in self.columns.get(run, {}) if table != BASE] for run in ("nodes", held("nodes")))
        self.every = self.tables + self.held
        self.draws = {}

    def draw(self, anew=True):
        """How often each unit of each run counts: once, or as often as it is drawn. Runs of the same games or openings share what is drawn."""
        weights, shared = {}, {}
        for run, names in self.names.items():
            key = "\n".join(names)
            if key not in shared:
                times = [0 if anew else 1] * len(names)
                if anew:
                    # Each list of units has draws of its own, which do not change with the runs beside it.
                    draws = self.draws.setdefault(key, random.Random(key))
                    for place in draws.choices(range(len(names)), k=len(names)):
                        times[place] += 1
                shared[key] = times
            weights[run] = shared[key]
        return weights

    def strength(self, run, weights):
        """Elo of each player against the table that is never full."""
        found = {}
        for table, columns in self.columns.get(run, {}).items():
            score = sum(map(mul, columns["points"], weights[run])) / (2 * len(weights[run]))
            found[table] = -400 * math.log10(1 / min(max(score, 0.001), 0.999) - 1)
        return found

    def measures(self, weights):
        """Each measure of each table, more being worse."""
        found = defaultdict(dict)
        sums = lambda run, table: Sums(self.columns[run][table], weights[run])
        for name, (run, make) in MEASURES.items():
            for run in (run, held(run)):
                base = sums(run, BASE) if run in weights else None
                for table in self.columns.get(run, {}):
                    if table != BASE:
                        found[name][table] = make(sums(run, table), base)
        found[TRIVIAL] = {table: trivial(table) for table in self.every}
        return found

    def errors(self, run, weights):
        """Mean score error of each player, in centipawns."""
        mean = lambda columns: sum(map(mul, columns["error"], weights[run])) / sum(map(mul, columns["searches"], weights[run]))
        return {table: mean(columns) for table, columns in self.columns.get(run, {}).items()}

    def figures(self, weights):
        strength = {**self.strength("games", weights), **self.strength("games-held", weights)}
        return strength, self.strength("games-plain", weights), self.measures(weights), self.errors("score-error-handicap", weights)


def slope(pairs):
    """Of the line through the origin, and what is left beside it (standard deviation)."""
    steep = sum(x * y for x, y in pairs) / sum(x * x for x, _ in pairs)
    rest = math.sqrt(sum((y - steep * x) ** 2 for x, y in pairs) / max(len(pairs) - 1, 1))
    return steep, rest


def ends(values):
    values = sorted(value for value in values if not math.isnan(value))
    return (values[len(values) // 40], values[-(len(values) // 40) - 1]) if values else (math.nan, math.nan)


def line(*cells):
    print("| " + " | ".join(cells) + " |")


def heading(*cells):
    print()
    line(*cells)
    print("|" + "|".join("---:" if place else "---" for place in range(len(cells))) + "|")


def units_to_tell(study, name, steep):
    """How many games of the suite tell 20 Elo between two tables of one size, of which so much is a factor of e, and their million nodes: 80 % power, 5 %."""
    run, make = MEASURES[name]
    columns, spread, cost = study.columns[run], [], []
    each = lambda field, table: columns[table][field]
    for place, a in enumerate(study.tables):
        for b in study.tables[place + 1 :]:
            if size(a) == size(b) and a in columns and b in columns:
                if make is NODES:
                    apart = [(x - y) / searches for x, y, searches in zip(each("log_nodes", a), each("log_nodes", b), each("searches", a))]
                elif make is ERROR:
                    mean = statistics.fmean(each("error", BASE))
                    apart = [(x - y) / mean for x, y in zip(each("error", a), each("error", b))]
                else:
                    share = lambda table: [saved / (saved + nodes) for saved, nodes in zip(each("saved", table), each("nodes", table))]
                    apart = list(map(sub, share(a), share(b)))
                spread.append(statistics.variance(apart))
                cost.append(statistics.fmean(each("nodes", a)) + statistics.fmean(each("nodes", b)))
    count = POWER**2 * statistics.median(spread) / (20 / steep) ** 2
    return count, count * statistics.median(cost) / 1e6


def pairs_to_tell(study):
    """The same of games: pairs, and their million nodes."""
    players = [columns for table, columns in study.columns["games"].items() if table in study.tables]
    spread = statistics.median(statistics.variance(points / 2 for points in columns["points"]) for columns in players)
    count = POWER**2 * spread / (1 / (1 + 10 ** (-20 / 400)) - 0.5) ** 2
    return count, count * statistics.median(statistics.fmean(columns["nodes"]) for columns in players) / 1e6


def main(path, draws="2000"):
    study = Study(read(path))
    known = study.figures(study.draw(anew=False))
    drawn = [study.figures(study.draw()) for _ in range(int(draws))]
    strength, plain, measures, errors = known
    every, units = study.every, [name for name in MEASURES if name in measures]
    played = {table for table in every if table in strength}
    told = lambda by, form: f"{form(by(known))} [{', '.join(map(form, ends(map(by, drawn))))}]"
    whole, two, three = "{:+.0f}".format, "{:.2f}".format, "{:.3f}".format

    for run in GAMES:
        if run in study.names:
            print(f"{run}: {len(study.columns[run])} players, {len(study.names[run])} pairs each")
    heading("table", "Elo", *units)
    for table in every:
        cells = [told(lambda one: one[0][table], whole) if table in played else "-"]
        for name in units:
            make = MEASURES[name][1]
            value = (lambda one: -one[2][name][table]) if make is WORTH else (lambda one: math.exp(one[2][name][table]))
            cells.append(told(value, "{:+.3f}".format if make is WORTH else three) if table in measures[name] else "-")
        line(table + (" (held out)" if table in study.held else ""), *cells)

    of = lambda tables: [table for table in tables if table in played]
    groups = {"all": (of(every), False), "within size": (of(every), True), "not held out": (of(study.tables), False)}
    groups |= {"not held out, within size": (of(study.tables), True), "held out": (of(study.held), False)}
    sets = {f"{name} ({len(tables)})": (tables, by_size) for name, (tables, by_size) in groups.items()}
    heading("measure", *sets, "all, less size and rule", "within size, less size and rule")
    for name, values in measures.items():
        has = lambda tables: tables and all(table in values for table in tables)
        agrees = lambda tables, by_size: lambda one: agreement(tables, one[0], one[2][name], by_size)
        beats = lambda by_size: lambda one: agrees(of(every), by_size)(one) - agreement(of(every), one[0], one[2][TRIVIAL], by_size)
        cells = [told(agrees(*group), two) if has(group[0]) else "-" for group in sets.values()]
        line(name, *cells, *(told(beats(by_size), two) if has(of(every)) and name != TRIVIAL else "-" for by_size in (False, True)))

    # A fault that is planted stands in the name behind a comma.
    full = [table for table in of(every) if "keys" not in table]
    rules = [table for table in full if "," not in table]
    lots = random.Random("tables")
    heading("rank correlation with Elo", *(f"{name} ({len(group)}){tail}" for name, group in (("full keys", full), ("without planted faults", rules)) for tail in ("", ", within size")), "all, within size, tables drawn too", "without planted faults, within size, tables drawn too")
    for name, values in measures.items():
        if all(table in values for table in played):
            cells = [told(lambda one: agreement(group, one[0], one[2][name], by_size), two) for group in (full, rules) for by_size in (False, True)]
            for group in (of(every), rules):
                value = lambda one, tables: agreement(tables, one[0], one[2][name], True)
                anew = [value(one, lots.choices(group, k=len(group))) for one in drawn]
                cells.append(f"{value(known, group):.2f} [{', '.join(map(two, ends(anew)))}]")
            line(name, *cells)

    sizes = sorted({size(table) for table in rules})
    heading("Elo of a factor of e", "between rules at one size", "left beside it, Elo", *(f"all with full keys, {entries:,} entries" for entries in sizes))
    for name in units:
        if MEASURES[name][1] is NODES and all(table in measures[name] for table in full):
            less = lambda values: [x - statistics.fmean(y for y, other in zip(values, rules) if size(other) == size(table)) for x, table in zip(values, rules)]
            fit = lambda one: slope(list(zip(less([one[2][name][table] for table in rules]), less([-one[0][table] for table in rules]))))
            own = lambda entries: lambda one: slope([(one[2][name][table], -one[0][table]) for table in full if size(table) == entries])[0]
            line(name, told(lambda one: fit(one)[0], "{:.0f}".format), f"{fit(known)[1]:.0f}", *(told(own(entries), "{:.0f}".format) for entries in sizes))

    heading("rank correlation with neutral nodes", "all", "within size")
    for name in units:
        over = [table for table in every if table in measures[name]]
        if name != NEUTRAL and over:
            less = lambda one: {table: -value for table, value in one[2][NEUTRAL].items()}
            with_neutral = lambda by_size: lambda one: agreement(over, less(one), one[2][name], by_size)
            line(f"{name} ({len(over)} tables)", *(told(with_neutral(by_size), two) for by_size in (False, True)))

    pairs = [(a, b) for place, a in enumerate(of(every)) for b in of(every)[place + 1 :]]
    far = lambda a, b: abs(strength[a] - strength[b]) >= 20
    kinds = {
        "20 Elo and more apart": [(a, b) for a, b in pairs if far(a, b)],
        "of these, of one size": [(a, b) for a, b in pairs if far(a, b) and size(a) == size(b)],
        "nearer": [(a, b) for a, b in pairs if not far(a, b)],
    }
    heading("pairs in the order of Elo", *kinds)
    for name, values in measures.items():
        if pairs and all(table in values for table in played):
            right = lambda group: sum((strength[a] - strength[b]) * (values[b] - values[a]) > 0 for a, b in group)
            line(name, *(f"{right(group)} of {len(group)}" for group in kinds.values()))

    if study.handicaps:
        heading("player", "Elo")
        for name in study.handicaps:
            line(name, told(lambda one: one[0][name], whole))
        price = lambda one: slope([(math.log(part), -one[0][name]) for name, part in study.handicaps.items()])[0]
        line("Elo of a factor of e in nodes", told(price, "{:.0f}".format))

    if errors:
        heading("player", "score error, centipawns")
        for table in errors:
            line(table, told(lambda one: one[3][table], two))

    heading("to tell 20 Elo", "Elo of a factor of e", "left beside it, Elo", "units", "million nodes")
    for name in units:
        make = MEASURES[name][1]
        right = [table for table in of(every) if table in measures[name] and "keys" not in table]
        if right and make is not WORTH:
            fit = lambda one: slope([(one[2][name][table], -one[0][table]) for table in right])
            count, nodes = units_to_tell(study, name, fit(known)[0])
            line(name, told(lambda one: fit(one)[0], "{:.0f}".format), f"{fit(known)[1]:.0f}", f"{count:.0f} games' searches", f"{nodes:.1f}")
    if "games" in study.names:
        count, nodes = pairs_to_tell(study)
        line("games", "-", "-", f"{count:.0f} pairs", f"{nodes:.1f}")

    both = [table for table in plain if table in strength]
    if both:
        heading("table", "Elo, modern", "Elo, match")
        for table in both:
            line(table, told(lambda one: one[0][table], whole), told(lambda one: one[1][table], whole))
        by = lambda one: correlation(ranks([one[0][table] for table in both]), ranks([one[1][table] for table in both]))
        line("rank correlation", "", told(by, two))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "gather":
        gather(sys.argv[2])
    elif len(sys.argv) in (2, 3):
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)

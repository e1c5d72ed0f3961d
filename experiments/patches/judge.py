"""Do tests of patches come out as predicted? judge.py PREDICTIONS.csv OUTCOMES.csv, or judge.py --self-test

The rules were written before any outcome was read (README.md). OUTCOMES.csv has one line for each line of PREDICTIONS.csv: position, repo, ref, elo and error (as published, half of a 95 %
interval), low and high (the bounds of the sequential test). What was not published is empty; without elo a test is left out and counted. A line too many, too few, twice, or of another patch
ends with 2 and is named. Patches that were known before the coding, and those read by their description alone, are judged apart. Unit: the patch, by its first test. Intervals of 95 %: engines
drawn anew.
"""

import csv
import io
import math
import os
import random
import statistics
import sys
from collections import defaultdict

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "traces"))
from agreement import ranks

LEVEL = 0.025  # one-sided
PERMUTATIONS, DRAWS, SIMULATIONS = 10_000, 2_000, 500
APART = 4  # times the pressure
CALLED = 5  # Elo
USUAL_ERROR = 3  # Elo, where none is published
OUTCOME = ["position", "repo", "ref", "elo", "error", "low", "high"]


class Refused(Exception):
    pass


def read(path, file, columns):
    reader = csv.DictReader(file)
    missing = [name for name in columns if name not in (reader.fieldnames or [])]
    if missing:
        raise Refused(f"{path}, line 1: no column {', '.join(missing)}: found {', '.join(reader.fieldnames or []) or 'nothing'}; expected {', '.join(columns)}")
    for row in reader:
        yield reader.line_num, row


def number(path, line, row, name):
    text = (row[name] or "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or name == "error" and value <= 0:
        raise Refused(f"{path}, line {line}, column {name}: found `{text}`, expected {'a number above 0' if name == 'error' else 'a number'} or nothing")
    return value


def join(predictions, outcomes, names=("predictions", "outcomes")):
    """Each test with what was predicted and what came out."""
    tests, faults = {}, []
    for line, row in read(names[0], predictions, "position repo ref class test_kind hash seen seen_by readable first pressure call elo".split()):
        if row["position"] in tests:
            raise Refused(f"{names[0]}, line {line}: position {row['position']} again")
        row["predicted"] = number(names[0], line, row, "elo")
        row["pressure"] = number(names[0], line, row, "pressure")
        if row["pressure"] is None or (row["predicted"] is None) != (row["call"] == "not seen"):
            raise Refused(f"{names[0]}, line {line}: expected a pressure, and an elo unless the call is `not seen`")
        tests[row["position"]] = row
    found = {}
    for line, row in read(names[1], outcomes, OUTCOME):
        position, patch = row["position"], f"{row['repo']} {row['ref']}"
        if position not in tests:
            faults.append(f"{names[1]}, line {line}: position {position} ({patch}) has no prediction: remove the line")
        elif position in found:
            faults.append(f"{names[1]}, line {line}: position {position} ({patch}) was on line {found[position]} already: leave one of them")
        elif patch != (expected := f"{tests[position]['repo']} {tests[position]['ref']}"):
            faults.append(f"{names[1]}, line {line}: position {position} is `{patch}`, expected `{expected}`")
        else:
            test = tests[position]
            test["published"], test["error"], test["low"], test["high"] = (number(names[1], line, row, name) for name in OUTCOME[3:])
            if test["low"] is not None and test["high"] is not None and test["low"] >= test["high"]:
                faults.append(f"{names[1]}, line {line}: the bounds are [{row['low']}, {row['high']}], expected low below high")
        found.setdefault(position, line)
    faults += [f"{names[1]}: no line of position {position} ({test['repo']} {test['ref']}): add one, with an empty elo if none was published" for position, test in tests.items() if position not in found]
    if faults:
        raise Refused("\n".join(faults))
    return list(tests.values())


def correlation(a, b):
    """Spearman's, with ties at their mean rank; 0 if either side is constant, as nothing is put in order."""
    a, b = ranks(a), ranks(b)
    a, b = [x - statistics.fmean(a) for x in a], [y - statistics.fmean(b) for y in b]
    under = math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b)) / under if under else 0.0


def strata(units):
    """Engine and kind of test where two or more are there, else the bounds; what is alone then is left out."""
    def grouped(some, key):
        groups = defaultdict(list)
        for unit in some:
            groups[key(unit)].append(unit)
        return groups.values()

    by_engine = list(grouped(units, lambda unit: (unit["repo"], unit["test_kind"])))
    rest = grouped([group[0] for group in by_engine if len(group) == 1], lambda unit: (unit["low"], unit["high"]))
    return [group for group in [*by_engine, *rest] if len(group) > 1]


def mean_correlation(groups, a, b):
    """Over strata, each weighted by its number of patches less one."""
    total = sum((len(group) - 1) * correlation([a(unit) for unit in group], [b(unit) for unit in group]) for group in groups)
    return total / sum(len(group) - 1 for group in groups)


def drawn(units, statistic, generator):
    """The interval of a statistic of units whose engines are drawn anew. An engine that is drawn twice counts as two."""
    engines = defaultdict(list)
    for unit in units:
        engines[unit["repo"]].append(unit)
    values = []
    for _ in range(DRAWS):
        picked = enumerate(generator.choices(list(engines), k=len(engines)))
        value = statistic([{**unit, "repo": f"{engine} {place}"} for place, engine in picked for unit in engines[engine]])
        if value is not None:
            values.append(value)
    values.sort()
    return (values[len(values) // 40], values[-(len(values) // 40) - 1]) if values else (math.nan, math.nan)


def within(units, of):
    groups = strata(units)
    return mean_correlation(groups, of, lambda unit: unit["published"]) if groups else None


predicted, published = (lambda unit: unit["predicted"]), (lambda unit: unit["published"])


def judge_order(units, generator):
    units = [unit for unit in units if unit["call"] == "seen"]
    groups = strata(units)
    used = [unit for group in groups for unit in group]
    if not groups:
        return {"n": 0}
    found = mean_correlation(groups, predicted, published)
    hits = 0
    for _ in range(PERMUTATIONS):
        shuffled = {}
        for group in groups:
            shuffled.update(zip((unit["position"] for unit in group), generator.sample([unit["predicted"] for unit in group], len(group))))
        hits += mean_correlation(groups, lambda unit: shuffled[unit["position"]], published) >= found - 1e-12
    # A perfect predictor knows the true Elo, which the published ones scatter about: they are drawn together until their spread is that of the true ones.
    errors = {unit["position"]: (unit["error"] or 1.96 * USUAL_ERROR) / 1.96 for unit in used}
    spread = statistics.pvariance([published(unit) for unit in used])
    shrink = math.sqrt(max(0.0, 1 - statistics.fmean(error**2 for error in errors.values()) / spread)) if spread else 0.0
    mean = statistics.fmean(map(published, used))
    truth = lambda unit: mean + shrink * (unit["published"] - mean)
    perfect = []
    for _ in range(SIMULATIONS):
        seen = {unit["position"]: generator.gauss(truth(unit), errors[unit["position"]]) for unit in used}
        perfect.append(mean_correlation(groups, truth, lambda unit: seen[unit["position"]]))
    return {
        "n": len(used), "strata": len(groups), "alone": len(units) - len(used), "rho": found, "interval": drawn(units, lambda some: within(some, predicted), generator),
        "p": (1 + hits) / (1 + PERMUTATIONS), "perfect": statistics.fmean(perfect),
    }


def far_apart(tests):
    """Of each patch the two tests at the least and the greatest pressure, if those are far enough apart, as (engine, predicted and published difference)."""
    patches, pairs = defaultdict(list), []
    for test in tests:
        if test["call"] == "seen":
            patches[test["repo"], test["ref"]].append(test)
    for (repo, _), some in patches.items():
        low, high = min(some, key=lambda test: test["pressure"]), max(some, key=lambda test: test["pressure"])
        if high["pressure"] >= APART * low["pressure"]:
            pairs.append({"repo": repo, "predicted": high["predicted"] - low["predicted"], "published": high["published"] - low["published"]})
    return pairs


def slope(pairs):
    under = sum(pair["predicted"] ** 2 for pair in pairs)
    return sum(pair["predicted"] * pair["published"] for pair in pairs) / under if under else None


def judge_pressure(tests, generator):
    pairs = far_apart(tests)
    signs = [pair["predicted"] * pair["published"] > 0 for pair in pairs if pair["predicted"] and pair["published"]]
    p = sum(math.comb(len(signs), k) for k in range(sum(signs), len(signs) + 1)) / 2 ** len(signs)
    return {"n": len(signs), "equal": len(pairs) - len(signs), "agree": sum(signs), "p": p, "slope": slope(pairs), "interval": drawn(pairs, slope, generator) if pairs else (math.nan, math.nan)}


def auc(units):
    """How often a patch that is called above 5 Elo has the larger |Elo| / width of bounds than one that is not seen."""
    size = lambda unit: abs(unit["published"]) / (unit["high"] - unit["low"])
    units = [unit for unit in units if unit["low"] is not None and unit["high"] is not None]
    called = [size(unit) for unit in units if unit["call"] == "seen" and abs(unit["predicted"]) > CALLED]
    unseen = [size(unit) for unit in units if unit["call"] == "not seen"]
    if not called or not unseen:
        return None
    return sum((a > b) + (a == b) / 2 for a in called for b in unseen) / (len(called) * len(unseen))


def trivial(units):
    """Rank correlations with published Elo of predictors that know nothing of the rule: within strata and over all."""
    engines = defaultdict(list)
    for unit in units:
        engines[unit["repo"]].append(unit)
    others = lambda unit: statistics.fmean(other["published"] for other in engines[unit["repo"]] if other is not unit)
    shared = [unit for unit in units if len(engines[unit["repo"]]) > 1]
    over_all = lambda some, of: correlation([of(unit) for unit in some], [unit["published"] for unit in some]) if len(some) > 1 else None
    bucket = lambda unit: float("bucket" in unit["class"])
    small = lambda unit: -math.log(float(unit["hash"].removesuffix("MB")))
    return {
        "a bucket": (within(units, bucket), over_all(units, bucket)),
        "a small hash": (within(units, small), over_all(units, small)),
        # Within an engine the mean of the others falls as the patch itself rises.
        "the engine's other patches": (None, over_all(shared, others)),
    }


def judge(tests, seed=1):
    generator = random.Random(seed)
    told = [test for test in tests if test["published"] is not None]
    first = [test for test in told if test["first"] == "true"]
    losses = []
    for group in strata([unit for unit in first if unit["call"] == "seen"]):
        for unit, rank in zip(group, ranks([unit["predicted"] for unit in group])):
            if unit["published"] < 0:
                losses.append((unit, rank + 1, len(group)))
    return {
        "tests": len(tests), "silent": len(tests) - len(told), "units": len(first), "order": judge_order(first, generator), "pressure": judge_pressure(told, generator),
        "auc": auc(first), "auc_interval": drawn(first, auc, generator), "losses": losses, "trivial": trivial(first),
    }


def shown(value, form=".2f"):
    return "none" if value is None or math.isnan(value) else format(value, form)


def interval(ends):
    return f"[{shown(ends[0])}, {shown(ends[1])}]"


def report(title, result):
    order, pressure = result["order"], result["pressure"]
    print(f"## {title}\n\n{result['units']} patches, {result['tests']} tests, {result['silent']} of them without a published Elo.\n")
    if order["n"]:
        verdict = "holds" if order["p"] <= LEVEL else "not shown"
        print(f"(a) Order: {verdict}. Mean rank correlation {shown(order['rho'])} {interval(order['interval'])}, p = {order['p']:.4f}, {order['n']} patches in {order['strata']} strata", end="")
        print(f" ({order['alone']} alone); a perfect predictor: {shown(order['perfect'])}.")
    else:
        print("(a) Order: no stratum of two patches that are seen.")
    if pressure["n"]:
        verdict = "holds" if pressure["p"] <= LEVEL else "not shown"
        print(f"(b) Pressure: {verdict}. {pressure['agree']} of {pressure['n']} signs agree, p = {pressure['p']:.4f}; slope {shown(pressure['slope'])} {interval(pressure['interval'])}.")
    else:
        print(f"(b) Pressure: no patch with tests at pressures {APART}-fold apart.")
    if result["auc"] is None:
        print("(c) Seen or not: no two patches to compare.")
    else:
        verdict = "holds" if result["auc_interval"][0] > 0.5 else "not shown"
        print(f"(c) Seen or not: {verdict}. AUC {shown(result['auc'])} {interval(result['auc_interval'])}.")
    places = [f"{unit['repo']} {unit['ref']} ({unit['published']:+.1f}): {rank:g} of {of} from below" for unit, rank, of in result["losses"]]
    print(f"(d) Losses, by their predicted rank in the stratum: {'; '.join(places) or 'none'}.\n")
    print("| trivial predictor | within strata | over all |\n|---|---:|---:|")
    for name, values in result["trivial"].items():
        print(f"| {name} | {' | '.join(map(shown, values))} |")
    print()


def main(paths):
    with open(paths[0], newline="") as predictions, open(paths[1], newline="") as outcomes:
        tests = join(predictions, outcomes, paths)
    for title, chosen in {
        "Not known before, read by the diff: this decides": lambda test: test["seen"] == "false" and test["readable"] == "diff",
        "Of these, the patches that no notes on their engines show either": lambda test: test["seen"] == "false" and not test["seen_by"] and test["readable"] == "diff",
        "Known before the coding": lambda test: test["seen"] == "true" and test["readable"] == "diff",
        "Read by the description alone": lambda test: test["readable"] != "diff",
    }.items():
        some = [test for test in tests if chosen(test)]
        if some:
            report(title, judge(some))


def self_test():
    """Made-up outcomes with known answers."""
    generator = random.Random(7)
    lines = []
    for place in range(60):
        elo = generator.gauss(4, 5)
        call = "not seen" if place % 4 == 3 else "seen"
        # Each patch has a second test at eight times the pressure, where it is worth twice as much.
        for second in (0, 1):
            lines.append({
                "position": str(2 * place + second + 1), "repo": f"engine/{place // 4 % 12}", "ref": f"#{place}", "class": "age", "test_kind": "gain", "hash": "16MB", "seen": "false", "seen_by": "",
                "readable": "diff", "first": "false" if second else "true", "pressure": str(8 if second else 1), "call": call, "elo": "" if call == "not seen" else f"{elo * (1 + second):.3f}",
            })

    def text(rows):
        out = io.StringIO()
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()

    def outcomes(elo, rows=lines):
        return [{"position": row["position"], "repo": row["repo"], "ref": row["ref"], "elo": f"{elo(row):.3f}", "error": "5.88", "low": "0", "high": "3"} for row in rows]

    def verdict(rows, predictions=lines):
        return judge(join(io.StringIO(text(predictions)), io.StringIO(text(rows))))

    def check(what, holds, found):
        if not holds:
            sys.exit(f"self-test: {what}: found {found}")

    true = lambda row: float(row["elo"] or 0)
    perfect = verdict(outcomes(true))
    check("perfect predictions put all in order", math.isclose(perfect["order"]["rho"], 1) and perfect["order"]["p"] <= 1e-3, perfect["order"])
    check("all signs agree, with a slope of 1", perfect["pressure"]["agree"] == perfect["pressure"]["n"] == 45 and math.isclose(perfect["pressure"]["slope"], 1), perfect["pressure"])
    check("unseen patches without effect are told from called ones", perfect["auc"] == 1 and perfect["auc_interval"][0] > 0.5, perfect["auc"])
    losses = [unit for unit, *_ in perfect["losses"]]
    check("losses are named", len(losses) == sum(row["first"] == "true" and true(row) < 0 for row in lines) > 0, len(losses))

    constant = verdict(outcomes(true), [{**row, "elo": row["elo"] and "3"} for row in lines])
    check("a constant prediction orders nothing", constant["order"]["rho"] == 0 and constant["order"]["p"] == 1, constant["order"])
    check("and has no difference by pressure", constant["pressure"]["n"] == 0 and constant["pressure"]["slope"] is None, constant["pressure"])
    check("and calls nothing above 5 Elo", constant["auc"] is None, constant["auc"])

    noisy = verdict(outcomes(lambda row: true(row) + generator.gauss(0, 3)))
    order = noisy["order"]
    check("with a noise of 3 Elo the order holds", order["p"] <= LEVEL and 0.4 < order["rho"] < 0.85 and order["interval"][0] < order["rho"] < order["interval"][1], order)
    check("and is what a perfect predictor gets", abs(order["rho"] - order["perfect"]) < 0.15, order)
    check("and the slope is near 1", noisy["pressure"]["interval"][0] < 1 < noisy["pressure"]["interval"][1], noisy["pressure"])

    reverse = verdict(outcomes(lambda row: -true(row)))
    check("the reverse order is no order", math.isclose(reverse["order"]["rho"], -1) and reverse["order"]["p"] > 0.99 and reverse["pressure"]["p"] == 1, reverse["order"])
    blind = [verdict(outcomes(lambda row: generator.gauss(0, 3)))["order"]["p"] <= LEVEL for _ in range(8)]
    check("noise alone seldom holds", sum(blind) <= 1, blind)

    right = outcomes(true)
    for what, rows, message in [
        ("another ref", [{**right[0], "ref": "#999"}] + right[1:], "line 2: position 1 is `engine/0 #999`, expected `engine/0 #0`"),
        ("another position", right + [{**right[0], "position": "999"}], "position 999 (engine/0 #0) has no prediction"),
        ("a doubled line", right + [right[4]], "line 122: position 5 (engine/0 #2) was on line 6 already"),
        ("a missing line", right[1:], "no line of position 1 (engine/0 #0)"),
        ("no number", [{**right[0], "elo": "2.5 Elo"}] + right[1:], "line 2, column elo: found `2.5 Elo`"),
        ("bounds the wrong way round", [{**right[0], "low": "5"}] + right[1:], "line 2: the bounds are [5, 3]"),
        ("no column", [{"position": "1"}], "no column repo, ref, elo, error, low, high"),
    ]:
        try:
            verdict(rows)
            check(f"{what} is refused", False, "no error")
        except Refused as refused:
            check(f"{what} is named", message in str(refused), refused)
    print("self-test: all answers are as known")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        PERMUTATIONS, DRAWS, SIMULATIONS = 1_000, 200, 100
        self_test()
    elif len(sys.argv) == 3:
        try:
            main(sys.argv[1:])
        except (OSError, Refused) as error:
            print(error, file=sys.stderr)
            sys.exit(2)
    else:
        sys.exit(__doc__)

#!/usr/bin/env bash
# libcachesim 0.3.5.
# Guess: Belady, the optimal policy, never misses more than LRU; or it refuses a trace without the next accesses.
# Is: on a CSV trace it misses more than random replacement, twice as often as LRU, without a message: the reader gives
# every request the next access -2, also if next_access_vtime_field names the column. From the binary format
# oracleGeneral the same requests give the optimum.
# Who meets it: whoever takes the optimum as the yardstick for policies of a transposition table or cache, from CSV or
# text traces: every policy seems better than optimal.
set -euo pipefail
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 -m venv "$t/v"
"$t/v/bin/pip" install -q --disable-pip-version-check libcachesim==0.3.5
"$t/v/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE "^(libcachesim) " || true
cd "$t"
"$t/v/bin/python" - <<'EOF'
bad = 0
def check(what, got, want):
    global bad
    bad += got != want
    print(f"{what}: {got!r}" + ("" if got == want else f"   CHANGED, was {want!r}"))
import random, struct
import libcachesim as sim
random.seed(3)
keys, recent = [], []
for _ in range(20000):  # a stream with locality: mostly a recent key again
    if recent and random.random() < 0.7:
        key = recent[-1 - min(int(random.expovariate(1 / 30)), len(recent) - 1)]
        recent.remove(key)
    else:
        key = 10**6 + len(keys)
    recent = (recent + [key])[-2000:]
    keys.append(key)
after, seen = [0] * len(keys), {}
for i in reversed(range(len(keys))):
    after[i] = seen.get(keys[i], -1)
    seen[keys[i]] = i
with open("t.csv", "w") as f:
    f.write("time,key,size,next\n")
    f.writelines(f"{i},{k},1,{n}\n" for i, (k, n) in enumerate(zip(keys, after)))
with open("t.bin", "wb") as f:
    f.writelines(struct.pack("<IQIq", i, k, 1, n) for i, (k, n) in enumerate(zip(keys, after)))
def csv():
    p = sim.ReaderInitParam()
    p.has_header, p.delimiter, p.obj_id_is_num = True, ",", True
    p.time_field, p.obj_id_field, p.obj_size_field, p.next_access_vtime_field = 1, 2, 3, 4
    return sim.TraceReader("t.csv", sim.TraceType.CSV_TRACE, p)
def binary():
    return sim.TraceReader("t.bin", sim.TraceType.ORACLE_GENERAL_TRACE, sim.ReaderInitParam())
def misses(policy, reader):
    return round(policy(cache_size=50).process_trace(reader)[0], 2)
cache, best = {}, 0
for k, n in zip(keys, after):  # the optimum, by hand
    if k not in cache:
        best += 1
        if len(cache) == 50:
            del cache[max(cache, key=cache.get)]
    cache[k] = n if n >= 0 else 1 << 60
check("optimum", round(best / len(keys), 2), 0.3)
check("Belady, oracleGeneral", misses(sim.Belady, binary()), 0.3)
check("LRU, CSV", misses(sim.LRU, csv()), 0.43)
check("Random, CSV", round(misses(sim.Random, csv()), 1), 0.5)
check("Belady, CSV", misses(sim.Belady, csv()), 0.94)
check("next access of the first request, CSV", csv().read_one_req().next_access_vtime, -2)
raise SystemExit(bad > 0)
EOF

#!/bin/sh
# One shard: 12345 jobs in 100 shards. One with failed jobs ends with 3, upon which DAGMan would take all others out of the
# queue: the merge tells of it instead.
set -eu
code=0
/opt/ttlab/bin/ttlab run --plan /data/plans/plan.json --shard "$1" --out /data/reports/replacement --jobs 2 --quiet & run=$!
trap 'kill -TERM $run' TERM
wait "$run" || code=$?
# A signal ends the waiting, not the shard.
while kill -0 "$run" 2>/dev/null; do
    code=0
    wait "$run" || code=$?
done
[ "$code" -ne 3 ] || code=0
exit "$code"

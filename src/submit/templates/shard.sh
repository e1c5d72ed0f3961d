#!/bin/sh
# One shard: @JOBS@ jobs in @SHARDS@ shards. One with failed jobs ends with 3, upon which DAGMan would take all others out of the
# queue: the merge reports it instead.
set -eu
code=0
@TTLAB@ run --plan @PLAN@ --shard "$1" --out @OUT@ --jobs @CPUS@ --quiet & run=$!
trap 'kill -TERM $run' TERM
wait "$run" || code=$?
# A signal ends the waiting, not the shard.
while kill -0 "$run" 2>/dev/null; do
    code=0
    wait "$run" || code=$?
done
[ "$code" -ne 3 ] || code=0
exit "$code"

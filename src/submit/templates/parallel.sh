#!/bin/sh
# All @SHARDS@ shards on this machine by GNU parallel, then the merge. Run again, it runs what had failed or was stopped.
set -eu
seq 0 @LAST@ | parallel -q --jobs @AT_ONCE@ --joblog @LOGS@/joblog --resume-failed --termseq TERM,60000,KILL,25 \
    @TTLAB@ run --plan @PLAN@ --shard {} --out @OUT@ --jobs @CPUS@ --quiet
exec @TTLAB@ merge @PLAN@ --out @OUT@

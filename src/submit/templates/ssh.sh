#!/bin/sh
# All @SHARDS@ shards on other machines by GNU parallel over ssh, then the merge here. Run again, it runs shards that lack
# jobs, on any of the machines: the rows of a shard go there and come back. Each needs rsync and this machine's processor
# and system; program, plan and suites are copied to the folder ttlab-@PLAN_ID@ of its user.
set -eu
# Commands are for sh, whatever the users' shells are. Without this and without SHELL there, GNU parallel runs nothing and
# reports success.
export PARALLEL_SHELL=/bin/sh
list() { @TTLAB@ plan --missing @PLAN@ --out @OUT@; }
# Called again to say what is wrong.
missing=$(list 2>/dev/null) || [ $? -eq 3 ] || list
cd @OUT@
echo "$missing" | tr ',' '\n' | while IFS=- read -r first last; do
    [ -z "$first" ] || seq "$first" "${last:-$first}"
done | while read -r shard; do mkdir -p "shards/$shard" && echo "$shard"; done |
    parallel --sshlogin @HOSTS@ --jobs @AT_ONCE@ --joblog @FOLDER@/joblog --workdir ttlab-@PLAN_ID@ \
        --basefile @TTLAB_FOLDER@./@TTLAB_NAME@@BASEFILES@ --transferfile shards/{} --return shards/{} \
        'exec ./@TTLAB_NAME@ run --plan @PLAN_NAME@ --shard {} --out . --jobs @CPUS@ --quiet' ||
    echo "some shards failed; the merge lists them" >&2
exec @TTLAB@ merge @PLAN@ --out @OUT@

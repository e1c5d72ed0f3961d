#!/bin/sh
# Submits the shards to an AWS Batch queue, and the merge to follow them. The plan and the results lie on a file system that the
# job definition mounts (set its fileSystemId first), the plan as @PLAN_PLAIN@.
set -eu
queue=${1:?"usage: sh submit.sh QUEUE"}
shards=@SHARDS@ first=0
aws batch register-job-definition --cli-input-json file://@FOLDER@/definition.json
set --
# An array has 2 to 10000 children: more shards take several.
while [ "$first" -lt "$shards" ]; do
    size=$((shards - first))
    [ "$size" -le 10000 ] || size=10000
    # An array of one is refused there.
    array=
    [ "$size" -eq 1 ] || array="--array-properties size=$size"
    # shellcheck disable=SC2086 # Two words, or none.
    job=$(aws batch submit-job --job-name @LABEL@-"$first" --job-queue "$queue" --job-definition @LABEL@ $array \
        --container-overrides '{"environment":[{"name":"TTLAB_FIRST","value":"'"$first"'"}]}' --query jobId --output text)
    set -- "$@" jobId="$job"
    first=$((first + size))
done
merge=$(aws batch submit-job --job-name @LABEL@-merge --job-queue "$queue" --job-definition @LABEL@ \
    --depends-on "$@" --container-overrides @AWS_MERGE@ --query jobId --output text)
echo "shards $*, merge $merge"

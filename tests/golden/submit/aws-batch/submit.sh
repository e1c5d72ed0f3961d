#!/bin/sh
# Submits the shards to an AWS Batch queue, and the merge to follow them. The plan and the results lie on a file system that the
# job definition mounts (set its fileSystemId first), the plan as /data/plans/plan.json.
set -eu
queue=${1:?"usage: sh submit.sh QUEUE"}
shards=100 first=0
aws batch register-job-definition --cli-input-json file:///data/reports/replacement/submit/definition.json
set --
# An array has 2 to 10000 children: more shards take several.
while [ "$first" -lt "$shards" ]; do
    size=$((shards - first))
    [ "$size" -le 10000 ] || size=10000
    # An array of one is refused there.
    array=
    [ "$size" -eq 1 ] || array="--array-properties size=$size"
    # shellcheck disable=SC2086 # Two words, or none.
    job=$(aws batch submit-job --job-name ttlab-replacement-by-size-"$first" --job-queue "$queue" --job-definition ttlab-replacement-by-size $array \
        --container-overrides '{"environment":[{"name":"TTLAB_FIRST","value":"'"$first"'"}]}' --query jobId --output text)
    set -- "$@" jobId="$job"
    first=$((first + size))
done
merge=$(aws batch submit-job --job-name ttlab-replacement-by-size-merge --job-queue "$queue" --job-definition ttlab-replacement-by-size \
    --depends-on "$@" --container-overrides '{"command":["/opt/ttlab/bin/ttlab","merge","/data/plans/plan.json","--out","/data/reports/replacement"]}' --query jobId --output text)
echo "shards $*, merge $merge"

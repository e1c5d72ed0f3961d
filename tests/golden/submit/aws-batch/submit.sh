#!/bin/sh
# Submits the shards to an AWS Batch queue, and the merge to follow them. The plan and the results lie on a file system that the
# job definition mounts (set its fileSystemId first), the plan as /data/plans/plan.json.
set -eu
queue=${1:?"usage: sh submit.sh QUEUE"}
aws batch register-job-definition --cli-input-json file:///data/reports/replacement/submit/definition.json
shards=$(aws batch submit-job --job-name ttlab-replacement-by-size --job-queue "$queue" --job-definition ttlab-replacement-by-size --array-properties size=100 \
    --query jobId --output text)
merge=$(aws batch submit-job --job-name ttlab-replacement-by-size-merge --job-queue "$queue" --job-definition ttlab-replacement-by-size \
    --depends-on jobId="$shards" --container-overrides '{"command":["/opt/ttlab/bin/ttlab","merge","/data/plans/plan.json","--out","/data/reports/replacement"]}' --query jobId --output text)
echo "shards $shards, merge $merge"

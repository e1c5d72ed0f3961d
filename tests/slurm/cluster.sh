#!/bin/sh
# A cluster of two nodes on this machine, for tests: cluster.sh up FOLDER PORT, cluster.sh down FOLDER.
# Everything lies in the folder and belongs to who calls; no service of the system is touched. Ends with 77 where Slurm or
# munge is not installed (Debian: slurm-wlm, munge).
set -eu
what=${1:?up or down}
dir=${2:?a folder}
PATH=$PATH:/usr/sbin:/sbin
export SLURM_CONF="$dir/slurm.conf"

down() {
    # Only what was begun here, by its own number; the daemons before the key keeper.
    for name in slurmctld slurmd.n1 slurmd.n2 munged; do
        [ -s "$dir/$name.pid" ] || continue
        pid=$(cat "$dir/$name.pid")
        kill "$pid" 2>/dev/null || true
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null || true
        rm -f "$dir/$name.pid"
    done
}

if [ "$what" = down ]; then
    down
    exit 0
fi
port=${3:?a port}
for tool in munged slurmctld slurmd sbatch squeue; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 77; }
done
umask 022
mkdir -p "$dir/state" "$dir/spool.n1" "$dir/spool.n2"
user=$(id -un)
cat >"$dir/slurm.conf" <<CONF
ClusterName=ttlab
SlurmctldHost=$(hostname -s 2>/dev/null || hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge.sock
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MailProg=/bin/true
ReturnToService=2
KillWait=10
MinJobAge=300
NodeName=n1 NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=4096 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=4096 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES OverSubscribe=NO MaxTime=INFINITE State=UP
CONF
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 600 "$dir/munge.key"
munged --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" --pid-file="$dir/munged.pid" \
    --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" >"$dir/munged.out" 2>&1
slurmctld -c -f "$SLURM_CONF" >"$dir/slurmctld.out" 2>&1
slurmd -c -N n1 -f "$SLURM_CONF" >"$dir/slurmd.out" 2>&1
slurmd -c -N n2 -f "$SLURM_CONF" >>"$dir/slurmd.out" 2>&1
for _ in $(seq 100); do
    [ "$(sinfo --noheader --states=idle --Node --format=%N 2>/dev/null | sort -u | wc -l)" = 2 ] && exit 0
    sleep 0.1
done
echo "the cluster did not come up; see $dir/*.log" >&2
sinfo --Node --long >&2 || true
down
exit 1

#!/bin/sh
# An engine of a few lines for the tests: it counts nodes by a rule that the tests know, and can do everything wrong.
#
#   scripted.sh [FAULT [FILE]]
#
# Nodes of a search: 1000 * depth (or the nodes asked for), and Hash on top. Its move is the first of the list below that fits
# the side to move at the start position; elsewhere what the environment variable MOVE says.
# What `deepens` (and `slow`, after a while) tells of each depth: a move that was the best for a while, its own, a second variation, its nodes at the end (1000 * depth),
# a glance at the next depth, and a bound there.
# With FILE, the fault happens once: the file marks that it has. With the environment variable AT, only at positions with that text.
fault=$1
mark=$2
hash=16
searches=0

# Whether the fault named happens now.
now() {
    [ "$fault" = "$1" ] || return 1
    if [ -n "$AT" ]; then
        case $position in *"$AT"*) ;; *) return 1 ;; esac
    fi
    [ -z "$mark" ] && return 0
    [ -e "$mark" ] && return 1
    : > "$mark"
}

# White space before, between and behind words means nothing.
if [ "$fault" = blanks ]; then
    "$0" | sed -u 's/ /  \t/g; s/^/ \t/; s/$/ /'
    exit
fi

now dead && { echo "cannot find my net" >&2; exit 3; }
now mute && { while :; do sleep 1; done; }
now child && { sleep 1000 & }
now stray && { setsid sleep 1000 & }
[ -n "$TALK" ] && echo "Scripted engine, built for tests"
while read -r line; do
    case $line in
    uci)
        if [ "$fault" = crlf ]; then printf 'id name Scripted 1\r\n'; else echo "id name Scripted 1"; fi
        echo "id author Tests"
        threads=1 most=1024
        [ "$fault" = cores ] && threads=2
        [ "$fault" = huge ] && most=33554432
        echo "option name Threads type spin default $threads min 1 max 4"
        echo "option name Hash type spin default 16 min 1 max $most"
        echo "option name OwnBook type check default true"
        echo "option name Style type combo default Solid var Solid var Very Risky"
        echo "option name Clear Hash type button"
        case $fault in linked*) echo "option name ttlab type string default <empty>" ;; esac
        echo "uciok"
        ;;
    "setoption name Hash value "*)
        now refuse && echo "No such option: Hash"
        now choke && exit 9
        hash=${line##* }
        [ "$fault" = huge ] && [ "$hash" -gt 1024 ] && exit 9
        if [ "$fault" = rounds ]; then size=1; while [ $((2 * size)) -le "$hash" ]; do size=$((2 * size)); done; hash=$size; fi
        ;;
    "setoption name ttlab value "*)
        table=${line#* value }
        case $table in *"slots = 9"*) echo "info string ttlab refused: table.slots: 9 is out of range: expected 1 to 8" ;; esac
        ;;
    "setoption name Style value "*) style=${line##* } ;;
    setoption*) [ -n "$LOG" ] && echo "$line" >> "$LOG" ;;
    isready)
        [ -n "$READY_LINES" ] && yes chatter | head -n "$READY_LINES"
        case $fault in
        crlf) printf 'readyok\r\n' ;;
        *) echo "readyok" ;;
        esac
        ;;
    ucinewgame) searches=0 ;;
    "position "*) position=$line ;;
    "go "*)
        searches=$((searches + 1))
        limit=${line##* }
        case $line in
        *depth*) depth=$limit nodes=$((1000 * limit + hash)) ;;
        *) depth=7 nodes=$limit ;;
        esac
        now crash && kill -SEGV $$
        now exit && exit 3
        now closed && { exec >&- 2>&-; exec sleep 1000; }
        now silence && { read -r line; [ "$line" = stop ] && read -r line; exit 0; }
        now deaf && { trap '' TERM INT HUP; exec sleep 1000; }
        now endless && { while read -r line; do [ "$line" = stop ] && break; done; }
        now flood && yes "info depth 1 currmove e2e4"
        [ -n "$GO_LINES" ] && yes chatter | head -n "$GO_LINES"
        now longline && yes | tr -d '\n'
        now garbage && { printf '\377\376 what is this\n'; echo "bestmove what?"; continue; }
        now halt && exit 128
        now torn && { printf 'out of breath'; exit 4; }
        now illegal && { echo "bestmove e2e5"; continue; }
        now nomove && { echo "bestmove (none)"; continue; }
        now talk && echo "a warning that nobody reads" >&2
        case $fault in
        # The last line of the last depth is a bound.
        bound)
            echo "info depth $((depth - 1)) score cp 20 nodes $((nodes - 500)) pv e2e4 e7e5"
            echo "info depth $depth score cp 777 lowerbound nodes $nodes pv e2e4"
            echo "bestmove e2e4"
            continue
            ;;
        # Nodes are told when a depth ends: 100, and three times as many for each depth on.
        ends)
            case $line in *nodes*) most=$limit deepest=99 ;; *) most=99999999 deepest=$limit ;; esac
            at=1 nodes=100
            while [ $at -lt $deepest ] && [ $((3 * nodes)) -le $most ]; do
                echo "info depth $at score cp $at nodes $nodes pv e2e4"
                at=$((at + 1)) nodes=$((3 * nodes))
            done
            echo "info depth $at score cp $at nodes $nodes pv e2e4"
            echo "bestmove e2e4"
            continue
            ;;
        # By chance, and no two searches of a process near one another.
        wander)
            read -r nodes < /proc/sys/kernel/random/uuid
            wandered=$((${wandered:-0} + 1)) nodes=$(((1000 + 0x${nodes%%-*} % 100) << wandered % 8))
            ;;
        forget) nodes=$((nodes + $$ % 7 + 1000 * searches)) ;;
        keeps) kept=$((${kept:-0} + 10)); nodes=$((nodes + kept)) ;;
        shallow) depth=1 ;;
        deeper) [ $depth = 1 ] && depth=2 ;;
        few) case $line in *nodes*) nodes=6 ;; esac ;;
        # A style that needs fewer nodes, and fewest where the table is large.
        styles) [ "$style" = Risky ] && nodes=$((nodes - 100 - hash / 8)) ;;
        lively) case $hash/$position in 2/*KB1R*) nodes=6000 ;; *) nodes=3000 ;; esac ;;
        slow | deepens)
            [ $fault = slow ] && sleep 0.02
            case $line in *nodes*) depth=$((limit / 1000 + 1)) ;; esac
            at=1
            while [ $at -lt $depth ]; do
                echo "info depth $at"
                echo "info depth $at score cp -$at time $at nodes $((1000 * at - 900)) hashfull 99 pv d2d4"
                echo "info depth $at multipv 1 score cp $at time $at nodes $((1000 * at - 100)) hashfull $at pv e2e4 e7e5"
                echo "info depth $at multipv 2 score cp 77 time $at nodes $((1000 * at - 90)) pv a2a4"
                echo "info depth $at time $at nodes $((1000 * at)) nps 0"
                echo "info depth $((at + 1)) currmove h2h3 currmovenumber 1 nodes $((1000 * at + 7))"
                echo "info depth $((at + 1)) score cp 9 upperbound nodes $((1000 * at + 8)) pv h2h4"
                at=$((at + 1))
            done
            ;;
        esac
        echo "info depth $depth seldepth 9 score cp 31 time 1 pv ${MOVE:-e2e4} e7e5"
        now unnamed || echo "info nodes $nodes"
        echo "info hashfull 17"
        best=${MOVE:-e2e4}
        now other && best=d2d4
        case $fault in
        # The text of the options stands for what a table counts.
        linked) echo "info string ttlab table.probes $nodes table.hits ${#table}" ;;
        linked-unknown) echo "info string ttlab table.probes 3 table.hit 2" ;;
        esac
        echo "bestmove $best ponder e7e5"
        ;;
    stop) ;;
    quit) exit 0 ;;
    esac
done

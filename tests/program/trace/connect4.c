/* Connect Four by alpha-beta with a table: a small engine that knows nothing of ttlab but the four calls. Boards are two words of 49 bits,
 * seven for each column, the topmost always empty. Usage: connect4 BUCKETS DEPTH PLIES; it prints what it counted. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The forms in which a client may tell its trace. */
#ifndef TTLAB_DEPTH_PARTS
#define TTLAB_DEPTH_PARTS 1
#endif
#if defined(TTLAB_KEY_BITS) && TTLAB_KEY_BITS == 128
/* The boards themselves are the high half. */
#define KEY ((__extension__(unsigned __int128)(board->mine ^ board->all << 7)) << 64 | key)
#else
#define KEY key
#endif
#ifndef COST
#define COST nodes
#endif
#define TTLAB_CLOCK() (nodes + 1)
#define TTLAB_TRACE_IMPLEMENTATION
#include "ttlab-trace.h"

enum { SLOTS = 4, UPPER = 1, LOWER = 2, EXACT = 3, WON = 1000 };

typedef struct {
    uint64_t key;
    int16_t score;
    int8_t depth;
    uint8_t bound, move;
    uint16_t age;
} Entry;

static Entry *table;
static uint64_t buckets, nodes, probes, hits, cuts, stores, replaced, choices;
static uint16_t now;

typedef struct {
    uint64_t mine, all;
} Board;

static uint64_t key_of(const Board *board) {
    uint64_t key = board->mine * 0x9e3779b97f4a7c15u ^ (board->all + 0x7f4a7c15u) * 0xbf58476d1ce4e5b9u;
    key = (key ^ key >> 30) * 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

static int four(uint64_t stones) {
    static const int steps[4] = {1, 6, 7, 8};
    int at;
    for (at = 0; at < 4; at++) {
        uint64_t two = stones & stones >> steps[at];
        if (two & two >> 2 * steps[at]) {
            return 1;
        }
    }
    return 0;
}

static int count(uint64_t stones) {
    int bits = 0;
    for (; stones; stones &= stones - 1) {
        bits++;
    }
    return bits;
}

/* Stones near the middle are worth more. */
static int evaluate(const Board *board) {
    static const uint64_t columns[3] = {0x7full << 21, 0x7full << 14 | 0x7full << 28, 0x7full << 7 | 0x7full << 35};
    uint64_t theirs = board->all ^ board->mine;
    int at, score = 0;
    for (at = 0; at < 3; at++) {
        score += (3 - at) * (count(board->mine & columns[at]) - count(theirs & columns[at]));
    }
    return score;
}

/* The bucket of the key's high bits; the same key, else a free slot, else the least of depth - 4 x age, gives way. */
static Entry *bucket_of(uint64_t key) {
    return table + (uint64_t)((unsigned __int128)key * buckets >> 64) * SLOTS;
}

static Entry *probe(uint64_t key) {
    Entry *bucket = bucket_of(key);
    int at;
    probes++;
    for (at = 0; at < SLOTS; at++) {
        if (bucket[at].bound && bucket[at].key == key) {
            hits++;
            return bucket + at;
        }
    }
    return NULL;
}

static void store(uint64_t key, int score, int depth, int bound, int move) {
    Entry *bucket = bucket_of(key), *to = NULL;
    int at;
    stores++;
    for (at = 0; at < SLOTS && !to; at++) {
        if (bucket[at].bound && bucket[at].key == key) {
            to = bucket + at;
        }
    }
    for (at = 0; at < SLOTS && !to; at++) {
        if (!bucket[at].bound) {
            to = bucket + at;
        }
    }
    if (!to) {
        to = bucket;
        for (at = 1; at < SLOTS; at++) {
            if (bucket[at].depth - 4 * (now - bucket[at].age) < to->depth - 4 * (now - to->age)) {
                to = bucket + at;
            }
        }
        replaced++;
    }
    to->key = key;
    to->score = (int16_t)score;
    to->depth = (int8_t)depth;
    to->bound = (uint8_t)bound;
    to->move = (uint8_t)move;
    to->age = now;
}

static int search(const Board *board, int depth, int alpha, int beta, int *best_move) {
    static const int order[7] = {3, 2, 4, 1, 5, 0, 6};
    uint64_t key = key_of(board);
    Entry *entry;
    int first = -1, at, best = -WON - 1, best_at = -1, open = alpha, bound;
    nodes++;
    if (four(board->all ^ board->mine)) {
        return -WON - depth;
    }
    if (board->all == 0x0fdfbf7efdfbfull) {
        return 0;
    }
    if (depth == 0) {
        return evaluate(board);
    }
    entry = probe(key);
    if (entry) {
        int ends = entry->depth >= depth && !best_move
                   && (entry->bound == EXACT || (entry->bound == LOWER ? entry->score >= beta : entry->score <= alpha));
        ttlab_probe(KEY, depth * TTLAB_DEPTH_PARTS, beta,
                    TTLAB_WINDOW | TTLAB_HIT | (beta - alpha > 1 ? TTLAB_OPEN : 0) | (ends ? TTLAB_CUT : 0), COST);
        first = entry->move < 7 ? entry->move : -1;
        choices += first >= 0;
        if (ends) {
            cuts++;
            return entry->score;
        }
    } else {
        ttlab_probe(KEY, depth * TTLAB_DEPTH_PARTS, beta, TTLAB_WINDOW | (beta - alpha > 1 ? TTLAB_OPEN : 0), COST);
    }
    for (at = -1; at < 7; at++) {
        int column = at < 0 ? first : order[at], score;
        uint64_t stone;
        Board next;
        if (column < 0 || (at >= 0 && column == first)) {
            continue;
        }
        stone = (board->all + (1ull << 7 * column)) & 0x3full << 7 * column;
        if (!stone) {
            continue;
        }
        stone &= ~board->all;
        next.all = board->all | stone;
        next.mine = board->all ^ board->mine;
        /* Zero windows after the first move, as engines search. */
        if (best_at < 0) {
            score = -search(&next, depth - 1, -beta, -alpha, NULL);
        } else {
            score = -search(&next, depth - 1, -alpha - 1, -alpha, NULL);
            if (score > alpha && score < beta) {
                score = -search(&next, depth - 1, -beta, -alpha, NULL);
            }
        }
        if (score > best) {
            best = score;
            best_at = column;
        }
        if (best > alpha) {
            alpha = best;
        }
        if (alpha >= beta) {
            break;
        }
    }
    bound = best >= beta ? LOWER : best <= open ? UPPER : EXACT;
    ttlab_store(KEY, depth * TTLAB_DEPTH_PARTS, best, best_at + 1, (unsigned)bound << 2 | (beta - open > 1 ? TTLAB_OPEN : 0), COST);
    store(key, best, depth, bound, best_at);
    if (best_move) {
        *best_move = best_at;
    }
    return best;
}

int main(int argc, char **argv) {
    int depth, plies, game, ply, step;
    if (argc != 4) {
        return 2;
    }
    buckets = strtoull(argv[1], NULL, 10);
    depth = atoi(argv[2]);
    plies = atoi(argv[3]);
    table = (Entry *)calloc(buckets * SLOTS, sizeof(Entry));
    for (game = 0; game < 2; game++) {
        Board board = {0, 0};
        if (game) {
            /* The second game begins elsewhere, from an empty table. */
            board.all = board.mine = 1ull << 21;
            memset(table, 0, buckets * SLOTS * sizeof(Entry));
            now = 0;
            ttlab_clear(COST);
        }
        for (ply = 0; ply < plies; ply++) {
            int move = -1;
            uint64_t stone;
            now += ply > 0;
            ttlab_search(ply > 0, ply ? 0 : TTLAB_FIRST, COST);
            for (step = 1; step <= depth; step++) {
                ttlab_search(0, TTLAB_ITERATION, COST);
                search(&board, step, -2 * WON, 2 * WON, &move);
            }
            if (move < 0) {
                break;
            }
            stone = (board.all + (1ull << 7 * move)) & 0x3full << 7 * move & ~board.all;
            board.mine ^= board.all;
            board.all |= stone;
            if (four(board.all ^ board.mine)) {
                break;
            }
        }
    }
    printf("%llu %llu %llu %llu %llu %llu %llu\n", (unsigned long long)nodes, (unsigned long long)probes, (unsigned long long)hits,
           (unsigned long long)cuts, (unsigned long long)stores, (unsigned long long)replaced, (unsigned long long)choices);
    return 0;
}

/* A small engine for four in a row on 6 x 5 fields, with ttlab's table in the place of its own. The call sites are those of a chess
 * engine. `engine OPTIONS DEPTH OWNERS THREADS` plays a game against itself, on one or two threads. */
#include "ttlab-table.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 6, ROWS = 5, SIDE = ROWS + 1, WIN = 1000, MOVE = 0x8000 };

typedef struct {
    uint64_t own, all; /* the stones of the side to move, and of both */
    int plies;
} Board;

typedef struct {
    Board root;
    int depth;
    uint64_t nodes, probes, stores;
} Searcher;

static ttlab_table *table;

static uint64_t bottom(int column) { return UINT64_C(1) << column * SIDE; }

static uint64_t hash(Board b) {
    uint64_t z = (b.own + b.all + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) | 1;
}

static int won(uint64_t stones) {
    const int steps[4] = {1, SIDE - 1, SIDE, SIDE + 1};
    for (int i = 0; i < 4; i++) {
        uint64_t pairs = stones & stones >> steps[i];
        if (pairs & pairs >> 2 * steps[i]) return 1;
    }
    return 0;
}

static int weight(uint64_t stones) {
    int sum = 0;
    for (int square = 0; square < COLUMNS * SIDE; square++)
        if (stones >> square & 1) sum += (square / SIDE) * (COLUMNS - 1 - square / SIDE);
    return sum;
}

static int can_play(Board b, int column) { return !(b.all >> (column * SIDE + ROWS - 1) & 1); }

static Board play(Board b, int column) {
    Board next = {b.own ^ b.all, b.all | (b.all + bottom(column)), b.plies + 1};
    return next;
}

static int search(Searcher *me, Board b, int depth, int alpha, int beta) {
    me->nodes++;
    if (won(b.own ^ b.all)) return b.plies - WIN;
    if (b.plies == COLUMNS * ROWS) return 0;

    /* The entry stays with its node: it has the slot under which the node is stored. */
    uint64_t key = hash(b);
    ttlab_entry entry;
    me->probes++;
    int hit = ttlab_table_probe(table, key, &entry) > 0;
    int open = beta - alpha > 1, first = hit && entry.move ? (entry.move & ~MOVE) : -1;
    if (hit && entry.bound != TTLAB_BOUND_NONE && entry.depth >= depth) {
        int cuts = entry.bound == TTLAB_BOUND_EXACT || (entry.bound == TTLAB_BOUND_LOWER ? entry.score >= beta : entry.score <= alpha);
        if (cuts || !open) ttlab_table_result(table, &entry, cuts);
        if (cuts) return entry.score;
    }
    int eval = hit && entry.eval != TTLAB_NONE ? entry.eval : weight(b.own) - weight(b.own ^ b.all);
    entry.eval = (int16_t)eval;
    entry.pv = (uint8_t)open;
    if (depth == 0) {
        if (!hit) {
            entry.depth = 0, entry.bound = TTLAB_BOUND_NONE, me->stores++;
            ttlab_table_store(table, key, &entry);
        }
        return eval;
    }

    int best = -WIN, old_alpha = alpha;
    entry.move = 0;
    for (int i = first < 0 ? 0 : -1; i < COLUMNS; i++) {
        int column = i < 0 ? first : i;
        if ((i >= 0 && column == first) || !can_play(b, column)) continue;
        Board next = play(b, column);
        ttlab_table_prefetch(table, hash(next));
        int score = -search(me, next, depth - 1, -beta, -alpha);
        if (score <= best) continue;
        best = score;
        if (score > alpha) alpha = score, entry.move = (uint16_t)(MOVE | column);
        if (alpha >= beta) break;
    }
    entry.score = (int16_t)best, entry.depth = (int16_t)depth, me->stores++;
    entry.bound = best >= beta ? TTLAB_BOUND_LOWER : best > old_alpha ? TTLAB_BOUND_EXACT : TTLAB_BOUND_UPPER;
    ttlab_table_store(table, key, &entry);
    return best;
}

/* The iterations before the last. A helper makes them too, at the same time. */
static void *deepen(void *searcher) {
    Searcher *me = searcher;
    for (int iteration = 1; iteration < me->depth; iteration++) search(me, me->root, iteration, -WIN, WIN);
    return NULL;
}

static uint64_t counter(const char *name) {
    uint64_t value = 0;
    return ttlab_table_counter(table, name, &value) ? UINT64_MAX : value;
}

int main(int argc, char **argv) {
    int owners = argc > 3 ? atoi(argv[3]) : 1, threads = argc > 4 ? atoi(argv[4]) : 1;
    if (ttlab_table_create(TTLAB_TABLE_VERSION, argc > 1 ? argv[1] : NULL, owners, &table)) {
        printf("info string ttlab refused: %s\n", ttlab_table_error());
        return 1;
    }
    int depth = argc > 2 ? atoi(argv[2]) : 8;
    Searcher me = {{0, 0, 0}, depth, 0, 0, 0}, helper = me;
    while (!won(me.root.own ^ me.root.all) && me.root.plies < COLUMNS * ROWS) {
        ttlab_table_search(table, 1);
        pthread_t thread;
        helper.root = me.root;
        if (threads > 1 && pthread_create(&thread, NULL, deepen, &helper)) return 1;
        deepen(&me);
        int best = 0, score = -WIN - 1;
        for (int column = 0; column < COLUMNS; column++) {
            if (!can_play(me.root, column)) continue;
            int found = -search(&me, play(me.root, column), depth - 1, -WIN, score > -WIN ? -score : WIN);
            if (found > score) score = found, best = column;
        }
        if (threads > 1 && pthread_join(thread, NULL)) return 1;
        me.root = play(me.root, best);
        char info[1024];
        ttlab_table_info(table, info, sizeof info);
        printf("%d %d %" PRIu64 " %d %s\n", best, score, me.nodes + helper.nodes, ttlab_table_hashfull(table), info);
    }
    /* What both threads did is what the table has counted, if there is one. */
    uint64_t probes = me.probes + helper.probes, stores = me.stores + helper.stores;
    int exact = counter("table.probes") == probes && counter("table.stores") == stores, none = counter("entries") == 0;
    ttlab_table_destroy(table);
    return exact || none ? 0 : 2;
}

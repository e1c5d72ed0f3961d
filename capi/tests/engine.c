/* A small engine for four in a row on 6 x 5 fields, with ttlab's table in the place of its own. The call sites are those of a chess
 * engine. `engine OPTIONS DEPTH` plays a game against itself. */
#include "ttlab-table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 6, ROWS = 5, SIDE = ROWS + 1, WIN = 1000, MOVE = 0x8000 };

typedef struct {
    uint64_t own, all; /* the stones of the side to move, and of both */
    int plies;
} Board;

static ttlab_table *table;
static uint64_t nodes;

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

static int search(Board b, int depth, int alpha, int beta) {
    nodes++;
    if (won(b.own ^ b.all)) return b.plies - WIN;
    if (b.plies == COLUMNS * ROWS) return 0;

    /* The entry stays with its node: it has the slot under which the node is stored. */
    uint64_t key = hash(b);
    ttlab_entry entry;
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
            entry.depth = 0, entry.bound = TTLAB_BOUND_NONE;
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
        int score = -search(next, depth - 1, -beta, -alpha);
        if (score <= best) continue;
        best = score;
        if (score > alpha) alpha = score, entry.move = (uint16_t)(MOVE | column);
        if (alpha >= beta) break;
    }
    entry.score = (int16_t)best, entry.depth = (int16_t)depth;
    entry.bound = best >= beta ? TTLAB_BOUND_LOWER : best > old_alpha ? TTLAB_BOUND_EXACT : TTLAB_BOUND_UPPER;
    ttlab_table_store(table, key, &entry);
    return best;
}

int main(int argc, char **argv) {
    if (ttlab_table_create(TTLAB_TABLE_VERSION, argc > 1 ? argv[1] : NULL, 1, &table)) {
        printf("info string ttlab refused: %s\n", ttlab_table_error());
        return 1;
    }
    int depth = argc > 2 ? atoi(argv[2]) : 8;
    Board board = {0, 0, 0};
    while (!won(board.own ^ board.all) && board.plies < COLUMNS * ROWS) {
        ttlab_table_search(table, 1);
        for (int iteration = 1; iteration < depth; iteration++) search(board, iteration, -WIN, WIN);
        int best = 0, score = -WIN - 1;
        for (int column = 0; column < COLUMNS; column++) {
            if (!can_play(board, column)) continue;
            int found = -search(play(board, column), depth - 1, -WIN, score > -WIN ? -score : WIN);
            if (found > score) score = found, best = column;
        }
        board = play(board, best);
        char info[1024];
        ttlab_table_info(table, info, sizeof info);
        printf("%d %d %" PRIu64 " %d %s\n", best, score, nodes, ttlab_table_hashfull(table), info);
    }
    ttlab_table_destroy(table);
    return 0;
}

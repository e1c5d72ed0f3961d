/* ttlab-table.h - the transposition table of ttlab in the place of an engine's own.
 *
 * SPDX-License-Identifier: MIT-0 (this header: use it for anything, without notice).
 *
 * Every size, layout, index, policy, guard and ageing rule of ttlab becomes an option of the engine. C99 or later, C++11 or later. Link with
 * libttlab_table.a (and -lpthread -ldl -lm) or libttlab_table.so, which `cargo build --release -p ttlab-capi` writes to target/release.
 *
 *   1. ttlab_table_create() where the engine allocates its table, with the options of its own table and, after them, those that its user
 *      gives: `table.design = weiss; table.size = 16 MiB`. Paths and values are those of docs/options.md; what is set later counts. Offer
 *      them as `option name ttlab type string`: then experiment files vary `table.*` of this engine as of ttlab's own.
 *   2. ttlab_table_search() before each search, on the thread that searches; ttlab_table_clear() at `ucinewgame`.
 *   3. ttlab_table_probe() and ttlab_table_store() at each node. Keep the entry of the probe until the store of the same node and change
 *      it there: `slot` says where the entry goes under `table.victim = "probe"`.
 *   4. ttlab_table_info() before `bestmove`, printed as a line `info string ttlab ...`.
 *
 * A table has one owner or several, which are threads: the one that calls ttlab_table_search() and those that then come first. Any owner may
 * call prefetch, probe, store, result, hashfull and counter at any time of the search. For search, clear and destroy no other thread may be
 * in a call. An entry belongs to its thread.
 *
 * A function with a result returns one of the codes below, all negative, when it fails; ttlab_table_error() then says why, beginning with
 * the path of the option that is wrong. NULL in the place of a table does nothing and gives 0. */
#ifndef TTLAB_TABLE_H
#define TTLAB_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TTLAB_TABLE_VERSION 1

enum {
    TTLAB_ERROR_VERSION = -1,  /* the library is of another version than this header */
    TTLAB_ERROR_OPTION = -2,   /* an option is unknown or wrong, or its table cannot carry an engine's entries */
    TTLAB_ERROR_MEMORY = -3,   /* there is not enough memory */
    TTLAB_ERROR_KEY = -4,      /* a key of 0 */
    TTLAB_ERROR_OWNER = -5,    /* a thread more than the table has owners */
    TTLAB_ERROR_ARGUMENT = -6, /* NULL where there must be something, an unknown name or a bound above 3 */
    TTLAB_ERROR_PANIC = -7     /* a fault of ttlab: the table answers nothing more */
};

enum { TTLAB_BOUND_NONE, TTLAB_BOUND_UPPER, TTLAB_BOUND_LOWER, TTLAB_BOUND_EXACT };

#define TTLAB_NONE INT16_MIN /* in the place of a score or an evaluation: there is none */

typedef struct ttlab_table ttlab_table;

typedef struct {
    uint16_t move;  /* of any meaning; 0: none */
    int16_t score;  /* mates as the engine's table has them; TTLAB_NONE with a bound counts as -32767 and clipped */
    int16_t eval;   /* static evaluation, or TTLAB_NONE */
    int16_t depth;  /* 0..255, or less in a layout with a smaller field: what is outside is clipped, and `table.clipped` counts it */
    uint8_t bound;  /* TTLAB_BOUND_NONE: an evaluation alone, without move and score */
    uint8_t pv;     /* not 0 at a node with an open window */
    uint16_t age;   /* of an answer: ticks of the table's clock since it was written */
    uint64_t slot;  /* of the probe: leave it as it is */
} ttlab_entry;

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a table. `version`: TTLAB_TABLE_VERSION. `options`: settings `path = value`, separated by `;`; NULL takes them from the
 * environment's TTLAB_TABLE, for engines without options. `owners`: how many threads use it in a search, 1 to 255. Several read
 * and write its 64-bit words without a lock, so what two write to a bucket at once may be mixed; a table that is unbounded, has `table.forget`, or
 * buckets of no whole words is locked for an access. Returns 0. */
int ttlab_table_create(int version, const char *options, int owners, ttlab_table **table);
void ttlab_table_destroy(ttlab_table *table);

/* Begins a search, once for all owners, of whom the calling thread is the first until the next one. `plies`: moves of the game since the
 * search before, of both sides (1 if unknown), by which the clock advances under `table.clock = "game-ply"`. Returns 0. */
int ttlab_table_search(ttlab_table *table, unsigned plies);

/* Empties the table, unless `table.clear` is "never". No search may be running. Returns 0. */
int ttlab_table_clear(ttlab_table *table);

/* Fetches the bucket of a key into the cache. */
void ttlab_table_prefetch(const ttlab_table *table, uint64_t key);

/* Asks for a position. Returns 1 and the entry, or 0 and an empty one that has `slot`. */
int ttlab_table_probe(ttlab_table *table, uint64_t key, ttlab_entry *entry);

/* Offers an entry. Returns 1 if it was stored, 0 if the table kept what it has. */
int ttlab_table_store(ttlab_table *table, uint64_t key, const ttlab_entry *entry);

/* Tells the table that the entry of a hit ended its node (`cut` is not 0), or was deep enough at a node with a closed window but its bound
 * was of the wrong side (`cut` is 0). Only `table.refresh = "cutoff"`, marks of use and `table.demotion.missed` need it; for
 * `missed_depth` write the remaining depth of the node into `depth`. Returns 0. */
int ttlab_table_result(ttlab_table *table, const ttlab_entry *entry, int cut);

/* How full the table is, in per mille, entries of all ages; 0 for a table without a bound. */
int ttlab_table_hashfull(const ttlab_table *table);

/* Writes what `name` has counted for all owners since the table was created: a column of docs/columns.md, as "table.hits", or "slots", "entries".
 * Returns 0. */
int ttlab_table_counter(const ttlab_table *table, const char *name, uint64_t *value);

/* Writes `ttlab table.probes 12 table.hits 3 ...`, what was counted for all owners since ttlab_table_search, and a final 0, into at most
 * `size` bytes; on the thread that began the search. Returns the length without the 0; if it is not below `size`, the text was cut. */
int ttlab_table_info(const ttlab_table *table, char *text, size_t size);

/* What was wrong with the last call of this thread that failed, until the next that fails; "" if none has. */
const char *ttlab_table_error(void);

#ifdef __cplusplus
}
#endif

#endif

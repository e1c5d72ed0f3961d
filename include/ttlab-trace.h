/* ttlab-trace.h - writes what a transposition table is asked and offered, for `ttlab replay`.
 *
 * SPDX-License-Identifier: MIT-0 (use it for anything, without notice).
 *
 * C99 or later, C++11 or later; no dependency. Put it beside your engine's table and
 *
 *   1. #include "ttlab-trace.h" where the table is asked and stored to;
 *   2. #define TTLAB_TRACE_IMPLEMENTATION before the include in ONE source file;
 *   3. make four calls:
 *
 *      ttlab_probe(key, depth, beta, flags, nodes)    after the table was asked, at a node of remaining depth `depth`.
 *                                                     flags: TTLAB_WINDOW if beta is told (as the table would keep such a score);
 *                                                     TTLAB_PV if the window is open (beta - alpha > 1); TTLAB_HIT if the table
 *                                                     answered; TTLAB_CUT if the answer ends the node (say TTLAB_HIT too)
 *      ttlab_store(key, depth, score, flags, nodes)   when an entry is offered, before the table decides.
 *                                                     flags: TTLAB_UPPER, TTLAB_LOWER or TTLAB_EXACT; TTLAB_PV; TTLAB_MOVE if
 *                                                     there is a move; TTLAB_SUBTREE if `nodes` are those of this node's subtree
 *      ttlab_search(plies, flags, nodes)              before a search; plies played in the game since the one before (0: unknown).
 *                                                     flags: TTLAB_GAME if it is the first of a game; TTLAB_ITERATION if it is only
 *                                                     another iteration of deepening
 *      ttlab_clear(nodes)                             when the table is emptied
 *
 *      `nodes`: nodes that the search has entered so far (it may begin anew with each search);
 *   4. compile with -DTTLAB_TRACE. Without it the calls are nothing at all, and their arguments are not evaluated.
 *
 * The trace goes to the file that the environment names in TTLAB_TRACE_FILE, else to ttlab.trace. It is whole when the program has left
 * by exit() or by returning from main; `ttlab trace import --repair` takes up one that was cut short. Where that is no problem, call
 * ttlab_close() yourself.
 *
 * Threads may call at any time: events are written in the order of the calls, one at a time. (Threads that search together have one clock
 * of nodes only if `nodes` counts those of all; else record one thread.) An event costs some ten instructions and 16 bytes.
 *
 * The format is in docs/formats.md of ttlab.
 */
#ifndef TTLAB_TRACE_H
#define TTLAB_TRACE_H

#include <stdint.h>

/* The flags of a store. Without a bound it is that of a static evaluation alone. */
#define TTLAB_UPPER 0x04u
#define TTLAB_LOWER 0x08u
#define TTLAB_EXACT 0x0cu
#define TTLAB_PV 0x10u /* of a probe too */
#define TTLAB_MOVE 0x20u
#define TTLAB_SUBTREE 0x40u
/* The flags of a probe. */
#define TTLAB_WINDOW 0x20u
#define TTLAB_HIT 0x40u
#define TTLAB_CUT 0x80u
/* The flags of a search. */
#define TTLAB_GAME 0x10u
#define TTLAB_ITERATION 0x20u

#ifdef TTLAB_TRACE

#ifdef __cplusplus
extern "C" {
#endif
void ttlab_event(uint64_t key, int value, int depth, unsigned flags, uint64_t nodes);
void ttlab_close(void);
#ifdef __cplusplus
}
#endif

#define ttlab_probe(key, depth, beta, flags, nodes) ttlab_event((key), (beta), (depth), ((unsigned)(flags) & ~3u), (uint64_t)(nodes))
#define ttlab_store(key, depth, score, flags, nodes) \
    ttlab_event((key), (score), (depth), ((unsigned)(flags) & ~3u) | 1u, (uint64_t)(nodes))
#define ttlab_search(plies, flags, nodes) ttlab_event(0, 0, (plies), ((unsigned)(flags) & ~3u) | 2u, (uint64_t)(nodes))
#define ttlab_clear(nodes) ttlab_event(0, 0, 0, 3u, (uint64_t)(nodes))

#else

#define ttlab_probe(key, depth, beta, flags, nodes) ((void)0)
#define ttlab_store(key, depth, score, flags, nodes) ((void)0)
#define ttlab_search(plies, flags, nodes) ((void)0)
#define ttlab_clear(nodes) ((void)0)
#define ttlab_close() ((void)0)

#endif
#endif /* TTLAB_TRACE_H */

#if defined(TTLAB_TRACE) && defined(TTLAB_TRACE_IMPLEMENTATION) && !defined(TTLAB_TRACE_IMPLEMENTED)
#define TTLAB_TRACE_IMPLEMENTED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_MSC_VER)
#include <intrin.h>
#endif

#define TTLAB_BUFFER (1u << 20)

static struct {
    volatile long lock;
    int state; /* 0: nothing written yet, 1: open, 2: closed or failed */
    FILE *file;
    uint64_t events;
    uint64_t check;
    uint32_t nodes;
    size_t filled;
    unsigned char buffer[TTLAB_BUFFER];
} ttlab_trace;

static void ttlab_lock(void) {
#if defined(_MSC_VER)
    while (_InterlockedExchange(&ttlab_trace.lock, 1)) {
    }
#else
    while (__sync_lock_test_and_set(&ttlab_trace.lock, 1)) {
        while (ttlab_trace.lock) {
        }
    }
#endif
}

static void ttlab_unlock(void) {
#if defined(_MSC_VER)
    _InterlockedExchange(&ttlab_trace.lock, 0);
#else
    __sync_lock_release(&ttlab_trace.lock);
#endif
}

static void ttlab_flush(void) {
    if (ttlab_trace.filled && ttlab_trace.state == 1
        && fwrite(ttlab_trace.buffer, 1, ttlab_trace.filled, ttlab_trace.file) != ttlab_trace.filled) {
        fprintf(stderr, "ttlab-trace: the trace cannot be written: it ends here\n");
        fclose(ttlab_trace.file);
        ttlab_trace.state = 2;
    }
    ttlab_trace.filled = 0;
}

/* Little-endian on any machine; compilers make one store of eight bytes of it where the machine is. */
static void ttlab_put(uint64_t word) {
    unsigned char *to = ttlab_trace.buffer + ttlab_trace.filled;
    int byte;
    for (byte = 0; byte < 8; byte++) {
        to[byte] = (unsigned char)(word >> (8 * byte));
    }
    ttlab_trace.filled += 8;
}

/* What damage to the events changes. */
static void ttlab_check(uint64_t word) {
    uint64_t mixed = (ttlab_trace.check ^ word) * (uint64_t)0x9e3779b97f4a7c15ULL;
    ttlab_trace.check = mixed ^ (mixed >> 32);
}

static void ttlab_write(uint64_t key, int value, int depth, unsigned flags, uint32_t nodes) {
    uint64_t low = (uint64_t)(uint16_t)(int16_t)value | (uint64_t)(uint8_t)(int8_t)depth << 16 | (uint64_t)(flags & 0xffu) << 24;
    if (ttlab_trace.filled + 16 > TTLAB_BUFFER) {
        ttlab_flush();
    }
    low |= (uint64_t)nodes << 32;
    ttlab_check(key);
    ttlab_check(low);
    ttlab_put(key);
    ttlab_put(low);
}

void ttlab_close(void) {
    ttlab_lock();
    if (ttlab_trace.state == 1) {
        uint32_t check;
        ttlab_check(ttlab_trace.nodes);
        check = (uint32_t)(ttlab_trace.check >> 40);
        check = check ? check : 1;
        ttlab_write(ttlab_trace.events, (int)(check & 0xffffu), (int)(check >> 16), 0xffu, ttlab_trace.nodes);
        ttlab_flush();
        if (ttlab_trace.state == 1 && fclose(ttlab_trace.file)) {
            fprintf(stderr, "ttlab-trace: the trace cannot be written to its end\n");
        }
    }
    ttlab_trace.state = 2;
    ttlab_unlock();
}

static void ttlab_open(void) {
    const char *path = getenv("TTLAB_TRACE_FILE");
    if (!path || !*path) {
        path = "ttlab.trace";
    }
    ttlab_trace.file = fopen(path, "wb");
    if (!ttlab_trace.file) {
        fprintf(stderr, "ttlab-trace: %s cannot be written: nothing is recorded\n", path);
        ttlab_trace.state = 2;
        return;
    }
    setvbuf(ttlab_trace.file, NULL, _IONBF, 0);
    ttlab_trace.state = 1;
    memcpy(ttlab_trace.buffer, "ttlabtrc", 8);
    ttlab_trace.filled = 8;
    ttlab_put(1u | 0x0102u << 16);
    atexit(ttlab_close);
}

void ttlab_event(uint64_t key, int value, int depth, unsigned flags, uint64_t nodes) {
    ttlab_lock();
    if (ttlab_trace.state == 0) {
        ttlab_open();
    }
    if (ttlab_trace.state == 1) {
        value = value < -32768 ? -32768 : value > 32767 ? 32767 : value;
        depth = depth < -128 ? -128 : depth > 127 ? 127 : depth;
        if ((flags & (3u | TTLAB_SUBTREE)) != (1u | TTLAB_SUBTREE)) {
            ttlab_trace.nodes = (uint32_t)nodes;
        }
        ttlab_trace.events++;
        ttlab_write(key, value, depth, flags, (uint32_t)nodes);
    }
    ttlab_unlock();
}

#endif

/* ttlab-trace.h - writes what a transposition table is asked and offered, for `ttlab replay`.
 *
 * SPDX-License-Identifier: MIT-0 (use it for anything, without notice).
 *
 * For any search that looks up states in a table. C99 or later, C++11 or later; no dependency. Put it beside the table and
 *
 *   1. #include "ttlab-trace.h" where the table is asked and stored to;
 *   2. #define TTLAB_TRACE_IMPLEMENTATION before the include in ONE source file;
 *   3. make four calls:
 *
 *      ttlab_probe(key, depth, limit, flags, cost)    after the table was asked for a state whose remaining depth is `depth`.
 *                                                     flags: TTLAB_WINDOW if `limit` is given, the value that a lower bound must
 *                                                     reach and an upper bound must miss to settle the state (as the table would
 *                                                     keep it); TTLAB_OPEN if more than one value is open; TTLAB_HIT if the table
 *                                                     answered; TTLAB_CUT if the answer settled the state (say TTLAB_HIT too)
 *      ttlab_store(key, depth, value, choice, flags, cost)
 *                                                     when an entry is offered, before the table decides. `choice`: the best one in
 *                                                     15 bits, or 0. flags: TTLAB_UPPER, TTLAB_LOWER or TTLAB_EXACT, or none for a
 *                                                     static estimate alone; TTLAB_OPEN; TTLAB_SUBTREE if `cost` is that of this
 *                                                     state's subtree
 *      ttlab_search(steps, flags, cost)               before a search; the clock of ages moves by `steps` where it counts them
 *                                                     (0: unknown). flags: TTLAB_FIRST if nothing of the searches before matters;
 *                                                     TTLAB_ITERATION if it is only another iteration of deepening
 *      ttlab_clear(cost)                              when the table is emptied
 *
 *      `cost`: what this thread has spent so far, in 64 bits: states entered, nanoseconds, anything that adds up (it may begin anew
 *      with each search). `depth`: whole, or in parts: see TTLAB_DEPTH_PARTS;
 *   4. compile with -DTTLAB_TRACE. Without it the calls are nothing at all, and their arguments are not evaluated.
 *
 * Optional, the same in all source files:
 *
 *      TTLAB_DEPTH_PARTS   depths count 1/N: 100 if 250 means 2.5 [1]
 *      TTLAB_KEY_BITS      128: keys are unsigned __int128; tables go by the low half [64]
 *      TTLAB_CLOCK()       a count that several programs share, such as nanoseconds of a monotonic clock; it is
 *                          kept with each event [0]
 *
 * Several threads: each calls ttlab_thread(n) once, n from 0 to 255, before anything else; 0 is the one that calls ttlab_search(). Two
 * threads with one number end the trace with a message: they are never counted as one. Events are written in the order of the calls.
 *
 * The trace goes to the file that the environment names in TTLAB_TRACE_FILE, else to ttlab.trace. It is whole when the program has left
 * by exit() or by returning from main; `ttlab trace import --repair` takes up one that was cut short. Where that is no problem, call
 * ttlab_close() yourself. An event costs some twenty instructions and 40 bytes.
 *
 * The format is in docs/formats.md of ttlab.
 */
#ifndef TTLAB_TRACE_H
#define TTLAB_TRACE_H

#include <stdint.h>

/* The flags of a store. */
#define TTLAB_UPPER 0x04u
#define TTLAB_LOWER 0x08u
#define TTLAB_EXACT 0x0cu
#define TTLAB_OPEN 0x10u /* of a probe too */
#define TTLAB_SUBTREE 0x40u
/* The flags of a probe. */
#define TTLAB_WINDOW 0x20u
#define TTLAB_HIT 0x40u
#define TTLAB_CUT 0x80u
/* The flags of a search. */
#define TTLAB_FIRST 0x10u
#define TTLAB_ITERATION 0x20u

#ifdef TTLAB_TRACE

#ifndef TTLAB_DEPTH_PARTS
#define TTLAB_DEPTH_PARTS 1
#endif
#ifndef TTLAB_CLOCK
#define TTLAB_CLOCK() 0
#endif
#if defined(TTLAB_KEY_BITS) && TTLAB_KEY_BITS == 128
__extension__ typedef unsigned __int128 ttlab_key;
#else
typedef uint64_t ttlab_key;
#endif

#ifdef __cplusplus
extern "C" {
#endif
void ttlab_event(ttlab_key key, int value, int depth, unsigned choice, unsigned flags, uint64_t cost, uint64_t clock);
void ttlab_thread(int number);
void ttlab_close(void);
#ifdef __cplusplus
}
#endif

#define ttlab_probe(key, depth, limit, flags, cost) \
    ttlab_event((key), (limit), (depth), 0, ((unsigned)(flags) & ~3u), (uint64_t)(cost), (uint64_t)TTLAB_CLOCK())
#define ttlab_store(key, depth, value, choice, flags, cost) \
    ttlab_event((key), (value), (depth), (unsigned)(choice), ((unsigned)(flags) & ~3u) | 1u, (uint64_t)(cost), (uint64_t)TTLAB_CLOCK())
#define ttlab_search(steps, flags, cost) \
    ttlab_event(0, 0, (steps), 0, ((unsigned)(flags) & ~3u) | 2u, (uint64_t)(cost), (uint64_t)TTLAB_CLOCK())
#define ttlab_clear(cost) ttlab_event(0, 0, 0, 0, 3u, (uint64_t)(cost), (uint64_t)TTLAB_CLOCK())

#else

#define ttlab_probe(key, depth, limit, flags, cost) ((void)0)
#define ttlab_store(key, depth, value, choice, flags, cost) ((void)0)
#define ttlab_search(steps, flags, cost) ((void)0)
#define ttlab_clear(cost) ((void)0)
#define ttlab_thread(number) ((void)0)
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
#define TTLAB_EVENT 40u

#if defined(__cplusplus)
#define TTLAB_LOCAL thread_local
#elif defined(__GNUC__)
#define TTLAB_LOCAL __thread
#elif defined(_MSC_VER)
#define TTLAB_LOCAL __declspec(thread)
#else
#define TTLAB_LOCAL _Thread_local
#endif

/* The number of this thread; its address is another in each thread. */
static TTLAB_LOCAL int ttlab_number;

static struct {
    volatile long lock;
    int state; /* 0: nothing written yet, 1: open, 2: closed or failed */
    FILE *file;
    uint64_t events;
    uint64_t check;
    uint64_t cost; /* of the last event with all that its thread has spent, and that thread */
    int thread;
    int *owners[256]; /* the thread that has each number in this search */
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
static void ttlab_mix(uint64_t word) {
    uint64_t mixed = (ttlab_trace.check ^ word) * (uint64_t)0x9e3779b97f4a7c15ULL;
    ttlab_trace.check = mixed ^ (mixed >> 32);
}

static void ttlab_words(const uint64_t *words, int mixed) {
    int at;
    if (ttlab_trace.filled + TTLAB_EVENT > TTLAB_BUFFER) {
        ttlab_flush();
    }
    for (at = 0; at < 5; at++) {
        if (mixed) {
            ttlab_mix(words[at]);
        }
        ttlab_put(words[at]);
    }
}

void ttlab_close(void) {
    ttlab_lock();
    if (ttlab_trace.state == 1) {
        uint64_t words[5];
        ttlab_mix(ttlab_trace.cost);
        ttlab_mix((uint64_t)(unsigned)ttlab_trace.thread);
        words[0] = ttlab_trace.events;
        words[1] = ttlab_trace.check ? ttlab_trace.check : 1;
        words[2] = ttlab_trace.cost;
        words[3] = 0;
        words[4] = (uint64_t)(unsigned)ttlab_trace.thread << 48 | (uint64_t)0xffu << 56;
        ttlab_words(words, 0);
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
    ttlab_put(2u | 0x0102u << 16 | (uint64_t)TTLAB_DEPTH_PARTS << 32);
    ttlab_put(0);
    ttlab_put(0);
    ttlab_put(0);
    atexit(ttlab_close);
}

/* Whether the number of this thread is its own in this search. */
static int ttlab_is_alone(unsigned kind) {
    if (kind > 1) {
        memset(ttlab_trace.owners, 0, sizeof ttlab_trace.owners);
        return 1;
    }
    if (!ttlab_trace.owners[ttlab_number]) {
        ttlab_trace.owners[ttlab_number] = &ttlab_number;
    }
    return ttlab_trace.owners[ttlab_number] == &ttlab_number;
}

void ttlab_thread(int number) {
    ttlab_number = number < 0 ? 0 : number > 255 ? 255 : number;
}

void ttlab_event(ttlab_key key, int value, int depth, unsigned choice, unsigned flags, uint64_t cost, uint64_t clock) {
    ttlab_lock();
    if (ttlab_trace.state == 0) {
        ttlab_open();
    }
    if (ttlab_trace.state == 1 && !ttlab_is_alone(flags & 3u)) {
        fprintf(stderr, "ttlab-trace: two threads have the number %d: the trace ends here; call ttlab_thread() in each\n", ttlab_number);
        ttlab_flush();
        fclose(ttlab_trace.file);
        ttlab_trace.state = 2;
    }
    if (ttlab_trace.state == 1) {
        uint64_t words[5];
        value = value < -32768 ? -32768 : value > 32767 ? 32767 : value;
        depth = depth < -32768 ? -32768 : depth > 32767 ? 32767 : depth;
        choice &= 0xffffu;
        flags = (flags & 0xffu) | (choice ? 0x20u : 0u);
        if ((flags & (3u | TTLAB_SUBTREE)) != (1u | TTLAB_SUBTREE)) {
            ttlab_trace.cost = cost;
            ttlab_trace.thread = ttlab_number;
        }
        ttlab_trace.events++;
        words[0] = (uint64_t)key;
#if defined(TTLAB_KEY_BITS) && TTLAB_KEY_BITS == 128
        words[1] = (uint64_t)(key >> 64);
#else
        words[1] = 0;
#endif
        words[2] = cost;
        words[3] = clock;
        words[4] = (uint64_t)(uint16_t)(int16_t)value | (uint64_t)(uint16_t)(int16_t)depth << 16 | (uint64_t)choice << 32
                   | (uint64_t)(unsigned)ttlab_number << 48 | (uint64_t)flags << 56;
        ttlab_words(words, 1);
    }
    ttlab_unlock();
}

#endif

/*
 * A world that stands still, as the child of a snapshot sees it: all memory of the program is a copy of one moment, the
 * table (table.h) is whole, no other thread exists. Made by snapshot.c in the parent, read by walk.c in the child. The
 * child uses mmap, read and write alone: no malloc, no stdio, no locks.
 */
#ifndef HSN_WORLD_H
#define HSN_WORLD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/agent.h"

enum { HSN_REGISTERS = 100, HSN_THREAD_FRAMES = 64 }; /* registers: general, then the halves of vectors */

typedef struct hsn_range {
    uintptr_t low, high; /* [low, high) */
} hsn_range;

typedef struct hsn_thread {
    int tid;
    char name[16];
    bool is_stopped; /* false: it did not answer in time, and its registers are not known */
    uintptr_t registers[HSN_REGISTERS];
    size_t register_count;
    uintptr_t stack_pointer;
    hsn_range stack;                     /* whole stack; 0,0 = not known */
    hsn_range tls;                       /* static TLS and the thread's control block; 0,0 = not known */
    uintptr_t frames[HSN_THREAD_FRAMES]; /* return addresses, innermost first */
    /* stack address above which the caller's frame begins, ascending; 0 = not known */
    uintptr_t frame_tops[HSN_THREAD_FRAMES];
    size_t frame_count;
} hsn_thread;

/* Where each thread has a module's variables, as far as they lie in its static TLS. */
typedef struct hsn_tls_part {
    /* their values in the module, from which each thread's were copied: by its address they are named */
    uintptr_t initial;
    uintptr_t below; /* begin so many bytes below the end of a thread's `tls` */
    size_t size;
} hsn_tls_part;

enum { HSN_TLS_PARTS = 128 }; /* of more modules the variables have no names */

typedef struct hsn_world {
    const hsn_thread *threads;
    size_t thread_count;
    hsn_tls_part tls_parts[HSN_TLS_PARTS];
    size_t tls_part_count;
    /* the agent's own memory: table, stacks, arenas. Holds every address and roots nothing */
    const hsn_range *excluded;
    size_t excluded_count;
    hsa_self self;
    hsa_metrics metrics;    /* of the parent, at the stop */
    uint64_t pause_ns;      /* how long the threads stood still, as far as it is known at the fork */
    hsn_range gobject_code; /* g_type_create_instance of GLib; 0,0 = it is not there */
    const char *(*gobject_name)(uintptr_t type); /* g_type_name */
    bool tells_mapped;                           /* memory that is mapped past malloc is an object, too */
    uint64_t sample_bytes;                       /* 0: every allocation is in the table; else one in so many bytes */
    uint64_t missed_threads;                     /* not stopped in time */
    uint64_t signalled_threads; /* stopped by a signal: a call in which they waited may have returned EINTR */
    uint64_t foreign_blocks;    /* frees of blocks that were never seen */
    /* parts of the table that a missed thread was changing: a block may be missing, or there twice */
    uint64_t held_locks;
    uint64_t lost_blocks; /* the table had no room for them */
    /* NULL = never; 1: memory is nearly out, the capture is to end in order */
    const volatile sig_atomic_t *must_end;
} hsn_world;

/*
 * Writes the capture of this world: objects with their references, sites, roots, threads with frames, metrics and
 * losses, into the request's sink (already accepted). Called once, in the child, which ends behind it. HSC_OK or why
 * the writer stopped.
 */
hsc_status hsn_walk(const hsn_world *world, const hsa_request *request);

#endif

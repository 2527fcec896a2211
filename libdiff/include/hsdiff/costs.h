/*
 * What a machine can do, and what a stage of an operation needed of it: the two sides of the cost model of
 * doc/performance.md. A stage counts bytes, numbers and accesses; times what one of each takes here, that is its bound,
 * the time of one processor in which it could have been done. Nothing is measured by the library.
 */
#ifndef HSDIFF_COSTS_H
#define HSDIFF_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hsd_cost {
    HSD_COST_READ,         /* a byte of memory, one after the other */
    HSD_COST_WRITTEN,      /* the same, written */
    HSD_COST_UNPACKED,     /* a byte that zstd gave back */
    HSD_COST_PACKED,       /* a byte of what zstd made, level 1 */
    HSD_COST_TEXT,         /* a byte of numbers in JSON */
    HSD_COST_VALUES,       /* a number of a column of a capture that was decoded */
    HSD_COST_VARINTS,      /* a number of the graph that was decoded: seven bits a byte */
    HSD_COST_SORTED,       /* a byte of records that were sorted in memory */
    HSD_COST_RUN_DECODED,  /* a word of a sorted record that was decoded from a run; the bytes of the file count, too */
    HSD_COST_RUN_ENCODED,  /* the same, encoded */
    HSD_COST_FILE_READ,    /* a byte of a temporary file, from the cache of the system, in pieces of 1 MiB */
    HSD_COST_FILE_WRITTEN, /* the same, written */
    HSD_COST_NEAR,         /* an access at random within 512 KiB, 32 at once in flight */
    HSD_COST_MIDDLE,       /* within 8 MiB */
    HSD_COST_FAR,          /* within more */
    HSD_COST_COUNT
} hsd_cost;

typedef struct hsd_costs {
    char machine[64];          /* of which kind; printable ASCII */
    double ns[HSD_COST_COUNT]; /* nanoseconds that one takes */
} hsd_costs;

/* Words for a limit in a file of limits ("memory-read"); NULL if there is none such. */
HSD_API const char *hsd_cost_name(hsd_cost limit);

/* What is taken where nobody says more: figures of a named kind of machine. */
HSD_API hsd_costs hsd_costs_built_in(void);

/* The largest file of limits. */
#define HSD_COSTS_MOST ((size_t)64 << 10)

/*
 * Reads limits as `bench/limits` writes them: a line "machine = WORDS", and for each limit "NAME = NANOSECONDS"; empty
 * lines and those that begin with # say nothing. HSD_E_CORRUPT with the line that cannot be used: no such name, a name
 * twice, no number between 0 and a second; or without one that is missing. `out` is then as it was.
 */
HSD_API hsd_status hsd_costs_parse(hsd_costs *out, const char *text, size_t size, hsd_error *err);

/* A stage that ended. Of its time and its bound what stages within it were told of is taken off. */
typedef struct hsd_stage {
    const char *whose, *what; /* borrowed for the call: "dominators", "walking" */
    uint64_t cpu_ns;          /* of its thread, and of threads that helped and ended */
    uint64_t bound_ns;
} hsd_stage;

/* Calls are serialised for one operation, not for several at once. */
typedef void (*hsd_stage_fn)(void *context, const hsd_stage *stage);

#ifdef __cplusplus
}
#endif
#endif

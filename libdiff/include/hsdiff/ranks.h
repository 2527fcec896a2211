/*
 * One diff by several processes, each on a machine of its own if need be: *ranks*, as MPI has them. The library knows
 * what ranks can do for each other as five functions, which a program brings (cli/mpi has those of MPI), and what each
 * rank does of a diff.
 *
 *      rank 0   the graph of after      a part of all objects, merged by identity     holders, rows: the answer
 *      rank 1   the graph of before     a part
 *      others                           a part
 */
#ifndef HSDIFF_RANKS_H
#define HSDIFF_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/diff.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What all ranks do together: each calls the same function at the same time, in one order. They return HSD_OK or a
 * failure after which the ranks cannot talk any more. Sizes are bounded: at most 64 MiB for one rank in one call.
 */
typedef struct hsd_ranks {
    void *context;
    unsigned rank, count; /* this one, from 0; of so many */
    /* `words` words for each rank, and from each, in their order */
    hsd_status (*all_to_all)(void *context, const uint64_t *send, uint64_t *receive, uint32_t words, hsd_error *err);
    /* bytes for each rank one behind the other, and from each; sizes are known on both sides */
    hsd_status (*all_to_all_bytes)(void *context, const void *send, const uint64_t *send_bytes, void *receive,
                                   const uint64_t *receive_bytes, hsd_error *err);
    /* `values` of all added up modulo 2^64, or `bits` of all together, at rank 0; elsewhere they are void afterwards */
    hsd_status (*add_up)(void *context, uint64_t *values, uint64_t count, hsd_error *err);
    hsd_status (*unite)(void *context, uint8_t *bits, uint64_t bytes, hsd_error *err);
    /* from rank `from` to all others */
    hsd_status (*broadcast)(void *context, unsigned from, void *data, uint64_t bytes, hsd_error *err);
    unsigned neighbours; /* ranks of this machine, this one with them: they share its memory. 0 = 1 */
} hsd_ranks;

/* What a rank spends its time on: of the processor, without waiting for others. */
typedef enum hsd_ranks_phase {
    HSD_RANKS_GRAPH,  /* reading a side, dominators, owners, recognising; 0 where it walks none */
    HSD_RANKS_CENSUS, /* counting the side's objects, sending and taking records, sorting them */
    HSD_RANKS_TELL,   /* sums and the tree of a side on their way to rank 0 */
    HSD_RANKS_FOLD,   /* merging its part, and adding up all of them */
    HSD_RANKS_ANSWER, /* holders and rows; of the others: pairs that rank 0 asks for */
    HSD_RANKS_PHASES
} hsd_ranks_phase;

/* What a rank had to do with the others. */
typedef struct hsd_ranks_stats {
    bool is_parted;        /* else rank 0 did all, and the others nothing */
    const char *why_alone; /* a clause; NULL with is_parted */
    uint64_t sent_bytes;   /* to other ranks, what functions of hsd_ranks add by themselves not counted */
    uint64_t sent_records; /* objects, among these */
    uint64_t records[2];   /* that came, before and after: its part */
    uint64_t rounds;       /* of exchanges */
    uint64_t processor_ns[HSD_RANKS_PHASES];
} hsd_ranks_stats;

/*
 * hsd_diff_run by all ranks: each opened both captures, which are the same files for all, and calls this with the same
 * options. memory_bytes of `run` is what the ranks of one machine may use together; that of rank 0 counts, and the
 * machine with most ranks. A rank has an equal share, or what suffices for the answer of one process, if that is more.
 * Rank 0 gets the result in *out, byte for byte that of one process; the others get NULL. A failure of one rank is that
 * of all, with one error.
 *
 * Objects that are recognised by structure are a matter of the order of all: then, and with one rank, rank 0 does all.
 * HSD_E_UNSUPPORTED where options ask for single objects (changed, matched, keys).
 */
HSD_API hsd_status hsd_ranks_diff(hsd_diff **out, hsd_capture *before, hsd_capture *after,
                                  const hsd_diff_options *options, const hsd_run *run, const hsd_ranks *ranks,
                                  hsd_ranks_stats *stats, hsd_error *err);

/* All ranks: HSD_OK if that is `status` of all; else one failure, with its error. */
HSD_API hsd_status hsd_ranks_agree(const hsd_ranks *ranks, hsd_status status, hsd_error *err);

#ifdef __cplusplus
}
#endif

#endif

/*
 * Two sides brought together: the state of one diff between its stages, and the fold over the tandem
 * merge. For diff.c, compare.c, rows.c, and who keeps what was walked (libdiff/browse).
 */
#ifndef HSD_DIFF_COMPARE_H
#define HSD_DIFF_COMPARE_H

#include "base/turn.h"
#include "diff/examples.h"
#include "diff/ladder.h"
#include "diff/replaced.h"
#include "diff/reuse.h"
#include "diff/undecided.h"
#include "match/recognise.h"
#include "walk/fold.h"
#include "walk/keep.h"
#include "walk/pair.h"
#include "walk/user_keys.h"

typedef struct hsd_root_change {
    hsd_amount new_, freed, kept, moved_in, moved_out, undecided;
    int64_t resized_bytes;
    uint64_t resized_objects;
} hsd_root_change;

struct hsd_comparison;

/*
 * A comparison of which each of several processes does a part (libdiff/ranks): what it does otherwise than alone. Every
 * process opens both captures and plans alike; one of them, which `answers`, has the result.
 */
typedef struct hsd_parting {
    void *context;
    bool answers;
    unsigned shares; /* processes of this machine that share the memory of the run */
    /* What the ladder and the captures say of it: false = one process does all */
    bool (*can_part)(void *context, const struct hsd_comparison *c);
    /* In place of both walks: censuses come in parts, and of sides that others walk what is told of them */
    hsd_status (*walk)(void *context, struct hsd_comparison *c, hsd_error *err);
    /* In place of hsd_replaced_find */
    hsd_status (*find_replaced)(void *context, struct hsd_comparison *c, hsd_error *err);
    /* The part was merged: sums and bits of all of them come to whoever answers */
    hsd_status (*meet)(void *context, struct hsd_comparison *c, hsd_error *err);
} hsd_parting;

typedef struct hsd_comparison {
    hsd_pair pair;
    const hsd_run *run;
    const hsd_diff_options *options;
    const hsd_keep *keep;       /* NULL = nobody keeps the sides */
    const hsd_parting *parting; /* NULL = this process does all */
    bool is_taken;              /* both sides were walked by profiles (hsd_diff_options.walked) */
    hsd_user_keys user_keys;
    hsd_user_key_count *key_counts[SIDE_COUNT]; /* one for each of them; NULL without */
    hsd_walk_alike alike[SIDE_COUNT];           /* with the basis of structure */
    hsd_marks marks[SIDE_COUNT];                /* with that of addresses */
    hsd_recognised recognised;                  /* with the basis of structure */
    hsd_reuse *reuse;                           /* with that of addresses, while they are merged */
    hsd_reuse_sums reused;
    hsd_replaced replaced;         /* likewise */
    hsd_undecided_table undecided; /* with the basis of structure, while they are merged */
    hsd_ladder ladder;             /* what objects are recognised by */

    hsd_fold_change *by_type; /* by common type */
    hsd_examples *examples;   /* likewise; NULL without identity */
    hsd_root_change *by_root; /* by common root */
    hsd_match match;
    hsd_turn turn;                    /* with the basis of exact ids */
    const hsd_turn_lasts *turn_lasts; /* of before and of after, where this is a part; else NULL */
} hsd_comparison;

/* False of captures that have no objects to be walked. */
static inline bool hsd_compare_is_walked(const hsd_comparison *c) { return c->pair.sides[BEFORE].request != NULL; }

/* Numbers the owners of both sides alike and makes room for the folds. After both walks. */
hsd_status hsd_compare_prepare(hsd_comparison *c, hsd_error *err);

/* Merges the censuses by identity and folds; tells options->changed of each object that changed. With
 * holders sets is_kept of both sides. */
hsd_status hsd_compare_merge(hsd_comparison *c, hsd_error *err);

void hsd_compare_release(hsd_comparison *c);

/* ---- rows.c: from sums to the result ---- */

/* Builds the result of a comparison. */
hsd_status hsd_rows_from_comparison(hsd_diff **out, const hsd_comparison *c, hsd_error *err);

/* Sums of one side by common type, from type totals alone (--summary). */
typedef struct hsd_summary_side {
    const hsd_capture_info *info;
    hsd_amount *by_type; /* type_names->names.count */
} hsd_summary_side;

hsd_status hsd_rows_from_summary(hsd_diff **out, const hsd_summary_side sides[SIDE_COUNT], const hsd_type_names *types,
                                 hsd_error *err);

/* ---- diff.c ---- */

/*
 * hsd_diff_run that keeps its comparison: `c` is overwritten, stays where it is, and is to be released by
 * hsd_compare_release, on failure too. Of captures that have no objects to be walked it is empty; trees, graphs and
 * what was seen are there with has_holders. `keep`, `options`, `run` and `reporter` are borrowed until the release.
 */
hsd_status hsd_diff_run_kept(hsd_diff **out, hsd_comparison *c, const hsd_keep *keep, hsd_capture *before,
                             hsd_capture *after, const hsd_diff_options *options, const hsd_run *run,
                             hsd_reporter *reporter, hsd_error *err);

/*
 * hsd_diff_run of a process that may do a part: `c` as hsd_diff_run_kept leaves it. Of processes that do not answer
 * *out is NULL, and the censuses of c are there.
 */
hsd_status hsd_diff_run_parted(hsd_diff **out, hsd_comparison *c, const hsd_parting *parting,
                               const hsd_pair_parts *parts, hsd_capture *before, hsd_capture *after,
                               const hsd_diff_options *options, const hsd_run *run, hsd_reporter *reporter,
                               hsd_error *err);

/* What the sums of all objects say together: part of the merge, and of parts once they met. */
hsd_status hsd_compare_settle(hsd_comparison *c, hsd_error *err);

/* ---- summary.c ---- */

hsd_status hsd_summary_run(hsd_diff **out, hsd_capture *before, hsd_capture *after, hsd_error *err);

#endif

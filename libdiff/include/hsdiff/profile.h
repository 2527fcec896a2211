/*
 * What one capture holds, as sums: by type, by root and by place, a path of types from a root. Sums add, compare and
 * keep where objects do not: a baseline in a repository, a month of captures, captures whose ids say nothing to each
 * other.
 *
 *      capture ──hsd_profile_make──► profile ──hsd_baseline_write──► baseline (.hs, small) ──hsd_profile_make──► profile
 *                                       │
 *                                       └─ 2 of them: hsd_diff_run, when one is a baseline.  N: hsd_series_run
 *
 * A full capture goes through the stages of a diff with one side (libdiff/DESIGN.md) and has its bounds. A baseline is
 * read in milliseconds; so are the type totals of a capture whose objects were deleted.
 */
#ifndef HSDIFF_PROFILE_H
#define HSDIFF_PROFILE_H

#include <hsdiff/top.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A node of the type-path tree: all objects that hang from one root by one path of edges and types. Rows are in
 * preorder; children of one place by all.bytes, largest first, then by edge and type. Row 0 is the heap. */
typedef struct hsd_place {
    uint32_t depth;  /* 0 = row 0; 1 = roots and what no root holds alone */
    uint32_t parent; /* row, less than its own; row 0 has itself */
    bool is_root;    /* `type` is the name of a root */
    bool can_hold;   /* no helper of a container and no insides of one: growth may be held here */
    /* the edge leads into the insides of a container: paths leave it out (HSC_LABEL_FOLD) */
    bool is_fold;
    /* edge "" = by no one reference; "[*]" = elements, or more edges than are told apart */
    hsd_text edge, type;
    hsd_amount own, all; /* objects in this very place; and all below with it */
} hsd_place;

typedef struct hsd_profile {
    hsd_side side;    /* soft is 0 in what was read from a baseline without it */
    bool is_baseline; /* read from sums that a baseline keeps: no object was looked at */
    /* type totals alone: every captured object counts as live; no roots, no places */
    bool is_summary;
    /* else roots is empty: the capture has no roots or no references, or is_summary */
    bool has_roots;
    bool has_places;            /* else places, retained are not there, and why_no_places says why */
    hsd_text why_no_places;     /* a clause: "the capture carries no roots" */
    uint64_t place_least_bytes; /* places with less below them count for the place above; 0 = nothing was cut */
    hsd_top_type *types;        /* by live bytes, largest first; ties by name. Each name once */
    size_t type_count;
    hsd_top_root *roots; /* likewise; "(shared)" too */
    size_t root_count;
    hsd_place *places;
    size_t place_count;
    hsd_lost lost;               /* what is lost, as `after`; of baselines by type alone */
    hsd_profile_metric *metrics; /* by name; the last of a name counts */
    size_t metric_count;
    hsd_text *warnings;
    size_t warning_count;
    uint64_t temp_bytes_peak;
    struct hsd_diff_store *store;
} hsd_profile;

/* Called for every live object that counts, by ascending id, when the types of `profile` are final. `type` is a row of
 * them. */
typedef hsd_status (*hsd_profile_fn)(void *context, const hsd_profile *profile, uint32_t type, uint64_t id,
                                     uint64_t bytes, hsd_error *err);

#define HSD_PLACES_USUAL 16384u
#define HSD_PLACES_MOST  (UINT32_C(1) << 20)

typedef struct hsd_profile_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    size_t places;       /* at most so many (those with the most below them); 0 = HSD_PLACES_USUAL */
    bool no_places;      /* stop at owners: cheaper, no dominators */
    bool summary_only;   /* type totals, whatever else the capture has */
    bool partial;        /* the capture was opened with HSD_DAMAGE_SKIP */
    hsd_profile_fn each; /* NULL = not wanted. Needs objects: fails with HSD_E_UNSUPPORTED for a baseline without
                          * identities and for a capture that has totals alone */
    void *each_context;
    /* What was walked, for a diff of two captures (hsd_diff_options.walked), if `each` is wanted, ids are exact and it
     * fits in memory; else NULL. Freed by the caller with hsd_walked_free. NULL = not wanted */
    hsd_walked **walked;
    /* of the second of the two: the first. Of no use to anybody else afterwards, but to be freed behind the second */
    hsd_walked *behind;
} hsd_profile_options;

/*
 * Adds up an open capture, or reads the sums of a baseline. A budget that is too small for places leaves them out, and
 * why_no_places says so.
 *
 *   out           freed by the caller with hsd_profile_free; NULL on failure
 *   capture       borrowed for the call
 *   options, run  NULL = defaults
 *
 * Returns HSD_OK; what options.each returned; HSD_E_UNSUPPORTED for `each` where there are no objects; else as
 * hsd_top_run fails. A baseline is read in milliseconds; a capture costs one side of a diff.
 */
HSD_API hsd_status hsd_profile_make(hsd_profile **out, hsd_capture *capture, const hsd_profile_options *options,
                                    const hsd_run *run, hsd_error *err);

/* Frees a profile and all its texts. NULL is accepted. */
HSD_API void hsd_profile_free(hsd_profile *profile);

/* Frees what was walked. NULL is accepted. */
HSD_API void hsd_walked_free(hsd_walked *walked);

/* ---- baselines ---- */

/* At most so many places go into a baseline unless more are asked for: with 5,000 types it stays under 1 MiB. */
#define HSD_BASELINE_PLACES 8192u

typedef struct hsd_baseline_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    size_t places;       /* 0 = HSD_BASELINE_PLACES */
    bool identities;     /* id, type and size of every live object too: new and freed can be told later. Some bytes an
                          * object; HSD_E_UNSUPPORTED where ids say nothing across captures */
    bool force;          /* replace a file that is there */
    bool partial;
} hsd_baseline_options;

/*
 * Writes the sums of a capture as a baseline: a capture (capture/FORMAT.md 6.17 to 6.19) that every command reads. The
 * same capture and options give the same bytes on every machine and for any budget; a baseline of a baseline has the
 * same sums.
 *
 *   path           "-" = standard output; a file is there whole or not at all, mode 0600
 *   options, run   NULL = defaults
 *   bytes_written  filled on HSD_OK; may be NULL
 *
 * Returns HSD_OK; HSD_E_UNSUPPORTED for options.identities where ids say nothing across captures; HSD_E_IO with EEXIST
 * when a file is there and not options.force, else with the system's reason; else as hsd_profile_make fails.
 */
HSD_API hsd_status hsd_baseline_write(hsd_capture *capture, const char *path, const hsd_baseline_options *options,
                                      const hsd_run *run, uint64_t *bytes_written, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif

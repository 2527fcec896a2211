/*
 * One capture by itself: what is in it, and what keeps it alive.
 *
 *      hsd_top_run     types, roots, and the objects that dominate most            hsdiff top
 *      hsd_paths_run   how the objects of a type, or one object, are reached       hsdiff paths
 *
 * Both go through the stages of a diff with one side (libdiff/DESIGN.md) and have its bounds.
 */
#ifndef HSDIFF_TOP_H
#define HSDIFF_TOP_H

#include <hsdiff/diff.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_top_type {
    hsd_text name;
    uint32_t flags;
    hsd_amount live, unreached;
    uint64_t retained_bytes; /* of these objects and all that they dominate, each byte once */
} hsd_top_type;

typedef struct hsd_top_root {
    hsd_text name;
    uint32_t kind;
    bool is_shared;
    hsd_amount live; /* owned */
    uint64_t retained_bytes;
} hsd_top_root;

typedef struct hsd_top_object { /* one that dominates much */
    hsd_text type;
    uint64_t id;
    uint64_t bytes, retained_bytes, retained_objects; /* itself included */
    hsd_text root;                                    /* where its shortest path begins */
    const hsd_step *path;                             /* the last step is the object */
    size_t path_count;
    uint64_t path_cut; /* references left out in the middle of a very long path */
} hsd_top_object;

typedef struct hsd_top {
    hsd_side side;
    bool has_retained;        /* else no dominators: retained and objects are not there */
    hsd_text why_no_retained; /* a clause: "the capture carries no roots" */
    hsd_top_type *types;      /* by retained bytes, largest first (by bytes without); ties by name */
    size_t type_count;
    hsd_top_root *roots; /* likewise; what is shared by its bytes */
    size_t root_count;
    hsd_top_object *objects; /* by retained bytes, largest first; ties by path, id. Never helpers of a
                              * container (HSC_TYPE_INTERNAL) that holds them; and of a list, objects of one
                              * type that hold each other by the same reference, the first two alone */
    size_t object_count;
    /* Where much comes together: the object that retains most of those whose parts are small. No object right below has
     * more than a quarter of what it retains, nor a tenth of the heap, unless that is a tenth of it. An array of many,
     * a map, one large buffer; never a wrapper around these. Helpers of containers and links of lists are looked
     * through, and are none themselves. NULL = nothing is live, not asked for objects, or no dominators */
    const hsd_top_object *accumulation;
    hsd_text *warnings;
    size_t warning_count;
    uint64_t temp_bytes_peak;
    struct hsd_diff_store *store;
} hsd_top;

/* One object's place in the dominator tree, for hsd_top_options.each. */
typedef struct hsd_retained {
    uint64_t id;
    hsd_text type;
    uint64_t bytes, retained_bytes, retained_objects;
    uint64_t dominator; /* id of the nearest dominator that is an object */
    bool has_dominator; /* else only a root dominates it */
} hsd_retained;

typedef hsd_status (*hsd_retained_fn)(void *context, const hsd_retained *object, hsd_error *err);

typedef struct hsd_top_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    size_t objects;      /* how many of the biggest dominators; at most 10,000 */
    bool partial;
    hsd_retained_fn each; /* NULL = not wanted; every live object that counts, by id. Never called without
                           * has_retained */
    void *each_context;
} hsd_top_options;

/*
 * Counts a capture by type and by root, with what each retains, and finds the objects that dominate most.
 *
 *   out      freed by the caller with hsd_top_free; NULL on failure
 *   capture  borrowed for the call
 *   options  NULL = no objects; `run` NULL = defaults
 *
 * Returns HSD_OK, also when retained sizes are not known (why_no_retained says why); what options.each returned; else
 * as hsd_diff_run fails. Time: one side of a diff.
 */
HSD_API hsd_status hsd_top_run(hsd_top **out, hsd_capture *capture, const hsd_top_options *options, const hsd_run *run,
                               hsd_error *err);

/* Frees a result and all its texts. NULL is accepted. */
HSD_API void hsd_top_free(hsd_top *top);

/* ---- paths ---- */

/* A type-path, and all objects whose shortest path reads so; shown is the shortest of these paths. Paths read alike
 * when they differ only in the insides of containers and in how often a step, or up to four of them by turns, repeat.
 */
typedef struct hsd_path_row {
    hsd_text root;
    uint32_t root_kind;
    const hsd_step *steps; /* the last one is the object */
    size_t step_count;
    uint64_t step_cut; /* references left out behind step 32 of 64 */
    uint64_t length;   /* references from the root, those left out included */
    /* and their bytes; with is_id references to the object over paths that read so, no bytes */
    hsd_amount objects;
} hsd_path_row;

/* Distinct paths that are told apart; the longest ones beyond count as others. */
#define HSD_MAX_PATHS 65536u

typedef struct hsd_paths {
    hsd_side side;
    hsd_text type; /* what was asked for */
    uint64_t id;
    bool is_id;
    hsd_amount live, unreached; /* objects asked for */
    /* shortest first; then by bytes, objects, largest first; then by names from the root on */
    hsd_path_row *rows;
    size_t row_count;
    hsd_amount others;   /* objects whose paths are not rows; with is_id references */
    uint64_t other_rows; /* distinct paths that are not; a lower bound past HSD_MAX_PATHS */
    hsd_text *warnings;
    size_t warning_count;
    uint64_t temp_bytes_peak;
    struct hsd_diff_store *store;
} hsd_paths;

typedef struct hsd_paths_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    const char *type;    /* exact name, or a glob with * and ?; NULL with is_id */
    uint64_t id;         /* one object: the shortest path through each of its referrers */
    bool is_id;
    size_t most; /* rows; 0 = 10 */
    bool partial;
} hsd_paths_options;

/*
 * Finds how the objects of a type are reached, or who refers to one object: for an id each row is a way to it through
 * another referrer, none of which leads through the object itself.
 *
 *   out      freed by the caller with hsd_paths_free; NULL on failure
 *   options  a type, or an id with is_id; borrowed for the call
 *   run      NULL = defaults
 *
 * Returns HSD_OK, or
 *   HSD_E_NOT_FOUND: no object is of that type or id; text and hint name close ones.
 *   HSD_E_UNSUPPORTED: the capture has no roots or no references.
 *   HSD_E_MISUSE: neither a type nor an id is asked for.
 *   as hsd_diff_run fails.
 *
 * Time: one side of a diff.
 */
HSD_API hsd_status hsd_paths_run(hsd_paths **out, hsd_capture *capture, const hsd_paths_options *options,
                                 const hsd_run *run, hsd_error *err);

/* Frees a result and all its texts. NULL is accepted. */
HSD_API void hsd_paths_free(hsd_paths *paths);

#ifdef __cplusplus
}
#endif
#endif

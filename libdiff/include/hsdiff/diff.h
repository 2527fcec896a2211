/*
 * The diff of two captures: what grew by type and by root, what is new, freed, kept, resized, and how
 * sure the matching is. The result is a plain tree of sorted, complete tables that add up; reports
 * only print it.
 *
 * Numbers count live objects (reachable over strong references) unless they say unreached. For
 * each type and in total: after - before = new - freed in objects; in bytes resized is added; roots have
 * moved_in and moved_out besides. `new` = live after and
 * not live before; `freed` = live before and not live after. Where identity cannot tell
 * (identity_is_known false: a moving collector, other processes, a summary) before, after and growth
 * are exact, and new, freed, kept and resized are all 0 and must not be shown (JSON: null).
 */
#ifndef HSDIFF_DIFF_H
#define HSDIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hsdiff/capture.h>
#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_amount {
    uint64_t objects, bytes;
} hsd_amount;

typedef struct hsd_change {                      /* one row of any table */
    hsd_amount before, after, new_, freed, kept; /* kept: bytes as of before */
    int64_t resized_bytes;                       /* over kept objects: after - before */
    uint64_t resized_objects;
    hsd_amount
        undecided; /* of `new_`, and as much of `freed`: objects of one type and size below one root that came and went
                    * where objects could not be told apart; each pair of them may be one that was only written to */
} hsd_change;

/* What is new and freed for sure, as far as objects can be told apart: what may be both is in neither. Their difference
 * is that of `new_` and `freed`. */
static inline hsd_amount hsd_change_sure(const hsd_change *c, hsd_amount amount)
{
    amount.objects -= c->undecided.objects;
    amount.bytes -= c->undecided.bytes;
    return amount;
}

static inline int64_t hsd_change_objects(const hsd_change *c)
{
    return (int64_t)(c->after.objects - c->before.objects);
}
static inline int64_t hsd_change_bytes(const hsd_change *c) { return (int64_t)(c->after.bytes - c->before.bytes); }

#define HSD_EXAMPLES 3u

typedef struct hsd_type_row {
    hsd_text name;
    uint32_t flags; /* HSC_TYPE_* */
    hsd_change live;
    uint64_t retained_before, retained_after; /* bytes of these objects and of all that they dominate, each
                                               * byte once; 0 without hsd_diff.has_holders */
    /* of the live bytes those outside the heap: memory that these objects own (NATIVE_SIZE) */
    uint64_t external_before, external_after;
    hsd_amount unreached_before, unreached_after;
    hsd_amount revived;              /* of new: they were there before, unreached */
    hsd_amount dropped;              /* of freed: they are still there, unreached */
    uint64_t examples[HSD_EXAMPLES]; /* ids in the capture after of new objects, the lowest ones, ascending */
    uint32_t example_count;          /* the lesser of HSD_EXAMPLES and new objects; 0 where !hsd_new_is_known */
} hsd_type_row;

#define HSD_SIZE_ROWS    200u /* of hsd_diff.sizes at most */
#define HSD_SIZE_BUCKETS 65u  /* 0: objects of size 0; b: those of 2^(b-1) to 2^b - 1 bytes */

/*
 * How large the objects of a type are, from the totals at the end of both captures: all that were captured, unreached
 * ones too, each with its own size, without native bytes and with parts apart. So the sums are not those of the type's
 * row.
 */
typedef struct hsd_size_row {
    hsd_text type;
    hsd_amount before[HSD_SIZE_BUCKETS], after[HSD_SIZE_BUCKETS];
} hsd_size_row;

typedef struct hsd_root_row {
    hsd_text name; /* "(shared)" for objects reachable from several */
    uint32_t kind; /* hsc_root_kind; the least known one of the roots of that name */
    bool is_shared;
    hsd_change live; /* kept: live in both and this root's in both */
    /* what the roots of this name dominate, each byte once; (shared): 0 */
    uint64_t retained_before, retained_after;
    hsd_amount moved_in, moved_out; /* kept objects that came from or went to another owner; with them
                                     * after - before = new - freed + moved_in - moved_out (+ resized) */
} hsd_root_row;

/* ---- who holds it ---- */

typedef struct hsd_step { /* of a path from a root */
    hsd_text edge;        /* ".map", "[*]", "[\"key\"]", "<internal>"; "" for a reference without a name */
    hsd_text type;
    uint32_t repeat; /* so many steps of the same edge and type in a row; 1 = once */
    /* of the object that it leads to, where that has one (a class, a thread); else empty */
    hsd_text name;
} hsd_step;

typedef struct hsd_type_growth { /* new and freed objects of one type */
    hsd_text type;
    hsd_amount new_, freed;
    int64_t net_objects, net_bytes;
} hsd_type_growth;

/* Through which references the growth hangs: a small tree below a holder, in preorder. */
typedef struct hsd_growth_edge {
    hsd_text edge, type;
    uint32_t depth;           /* 1 = below the holder itself */
    hsd_amount before, after; /* objects in this very place: items of a container; bytes of its insides too */
    /* of these, what the holder is credited with; all 0 where identity is not known */
    hsd_amount new_, freed;
    int64_t growth_bytes; /* the holder's, of all that hangs below this place, itself included */
} hsd_growth_edge;

/*
 * One of several things in which growth lies together: an object, new or kept, or a root, nearest to what refers to
 * what the holder dominates and does not refer to itself. What several of them reach counts for each, so their bytes
 * have no sum.
 */
typedef struct hsd_co_holder {
    hsd_text type; /* "" = the root itself */
    hsd_text root;
    uint32_t root_kind;
    const hsd_step *path;
    size_t path_count;
    uint64_t path_cut;
    uint64_t bytes; /* new ones of the holder's that are reached from here */
    /* what it holds alone, which the row counts with the rest, or a row of its own does; 0 = nothing */
    int64_t growth_bytes;
} hsd_co_holder;

#define HSD_MAX_CO_HOLDERS 8u
#define HSD_PROGRAM_CODE   "(program code)"

/*
 * A holder: the kept object, or the name of a root, from which growth hangs. new_ and freed are 0 and not
 * to be shown where hsd_new_is_known and hsd_freed_is_known say so; net is right all the same.
 */
typedef struct hsd_holder {
    hsd_text type; /* "" = the root itself */
    bool is_code;  /* HSD_PROGRAM_CODE, the last row: what the runtime compiled or noted (types that are HSC_TYPE_CODE
                    * and  HSC_TYPE_INTERNAL) for what was there, wherever it hangs. Where its owner is new it counts
                    * with  that */
    uint64_t id;
    bool has_id;
    hsd_text root; /* name of the root its path begins at; "(roots)" = held by no one root alone */
    uint32_t root_kind;
    const hsd_step *path; /* from the root to the holder; none when it is the root itself */
    size_t path_count;
    uint64_t path_cut; /* steps left out in the middle of a very long path */
    hsd_amount new_, freed;
    int64_t net_objects, net_bytes; /* new - freed */
    int64_t resized_bytes;          /* by which the holder itself grew, and kept parts of it that hold nothing */
    int64_t growth_bytes;           /* net_bytes + resized_bytes: these sum to the growth of the heap */
    uint32_t thread_count; /* with identity: it stands for one in each of so many threads of a pool, whose root is named
                            * without their numbers, and whose path and id are those of the largest; 0 = for itself */
    const hsd_co_holder *by; /* the row is what several hold together below the holder, which may have a row for the
                              * rest: by what, those that reach most first. With identity */
    size_t by_count;
    uint64_t by_bytes;            /* of new_: what is held together */
    bool is_reached_elsewhere;    /* `by` is the one that refers to most of it, of many things that reach all of it */
    const hsd_type_growth *types; /* by net bytes, largest first; complete for the holders that are rows */
    size_t type_count;
    const hsd_growth_edge *edges;
    size_t edge_count;
} hsd_holder;

/* The type-path tree: dominator trees of both captures added up by type and edge, in preorder; row 0 is all. */
typedef struct hsd_tree_row {
    uint32_t depth;  /* 0 = row 0; 1 = roots and what no root holds alone */
    uint32_t parent; /* row */
    bool is_root;    /* `type` is the name of a root */
    hsd_text edge, type;
    hsd_amount own_before, own_after, own_new, own_freed; /* objects in this very place */
    hsd_amount before, after, new_, freed;                /* and all below */
} hsd_tree_row;

/* ---- where it was allocated ---- */

typedef struct hsd_site_frame {
    hsd_text function, file;
    uint32_t line, column;
} hsd_site_frame;

#define HSD_SITE_ROWS 1000u /* of hsd_diff.sites at most, those that grew most */

typedef struct hsd_site_row {     /* all that was allocated by one stack, of any type */
    const hsd_site_frame *frames; /* innermost first, at most 32; none for what no site is known of */
    size_t frame_count;
    hsd_change change; /* before and after alone */
    size_t wanted; /* the innermost frame that does not allocate for others (malloc, strdup, operator new …): who wanted
                    * the memory; 0 where all do */
} hsd_site_row;

/* What a capture measured besides the heap: "process.rss", "bytes" (FORMAT.md 8.3). */
typedef struct hsd_profile_metric {
    hsd_text name, unit;
    uint64_t value;
} hsd_profile_metric;

/* ---- what is lost ---- */

#define HSD_LOST_ROWS 1000u /* of hsd_lost.rows at most, those that grew most */

/*
 * What no root reaches where nothing but the program frees memory: no pointer to it is left, so nothing will ever free
 * it. As valgrind and LeakSanitizer do, what nothing else that is lost refers to (the *head*) is told from what hangs
 * below it: a list of 8,000 nodes that was lost is one head with 7,999 objects below. A row is all heads of one type
 * that one stack allocated, with what hangs below them. What hangs below several heads counts for one of them, always
 * the same.
 *
 * Objects that refer to each other in a circle and to which nothing else lost refers are headed by the largest on a
 * short way round the circle, and `cycle` has the types on that way.
 */
typedef struct hsd_lost_row {
    hsd_text type; /* of the heads */
    /* "Node and Owner": by name, each once, at most 6; "" where nothing lost refers to the heads */
    hsd_text cycle;
    const hsd_site_frame *frames; /* that allocated the heads, innermost first; none where no site is known */
    size_t frame_count, wanted;   /* as of hsd_site_row */
    /* the wanted frame in words: "Parser::field (lost.cpp:5)"; "" where no site is known */
    hsd_text place;
    hsd_amount before, after;             /* heads and all that hangs below them */
    hsd_amount heads_before, heads_after; /* where rows are by type alone each object heads itself */
    /* of `before`: live after (hsd_lost.knows_revived); of what a collector frees alone */
    hsd_amount revived;
} hsd_lost_row;

typedef struct hsd_lost {
    bool is_known; /* both captures say that nothing else frees what no root reaches (FORMAT.md 7.13), and are complete;
                    * else there are no rows, and what is unreached is garbage, or nobody knows */
    /* nothing says what heads what, nor who allocated it (sums of a baseline): a row is a type */
    bool is_by_type;
    /* where ids are of one object for good: an address may have been given to another meanwhile */
    bool knows_revived;
    hsd_lost_row *rows; /* by growth in bytes, largest first; ties by type, cycle, frames. With `others` they add up to
                         * unreached_before and unreached_after */
    size_t row_count;
    hsd_lost_row others; /* sums of all that are not rows */
    uint64_t other_count;
} hsd_lost;

static inline int64_t hsd_lost_growth(const hsd_lost_row *row)
{
    return (int64_t)(row->after.bytes - row->before.bytes);
}

typedef struct hsd_side {  /* one capture as the diff saw it */
    hsd_capture_info info; /* borrowed from the result */
    hsd_amount live, unreached;
    hsd_amount soft;                   /* of live: kept alive by soft references alone; with has_holders */
    bool has_roots, has_references;    /* else everything counts as live */
    uint64_t dangling;                 /* references to objects that are not there */
    const hsd_profile_metric *metrics; /* of a diff: by name, each once */
    size_t metric_count;
} hsd_side;

/*
 * How objects of the two captures were recognised, strong to weak; each rung is a row: its name in hsd_match_rung, the
 * one for programs, the words for people behind "by", and whether it is FIRM or WEAK (pairs that are right in number,
 * and uncertain one by one, or by what they hold). EXACT and ADDRESS go by the ids of the captures; all that follow are
 * the structural rungs, for captures whose ids say nothing about each other.
 */
#define HSD_MATCH_RUNGS(row)                                                                                           \
    row(EXACT, "exact", "exact id", FIRM) /* the same id: unique in the process */                                     \
        row(ADDRESS, "address", "address and type",                                                                    \
            FIRM)                       /* the same id and type, and site and generation where captures have them */   \
        row(KEY, "key", "key", FIRM)    /* a field named with --key has the same value */                              \
        row(NAME, "name", "name", FIRM) /* the only one of its type and name: classes, threads */                      \
        row(SAME_ADDRESS, "same_address", "same address",                                                              \
            FIRM) /* the same address and structure, where most objects stayed where they were */                      \
        row(STRUCTURE, "structure", "neighbourhood",                                                                   \
            FIRM) /* the only one with its type, size, content and neighbourhood */                                    \
        row(PLACE, "place", "place",                                                                                   \
            FIRM) /* the only one of its type where it is below a named root (a static field); asked last */           \
        row(ORDER, "order", "order", FIRM)       /* between recognised neighbours, in the same order, and alike */     \
        row(CHANGED, "changed", "changed", WEAK) /* between recognised neighbours, of the same type, but written to */ \
        row(TWINS, "twins", "twins",                                                                                   \
            WEAK) /* among equals of which some went: right in number, uncertain one by one */

#define HSD_MATCH_RUNG_NUMBER(rung, name, words, strength) HSD_MATCH_##rung,
typedef enum hsd_match_rung { HSD_MATCH_RUNGS(HSD_MATCH_RUNG_NUMBER) HSD_MATCH_RUNG_COUNT } hsd_match_rung;

typedef struct hsd_match {   /* over captured objects that count, live or not */
    uint64_t exact, address; /* pairs by these rungs */
    uint64_t structure;      /* pairs by all structural rungs */
    uint64_t unmatched_before, unmatched_after;
    uint64_t ambiguous; /* undecidable: pairs by TWINS, and objects of either side without a partner that have an
                         * equal without one on the other side */
    hsd_amount rungs[HSD_MATCH_RUNG_COUNT]; /* live in both: pairs, and their bytes after */
    hsd_amount weak;                        /* of these: by the WEAK rungs */
    uint64_t reused;                        /* ADDRESS: addresses that were seen to hold another object after */
    uint64_t reuse_estimate;                /* ADDRESS: pairs that may be two objects at one address which look alike */
} hsd_match;

/* Above this share of the live bytes after, weak pairs are worth a warning. */
#define HSD_MATCH_WEAK_PERCENT 5u

typedef struct hsd_diff {
    hsd_side before, after;
    hsd_change total;
    /* of the live bytes those outside the heap; 0 where the captures say of none */
    uint64_t external_before, external_after;
    hsd_amount unreached_before, unreached_after;
    hsd_match match;
    hsd_order order;        /* with ids that are exact, from one process that compares */
    bool identity_is_known; /* else counts only */
    bool is_by_structure;   /* objects were recognised by the structural rungs */
    hsd_text match_reason;  /* with is_by_structure, or without identity: why the ids do not serve, a clause: "the
                             * collector  moves objects, so their addresses say nothing across captures"; else "" */
    bool is_partial;        /* lower bounds: freed is never claimed */
    bool is_summary;        /* from type totals alone: all captured objects, no roots, no identity */
    bool is_of_totals;      /* is_summary, because a capture has nothing but type totals, or too many objects */
    hsd_type_row *types;    /* by growth in bytes, largest first; ties by name */
    size_t type_count;
    hsd_size_row *sizes; /* of types whose live bytes changed, those that changed most, either way: largest change
                          * first, then by name. None where a capture is incomplete or its totals are not of all
                          * of its objects; not those types of which some objects stand in the totals alone */
    size_t size_count;
    hsd_root_row *roots;
    size_t root_count;
    bool has_holders;        /* else holders, tree, retained are not there, and why_no_holders says why */
    hsd_text why_no_holders; /* a clause: "the captures carry no references" */
    hsd_holder *holders;     /* by growth_bytes, largest first; ties by root, path, type, id */
    size_t holder_count;
    hsd_holder other_holders; /* sums of all that are not rows; type_count etc. are 0 */
    uint64_t other_holder_count;
    hsd_tree_row *tree;
    size_t tree_count;
    uint32_t tree_depth;       /* deeper objects count for their ancestor there; 0 = nothing was cut */
    uint64_t tree_least_bytes; /* places with fewer bytes, before and after together, count for the place above;
                                * 0 = nothing was cut */
    hsd_lost lost;
    hsd_lost uncollected; /* what no root reaches where a collector frees, and it did not yet: rows as of `lost`, by
                           * type alone. Known where both captures have roots and references and are complete; then
                           * `lost` is not */
    bool has_sites; /* one of the captures has sites, and it is no summary. Of captures with roots and references what
                     * is live, of others all */
    /* by growth in bytes, largest first; ties by frames. With other_sites they add up to the total */
    hsd_site_row *sites;
    size_t site_count;
    hsd_change other_sites; /* sums of all that are not rows */
    uint64_t other_site_count;
    hsd_text *warnings; /* what the reader must know, most important first */
    size_t warning_count;
    uint64_t temp_bytes_peak;     /* for --verbose */
    struct hsd_diff_store *store; /* owns all of the above */
} hsd_diff;

/*
 * Up to this, growth of a heap of so many bytes is noise where nobody says otherwise: a thousandth of it, and in heaps
 * below 3.2 MB, of which that is next to nothing, a fiftieth, at most 64 KiB. 8 KiB are noise in any that it is not a
 * twentieth of: a runtime's own tables grow by as much with the next methods that it compiles.
 */
static inline uint64_t hsd_noise_of(uint64_t heap_bytes)
{
    const uint64_t share = heap_bytes / 1000, runtime = UINT64_C(8) << 10,
                   few = heap_bytes / 20 < runtime ? heap_bytes / 20 : runtime;
    const uint64_t least = heap_bytes / 50 > few ? heap_bytes / 50 : few;
    const uint64_t floor = least < (UINT64_C(64) << 10) ? least : UINT64_C(64) << 10;
    return share > floor ? share : floor;
}

/* What the tables know: new is unknown while the capture before is partial, freed while either is. */
static inline bool hsd_new_is_known(const hsd_diff *diff)
{
    return diff->identity_is_known && diff->before.info.is_complete;
}

static inline bool hsd_freed_is_known(const hsd_diff *diff) { return diff->identity_is_known && !diff->is_partial; }

/* An object that changed, for --objects. State: 0 absent, 1 unreached, 2 live. */
typedef struct hsd_changed_object {
    uint64_t id;
    hsd_text type;
    uint64_t bytes_before, bytes_after;
    uint8_t state_before, state_after;
} hsd_changed_object;

typedef hsd_status (*hsd_changed_fn)(void *context, const hsd_changed_object *object, hsd_error *err);

/* Two objects of the two captures that were recognised as one, live or not. */
typedef hsd_status (*hsd_matched_fn)(void *context, uint64_t id_before, uint64_t id_after, hsd_match_rung rung,
                                     hsd_error *err);

/* By what objects may be recognised. */
typedef enum hsd_match_by {
    HSD_MATCH_BY_BEST = 0,  /* the strongest that the captures allow */
    HSD_MATCH_BY_STRUCTURE, /* ids are not looked at: names, content, neighbourhood */
    HSD_MATCH_BY_COUNTS     /* not at all: growth is exact, new and freed are not known; a place that both captures have
                             * once is     taken for one holder */
} hsd_match_by;

/* What a profile walked (hsdiff/profile.h). */
typedef struct hsd_walked hsd_walked;

typedef struct hsd_diff_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    bool summary_only;
    bool no_holders; /* stop at owners: no dominators, holders, paths, retained sizes */
    bool partial;    /* captures were opened with HSD_DAMAGE_SKIP */
    hsd_match_by match_by;
    /* "Type:field" each: the value of that field says which object of the type is which */
    const char *const *keys;
    size_t key_count;
    hsd_changed_fn changed; /* NULL = not wanted; called in identity order, not for kept objects of
                             * equal size and state */
    void *changed_context;
    hsd_matched_fn matched; /* NULL = not wanted; called for every pair, in the same order */
    void *matched_context;
    /* Both captures as profiles have walked them, the second behind the first: they are not walked again, where the
     * diff would do nothing else. Taken apart, and still to be freed. NULL = they were not walked */
    hsd_walked *const *walked;
} hsd_diff_options;

/*
 * Compares two open captures.
 *
 *   out            freed by the caller with hsd_diff_free; NULL on failure
 *   before, after  borrowed for the call; they may be closed while the result lives
 *   options        NULL = defaults. Borrowed for the call, keys included
 *   run            NULL = defaults
 *
 * Returns HSD_OK, or
 *   HSD_E_OVER_BUDGET: run->memory_bytes is too small; the text names what suffices.
 *   HSD_E_UNSUPPORTED: a capture has HSD_MOST_WALKED objects and named roots, or is cut off and has more objects;
 *     `changed`, `matched` or keys for captures of which one has no objects, but only sums.
 *   HSD_E_CANCELLED: the progress of `run` said so.
 *   HSD_E_IO: a temporary file could not be made, written or read.
 *   HSD_E_NOT_FOUND: a key is no type and field ("Type:field"), is the second of its type, or is one too many.
 *   what `changed` or `matched` returned.
 *   what reading the captures returns (hsdiff/capture.h).
 *
 * Time: some passes over both captures, linear in objects and references; what does not fit into the memory goes
 * through temporary files (libdiff/DESIGN.md).
 */
HSD_API hsd_status hsd_diff_run(hsd_diff **out, hsd_capture *before, hsd_capture *after,
                                const hsd_diff_options *options, const hsd_run *run, hsd_error *err);

/* Frees a result and all its texts. NULL is accepted. */
HSD_API void hsd_diff_free(hsd_diff *diff);

/* True for the name that stands for no root alone. */
static inline bool hsd_root_is_nobody(hsd_text root) { return root.size == 7 && memcmp(root.data, "(roots)", 7) == 0; }

/* True for the holder that stands for what no one root and no one object holds, if it is not known by which it is held
 * together. */
static inline bool hsd_holder_is_nobody(const hsd_holder *holder)
{
    return holder->type.size == 0 && holder->path_count == 0 && holder->by_count == 0 &&
           hsd_root_is_nobody(holder->root);
}

/* The holders that say who holds the growth, those that hold most first: as many as make up four fifths of `growth`, at
 * most HSD_MOST_HELD, each with at least a twentieth of it. What nobody holds is not one of them, nor is program code.
 * Returns how many. */
#define HSD_MOST_HELD 3u
static inline size_t hsd_diff_most_held(const hsd_diff *diff, int64_t growth, const hsd_holder *out[HSD_MOST_HELD])
{
    const int64_t least = growth / 20, enough = growth - growth / 5;
    int64_t told = 0;
    size_t count = 0;
    for (size_t i = 0; diff->has_holders && i < diff->holder_count && count < HSD_MOST_HELD && told < enough; i++) {
        const hsd_holder *holder = &diff->holders[i];
        if (holder->growth_bytes <= 0 || holder->growth_bytes < least) break;
        if (holder->is_code || hsd_holder_is_nobody(holder)) continue;
        told += holder->growth_bytes;
        out[count++] = holder;
    }
    return count;
}

#ifdef __cplusplus
}
#endif
#endif

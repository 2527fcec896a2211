/*
 * Browsing heaps: any object of a capture, what it refers to, what refers to it, what it dominates and by which path it
 * is reached, each answered from an index on disk in milliseconds, whatever the size of the heap.
 *
 *      hsd_browse_open   one capture, or a pair with its diff  ──walk──► index (unnamed temporary files, `run->temp_dir`)
 *      hsd_browse_…      one question each                     ──few reads──► an answer, the caller's to free
 *
 * The index is a by-product of the walk of a diff (libdiff/DESIGN.md, "The index of the viewer"): the report of a pair
 * comes after some tenth more than the time of the diff, its index after a fifth more. Memory: the budget of `run`
 * while it is built, then some bits an object and for answers a page cache of a sixteenth of the budget, at most 64
 * MiB, at least 16 pages for each of some ten files a side. Not thread-safe: one question at a time.
 */
#ifndef HSDIFF_BROWSE_H
#define HSDIFF_BROWSE_H

#include <hsdiff/diff.h>
#include <hsdiff/top.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_browse hsd_browse;

/* Told when there is something to show: the report long before the index. `diff` of a pair, `top` of a single capture;
 * the other is NULL. Both live until hsd_browse_close. May be called from the thread of hsd_browse_open alone. */
typedef hsd_status (*hsd_browse_report_fn)(void *context, const hsd_diff *diff, const hsd_top *top, hsd_error *err);

typedef struct hsd_browse_options {
    size_t struct_bytes;          /* HSD_OPTIONS_INIT */
    const hsd_diff_options *diff; /* of a pair, NULL = all 0; no_holders and summary_only are refused (HSD_E_MISUSE).
                                     Borrowed for the call */
    hsd_browse_report_fn report;  /* NULL = not wanted */
    void *report_context;
} hsd_browse_options;

/*
 * Walks one or two captures and builds the index of each.
 *
 *   out       the index, which the caller closes; NULL on failure
 *   captures  before and after, or one; they must stay open as long as the index
 *   count     1 or 2
 *   options   borrowed for the call; `run` until close
 *
 * A capture that is not whole, has no roots or no references, or nothing but totals, still has its report: *out is
 * then there, and hsd_browse_why_not says why there is nothing to browse.
 *
 * Returns HSD_OK; HSD_E_MISUSE for options.diff with no_holders or summary_only; what options.report returned; else as
 * hsd_diff_run and hsd_top_run fail. Time and memory: see the top of this header.
 */
HSD_API hsd_status hsd_browse_open(hsd_browse **out, hsd_capture *const captures[], size_t count,
                                   const hsd_browse_options *options, const hsd_run *run, hsd_error *err);

/*
 * Closes the index and gives its temporary files back; the captures stay open. What was borrowed from it is gone: the
 * diff, the top, texts of answers. NULL is accepted.
 */
HSD_API void hsd_browse_close(hsd_browse *browse);

/* How many captures are browsed: 1 or 2. Side 0 is before, of a single capture the only one; side 1 is after. */
HSD_API size_t hsd_browse_side_count(const hsd_browse *browse);

/* The diff of a pair, borrowed until close; NULL of a single capture. */
HSD_API const hsd_diff *hsd_browse_diff(const hsd_browse *browse);

/* What hsd_top_run says of a single capture, borrowed until close; NULL of a pair. */
HSD_API const hsd_top *hsd_browse_top(const hsd_browse *browse);

/* Why a side cannot be browsed, a clause: "the capture carries no references". NULL = it can. Borrowed until close. */
HSD_API const char *hsd_browse_why_not(const hsd_browse *browse, size_t side);

/* What is live on a side: the whole that shares of the heap are of. `side` must be less than hsd_browse_side_count. */
HSD_API hsd_amount hsd_browse_live(const hsd_browse *browse, size_t side);

/* Bytes that the index takes on disk, as it was opened. */
HSD_API uint64_t hsd_browse_index_bytes(const hsd_browse *browse);

/* The most bytes of temporary files there were at a time while the index was built. */
HSD_API uint64_t hsd_browse_temp_bytes_peak(const hsd_browse *browse);

/* ---- what can be asked about: an object or a root, of one side ---- */

/* A place in one capture. Numbers hold as long as the index, ids as long as the capture. */
typedef struct hsd_browse_ref {
    uint64_t node; /* an object, a root; HSD_BROWSE_ALL = above all roots */
} hsd_browse_ref;

#define HSD_BROWSE_ALL UINT64_MAX

/* How an object fares in the pair. */
typedef enum hsd_browse_state {
    /* of a single capture, and where objects are not recognised: nothing more is known */
    HSD_BROWSE_LIVE,
    HSD_BROWSE_KEPT,     /* live on both sides */
    HSD_BROWSE_NEW,      /* live here alone, side after */
    HSD_BROWSE_FREED,    /* live here alone, side before */
    HSD_BROWSE_UNREACHED /* garbage: no retained size, no dominator, no path */
} hsd_browse_state;

typedef struct hsd_browse_node { /* what a line of a list says */
    hsd_browse_ref ref;
    bool is_root;       /* `type` is the name of a root; id and bytes are 0 */
    uint32_t root_kind; /* hsc_root_kind of a root */
    uint64_t id;
    hsd_text type;
    hsd_text name; /* of the object, where it has one (a class, a function, a thread) and it is one of the first
                    * HSD_BROWSE_NAMED of a list; else "" */
    /* how the one asked about and this one are connected; "" = by no single named reference */
    hsd_text edge;
    uint64_t bytes, retained_bytes, retained_objects; /* retained: itself included */
    hsd_browse_state state;
    bool is_weak; /* of a referent: this reference does not keep it alive */
    /* counts with another object, or nowhere: its bytes are not in what others retain */
    bool is_part;
} hsd_browse_node;

typedef struct hsd_browse_list {
    hsd_browse_node *nodes;
    size_t count;
    uint64_t from, total;           /* nodes are from … from + count of so many */
    bool is_total_known;            /* else total is a lower bound */
    struct hsd_browse_store *store; /* owns nodes; names are its own, other texts the index's, until it is closed */
} hsd_browse_list;

/* Frees an answer with all its nodes and names. NULL is accepted. */
HSD_API void hsd_browse_list_free(hsd_browse_list *list);

/* nodes of one answer whose names are looked up, a block of the capture each at most */
#define HSD_BROWSE_NAMED 64u
#define HSD_BROWSE_MOST  1000u /* nodes of one answer; larger wishes are cut to it */

/*
 * ---- questions. How all of them fail: ----
 *
 *   HSD_E_NOT_FOUND    a side, node, id or type that is not there
 *   HSD_E_UNSUPPORTED  the side cannot be browsed: hsd_browse_why_not
 *   HSD_E_IO           the index cannot be read
 *   HSD_E_NOMEM        no memory for the answer
 *
 * *out is NULL on failure. Order never depends on the run: ties stand in the order of the capture. Cost: a few reads of
 * 16 KiB for the head of a list, one a node behind it, and one more to name each referrer.
 */

/*
 * Finds the object of an id.
 *
 *   out  filled on HSD_OK
 *
 * Returns HSD_OK; HSD_E_NOT_FOUND when no object has that id, and the text says how many objects there are; else as
 * all questions fail (above).
 */
HSD_API hsd_status hsd_browse_find(hsd_browse *browse, size_t side, uint64_t id, hsd_browse_ref *out, hsd_error *err);

/*
 * Lists the live objects of one type, by retained bytes, largest first.
 *
 *   type         the exact name
 *   from, count  nodes `from` up to `from + count` of the list; `count` is cut to HSD_BROWSE_MOST
 *   out          freed by the caller; NULL on failure
 *
 * HSD_E_NOT_FOUND when no live object is of that type; else as all questions fail.
 */
HSD_API hsd_status hsd_browse_objects(hsd_browse *browse, size_t side, hsd_text type, uint64_t from, size_t count,
                                      hsd_browse_list **out, hsd_error *err);

/*
 * Lists what the node immediately dominates, by retained bytes, largest first; of HSD_BROWSE_ALL the roots and what no
 * root holds alone. `from`, `count`, `out` as of hsd_browse_objects. Fails as all questions do, with HSD_E_NOT_FOUND
 * for a node that is not there.
 */
HSD_API hsd_status hsd_browse_dominated(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from,
                                        size_t count, hsd_browse_list **out, hsd_error *err);

/*
 * Lists what the node refers to, each once by its least name, in the order of the capture; of HSD_BROWSE_ALL: the
 * roots. `from`, `count`, `out` as of hsd_browse_objects. Of more than 2,048 referents each 2,048 are in order by
 * themselves.
 *
 * Behind its referents stands what it refers to weakly, in the same order; what it refers to either way stands there
 * twice. These references are read from the blocks of the capture that the object is in, one as a rule. Of more than
 * 4,096 the rest is left out, and the total is not known. Left out are those that a capture keeps apart from its
 * objects (FORMAT.md 6.7): the index has none.
 *
 * Fails as all questions do, with HSD_E_NOT_FOUND for a node that is not there, and as reading the capture fails.
 */
HSD_API hsd_status hsd_browse_referents(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from,
                                        size_t count, hsd_browse_list **out, hsd_error *err);

/*
 * Lists what refers to the node, each once by its least name, in the order of the capture. Roots are referrers, too;
 * what refers to it weakly is not in the index and is left out. Of HSD_BROWSE_ALL: nothing. `from`, `count`, `out` as
 * of hsd_browse_objects. Fails as all questions do, with HSD_E_NOT_FOUND for a node that is not there.
 */
HSD_API hsd_status hsd_browse_referrers(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from,
                                        size_t count, hsd_browse_list **out, hsd_error *err);

/*
 * Gives a shortest path from a root to the node: the root first, the node last. Empty of what nothing reaches. At most
 * HSD_BROWSE_MOST nodes: what is longer has its middle left out; `total` is then the whole length, and `from` the
 * place of the first node behind the gap.
 *
 *   out  freed by the caller; NULL on failure
 *
 * Fails as all questions do, with HSD_E_NOT_FOUND for a node that is not there.
 */
HSD_API hsd_status hsd_browse_path(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_browse_list **out,
                                   hsd_error *err);

/*
 * Gives the dominators of the node, from the root down to the nearest; cut in the middle as hsd_browse_path is. Fails
 * as hsd_browse_path does.
 */
HSD_API hsd_status hsd_browse_dominators(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_browse_list **out,
                                         hsd_error *err);

/* ---- one node, and what is known of it ---- */

typedef struct hsd_browse_field { /* a value that the capture stored of the object; captures hold shapes alone unless
                                   * asked. One at most, and `name` is "" */
    hsd_text name, value;
} hsd_browse_field;

#define HSD_BROWSE_FRAMES      512u /* FORMAT.md 6.5 */
#define HSD_BROWSE_FRAME_BYTES ((size_t)1 << 20)

typedef struct hsd_browse_object {
    hsd_browse_node node;
    bool has_length;
    uint64_t length;                          /* elements */
    hsd_text owner;                           /* the root it belongs to, "(shared)"; "" of what nothing reaches */
    uint64_t referents, referrers, dominated; /* how many; referents with the weak ones that are listed */
    hsd_browse_field *fields;
    size_t field_count;
    hsd_site_frame
        *frames; /* where it was allocated, innermost first; none where the capture does not say. At most
                  * HSD_BROWSE_FRAMES, and HSD_BROWSE_FRAME_BYTES of texts: callers further out are left out */
    size_t frame_count;
    bool is_on_other_side; /* its partner: other_id on the other side of the pair */
    uint64_t other_id, other_bytes;
    struct hsd_browse_store *store;
} hsd_browse_object;

/*
 * Gives all that is known of one object.
 *
 *   out  freed by the caller with hsd_browse_object_free; NULL on failure
 *
 * Fails as all questions do, with HSD_E_NOT_FOUND for a node that is not there, and as reading the capture fails.
 * Reads one block of the capture besides the index, as a rule. The first object that has a site costs two passes over
 * tables of its capture: sites and strings go to disk, so that stacks are found there.
 */
HSD_API hsd_status hsd_browse_object_get(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_browse_object **out,
                                         hsd_error *err);

/* Frees an answer and its texts. NULL is accepted. */
HSD_API void hsd_browse_object_free(hsd_browse_object *object);

/* ---- names ---- */

typedef enum hsd_browse_type_order {
    HSD_BROWSE_BY_RETAINED,
    HSD_BROWSE_BY_BYTES,
    HSD_BROWSE_BY_OBJECTS,
    HSD_BROWSE_BY_NAME
} hsd_browse_type_order;

typedef struct hsd_browse_type {
    hsd_text name;
    hsd_amount live;
    uint64_t retained_bytes;
} hsd_browse_type;

typedef struct hsd_browse_types {
    hsd_browse_type *types;
    size_t count;
    uint64_t from, total; /* that match */
    struct hsd_browse_store *store;
} hsd_browse_types;

/*
 * Lists the types of live objects.
 *
 *   text         types whose name has it somewhere in it, ASCII letters of either case; "" = all
 *   from, count  as of hsd_browse_objects
 *   out          freed by the caller with hsd_browse_types_free; NULL on failure
 *
 * Fails as all questions do. No type that matches is an empty list, and no error.
 */
HSD_API hsd_status hsd_browse_types_get(hsd_browse *browse, size_t side, hsd_text text, hsd_browse_type_order order,
                                        uint64_t from, size_t count, hsd_browse_types **out, hsd_error *err);

/* Frees an answer and its texts. NULL is accepted. */
HSD_API void hsd_browse_types_free(hsd_browse_types *types);

#ifdef __cplusplus
}
#endif
#endif

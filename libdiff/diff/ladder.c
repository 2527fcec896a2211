/*
 * The ladder's conditions in one table: each that applies leaves the rungs from its own downwards.
 */
#include "diff/ladder.h"

#include <string.h>

#include "base/assert.h"

typedef struct pair {
    const hsd_side_walk *before, *after;
    hsd_match_by wanted;
} pair;

static bool is_zero_ladder(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

static bool either_is(const pair *p, hsd_identity identity)
{
    return p->before->info->identity == identity || p->after->info->identity == identity;
}

static bool asks_for_structure(const pair *p) { return p->wanted == HSD_MATCH_BY_STRUCTURE; }
static bool asks_for_counts(const pair *p) { return p->wanted == HSD_MATCH_BY_COUNTS; }
static bool is_moving(const pair *p) { return either_is(p, HSD_IDENTITY_MOVING); }
static bool has_no_ids(const pair *p) { return either_is(p, HSD_IDENTITY_NONE); }
static bool ids_differ(const pair *p) { return p->before->info->identity != p->after->info->identity; }

static bool processes_differ(const pair *p)
{
    const hsd_capture_info *a = p->before->info, *b = p->after->info;
    if (a->pid != 0 && b->pid != 0 && a->pid != b->pid) return true;
    if (is_zero_ladder(a->domain, sizeof a->domain) || is_zero_ladder(b->domain, sizeof b->domain)) return false;
    return memcmp(a->domain, b->domain, sizeof a->domain) != 0;
}

/* One process, in which the runtime began anew with its ids in between, as V8 does when a session of its inspector
 * ends. */
static bool numbered_anew(const pair *p)
{
    const hsd_capture_info *a = p->before->info, *b = p->after->info;
    return processes_differ(p) && a->pid != 0 && a->pid == b->pid && a->started_unix_ns != 0 &&
           a->started_unix_ns == b->started_unix_ns;
}

/* A capture that was cut off may have lost the types of all its objects: they would match nothing. */
static bool has_lost_types(const hsd_side_walk *side)
{
    return !side->info->is_complete && side->types.count == 0 && side->object_count > 0;
}

static bool lost_types(const pair *p) { return has_lost_types(p->before) || has_lost_types(p->after); }
static bool is_incomplete(const pair *p) { return !p->before->info->is_complete || !p->after->info->is_complete; }
static bool has_no_graph(const pair *p) { return !hsd_side_has_graph(p->before) || !hsd_side_has_graph(p->after); }

static const struct {
    hsd_basis from; /* asked only when what is left begins there or below */
    hsd_basis leaves;
    bool (*applies)(const pair *p);
    const char *reason;
} conditions[] = {
    {HSD_BASIS_EXACT, HSD_BASIS_COUNTS, asks_for_counts, "that was asked for"},
    {HSD_BASIS_EXACT, HSD_BASIS_STRUCTURE, asks_for_structure, "that was asked for"},
    {HSD_BASIS_EXACT, HSD_BASIS_STRUCTURE, is_moving,
     "the collector moves objects, so their addresses say nothing across captures"},
    {HSD_BASIS_EXACT, HSD_BASIS_STRUCTURE, has_no_ids, "the captures carry no identities of objects"},
    {HSD_BASIS_EXACT, HSD_BASIS_STRUCTURE, ids_differ, "the captures identify objects in different ways"},
    {HSD_BASIS_EXACT, HSD_BASIS_COUNTS, lost_types, "a capture was cut off before its table of types"},
    {HSD_BASIS_EXACT, HSD_BASIS_STRUCTURE, numbered_anew,
     "the runtime numbered the objects of the process anew between the captures"},
    {HSD_BASIS_EXACT, HSD_BASIS_STRUCTURE, processes_differ, "the captures come from two different processes"},
    {HSD_BASIS_STRUCTURE, HSD_BASIS_COUNTS, is_incomplete,
     "a capture is incomplete: what was lost may be what told its objects apart"},
    {HSD_BASIS_STRUCTURE, HSD_BASIS_COUNTS, has_no_graph,
     "a capture carries no roots or no references by which its objects could be told apart"},
};

static bool same_text(const char *a, const char *b) { return a != NULL && b != NULL && strcmp(a, b) == 0; }

/* Contents are hashes of a producer, sizes a runtime's, identity hashes a process's. */
static hsd_side_look look_at_ladder(const pair *p)
{
    const hsd_capture_info *a = p->before->info, *b = p->after->info;
    const bool same_runtime = same_text(a->runtime, b->runtime) && a->pointer_bytes == b->pointer_bytes;
    return (hsd_side_look){
        .has_sizes = same_runtime,
        .has_contents =
            same_runtime && same_text(a->producer, b->producer) && same_text(a->source_format, b->source_format),
        .has_hashes = !asks_for_structure(p) && !processes_differ(p) && same_text(a->runtime, b->runtime),
    };
}

static int compare_u64(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* True if b comes first. Both ways round must agree, so that one diff is the mirror image of the other. */
static bool comes_first(const hsd_capture_info *b, const hsd_capture_info *a)
{
    int order = 0;
    if (a->taken_unix_ns != 0 && b->taken_unix_ns != 0) order = compare_u64(a->taken_unix_ns, b->taken_unix_ns);
    if (order == 0) order = compare_u64(a->objects, b->objects);
    if (order == 0) order = compare_u64(a->bytes, b->bytes);
    if (order == 0) order = compare_u64(a->references, b->references);
    if (order == 0) order = memcmp(a->capture_id, b->capture_id, sizeof a->capture_id);
    return order > 0;
}

hsd_ladder hsd_ladder_choose(const hsd_side_walk *before, const hsd_side_walk *after, hsd_match_by wanted)
{
    HSD_ASSERT(before->info != NULL && after->info != NULL);
    const pair p = {before, after, wanted};
    hsd_ladder ladder = {
        .basis = before->info->identity == HSD_IDENTITY_EXACT ? HSD_BASIS_EXACT : HSD_BASIS_ADDRESS,
        .look = look_at_ladder(&p),
        .is_reversed = comes_first(after->info, before->info),
    };
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        const bool is_asked = ladder.reason == NULL
                                  ? conditions[i].from == HSD_BASIS_EXACT
                                  : ladder.basis == HSD_BASIS_STRUCTURE && conditions[i].from == HSD_BASIS_STRUCTURE;
        if (!is_asked || !conditions[i].applies(&p)) continue;
        ladder.basis = conditions[i].leaves;
        ladder.reason = conditions[i].reason;
    }
    return ladder;
}

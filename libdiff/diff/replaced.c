/*
 * The censuses of both sides are merged to find suspects. Most of those that kept size and root are settled by the
 * names of their own references. Then, side after side, the graph is walked for what is around the others, and the
 * objects are read for who that is: references know ordinals, and only ids mean the same on both sides. What both sides
 * have stands together in one order then, and each suspect is judged.
 *
 *      graph ──► (node around it, suspect, name) by node ──┐
 *      objects in order ───────────────────────────────────┴──► (suspect, what of it, who, name, side) ──► judged
 */
#include "diff/replaced.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"
#include "diff/compare.h"
#include "sort/tandem.h"
#include <hscapture/hscapture.h>

/* What is asked of what is around a suspect: the same there on both sides, the same sort of thing, a name alike. */
enum { REFERRER, CHILD, SORTS, REFERRER_KIND = SORTS, NAME, QUESTIONS };

/* words of a record of company; the first is suspect * QUESTIONS + question */
enum { SUSPECT, WHO, NAMED, COMPANY_WORDS };
_Static_assert(COMPANY_WORDS == HSD_REPLACED_COMPANY_WORDS, "as others know it");

#define ROOT_SEED      UINT64_C(0x726f6f74)
#define FIRST_SUSPECTS UINT32_C(256)

typedef struct looking { /* at one side */
    const hsd_comparison *c;
    hsd_side_walk *side;
    hsd_replaced *replaced;
    int which;
    hsd_two *by_node;    /* node, suspect, ascending; of those that are not known to be one */
    uint32_t count;      /* of these */
    uint8_t *is_suspect; /* one bit an object */
    uint8_t *referrers;  /* two bits an object: how many refer to it, up to HSD_REPLACED_SHARED */
    hsd_sorter *around;  /* node, suspect << 1 | sort, name of the reference */
    hsd_sorter *company; /* of both sides */
} looking;

/* ---- suspects ---- */

static hsd_suspicion suspect(const hsd_comparison *c, const uint64_t *const *records)
{
    const uint64_t *a = records[BEFORE], *b = records[AFTER];
    if (a == NULL || b == NULL || !hsd_census_is_live(a) || !hsd_census_is_live(b)) return HSD_SUSPECT_NONE;
    if (hsd_marks_differ(hsd_census_mark(a), hsd_census_mark(b))) return HSD_SUSPECT_NONE;
    if (hsd_census_bytes(a) != hsd_census_bytes(b)) return HSD_SUSPECT_RESIZED;
    const uint32_t from = c->pair.root_number[BEFORE][hsd_census_root(a)],
                   to = c->pair.root_number[AFTER][hsd_census_root(b)];
    return from != to ? HSD_SUSPECT_MOVED : HSD_SUSPECT_STAYED;
}

/* True if there is room for one more of its sort. The merge, which finds them again, asks the same in the same order.
 */
static bool is_taken(const hsd_replaced *r, uint32_t counts[HSD_SUSPICIONS], hsd_suspicion why)
{
    if (why == HSD_SUSPECT_NONE || counts[why] == r->most[why] || (why == HSD_SUSPECT_STAYED && r->has_many))
        return false;
    counts[why]++;
    return true;
}

static hsd_status add_suspect(hsd_replaced *r, const uint64_t *const *records, hsd_suspicion why, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(r->suspects, r->capacity, r->count + 1, FIRST_SUSPECTS, "objects at one address", err));
    r->suspects[r->count++] = (hsd_suspect){
        .id = records[BEFORE][0],
        .type = hsd_census_type(records[BEFORE]),
        .nodes = {hsd_census_ordinal(records[BEFORE]), hsd_census_ordinal(records[AFTER])},
        .why = why,
    };
    return HSD_OK;
}

/* All of those that stayed are looked at, or none. */
static void leave_stayed(hsd_replaced *r)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->suspects[i].why != HSD_SUSPECT_STAYED) r->suspects[left++] = r->suspects[i];
    r->count = left;
    r->has_many = true;
}

hsd_status hsd_replaced_gather(hsd_replaced *r, const hsd_comparison *c, hsd_error *err)
{
    for (int why = 0; why < HSD_SUSPICIONS; why++)
        r->most[why] = HSD_REPLACED_SUSPECTS;

    hsd_sorter *const streams[SIDE_COUNT] = {c->pair.sides[BEFORE].census, c->pair.sides[AFTER].census};
    const uint64_t *const *records;
    uint32_t counts[HSD_SUSPICIONS] = {0};
    hsd_tandem *tandem;
    HSD_TRY(hsd_tandem_new(&tandem, streams, SIDE_COUNT, false, err));
    hsd_status status;
    while ((status = hsd_tandem_next(tandem, &records, err)) == HSD_OK) {
        const hsd_suspicion why = suspect(c, records);
        if (is_taken(r, counts, why))
            status = add_suspect(r, records, why, err);
        else if (why == HSD_SUSPECT_STAYED && !r->has_many)
            leave_stayed(r);
        if (status != HSD_OK) break;
    }
    hsd_tandem_free(tandem);
    HSD_TRY(status == HSD_END ? HSD_OK : status);
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(hsd_sorter_rewind(streams[side], err));
    return HSD_OK;
}

/* ---- what is around them ---- */

static int compare_numbered(const void *a, const void *b)
{
    const hsd_two x = *(const hsd_two *)a, y = *(const hsd_two *)b;
    return x < y ? -1 : x > y;
}

static hsd_status number_suspects(looking *l, hsd_error *err)
{
    const uint64_t objects = l->side->object_count;
    l->by_node = malloc(l->replaced->count * sizeof *l->by_node);
    l->is_suspect = calloc(objects / 8 + 1, 1);
    l->referrers = calloc(objects / 4 + 1, 1);
    if (l->by_node == NULL || l->is_suspect == NULL || l->referrers == NULL)
        return hsd_fail_nomem(err, "objects at one address");
    for (uint32_t i = 0; i < l->replaced->count; i++) {
        const hsd_suspect *suspect = &l->replaced->suspects[i];
        const hsd_node node = suspect->nodes[l->which];
        if (suspect->is_one) continue;
        hsd_bit_set(l->is_suspect, node);
        l->by_node[l->count++] = hsd_two_of(node, i);
    }
    qsort(l->by_node, l->count, sizeof *l->by_node, compare_numbered);
    return HSD_OK;
}

/* The suspect that is this node. */
static uint32_t suspect_at(const looking *l, hsd_node node)
{
    uint32_t first = 0, end = l->count;
    while (end - first > 1) {
        const uint32_t middle = first + (end - first) / 2;
        if (hsd_two_first(l->by_node[middle]) <= node)
            first = middle;
        else
            end = middle;
    }
    return (uint32_t)hsd_two_second(l->by_node[first]);
}

static bool is_suspect_node(const looking *l, hsd_node node)
{
    return node < l->side->object_count && hsd_bit_get(l->is_suspect, node);
}

static unsigned referrers_of(const looking *l, hsd_node node) { return l->referrers[node >> 2] >> (node & 3) * 2 & 3; }

static void count_referrer(looking *l, hsd_node node)
{
    if (node < l->side->object_count && referrers_of(l, node) < HSD_REPLACED_SHARED)
        l->referrers[node >> 2] = (uint8_t)(l->referrers[node >> 2] + (1u << (node & 3) * 2));
}

/* The number of a name that tells references apart; 0 = it does not, as of elements. */
static uint32_t telling_name(const hsd_comparison *c, uint32_t edge)
{
    const hsd_edge_names *edges = &c->pair.edges;
    const uint32_t name = HSD_EDGE_NAME(edge);
    if (name >= edges->count) return 0;
    const hsd_bytes text = edges->texts[name];
    return text.size == 0 || (text.size == 3 && memcmp(text.data, "[*]", 3) == 0) ? 0 : name;
}

static hsd_status put_around(looking *l, hsd_node suspect_node, hsd_node node, unsigned sort, uint32_t name,
                             hsd_error *err)
{
    const uint32_t at = suspect_at(l, suspect_node);
    hsd_suspect *suspect = &l->replaced->suspects[at];
    if (suspect->is_one) return HSD_OK;
    if (suspect->counts[l->which][sort]++ == HSD_REPLACED_AROUND) {
        suspect->is_one = true;
        return HSD_OK;
    }
    const uint64_t record[3] = {node, (uint64_t)at << 1 | sort, telling_name(l->c, name)};
    return hsd_sorter_put(l->around, record, err);
}

static hsd_status take_named(looking *l, hsd_node node, const hsd_targets *targets, bool from_suspect, hsd_error *err)
{
    for (uint32_t i = 0; i < targets->count; i++) {
        const hsd_node target = targets->items[i];
        const uint32_t name = targets->names[i];
        if (from_suspect) HSD_TRY(put_around(l, node, target, CHILD, name, err));
        if (is_suspect_node(l, target)) HSD_TRY(put_around(l, target, node, REFERRER, name, err));
    }
    return HSD_OK;
}

/* Counts what it refers to; true if there is a suspect among it. */
static bool count_targets(looking *l, const hsd_targets *targets)
{
    bool has_suspect = false;
    for (uint32_t i = 0; i < targets->count; i++) {
        count_referrer(l, targets->items[i]);
        has_suspect |= is_suspect_node(l, targets->items[i]);
    }
    return has_suspect;
}

/* Names are read of those lists alone in which they matter. */
static hsd_status take_node(looking *l, hsd_node node, hsd_error *err)
{
    hsd_adjacency *graph = l->side->adjacency;
    const bool is_suspect = is_suspect_node(l, node);
    bool is_asked = is_suspect;
    hsd_targets targets;
    hsd_adjacency_get(graph, node, &targets);
    is_asked |= count_targets(l, &targets);
    while (targets.has_more) {
        hsd_adjacency_more(graph, &targets);
        is_asked |= count_targets(l, &targets);
    }
    if (!is_asked) return HSD_OK;
    hsd_adjacency_get_named(graph, node, &targets);
    HSD_TRY(take_named(l, node, &targets, is_suspect, err));
    while (targets.has_more) {
        hsd_adjacency_more(graph, &targets);
        HSD_TRY(take_named(l, node, &targets, is_suspect, err));
    }
    return HSD_OK;
}

static hsd_status walk_graph(looking *l, hsd_error *err)
{
    hsd_adjacency *graph = l->side->adjacency;
    const hsd_node count = hsd_adjacency_node_count(graph);
    for (hsd_node node = 0; node < count; node++) {
        if ((node & 0xffff) == 0)
            HSD_TRY(hsd_progress(l->side->request->reporter, "looking around objects", node, count, err));
        if (!hsd_adjacency_is_leaf(graph, node)) HSD_TRY(take_node(l, node, err));
    }
    return hsd_adjacency_check(graph, err);
}

/* ---- who that is ---- */

static hsd_suspect *suspect_of(const looking *l, const uint64_t *around)
{
    return &l->replaced->suspects[around[1] >> 1];
}

static hsd_status put_company(looking *l, const uint64_t *around, unsigned question, uint64_t who, uint64_t name,
                              hsd_error *err)
{
    const uint64_t record[COMPANY_WORDS] = {
        [SUSPECT] = (around[1] >> 1) * QUESTIONS + question,
        [WHO] = who,
        [NAMED] = name << 1 | (unsigned)l->which,
    };
    return hsd_sorter_put(l->company, record, err);
}

static hsd_status meet_referrer(looking *l, const uint64_t *around, uint64_t who, uint64_t kind, hsd_error *err)
{
    HSD_TRY(put_company(l, around, REFERRER, who, around[2], err));
    if (suspect_of(l, around)->why == HSD_SUSPECT_RESIZED) return HSD_OK;
    return put_company(l, around, REFERRER_KIND, hsd_mix(kind, around[2]), 0, err);
}

/* Who refers to objects was counted; nodes of labels and roots are nobody's own. */
static hsd_status meet_child(looking *l, const uint64_t *around, uint64_t who, hsd_error *err)
{
    hsd_suspect *suspect = suspect_of(l, around);
    const bool is_object = around[0] < l->side->object_count;
    if (suspect->why != HSD_SUSPECT_RESIZED) HSD_TRY(put_company(l, around, NAME, 0, around[2], err));
    if (is_object && referrers_of(l, (hsd_node)around[0]) >= HSD_REPLACED_SHARED) return HSD_OK;
    suspect->has_own[l->which] |= is_object;
    return put_company(l, around, CHILD, who, around[2], err);
}

static hsd_status meet_object(looking *l, const uint64_t *around, const hsd_object *object, hsd_error *err)
{
    const hsd_type_table *types = &l->side->types;
    const uint32_t type = hsd_type_common(types, object->type);
    const bool has_no_address =
        (object->flags & HSC_OBJECT_PSEUDO) || (hsd_type_flags(types, object->type) & HSC_TYPE_PART);
    const bool is_child = (around[1] & 1) == CHILD;
    const bool is_shared = is_child && referrers_of(l, (hsd_node)around[0]) >= HSD_REPLACED_SHARED;
    if (has_no_address && !is_shared) suspect_of(l, around)->is_one = true;
    if (suspect_of(l, around)->is_one) return HSD_OK;
    const uint64_t who = hsd_mix(object->id, type);
    return is_child ? meet_child(l, around, who, err) : meet_referrer(l, around, who, type, err);
}

/* A label node or a root node: its name, by its common number. */
static hsd_status meet_root(looking *l, const uint64_t *around, hsd_error *err)
{
    const uint32_t name = l->side->name_of_node[around[0] - l->side->object_count];
    const uint64_t who = hsd_mix(ROOT_SEED, l->c->pair.root_number[l->which][name]);
    return (around[1] & 1) == CHILD ? meet_child(l, around, who, err) : meet_referrer(l, around, who, who, err);
}

static hsd_status next_around(looking *l, const uint64_t **record, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(l->around, record, err);
    if (status == HSD_END) *record = NULL;
    return status == HSD_END ? HSD_OK : status;
}

/* Leaves *record at the first that is no object. */
static hsd_status meet_objects(looking *l, hsd_object_reader *reader, const uint64_t **record, hsd_error *err)
{
    while (*record != NULL && (*record)[0] < l->side->object_count) {
        hsd_object object;
        const hsd_status status = hsd_object_reader_next(reader, &object, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        while (*record != NULL && (*record)[0] == object.ordinal && !object.is_continuation) {
            HSD_TRY(meet_object(l, *record, &object, err));
            HSD_TRY(next_around(l, record, err));
        }
    }
    return HSD_OK;
}

static hsd_status meet_all(looking *l, hsd_error *err)
{
    hsd_object_reader *reader;
    const uint64_t *record;
    HSD_TRY(hsd_side_serve(l->around, 0, err));
    HSD_TRY(next_around(l, &record, err));
    HSD_TRY(hsd_object_reader_open(&reader, l->side->request->capture, HSD_WANT_IDS, err));
    hsd_status status = meet_objects(l, reader, &record, err);
    hsd_object_reader_close(reader);
    while (status == HSD_OK && record != NULL) {
        status = meet_root(l, record, err);
        if (status == HSD_OK) status = next_around(l, &record, err);
    }
    return status;
}

/* From here on the graph is read: a keeper that works on it is waited for, which left it next to no memory. */
static hsd_status take_graph(const hsd_side_walk *side, hsd_error *err)
{
    const hsd_keeper *keeper = side->request->keeper;
    if (keeper == NULL || keeper->search == NULL) return HSD_OK;
    HSD_TRY(keeper->search(keeper->context, err));
    return hsd_adjacency_set_memory(side->adjacency, side->request->plan.adjacency_bytes, err);
}

static hsd_status look_replacement(looking *l, hsd_error *err)
{
    HSD_TRY(take_graph(l->side, err));
    HSD_TRY(number_suspects(l, err));
    HSD_TRY(hsd_side_sorter(l->side, 3, 1, HSD_SORT_MIN_BYTES, &l->around, err));
    HSD_TRY(walk_graph(l, err));
    return meet_all(l, err);
}

hsd_status hsd_replaced_look(hsd_replaced *replaced, const hsd_comparison *c, int which, hsd_sorter *company,
                             hsd_error *err)
{
    looking l = {.c = c,
                 .side = (hsd_side_walk *)&c->pair.sides[which],
                 .replaced = replaced,
                 .which = which,
                 .company = company};
    const hsd_status status = look_replacement(&l, err);
    free(l.by_node);
    free(l.is_suspect);
    free(l.referrers);
    hsd_sorter_free(l.around);
    return status;
}

/* ---- judged ---- */

/* What is the same in all words but the name and the side. */
typedef struct group {
    uint64_t suspect, who;
    uint64_t name;                           /* the last one */
    bool has[SIDE_COUNT], named[SIDE_COUNT]; /* any; of the last name */
    bool is_nameless[SIDE_COUNT];
    /* both sides have it, by one name, or by one that may be the other's */
    bool is_common;
} group;

static void take_company(group *g, const uint64_t *record)
{
    const unsigned side = record[NAMED] & 1;
    const uint64_t name = record[NAMED] >> 1;
    if (g->suspect != record[SUSPECT] || g->who != record[WHO])
        *g = (group){.suspect = record[SUSPECT], .who = record[WHO]};
    if (g->name != name) g->named[BEFORE] = g->named[AFTER] = false;
    g->name = name;
    g->has[side] = g->named[side] = true;
    g->is_nameless[side] |= name == 0;
    g->is_common |= g->named[BEFORE] && g->named[AFTER];
    for (int one = 0; one < SIDE_COUNT; one++)
        g->is_common |= g->is_nameless[one] && g->has[!one];
}

static void note_common(hsd_replaced *replaced, const group *g)
{
    hsd_suspect *suspect = &replaced->suspects[g->suspect / QUESTIONS];
    const unsigned question = g->suspect % QUESTIONS;
    if (question < SORTS)
        suspect->is_one = true;
    else
        suspect->is_alike = true;
}

/* Does what it lost tell enough? Else nothing about it may be alike. */
static bool is_told_by_loss(const hsd_suspect *suspect)
{
    if (suspect->why == HSD_SUSPECT_RESIZED) return true;
    return suspect->why == HSD_SUSPECT_MOVED && suspect->has_own[BEFORE] && suspect->has_own[AFTER];
}

static bool is_one(const hsd_suspect *suspect)
{
    for (int side = 0; side < SIDE_COUNT; side++)
        if (suspect->counts[side][REFERRER] == 0) return true; /* what has nothing around it has lost no company */
    if (suspect->is_one || is_told_by_loss(suspect)) return suspect->is_one;
    return suspect->is_alike || suspect->counts[BEFORE][CHILD] + suspect->counts[AFTER][CHILD] == 0;
}

hsd_status hsd_replaced_judge(hsd_replaced *replaced, hsd_sorter *company, hsd_error *err)
{
    const uint64_t *record;
    group g = {.suspect = UINT64_MAX};
    HSD_TRY(hsd_side_serve(company, 0, err));
    hsd_status status;
    while ((status = hsd_sorter_next(company, &record, err)) == HSD_OK) {
        take_company(&g, record);
        if (g.is_common) note_common(replaced, &g);
    }
    for (uint32_t i = 0; i < replaced->count; i++)
        replaced->suspects[i].is_one = is_one(&replaced->suspects[i]);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- settled before anything is looked for ---- */

/* By what names one refers: the least and the greatest number of one that tells, and whether one does not. */
typedef struct spoken {
    uint32_t least, greatest;
    bool has_any, is_nameless;
} spoken;

static void speak(spoken *s, const hsd_comparison *c, const hsd_targets *targets)
{
    for (uint32_t i = 0; i < targets->count; i++) {
        const uint32_t name = telling_name(c, targets->names[i]);
        if (!s->has_any || name < s->least) s->least = name;
        if (!s->has_any || name > s->greatest) s->greatest = name;
        s->has_any = true;
        s->is_nameless |= name == 0;
    }
}

static spoken names_of(const hsd_comparison *c, hsd_adjacency *graph, hsd_node node)
{
    spoken s = {0};
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(graph, node)) return s;
    hsd_adjacency_get_named(graph, node, &targets);
    speak(&s, c, &targets);
    while (targets.has_more) {
        hsd_adjacency_more(graph, &targets);
        speak(&s, c, &targets);
    }
    return s;
}

/* True if it is certain that a name is common to both, or that neither refers to anything. */
static bool speak_alike(const spoken *a, const spoken *b)
{
    if (!a->has_any || !b->has_any) return a->has_any == b->has_any;
    return a->is_nameless || b->is_nameless || a->least == b->least || a->greatest == b->greatest;
}

/* Of those that kept size and root, by the order of the suspects; nodes of a graph are asked in theirs. */
static hsd_status hear_side(const hsd_replaced *r, const hsd_comparison *c, int which, hsd_two *order, spoken *said,
                            hsd_error *err)
{
    hsd_adjacency *graph = c->pair.sides[which].adjacency;
    uint32_t count = 0;
    HSD_TRY(take_graph(&c->pair.sides[which], err));
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->suspects[i].why != HSD_SUSPECT_STAYED) continue;
        order[count] = hsd_two_of(r->suspects[i].nodes[which], count);
        count++;
    }
    qsort(order, count, sizeof *order, compare_numbered);
    for (uint32_t i = 0; i < count; i++)
        said[hsd_two_second(order[i])] = names_of(c, graph, hsd_two_first(order[i]));
    return hsd_adjacency_check(graph, err);
}

static hsd_status hear_both(const hsd_replaced *r, const hsd_comparison *c, hsd_two *order, spoken *before,
                            spoken *after, hsd_error *err)
{
    if (order == NULL || before == NULL || after == NULL) return hsd_fail_nomem(err, "objects at one address");
    HSD_TRY(hear_side(r, c, BEFORE, order, before, err));
    return hear_side(r, c, AFTER, order, after, err);
}

/* What kept size and root is one if anything about it is alike, or if it refers to nothing: of nearly all of these the
 * names by which they refer say so, and nobody needs to know who is around them. How many are left. */
static hsd_status settle_stayed(hsd_replaced *r, const hsd_comparison *c, uint32_t *left, hsd_error *err)
{
    uint32_t stayed = 0;
    for (uint32_t i = 0; i < r->count; i++)
        stayed += r->suspects[i].why == HSD_SUSPECT_STAYED;
    *left = r->count;
    if (stayed == 0) return HSD_OK;

    hsd_two *order = malloc(stayed * sizeof *order);
    spoken *before = malloc(stayed * sizeof *before), *after = malloc(stayed * sizeof *after);
    const hsd_status status = hear_both(r, c, order, before, after, err);
    uint32_t at = 0;
    for (uint32_t i = 0; i < r->count && status == HSD_OK; i++) {
        if (r->suspects[i].why != HSD_SUSPECT_STAYED) continue;
        r->suspects[i].is_one = speak_alike(&before[at], &after[at]);
        *left -= r->suspects[i].is_one;
        at++;
    }
    free(order);
    free(before);
    free(after);
    return status;
}

/* ---- the whole ---- */

bool hsd_replaced_can_tell(const hsd_comparison *c)
{
    if (c->ladder.basis != HSD_BASIS_ADDRESS) return false;
    for (int i = 0; i < SIDE_COUNT; i++)
        if (!c->pair.sides[i].info->is_complete || !hsd_side_has_graph(&c->pair.sides[i])) return false;
    return true;
}

hsd_status hsd_replaced_find(hsd_replaced *replaced, const hsd_comparison *c, hsd_error *err)
{
    HSD_ASSERT(c->pair.sides[BEFORE].request != NULL);
    hsd_sorter *company = NULL;
    if (!hsd_replaced_can_tell(c)) return HSD_OK;
    HSD_TRY(hsd_replaced_gather(replaced, c, err));
    uint32_t left;
    HSD_TRY(settle_stayed(replaced, c, &left, err));
    if (left == 0) return HSD_OK;
    hsd_status status =
        hsd_side_sorter(&c->pair.sides[AFTER], COMPANY_WORDS, COMPANY_WORDS, HSD_SORT_MIN_BYTES, &company, err);
    for (int side = 0; side < SIDE_COUNT && status == HSD_OK; side++)
        status = hsd_replaced_look(replaced, c, side, company, err);
    if (status == HSD_OK) status = hsd_replaced_judge(replaced, company, err);
    hsd_sorter_free(company);
    return status;
}

bool hsd_replaced_next(hsd_replaced *replaced, const hsd_comparison *c, const uint64_t *const *records)
{
    if (replaced->next == replaced->count || !is_taken(replaced, replaced->taken, suspect(c, records))) return false;
    return !replaced->suspects[replaced->next++].is_one;
}

void hsd_replaced_release(hsd_replaced *replaced)
{
    free(replaced->suspects);
    *replaced = (hsd_replaced){0};
}

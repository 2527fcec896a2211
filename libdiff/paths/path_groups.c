/*
 * From the readings of a search to rows. See paths.h. A place is a prefix of what is shown:
 *
 *      main ── HashMap ── [*].value Session ── .user User          three places below the root "main"
 *
 * and each group stands at one, or, inside a container, at the place of the container, with the state of the fold.
 * A step that repeats one of the last HSD_PATH_LOOK_BACK leads back to its place, so a list or a tree is one row
 * whatever its size, as in the type-path trie; what a row shows is the first of its shortest paths.
 */
#include "paths/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

/* Cells of a group, as wide as numbers of nodes. */
enum { RECORD_PARENT, RECORD_EDGE, RECORD_NODE, RECORD_STATE, RECORD_LENGTH, RECORD_WORDS };
_Static_assert(RECORD_WORDS * sizeof(hsd_node) == HSD_PATH_GROUP_BYTES, "paths.h");

#define NO_PLACE    UINT32_MAX
#define OTHER_STATE UINT32_MAX /* past HSD_MAX_PATH_PLACES */
#define OTHER_ROW   UINT32_MAX
#define IS_INSIDE   1u
#define IS_ITEMS    2u
#define STATE_SHIFT 2
#define ROOT_EDGE   UINT32_MAX
#define ASKED       1u /* state of a group during the search: some of its nodes are asked for */

static hsd_node get_path_group(hsd_path_groups *g, hsd_node group, unsigned word)
{
    return hsd_paged_get_node(&g->records, (uint64_t)group * RECORD_WORDS + word);
}

static void set_path_group(hsd_path_groups *g, hsd_node group, unsigned word, hsd_node value)
{
    hsd_paged_set_node(&g->records, (uint64_t)group * RECORD_WORDS + word, value);
}

hsd_node hsd_path_groups_node(hsd_path_groups *g, hsd_node group) { return get_path_group(g, group, RECORD_NODE); }

hsd_status hsd_path_groups_open(hsd_path_groups *g, uint64_t record_bytes, uint64_t sort_bytes, hsd_error *err)
{
    HSD_ASSERT(g->side != NULL && g->is_asked != NULL);
    const uint64_t nodes = g->side->node_count;
    HSD_TRY(hsd_paged_open(&g->records, nodes * HSD_PATH_GROUP_BYTES, record_bytes, g->side->request->space, err));
    g->has_records = true;
    g->is_on_way = calloc((size_t)nodes / 8 + 1, 1);
    if (g->is_on_way == NULL) return hsd_fail_nomem(err, "paths");
    return hsd_side_sorter(g->side, HSD_TWO_WORDS, HSD_TWO_WORDS, sort_bytes, &g->asked, err);
}

/* ---- during the search ---- */

static void add_group(hsd_path_groups *g, const hsd_reading *r)
{
    const bool is_new_level = g->count == 0 || r->level != g->last.level || r->round != g->last.round;
    if (is_new_level) {
        g->parents_first = g->level_first;
        g->level_first = g->count - r->rank; /* ranks of root nodes go on in each round */
    }
    const hsd_node group = g->count++;
    set_path_group(g, group, RECORD_PARENT, r->level == 0 ? 0 : g->parents_first + r->parent_rank + 1);
    set_path_group(g, group, RECORD_EDGE, r->name);
    set_path_group(g, group, RECORD_NODE, r->node);
    g->last = *r;
}

/* Name of the reference from a node to the object asked for. */
static uint32_t edge_to_object(hsd_path_groups *g, hsd_node node)
{
    hsd_targets targets;
    hsd_adjacency_get_named(g->side->adjacency, node, &targets);
    uint32_t least = UINT32_MAX; /* parts of a long list may each have one */
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++) {
            if (targets.items[i] == g->ordinal && targets.names[i] < least) least = targets.names[i];
        }
        if (!targets.has_more) return least;
        hsd_adjacency_more(g->side->adjacency, &targets);
    }
}

hsd_status hsd_path_groups_take(void *context, const hsd_reading *r, hsd_error *err)
{
    HSD_ASSERT(r->node < ((hsd_path_groups *)context)->side->node_count);
    hsd_path_groups *g = context;
    const bool is_same =
        g->count > 0 && r->level == g->last.level && r->rank == g->last.rank && r->round == g->last.round;
    if (!is_same) add_group(g, r);
    if (!hsd_bit_get(g->is_asked, r->node)) return HSD_OK;
    const hsd_node group = g->count - 1;
    uint64_t record[HSD_TWO_WORDS];
    if (g->is_id)
        hsd_words_set_two(record, group, edge_to_object(g, r->node));
    else
        hsd_words_set_two(record, r->node, group);
    hsd_bit_set(g->is_on_way, group);
    set_path_group(g, group, RECORD_STATE, ASKED);
    return hsd_sorter_put(g->asked, record, err);
}

/* ---- places ---- */

static uint32_t hash_place(uint32_t parent, hsd_path_edge edge, uint32_t type)
{
    uint64_t h = ((uint64_t)parent << 32 | edge) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 29 ^ type) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(h >> 32);
}

/* The slot of a place, or the empty one where it belongs. */
static uint32_t *find_slot(const hsd_path_groups *g, uint32_t parent, hsd_path_edge edge, uint32_t type)
{
    for (uint32_t at = hash_place(parent, edge, type);; at++) {
        uint32_t *slot = &g->slots[at & (g->slot_count - 1)];
        if (*slot == 0) return slot;
        const hsd_path_place *place = &g->places[*slot - 1];
        if (place->parent == parent && place->edge == edge && place->type == type) return slot;
    }
}

static hsd_status grow_places(hsd_path_groups *g, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(g->places, g->place_capacity, (uint64_t)g->place_capacity + 1, 1024, "paths", err));
    free(g->slots);
    g->slot_count = g->place_capacity * 2;
    g->slots = calloc(g->slot_count, sizeof *g->slots);
    if (g->slots == NULL) return hsd_fail_nomem(err, "paths");
    for (uint32_t i = 0; i < g->place_count; i++) {
        *find_slot(g, g->places[i].parent, g->places[i].edge, g->places[i].type) = i + 1;
    }
    return HSD_OK;
}

/* The place one step behind another; NO_PLACE when there are too many. */
static hsd_status place_behind(hsd_path_groups *g, uint32_t parent, hsd_path_edge edge, uint32_t type, uint32_t *out,
                               hsd_error *err)
{
    uint32_t above = parent;
    for (uint32_t back = 0; back < HSD_PATH_LOOK_BACK && above != NO_PLACE; back++) {
        *out = above;
        if (g->places[above].edge == edge && g->places[above].type == type) return HSD_OK;
        above = g->places[above].parent;
    }
    *out = NO_PLACE;
    if (g->place_count == g->place_capacity) HSD_TRY(grow_places(g, err));
    uint32_t *slot = find_slot(g, parent, edge, type);
    if (*slot == 0) {
        if (g->place_count == HSD_MAX_PATH_PLACES) return HSD_OK;
        g->places[g->place_count] = (hsd_path_place){.parent = parent, .type = type, .edge = edge};
        *slot = ++g->place_count;
    }
    *out = *slot - 1;
    return HSD_OK;
}

/* ---- rows ---- */

static hsd_status grow_rows(hsd_path_groups *g, hsd_error *err)
{
    return HSD_ARRAY_GROW(g->rows, g->row_capacity, (uint64_t)g->row_capacity + 1, 256, "paths", err);
}

/* The row at a place, by number; OTHER_ROW when there are too many. */
static hsd_status row_at(hsd_path_groups *g, uint32_t place, hsd_node group, uint32_t edge, uint64_t length,
                         uint32_t *out, hsd_error *err)
{
    *out = OTHER_ROW;
    if (place == NO_PLACE) return HSD_OK;
    if (g->places[place].row == 0) {
        if (g->row_count == HSD_MAX_PATHS) return HSD_OK;
        if (g->row_count == g->row_capacity) HSD_TRY(grow_rows(g, err));
        g->rows[g->row_count] = (hsd_path_row_sum){.group = group, .edge = edge, .length = length};
        g->places[place].row = ++g->row_count;
    }
    *out = g->places[place].row - 1;
    hsd_path_row_sum *row = &g->rows[*out];
    if (length < row->length) row->group = group, row->edge = edge, row->length = length;
    return HSD_OK;
}

static void count_in(hsd_path_groups *g, uint32_t row, uint64_t bytes)
{
    hsd_amount *amount = row == OTHER_ROW ? &g->others : &g->rows[row].amount;
    amount->objects++;
    amount->bytes = hsd_add_saturating(amount->bytes, bytes);
}

void hsd_path_groups_count(hsd_path_groups *g, hsd_node group, uint64_t bytes)
{
    HSD_ASSERT(g->row_count <= g->row_capacity);
    count_in(g, (uint32_t)get_path_group(g, group, RECORD_EDGE), bytes); /* the row has taken its place */
}

/* ---- from groups to rows ---- */

typedef struct standing { /* where a path stands */
    uint32_t place;       /* of the last step that is shown */
    uint32_t own;         /* of a path that ends here: the node itself is shown whatever it is */
    hsd_path_fold fold;
} standing;

static uint32_t state_of(const standing *s)
{
    if (s->place == NO_PLACE) return OTHER_STATE;
    return s->place << STATE_SHIFT | (s->fold.is_inside ? IS_INSIDE : 0) | (s->fold.is_items ? IS_ITEMS : 0);
}

static standing standing_at(uint32_t state)
{
    if (state == OTHER_STATE) return (standing){.place = NO_PLACE, .own = NO_PLACE};
    const uint32_t place = state >> STATE_SHIFT;
    return (standing){place, place, {(state & IS_INSIDE) != 0, (state & IS_ITEMS) != 0}};
}

static hsd_status step_path_group(hsd_path_groups *g, standing *s, uint32_t edge, hsd_node node, bool is_end,
                                  hsd_error *err)
{
    hsd_side_walk *side = g->side;
    hsd_path_edge shown;
    if (s->place == NO_PLACE) return HSD_OK;
    const uint32_t type = hsd_paged_get_u32(&side->types_of, node);
    const bool is_shown =
        hsd_path_fold_step(&s->fold, side->request->edge_names, side->request->type_names, edge, type, &shown);
    if (!is_shown && !is_end) return HSD_OK;
    HSD_TRY(place_behind(g, s->place, shown, type, &s->own, err));
    if (is_shown) s->place = s->own;
    return HSD_OK;
}

/* Label nodes begin a path, as root nodes do. */
static bool begins_path(const hsd_path_groups *g, hsd_node node) { return node >= g->side->object_count; }

static hsd_status stand(hsd_path_groups *g, hsd_node group, bool is_end, standing *s, hsd_node *length, hsd_error *err)
{
    const hsd_node node = get_path_group(g, group, RECORD_NODE);
    if (begins_path(g, node)) {
        *length = 0;
        *s = (standing){.place = NO_PLACE};
        const uint32_t name = g->side->name_of_node[node - g->side->object_count];
        HSD_TRY(place_behind(g, NO_PLACE, ROOT_EDGE, name, &s->place, err));
        s->own = s->place;
    } else {
        const hsd_node parent = get_path_group(g, group, RECORD_PARENT) - 1;
        *length = get_path_group(g, parent, RECORD_LENGTH) + 1;
        *s = standing_at((uint32_t)get_path_group(g, parent, RECORD_STATE));
        HSD_TRY(step_path_group(g, s, (uint32_t)get_path_group(g, group, RECORD_EDGE), node, is_end, err));
    }
    set_path_group(g, group, RECORD_LENGTH, *length);
    set_path_group(g, group, RECORD_STATE, state_of(s));
    return HSD_OK;
}

/* References from the nodes of a group to the object: the sorter has them in the order of groups. */
static hsd_status count_references(hsd_path_groups *g, hsd_node group, const standing *at, uint64_t length,
                                   const uint64_t **record, hsd_error *err)
{
    while (*record != NULL && hsd_words_first(*record) == group) {
        const uint32_t edge = (uint32_t)hsd_words_second(*record);
        standing s = *at;
        uint32_t row;
        HSD_TRY(step_path_group(g, &s, edge, g->ordinal, true, err));
        HSD_TRY(row_at(g, s.own, group, edge, length + 1, &row, err));
        count_in(g, row, 0);
        const hsd_status status = hsd_sorter_next(g->asked, record, err);
        if (status == HSD_END)
            *record = NULL;
        else
            HSD_TRY(status);
    }
    return HSD_OK;
}

/* From the last group to the first: whoever has a child on the way is on it too. */
static void mark_ways(hsd_path_groups *g)
{
    for (hsd_node group = g->count; group-- > 0;) {
        if (!hsd_bit_get(g->is_on_way, group) || begins_path(g, get_path_group(g, group, RECORD_NODE))) continue;
        hsd_bit_set(g->is_on_way, get_path_group(g, group, RECORD_PARENT) - 1);
    }
}

static hsd_status make_row(hsd_path_groups *g, hsd_node group, const uint64_t **record, hsd_error *err)
{
    standing s;
    uint32_t row;
    hsd_node length;
    const bool is_end = !g->is_id && get_path_group(g, group, RECORD_STATE) == ASKED;
    HSD_TRY(stand(g, group, is_end, &s, &length, err));
    if (g->is_id) return count_references(g, group, &s, length, record, err);
    if (!is_end) return HSD_OK;
    HSD_TRY(row_at(g, s.own, group, 0, length, &row, err));
    set_path_group(g, group, RECORD_EDGE, row);
    return HSD_OK;
}

hsd_status hsd_path_groups_make_rows(hsd_path_groups *g, hsd_error *err)
{
    const uint64_t *record = NULL;
    mark_ways(g);
    if (g->is_id) {
        const hsd_status status = hsd_sorter_next(g->asked, &record, err);
        if (status == HSD_END)
            record = NULL;
        else
            HSD_TRY(status);
    }
    for (hsd_node group = 0; group < g->count; group++) {
        if (hsd_bit_get(g->is_on_way, group)) HSD_TRY(make_row(g, group, &record, err));
        if ((group & 0xffff) == 0)
            HSD_TRY(hsd_progress(g->side->request->reporter, "grouping paths", group, g->count, err));
    }
    HSD_TRY(hsd_paged_check(&g->side->types_of, err));
    return hsd_paged_check(&g->records, err);
}

void hsd_path_groups_release(hsd_path_groups *g)
{
    if (g->has_records) hsd_paged_close(&g->records);
    free(g->is_on_way);
    hsd_sorter_free(g->asked);
    free(g->places);
    free(g->slots);
    free(g->rows);
    memset(g, 0, sizeof *g);
}

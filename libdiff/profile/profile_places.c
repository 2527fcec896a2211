/*
 * Places as rows: the heaviest of them (holders/trie/cut.h), with their texts, children of one place by what is below
 * them.
 */
#include "profile/profile_state.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/fail.h"

typedef struct texts { /* by number, copied when a row first shows them */
    hsd_diff_store *store;
    const hsd_profile_names *names;
    hsd_text *types, *roots, *edges;
} texts;

uint64_t hsd_profile_place_bytes(uint64_t places) { return hsd_trie_cut_bytes(places) + places * sizeof(hsd_place); }

static hsd_status open_texts(texts *t, hsd_error *err)
{
    t->types = calloc((size_t)t->names->types->count + 1, sizeof *t->types);
    t->roots = calloc((size_t)t->names->roots->count + 1, sizeof *t->roots);
    t->edges = calloc((size_t)t->names->edges->count + 1, sizeof *t->edges);
    return t->types == NULL || t->roots == NULL || t->edges == NULL ? hsd_fail_nomem(err, "the places of a profile")
                                                                    : HSD_OK;
}

static void close_texts(texts *t)
{
    free(t->types);
    free(t->roots);
    free(t->edges);
}

static hsd_status get_profile_place(texts *t, hsd_text *known, hsd_bytes name, hsd_text *out, hsd_error *err)
{
    if (known->data == NULL) HSD_TRY(hsd_store_text(t->store, name, known, err));
    *out = *known;
    return HSD_OK;
}

static hsd_status text_of_type(texts *t, uint32_t type, hsd_text *out, hsd_error *err)
{
    const uint32_t number = type & ~HSD_TRIE_IS_ROOT;
    if (type & HSD_TRIE_IS_ROOT)
        return get_profile_place(t, &t->roots[number], hsd_names_get(t->names->roots, number), out, err);
    return get_profile_place(t, &t->types[number], hsd_names_get(t->names->types, number), out, err);
}

/* [*] and nothing have no number; they are literals and outlive every result. */
static hsd_status text_of_edge(texts *t, uint32_t edge, hsd_text *out, hsd_error *err)
{
    if (edge == HSD_TRIE_ANY)
        *out = (hsd_text){"[*]", 3};
    else if (edge == HSD_TRIE_INDIRECT)
        *out = (hsd_text){"", 0};
    else
        return get_profile_place(t, &t->edges[edge], hsd_edge_text(t->names->edges, edge), out, err);
    return HSD_OK;
}

static hsd_status name_places(texts *t, hsd_trie_cut *cut, hsd_error *err)
{
    for (uint32_t i = 1; i < cut->count; i++) {
        hsd_trie_kept *place = &cut->list[i];
        HSD_TRY(text_of_edge(t, place->node.edge, &place->edge, err));
        HSD_TRY(text_of_type(t, place->node.type, &place->type, err));
        place->rank = place->node.all.after.bytes;
    }
    return HSD_OK;
}

static hsd_place row_of(const hsd_profile_names *names, const hsd_trie_kept *place, bool is_heap)
{
    const bool is_root = (place->node.type & HSD_TRIE_IS_ROOT) != 0;
    const uint32_t edge = place->node.edge;
    return (hsd_place){
        .depth = place->node.depth,
        .parent = place->node.parent,
        .is_root = is_root && !is_heap,
        .can_hold = is_heap || is_root || names->can_hold(names->context, place),
        .is_fold = !is_heap && edge < names->edges->count && names->edges->is_fold[edge] != 0,
        .edge = place->edge,
        .type = place->type,
        .own = place->node.own.after,
        .all = place->node.all.after,
    };
}

static hsd_status make_rows(hsd_profile *profile, const hsd_profile_names *names, const hsd_trie_cut *cut,
                            hsd_error *err)
{
    profile->places = hsd_arena_take(&profile->store->arena, cut->count * sizeof *profile->places);
    if (profile->places == NULL) return hsd_fail_nomem(err, "the places of a profile");
    for (uint32_t i = 0; i < cut->count; i++)
        profile->places[i] = row_of(names, &cut->list[cut->order[i]], i == 0);
    profile->place_count = cut->count;
    profile->place_least_bytes = cut->least_bytes;
    return HSD_OK;
}

hsd_status hsd_profile_places(hsd_profile *profile, const hsd_trie_source *source, const hsd_profile_names *names,
                              uint32_t most, hsd_error *err)
{
    HSD_ASSERT(source->get != NULL);
    texts t = {.store = profile->store, .names = names};
    hsd_trie_cut cut;
    hsd_status status = hsd_trie_cut_find(&cut, source, most, err);
    if (status == HSD_OK) status = open_texts(&t, err);
    if (status == HSD_OK) status = name_places(&t, &cut, err);
    if (status == HSD_OK) status = hsd_trie_cut_order(&cut, err);
    if (status == HSD_OK) status = make_rows(profile, names, &cut, err);
    close_texts(&t);
    hsd_trie_cut_release(&cut);
    return status;
}

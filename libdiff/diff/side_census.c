/*
 * The census: each object that counts becomes one record of identity, type, size, owner and state.
 * Pseudo objects and folded parts do not count; the bytes of folded parts are added to their owners
 * as both streams pass by in order of ordinals.
 */
#include <stdlib.h>

#include "base/check.h"
#include "diff/fold.h"
#include "diff/side.h"
#include "graph/owners.h"
#include <hscapture/hscapture.h>

typedef struct census {
    hsd_side_walk *side;
    const uint64_t *folded; /* the folded part whose owner comes next, NULL = none left */
} census;

static hsd_status next_folded(census *c, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(c->side->folded, &c->folded, err);
    if (status == HSD_END) c->folded = NULL;
    return status == HSD_END ? HSD_OK : status;
}

/* Bytes that folded parts bring to the object with this ordinal. */
static hsd_status folded_bytes(census *c, uint64_t ordinal, uint64_t *bytes, hsd_error *err)
{
    while (c->folded != NULL && c->folded[0] <= ordinal) {
        if (c->folded[0] == ordinal) *bytes = hsd_add_saturating(*bytes, c->folded[1]);
        HSD_TRY(next_folded(c, err));
    }
    return HSD_OK;
}

/* Owner and state: without roots everything is live and shared by no one. */
static void state_of(const hsd_side_walk *side, uint64_t ordinal, uint32_t *root, bool *is_live)
{
    *root = HSD_ROOT_SHARED;
    *is_live = true;
    if (!side->has_owners) return;
    const uint32_t owner = hsd_paged_get_u32((hsd_paged *)&side->owners, ordinal);
    *is_live = owner != HSD_OWNER_NONE;
    if (owner >= HSD_OWNER_FIRST) *root = owner - HSD_OWNER_FIRST;
}

static hsd_status count_object(census *c, const hsd_object *object, hsd_error *err)
{
    hsd_side_walk *side = c->side;
    uint64_t bytes = object->size_bytes;
    uint32_t root;
    bool is_live;
    if (side->folded != NULL) HSD_TRY(folded_bytes(c, object->ordinal, &bytes, err));
    if (object->flags & HSC_OBJECT_PSEUDO) return HSD_OK;
    if (side->is_folded != NULL && hsd_bit_get(side->is_folded, object->ordinal)) return HSD_OK;
    const uint32_t type = hsd_type_common(&side->types, object->type);
    state_of(side, object->ordinal, &root, &is_live);
    bytes = hsd_min_u64(bytes, UINT64_MAX >> 1);
    hsd_fold_side_add(side->counts, type, root, is_live, bytes);
    if (side->census == NULL) return HSD_OK;
    const uint64_t record[HSD_CENSUS_WORDS] = {object->id, (uint64_t)type << 32 | root,
                                               bytes << 1 | (uint64_t)is_live};
    return hsd_sorter_put(side->census, record, err);
}

static hsd_status pass(census *c, hsd_object_reader *reader, hsd_error *err)
{
    hsd_side_walk *side = c->side;
    for (;;) {
        hsd_object object;
        const hsd_status status = hsd_object_reader_next(reader, &object, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        if (object.is_continuation) continue;
        HSD_TRY(count_object(c, &object, err));
        if ((object.ordinal & 0x3fff) == 0) {
            HSD_TRY(hsd_progress(side->reporter, "counting objects", object.ordinal, side->object_count, err));
        }
    }
}

static hsd_status open_counts(hsd_side_walk *side, hsd_error *err)
{
    const uint32_t roots = (uint32_t)hsd_max_u64(side->roots.names.count, 1);
    side->counts = calloc(1, sizeof *side->counts);
    if (side->counts == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the tables of the diff");
    return hsd_fold_side_init(side->counts, side->type_names->names.count, roots, err);
}

hsd_status hsd_side_census(hsd_side_walk *side, hsd_error *err)
{
    census c = {.side = side};
    hsd_object_reader *reader;
    HSD_TRY(open_counts(side, err));
    if (side->want_identity) {
        HSD_TRY(hsd_side_sorter(side, HSD_CENSUS_WORDS, HSD_CENSUS_KEY_WORDS,
                                side->plan.identity_sort_bytes, &side->census, err));
    }
    if (side->folded != NULL) HSD_TRY(next_folded(&c, err));
    HSD_TRY(hsd_object_reader_open(&reader, side->capture, HSD_WANT_SIZES | HSD_WANT_IDS, err));
    const hsd_status status = pass(&c, reader, err);
    hsd_object_reader_close(reader);
    HSD_TRY(status);
    if (side->has_owners) HSD_TRY(hsd_paged_check(&side->owners, err));
    return HSD_OK;
}

/*
 * All that is known of one node. What the index does not keep (elements, preview, site, weak references) is read from
 * the capture: one block.
 */
#include "base/check.h"
#include "base/fail.h"
#include "browse/browse.h"
#include "browse/stacks.h"

static hsd_status copy_text(hsd_browse_object *object, hsd_text text, hsd_text *out, hsd_error *err)
{
    char *copy = hsd_arena_copy(&object->store->arena, text.data, text.size);
    if (copy == NULL) return hsd_fail_nomem(err, "an answer");
    *out = (hsd_text){copy, text.size};
    return HSD_OK;
}

/* ---- from the capture ---- */

static hsd_status take_preview(hsd_browse_object *object, const hsd_object *found, hsd_error *err)
{
    if (found->value.size == 0) return HSD_OK;
    object->fields = hsd_arena_take(&object->store->arena, sizeof *object->fields);
    if (object->fields == NULL) return hsd_fail_nomem(err, "an answer");
    object->field_count = 1;
    object->fields[0].name = (hsd_text){"", 0};
    return copy_text(object, found->value, &object->fields[0].value, err);
}

static hsd_status take_object(hsd_browse_object *object, const hsd_object *found, hsd_error *err)
{
    object->has_length = found->elements > 0;
    object->length = found->elements;
    if (object->node.bytes == HSD_ROW_MANY)
        object->node.bytes = hsd_add_saturating(found->size_bytes, found->native_bytes);
    return take_preview(object, found, err);
}

static hsd_status read_object(hsd_index *index, hsd_node node, hsd_browse_object *object, hsd_error *err)
{
    hsd_object_reader *reader;
    hsd_object found = {.site = 0};
    HSD_TRY(hsd_object_reader_open(&reader, index->walk->request->capture,
                                   HSD_WANT_SIZES | HSD_WANT_DETAILS | hsd_weak_wants(index), err));
    hsd_status status = hsd_object_reader_seek(reader, node, err);
    if (status == HSD_OK) status = hsd_object_reader_next(reader, &found, err);
    if (status == HSD_OK) status = take_object(object, &found, err);
    if (status == HSD_OK) status = hsd_weak_gather(index, node, reader, &found, err);
    hsd_object_reader_close(reader);
    if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
    object->referents += index->weak.count;
    return hsd_index_frames(index, found.site, &object->store->arena, &object->frames, &object->frame_count, err);
}

/* ---- from the index ---- */

static void fill_owner(const hsd_index *index, const hsd_browse_row *row, hsd_browse_object *object)
{
    const hsd_names *names = &index->walk->roots.names;
    const uint32_t name = row->owner & HSD_ROW_OWNER;
    object->owner =
        row->first != 0 && name < names->count ? hsd_browse_text(hsd_names_get(names, name)) : (hsd_text){"", 0};
}

static void fill_partner(hsd_browse *browse, size_t side, hsd_node node, hsd_browse_object *object)
{
    hsd_index *index = &browse->indexes[side];
    if (!index->has_partners || !hsd_index_is_object(index, node)) return;
    const hsd_node partner = hsd_paged_get_node(&index->partners, node);
    hsd_index *other = &browse->indexes[1 - side];
    if (partner >= other->walk->object_count) return;
    hsd_browse_node line;
    hsd_browse_fill(browse, 1 - side, partner, &line);
    object->is_on_other_side = true;
    object->other_id = line.id;
    object->other_bytes = line.bytes;
}

static hsd_status fill_browse_object(hsd_browse *browse, size_t side, hsd_node node, hsd_browse_object *object,
                                     hsd_error *err)
{
    hsd_index *index = &browse->indexes[side];
    const hsd_browse_row row = hsd_index_row(index, node);
    hsd_children children;
    hsd_browse_fill(browse, side, node, &object->node);
    fill_owner(index, &row, object);
    fill_partner(browse, side, node, object);
    object->referents = hsd_lists_count(&index->referents, node);
    object->referrers = hsd_lists_count(&index->referrers, node);
    if (row.first != 0) {
        hsd_index_children(index, row.first, row.end, &children);
        object->dominated = children.count;
    }
    if (hsd_index_is_object(index, node)) HSD_TRY(read_object(index, node, object, err));
    HSD_TRY(hsd_browse_names(browse, side, &object->node, 1, &object->store->arena, err));
    return hsd_browse_check(browse, err);
}

hsd_status hsd_browse_object_get(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_browse_object **out,
                                 hsd_error *err)
{
    hsd_index *index;
    hsd_node node;
    *out = NULL;
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, &node, err));
    struct hsd_browse_store *store;
    hsd_browse_object *object = hsd_browse_answer_new(sizeof *object, &store);
    if (object == NULL) return hsd_fail_nomem(err, "an answer");
    object->store = store;
    const hsd_status status = fill_browse_object(browse, side, node, object, err);
    if (status == HSD_OK)
        *out = object;
    else
        hsd_browse_object_free(object);
    return status;
}

void hsd_browse_object_free(hsd_browse_object *object)
{
    if (object != NULL) hsd_browse_store_free(object->store);
}

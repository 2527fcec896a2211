/*
 * One line of an answer, and the lists they stand in.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "browse/browse.h"
#include "walk/edges.h"

/* ---- which side, which node ---- */

hsd_status hsd_browse_side(hsd_browse *browse, size_t side, hsd_index **out, hsd_error *err)
{
    if (side >= browse->side_count) return hsd_fail(err, HSD_E_NOT_FOUND, "there is no capture %zu", side + 1);
    *out = &browse->indexes[side];
    if ((*out)->is_there) return HSD_OK;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "the capture cannot be browsed: %s", browse->why_not[side]);
}

hsd_status hsd_browse_node_of(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_index **out, hsd_node *node,
                              hsd_error *err)
{
    HSD_TRY(hsd_browse_side(browse, side, out, err));
    *node = (hsd_node)ref.node;
    if (ref.node < hsd_index_node_count(*out)) return HSD_OK;
    return hsd_fail(err, HSD_E_NOT_FOUND, "there is no object or root with the number %" PRIu64, ref.node);
}

hsd_status hsd_browse_check(hsd_browse *browse, hsd_error *err)
{
    for (size_t i = 0; i < browse->side_count; i++)
        HSD_TRY(hsd_index_check(&browse->indexes[i], err));
    return HSD_OK;
}

/* ---- a line ---- */

static hsd_browse_state state_of(const hsd_browse *browse, size_t side, hsd_node node, const hsd_browse_row *row)
{
    if (row->first == 0) return row->owner & HSD_ROW_IS_ROOT ? HSD_BROWSE_LIVE : HSD_BROWSE_UNREACHED;
    if (browse->diff == NULL || !browse->diff->identity_is_known || !(row->owner & HSD_ROW_COUNTS))
        return HSD_BROWSE_LIVE;
    if (hsd_bit_get(browse->comparison->pair.is_kept[side], node)) return HSD_BROWSE_KEPT;
    return side == AFTER ? HSD_BROWSE_NEW : HSD_BROWSE_FREED;
}

/* What a row has no room for: of a live object its places tell, of another one nothing is said but that it is so much.
 */
static uint64_t bytes_of(hsd_index *index, const hsd_browse_row *row)
{
    if (row->bytes != HSD_ROW_MANY || row->first == 0) return row->bytes;
    return hsd_index_span(index, row->first + 1).bytes_before - hsd_index_span(index, row->first).bytes_before;
}

static void fill_root(const hsd_index *index, const hsd_browse_row *row, hsd_browse_node *out)
{
    const hsd_root_names *roots = &index->walk->roots;
    const uint32_t name = row->type < roots->names.count ? row->type : HSD_ROOT_SHARED; /* could not be read */
    out->is_root = true;
    out->type = hsd_browse_text(hsd_names_get(&roots->names, name));
    out->root_kind = roots->kinds[name];
}

void hsd_browse_fill(hsd_browse *browse, size_t side, hsd_node node, hsd_browse_node *out)
{
    HSD_ASSERT(side < browse->side_count && node < hsd_index_node_count(&browse->indexes[side]));
    hsd_index *index = &browse->indexes[side];
    const hsd_browse_row row = hsd_index_row(index, node);
    *out = (hsd_browse_node){
        .ref = {node}, .id = row.id, .name = {"", 0}, .edge = {"", 0}, .state = state_of(browse, side, node, &row)};
    if (row.first != 0) {
        const hsd_browse_span first = hsd_index_span(index, row.first), end = hsd_index_span(index, row.end);
        out->retained_bytes = end.bytes_before - first.bytes_before;
        out->retained_objects = end.objects_before - first.objects_before;
    }
    if (row.owner & HSD_ROW_IS_ROOT) {
        fill_root(index, &row, out);
        return;
    }
    const hsd_names *types = &index->walk->request->type_names->names;
    out->type = hsd_browse_text(hsd_names_get(types, row.type < types->count ? row.type : HSD_TYPE_UNDEFINED));
    out->bytes = bytes_of(index, &row);
    out->is_part = !(row.owner & HSD_ROW_COUNTS);
}

void hsd_browse_fill_held(hsd_browse *browse, size_t side, hsd_node node, hsd_browse_node *out)
{
    HSD_ASSERT(side < browse->side_count);
    hsd_index *index = &browse->indexes[side];
    hsd_browse_fill(browse, side, node, out);
    if (!out->is_root) out->edge = hsd_browse_edge(index, hsd_index_row(index, node).edge);
}

hsd_text hsd_browse_edge(const hsd_index *index, uint32_t edge)
{
    const hsd_edge_names *names = index->walk->request->edge_names;
    if (HSD_EDGE_NAME(edge) >= names->count) return (hsd_text){"", 0};
    return hsd_browse_text(hsd_edge_text(names, edge));
}

/* ---- answers ---- */

void hsd_browse_store_free(struct hsd_browse_store *store)
{
    if (store == NULL) return;
    hsd_arena_release(&store->arena);
    free(store);
}

void *hsd_browse_answer_new(size_t size, struct hsd_browse_store **store)
{
    *store = calloc(1, sizeof **store);
    void *answer = *store != NULL ? hsd_arena_take(&(*store)->arena, size) : NULL;
    if (answer == NULL) hsd_browse_store_free(*store);
    return answer;
}

/* ---- lists ---- */

hsd_status hsd_browse_list_new(hsd_browse_list **out, uint64_t from, size_t room, hsd_error *err)
{
    struct hsd_browse_store *store;
    hsd_browse_list *list = hsd_browse_answer_new(sizeof *list, &store);
    const size_t most = hsd_min_u64(room, HSD_BROWSE_MOST);
    *out = NULL;
    if (list == NULL) return hsd_fail_nomem(err, "an answer");
    list->store = store;
    list->nodes = hsd_arena_take(&store->arena, (most + 1) * sizeof *list->nodes);
    if (list->nodes == NULL) {
        hsd_browse_list_free(list);
        return hsd_fail_nomem(err, "an answer");
    }
    list->from = from;
    list->is_total_known = true;
    *out = list;
    return HSD_OK;
}

void hsd_browse_list_free(hsd_browse_list *list)
{
    if (list != NULL) hsd_browse_store_free(list->store);
}

hsd_status hsd_browse_answer(hsd_browse *browse, size_t side, hsd_browse_list **out, hsd_browse_list *list,
                             hsd_error *err)
{
    hsd_status status = hsd_browse_check(browse, err);
    if (status == HSD_OK) status = hsd_browse_names(browse, side, list->nodes, list->count, &list->store->arena, err);
    if (status == HSD_OK)
        *out = list;
    else
        hsd_browse_list_free(list);
    return status;
}

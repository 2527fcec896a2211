/* Weak references, read when somebody asks. See weak.h. */
#include "browse/weak.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "browse/index.h"
#include "sort/radix.h"

/* Of the flags of a label (FORMAT.md 6.4). */
#define STRENGTH_MASK 0x3u
#define STRENGTH_WEAK 0x1u

/* ---- labels ---- */

static bool is_weak(const hsd_label *label) { return (label->flags & STRENGTH_MASK) == STRENGTH_WEAK; }

/* Without flags: as a strong one it gets a name. */
static hsd_status add_label(hsd_label_table *table, const hsd_label *label, hsd_error *err)
{
    table->labels[table->count] = *label;
    table->labels[table->count].flags = 0;
    return hsd_id_map_put(&table->index, label->id, table->count++, err);
}

hsd_status hsd_weak_begin(hsd_index *index, hsd_error *err)
{
    hsd_weak *weak = &index->weak;
    const hsd_label_table *all = &index->walk->labels;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        count += is_weak(&all->labels[i]);
    if (count == 0) return HSD_OK;
    weak->labels.labels = malloc(count * sizeof *weak->labels.labels);
    weak->references = malloc(2 * HSD_WEAK_MOST * HSD_TWO_WORDS * sizeof *weak->references);
    if (weak->labels.labels == NULL || weak->references == NULL) return hsd_fail_nomem(err, "the index");
    for (uint32_t i = 0; i < all->count; i++) {
        if (is_weak(&all->labels[i])) HSD_TRY(add_label(&weak->labels, &all->labels[i], err));
    }
    return HSD_OK;
}

static void release_names(hsd_weak *weak)
{
    hsd_edge_names_release(&weak->names);
    free(weak->labels.edges);
    weak->labels.edges = NULL;
}

/* A pass over the strings of the capture. */
static hsd_status load_names(hsd_index *index, hsd_error *err)
{
    hsd_weak *weak = &index->weak;
    hsd_label_table *const table = &weak->labels;
    if (weak->has_names) return HSD_OK;
    const hsd_status status = hsd_edge_names_load(&weak->names, &table, &index->walk->request->capture, 1, err);
    weak->has_names = status == HSD_OK;
    if (status != HSD_OK) release_names(weak);
    return status;
}

/* ---- references ---- */

static uint64_t *reference_at(const hsd_weak *weak, uint32_t i) { return &weak->references[(size_t)i * HSD_TWO_WORDS]; }

static hsd_node node_of(hsd_index *index, uint64_t target)
{
    if (!index->walk->info->targets_are_ordinals) return hsd_index_find(index, target);
    return target < index->walk->object_count ? (hsd_node)target : HSD_NODE_NONE;
}

static hsd_status take_weak_reference(hsd_index *index, const hsd_object *part, hsd_error *err)
{
    hsd_weak *weak = &index->weak;
    for (uint32_t i = 0; i < part->reference_count && !weak->has_more; i++) {
        const hsd_label *label = hsd_label_get(&weak->labels, part->labels[i]);
        if (label == NULL) continue;
        weak->has_more = weak->looked_at == HSD_WEAK_MOST;
        if (weak->has_more) break;
        weak->looked_at++;
        HSD_TRY(load_names(index, err));
        const hsd_node target = node_of(index, part->targets[i]);
        const uint32_t name = weak->labels.edges[label - weak->labels.labels];
        if (target != HSD_NODE_NONE && target != weak->node)
            hsd_words_set_two(reference_at(weak, weak->count++), target, name);
    }
    return HSD_OK;
}

static hsd_status take_all_weak_references(hsd_index *index, hsd_object_reader *reader, const hsd_object *object,
                                           hsd_error *err)
{
    hsd_object part = *object;
    hsd_status status;
    do {
        HSD_TRY(take_weak_reference(index, &part, err));
        status = index->weak.has_more ? HSD_END : hsd_object_reader_next(reader, &part, err);
    } while (status == HSD_OK && part.is_continuation);
    return status == HSD_END ? HSD_OK : status;
}

static void put_in_order(hsd_weak *weak)
{
    uint32_t kept = 0;
    hsd_radix_sort(weak->references, reference_at(weak, HSD_WEAK_MOST), weak->count, HSD_TWO_WORDS);
    for (uint32_t i = 0; i < weak->count; i++) {
        const uint64_t *reference = reference_at(weak, i);
        const hsd_node target = hsd_words_first(reference);
        if (kept > 0 && hsd_words_first(reference_at(weak, kept - 1)) == target) continue;
        hsd_words_set_two(reference_at(weak, kept++), target, hsd_words_second(reference));
    }
    weak->count = kept;
}

static void begin_node(hsd_weak *weak, hsd_node node)
{
    weak->has_node = weak->has_more = false;
    weak->node = node;
    weak->count = weak->looked_at = 0;
}

unsigned hsd_weak_wants(const hsd_index *index)
{
    return index->weak.labels.count > 0 ? HSD_WANT_REFERENCES | HSD_WANT_LABELS : 0;
}

hsd_status hsd_weak_gather(hsd_index *index, hsd_node node, hsd_object_reader *reader, const hsd_object *object,
                           hsd_error *err)
{
    hsd_weak *weak = &index->weak;
    begin_node(weak, node);
    if (weak->labels.count > 0) {
        HSD_TRY(take_all_weak_references(index, reader, object, err));
        put_in_order(weak);
    }
    weak->has_node = true;
    return HSD_OK;
}

hsd_status hsd_weak_look(hsd_index *index, hsd_node node, hsd_error *err)
{
    hsd_weak *weak = &index->weak;
    hsd_object_reader *reader;
    hsd_object object;
    if (weak->has_node && weak->node == node) return HSD_OK;
    begin_node(weak, node);
    if (weak->labels.count == 0 || !hsd_index_is_object(index, node)) return HSD_OK;
    HSD_TRY(hsd_object_reader_open(&reader, index->walk->request->capture, hsd_weak_wants(index), err));
    hsd_status status = hsd_object_reader_seek(reader, node, err);
    if (status == HSD_OK) status = hsd_object_reader_next(reader, &object, err);
    if (status == HSD_OK) status = hsd_weak_gather(index, node, reader, &object, err);
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

void hsd_weak_release(hsd_weak *weak)
{
    hsd_edge_names_release(&weak->names);
    hsd_label_table_release(&weak->labels);
    free(weak->references);
}

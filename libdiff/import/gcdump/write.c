/*
 * The second walk: every node becomes an object of the capture, in the order of their numbers, so that a child's number
 * is its ordinal. Those that are no objects are pseudo objects without references, and what they refer to has a root.
 *
 * Ids are addresses. What has none gets one below the least or above the last of them.
 */
#include <string.h>

#include "base/check.h"
#include "import/gcdump/gcdump.h"

enum { BATCH = 512, AHEAD = 16, STRING_ROOT = 1, STRING_GENERATIONS = 2 /* to 6 */ };

typedef struct writing {
    gcdump *self;
    uint64_t next_id; /* for nodes without an address */
    uint32_t segment;
    uint64_t bytes; /* of all records of nodes, as the header counts them */
    uint64_t children[BATCH];
} writing;

/* ---- children ---- */

typedef hsd_status (*children_fn)(writing *w, const gcdump_record *record, size_t count, hsd_error *err);

static hsd_status write_references(writing *w, const gcdump_record *record, size_t count, hsd_error *err)
{
    (void)record;
    HSD_WRITE(w->self->import, hsc_references(w->self->import->writer, w->children, NULL, NULL, count), err);
    w->self->import->result->references += count;
    return HSD_OK;
}

static hsd_status write_roots(writing *w, const gcdump_record *record, size_t count, hsd_error *err)
{
    const gcdump_type *type = &w->self->types.types[record->type];
    hsc_root_record root = {
        .kind = type->root_kind, .label = GCDUMP_STRING_TYPES + record->type, .flags = type->root_flags};
    for (size_t i = 0; i < count; i++) {
        root.target = w->children[i];
        if (hsd_gcdump_is_object(w->self, root.target))
            HSD_WRITE(w->self->import, hsc_root(w->self->import->writer, &root), err);
    }
    return HSD_OK;
}

static hsd_status check_children(const writing *w, size_t count, hsd_error *err)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = hsd_max_u64(most, w->children[i]);
    if (most < w->self->graph.node_count) return HSD_OK;
    return hsd_fail(err, HSD_E_CORRUPT, "not a valid gcdump: a node refers to node %llu of %llu",
                    (unsigned long long)most, (unsigned long long)w->self->graph.node_count);
}

/* No two nodes share a record with children, so all of them together are no longer than the blob. */
static hsd_status account(writing *w, const gcdump_record *record, hsd_error *err)
{
    w->self->read_bytes += hsd_gcdump_record_bytes(record);
    return w->self->read_bytes <= w->self->records.size
               ? HSD_OK
               : hsd_gcdump_fail(&w->self->in, "records of nodes lie over one another", err);
}

static hsd_status walk_children(writing *w, gcdump_record *record, uint64_t node, children_fn take, hsd_error *err)
{
    if (record->children == 0) return HSD_OK;
    while (record->children > 0) {
        const size_t count = (size_t)hsd_min_u64(record->children, BATCH);
        const hsd_status status = hsd_gcdump_record_children(record, node, w->children, count, err);
        if (status == HSD_END) {
            if (!w->self->is_cut)
                return hsd_fail(err, HSD_E_CORRUPT, "not a valid gcdump: the blob ends within the record of a node");
            break;
        }
        HSD_TRY(status);
        HSD_TRY(check_children(w, count, err));
        HSD_TRY(take(w, record, count, err));
    }
    return account(w, record, err);
}

/* ---- nodes ---- */

static hsd_status write_no_object(writing *w, uint64_t node, uint32_t offset, uint64_t address, hsd_error *err)
{
    hsd_import *import = w->self->import;
    gcdump_record record = {0};
    const hsd_status status = hsd_gcdump_record_open(&record, &w->self->records, &w->self->types, offset, err);
    if (status < 0) return status;
    const gcdump_type *type = &w->self->types.types[status == HSD_OK ? record.type : 0];
    const hsc_object object = {
        .id = address != 0 ? address : w->next_id++, .type = type->number, .flags = HSC_OBJECT_PSEUDO};
    HSD_WRITE(import, hsc_begin_object(import->writer, &object), err);
    HSD_WRITE(import, hsc_end_object(import->writer), err);
    w->bytes = status == HSD_OK ? hsd_add_saturating(w->bytes, record.size) : w->bytes;
    return status == HSD_OK && type->is_root ? walk_children(w, &record, node, write_roots, err) : HSD_OK;
}

static hsd_status write_object(writing *w, uint64_t node, uint32_t offset, uint64_t address, hsd_error *err)
{
    gcdump *self = w->self;
    hsd_import *import = self->import;
    gcdump_record record;
    const hsd_status status = hsd_gcdump_record_open(&record, &self->records, &self->types, offset, err);
    if (status != HSD_OK)
        return status == HSD_END ? hsd_fail(err, HSD_E_CORRUPT, "not a valid gcdump: a node without a record") : status;
    const int generation = hsd_gcdump_generation(&self->facts, address, &w->segment);
    const hsc_object object = {.id = address != 0 ? address : w->next_id++,
                               .size_bytes = record.size,
                               .type = self->types.types[record.type].number,
                               .category = generation < 0 ? 0 : STRING_GENERATIONS + (uint32_t)generation};
    HSD_WRITE(import, hsc_begin_object(import->writer, &object), err);
    HSD_TRY(walk_children(w, &record, node, write_references, err));
    HSD_WRITE(import, hsc_end_object(import->writer), err);
    import->result->objects++;
    import->result->bytes = hsd_add_saturating(import->result->bytes, record.size);
    w->bytes = hsd_add_saturating(w->bytes, record.size);
    return HSD_OK;
}

static hsd_status write_chunk(writing *w, uint64_t first, size_t count, hsd_error *err)
{
    const gcdump *self = w->self;
    for (size_t i = 0; i < count; i++) {
        if (self->records.bytes != NULL && i + AHEAD < count && self->offsets[i + AHEAD] < self->records.size)
            __builtin_prefetch(self->records.bytes + self->offsets[i + AHEAD]);
        const bool is_object = hsd_gcdump_is_object(self, first + i);
        HSD_TRY((is_object ? write_object : write_no_object)(w, first + i, self->offsets[i], self->addresses[i], err));
    }
    return HSD_OK;
}

/* ---- all of them ---- */

static hsd_status define_strings(hsd_import *import, hsd_error *err)
{
    static const char *const texts[] = {"root",         "generation 0",  "generation 1",
                                        "generation 2", "large objects", "pinned objects"};
    for (uint32_t i = 0; i < HSD_ARRAY_LEN(texts); i++)
        HSD_WRITE(import, hsc_define_string(import->writer, STRING_ROOT + i, texts[i], strlen(texts[i])), err);
    return HSD_OK;
}

/* A graph that no producer of heap dumps made has one root, and it is a node like others. */
static hsd_status write_plain_root(gcdump *self, hsd_error *err)
{
    if (self->graph.root >= self->graph.node_count || !hsd_gcdump_is_object(self, self->graph.root)) return HSD_OK;
    const hsc_root_record root = {.kind = HSC_ROOT_UNKNOWN, .label = STRING_ROOT, .target = self->graph.root};
    HSD_WRITE(self->import, hsc_root(self->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status choose_ids(writing *w, hsd_error *err)
{
    const gcdump *self = w->self;
    const uint64_t most = self->graph.node_count; /* that need one */
    w->next_id = most < self->least_address ? 1 : self->last_address + 1;
    return most < self->least_address || self->last_address < UINT64_MAX - most
               ? HSD_OK
               : hsd_gcdump_fail(&self->in, "its addresses fill all that there are", err);
}

hsd_status hsd_gcdump_write_nodes(gcdump *self, hsd_error *err)
{
    writing w = {.self = self};
    size_t count;
    HSD_TRY(choose_ids(&w, err));
    HSD_TRY(define_strings(self->import, err));
    HSD_TRY(write_plain_root(self, err));
    for (uint64_t first = 0; first < self->graph.node_count; first += count) {
        HSD_TRY(hsd_gcdump_chunk(self, first, true, &count, err));
        HSD_TRY(write_chunk(&w, first, count, err));
    }
    if (!self->is_cut && w.bytes != self->graph.total_bytes)
        hsd_note(self->import->reporter, HSD_NOTE_WARNING,
                 "%s: its objects have %llu bytes, and it says that they have %llu", self->import->source->name,
                 (unsigned long long)w.bytes, (unsigned long long)self->graph.total_bytes);
    return HSD_OK;
}

/*
 * References: the id of a node, and a name or the number of one.
 */
#include "import/firefox/firefox.h"

/* A number of several bytes; NULL: it goes on past `end`. */
static inline const uint8_t *varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        const uint64_t byte = *at++;
        sum |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = sum;
            return at;
        }
    }
    return NULL;
}

/* Nearly all edges are two numbers, and in the window: `size` bytes ahead. False: read it in the long way. */
static inline bool read_quickly(hsd_source *source, uint64_t size, uint64_t *target, uint64_t *name)
{
    if (size > hsd_source_ahead(source)) return false;
    const uint8_t *at = source->at, *end = at + size;
    if (size < 4 || *at != (1u << 3 | HSD_PROTO_VARINT)) return false;
    at = varint(at + 1, end, target);
    if (at == NULL || at == end || *at != (3u << 3 | HSD_PROTO_VARINT)) return false;
    at = varint(at + 1, end, name);
    if (at != end) return false;
    hsd_source_take(source, (size_t)size);
    return true;
}

static hsd_status read_fields(firefox *fx, hsd_proto_message *message, const hsd_proto_field *edge, uint64_t *target,
                              uint64_t *entry, bool *has_name, hsd_error *err)
{
    hsd_proto_message inner;
    hsd_proto_field field;
    hsd_status status;
    HSD_TRY(hsd_proto_enter(message, edge, &inner, err));
    while ((status = hsd_proto_next(&inner, &field, err)) == HSD_OK) {
        if (field.number == 1) *target = field.value;
        if (field.number != 2 && field.number != 3) continue;
        HSD_TRY(hsd_firefox_read_wide(fx, &inner, &field, entry, err));
        *has_name = true;
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status keep_firefox_edge(firefox *fx, const firefox_edge *edge, hsd_error *err)
{
    if (fx->nodes == 0) return hsd_firefox_write_root(fx, edge, err);
    if (fx->edge_count == fx->edge_most) HSD_TRY(hsd_firefox_spill(fx, err));
    fx->edges[fx->edge_count++] = *edge;
    return HSD_OK;
}

static hsd_status keep_entry(firefox *fx, uint64_t target, uint64_t entry, bool has_name, hsd_error *err)
{
    if (fx->import->options->summary_only || target == 0) return HSD_OK;
    firefox_edge edge = {.target = target, .name = FIREFOX_NONE, .index = UINT64_MAX};
    if (has_name && (entry & FIREFOX_IS_ELEMENT) != 0)
        edge.index = entry & ~FIREFOX_IS_ELEMENT;
    else if (has_name)
        edge.name = (uint32_t)entry;
    return keep_firefox_edge(fx, &edge, err);
}

/* The edges behind one that was read, as long as they are short and in the window: without the general reader for each.
 */
static hsd_status read_run(firefox *fx, hsd_proto_message *message, hsd_error *err)
{
    hsd_source *source = message->source;
    uint64_t target, number, entry = 0;
    while (hsd_source_ahead(source) > 2 && source->at[0] == (5u << 3 | HSD_PROTO_BYTES) && source->at[1] < 0x80) {
        const uint8_t *before = source->at;
        const uint64_t size = source->at[1];
        if (hsd_source_offset(source) + 2 + size > message->end) break;
        hsd_source_take(source, 2);
        if (!read_quickly(source, size, &target, &number)) {
            source->at = before;
            break;
        }
        HSD_TRY(hsd_firefox_wide_at(fx, number, &entry, err));
        HSD_TRY(keep_entry(fx, target, entry, true, err));
    }
    message->next = 0; /* the field behind them is right here */
    return HSD_OK;
}

hsd_status hsd_firefox_read_edge(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field, hsd_error *err)
{
    uint64_t target = 0, number, entry = 0;
    bool has_name = false;
    if (field->wire != HSD_PROTO_BYTES)
        return hsd_fail_at(err, HSD_E_CORRUPT, field->offset,
                           "not a valid Firefox snapshot: a reference that is a number");
    if (!read_quickly(message->source, field->size, &target, &number)) {
        HSD_TRY(read_fields(fx, message, field, &target, &entry, &has_name, err));
        return keep_entry(fx, target, entry, has_name, err);
    }
    HSD_TRY(hsd_firefox_wide_at(fx, number, &entry, err));
    HSD_TRY(keep_entry(fx, target, entry, true, err));
    return read_run(fx, message, err);
}

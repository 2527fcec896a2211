/*
 * The last pass: samples, one after the other. Numbers may be packed, in several pieces, or stand alone.
 */
#include <string.h>

#include "base/check.h"
#include "import/pprof/pprof.h"

enum { PROGRESS_EVERY = 4096, VISIBLE_BYTES = 4096 };

/* The numbers of a packed field that is visible as a whole, as far as there is room; how many there are, HSD_END where
 * it has to be read with care: it is long, or its last number passes its end. */
static hsd_status read_visible(hsd_proto_message *message, const hsd_proto_field *field, uint64_t *out, size_t room,
                               size_t *count, hsd_error *err)
{
    hsd_bytes bytes;
    *count = 0;
    if (field->wire != HSD_PROTO_BYTES || field->size > VISIBLE_BYTES) return HSD_END;
    HSD_TRY(hsd_proto_bytes(message, field, VISIBLE_BYTES, &bytes, err));
    for (const uint8_t *at = bytes.data, *end = at + bytes.size; at < end; ++*count) {
        uint64_t value = *at & 0x7f;
        unsigned shift = 7;
        while (*at++ >= 0x80) {
            if (at == end || shift > 63) return HSD_END;
            value |= (uint64_t)(*at & 0x7f) << shift;
            shift += 7;
        }
        if (*count < room) out[*count] = value;
    }
    return HSD_OK;
}

static hsd_status read_locations(pprof *p, hsd_proto_message *message, const hsd_proto_field *field, hsd_error *err)
{
    pprof_sample *sample = &p->sample;
    const bool is_first = sample->location_count == 0;
    const size_t room = PPROF_FRAMES - sample->location_count;
    size_t count;
    uint64_t left = UINT64_MAX, value;
    hsd_status status = read_visible(message, field, sample->locations + sample->location_count, room, &count, err);
    if (status == HSD_OK) {
        sample->is_cut = sample->is_cut || count > room;
        sample->location_count += count < room ? count : room;
        if (is_first) hsd_pprof_expect_stack(p);
    }
    if (status != HSD_END) return status;
    while ((status = hsd_proto_number(message, field, &left, &value, err)) == HSD_OK) {
        if (sample->location_count < PPROF_FRAMES)
            sample->locations[sample->location_count++] = value;
        else
            sample->is_cut = true;
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_values(pprof_sample *sample, hsd_proto_message *message, const hsd_proto_field *field,
                              hsd_error *err)
{
    const size_t known = sample->value_count < PPROF_VALUES ? sample->value_count : PPROF_VALUES;
    size_t count;
    uint64_t left = UINT64_MAX, value;
    hsd_status status =
        read_visible(message, field, (uint64_t *)sample->values + known, PPROF_VALUES - known, &count, err);
    if (status == HSD_OK) sample->value_count += count;
    if (status != HSD_END) return status;
    while ((status = hsd_proto_number(message, field, &left, &value, err)) == HSD_OK) {
        if (sample->value_count < PPROF_VALUES) sample->values[sample->value_count] = (int64_t)value;
        sample->value_count++;
    }
    return status == HSD_END ? HSD_OK : status;
}

/* "0x7f…"; false for anything else. */
static bool read_hex(hsd_bytes text, uint64_t *out)
{
    *out = 0;
    if (text.size < 3 || text.size > 18 || text.data[0] != '0' || (text.data[1] | 0x20) != 'x') return false;
    for (size_t i = 2; i < text.size; i++) {
        const uint8_t c = text.data[i], low = c | 0x20;
        if (c >= '0' && c <= '9')
            *out = *out << 4 | (uint64_t)(c - '0');
        else if (low >= 'a' && low <= 'f')
            *out = *out << 4 | (uint64_t)(low - 'a' + 10);
        else
            return false;
    }
    return true;
}

static void take_label(pprof *p, uint64_t key, uint64_t string, uint64_t number)
{
    pprof_sample *sample = &p->sample;
    if (key == p->key_bytes) {
        sample->bytes = number;
        sample->has_bytes = string == 0;
    } else if (key == p->key_process_koid || key == p->key_process_name) {
        sample->has_process = true;
        if (key == p->key_process_koid)
            sample->process_koid = number;
        else
            sample->process_name = string;
    } else if (key == p->key_address) {
        sample->has_address = read_hex(hsd_pprof_text(p, string), &sample->address);
    } else if (key == p->key_timestamp) {
        sample->timestamp = number;
    } else if (key == p->key_thread) {
        sample->thread = string;
    } else if (key == p->key_type) {
        sample->type = string;
    }
}

static hsd_status read_label(pprof *p, hsd_proto_message *outer, const hsd_proto_field *field, hsd_error *err)
{
    hsd_proto_message message;
    hsd_proto_field inner;
    hsd_status status;
    uint64_t numbers[5] = {0};
    HSD_TRY(hsd_proto_enter(outer, field, &message, err));
    while ((status = hsd_proto_next(&message, &inner, err)) == HSD_OK)
        if (inner.number < 5) numbers[inner.number] = inner.value;
    if (status != HSD_END) return status;
    take_label(p, numbers[1], numbers[2], numbers[3]);
    return HSD_OK;
}

static hsd_status read_sample(pprof *p, hsd_proto_message *all, const hsd_proto_field *field, bool labels_alone,
                              hsd_error *err)
{
    pprof_sample *sample = &p->sample;
    hsd_proto_message message;
    hsd_proto_field inner;
    hsd_status status;
    sample->location_count = sample->value_count = 0;
    sample->stack_hash = 0;
    memset(&sample->process_name, 0, sizeof *sample - offsetof(pprof_sample, process_name));
    HSD_TRY(hsd_proto_enter(all, field, &message, err));
    while ((status = hsd_proto_next(&message, &inner, err)) == HSD_OK) {
        if (inner.number == 3)
            HSD_TRY(read_label(p, &message, &inner, err));
        else if (labels_alone)
            continue;
        else if (inner.number == 1)
            HSD_TRY(read_locations(p, &message, &inner, err));
        else if (inner.number == 2)
            HSD_TRY(read_values(sample, &message, &inner, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_pprof_each_sample(pprof *p, bool labels_alone, pprof_sample_fn take, hsd_error *err)
{
    hsd_proto_message all = hsd_proto_all(p->source);
    hsd_proto_field field;
    hsd_status status;
    HSD_TRY(hsd_source_rewind(p->source, err));
    for (uint64_t fields = 0; (status = hsd_proto_next(&all, &field, err)) == HSD_OK; fields++) {
        if (fields % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(p->import->reporter, "importing", field.offset, p->source->total_bytes, err));
        if (field.number != 2) continue;
        HSD_TRY(read_sample(p, &all, &field, labels_alone, err));
        HSD_TRY(take(p, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/*
 * The first pass: all that samples refer to, whatever the order. Rows are kept in arrays, ids in tables beside them; of
 * two with one id the first counts.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/pprof/pprof.h"

enum { PROGRESS_EVERY = 4096 };

static uint64_t texts_of(const pprof *p)
{
    return p->texts.capacity + p->string_room * sizeof *p->strings + hsd_names_memory(&p->names.names) +
           hsd_names_memory(&p->frame_keys) + hsd_names_memory(&p->type_keys);
}

hsd_status hsd_pprof_check_memory(const pprof *p, hsd_error *err)
{
    const uint64_t rows = p->mapping_room * sizeof *p->mappings + p->function_room * sizeof *p->functions +
                          p->location_room * sizeof *p->locations + p->line_room * sizeof *p->lines +
                          p->location_frame_room * sizeof *p->location_frames + p->frame_room * sizeof *p->frames +
                          p->sum_room * sizeof *p->sums + p->stack_sets * PPROF_STACK_WAYS * sizeof *p->stacks;
    const uint64_t ids = hsd_id_table_memory(&p->mapping_rows) + hsd_id_table_memory(&p->function_rows) +
                         hsd_id_table_memory(&p->location_rows) + hsd_pair_table_memory(&p->sites) +
                         hsd_id_table_memory(&p->objects) + hsd_pair_table_memory(&p->sum_rows);
    const uint64_t taken = texts_of(p) + rows + ids, allowed = p->import->memory_bytes / 4 * 3;
    if (taken <= allowed) return HSD_OK;
    hsd_fail_at(err, HSD_E_OVER_BUDGET, hsd_source_offset(p->source),
                "the functions, stacks and names of this profile take more than %" PRIu64 " MiB", allowed >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so", (taken * 4 >> 20) + 64);
    return HSD_E_OVER_BUDGET;
}

/* Room for row `count` of an array; the budget is looked at when it grows. */
static hsd_status make_room_for_pprof_table(pprof *p, void *items_of, uint32_t *room, uint64_t count, size_t size,
                                            hsd_error *err)
{
    if (count < *room) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)items_of, room, count, size, err));
    return hsd_pprof_check_memory(p, err);
}

/* ---- strings ---- */

static hsd_status read_string(pprof *p, hsd_proto_message *all, const hsd_proto_field *field, hsd_error *err)
{
    hsd_bytes bytes;
    HSD_TRY(hsd_proto_bytes(all, field, PPROF_TEXT_BYTES, &bytes, err));
    if (p->string_count == UINT32_MAX - 1)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, field->offset, "more than 4,294,967,294 strings");
    HSD_TRY(make_room_for_pprof_table(p, &p->strings, &p->string_room, p->string_count, sizeof *p->strings, err));
    p->strings[p->string_count++] = (pprof_span){p->texts.size, (uint32_t)bytes.size};
    const size_t before = p->texts.capacity;
    HSD_TRY(hsd_buffer_append(&p->texts, bytes.data, bytes.size, err));
    return p->texts.capacity != before ? hsd_pprof_check_memory(p, err) : HSD_OK;
}

hsd_bytes hsd_pprof_text(const pprof *p, uint64_t string)
{
    if (string >= p->string_count || p->strings[string].size == 0) return (hsd_bytes){(const uint8_t *)"", 0};
    return (hsd_bytes){p->texts.data + p->strings[string].at, p->strings[string].size};
}

bool hsd_pprof_text_is(const pprof *p, uint64_t string, const char *words)
{
    const hsd_bytes text = hsd_pprof_text(p, string);
    return text.size == strlen(words) && memcmp(text.data, words, text.size) == 0;
}

uint64_t hsd_pprof_find_text(const pprof *p, const char *words)
{
    for (uint32_t i = 0; i < p->string_count; i++)
        if (hsd_pprof_text_is(p, i, words)) return i;
    return UINT64_MAX;
}

/* ---- messages of numbers: field n of `count` goes to numbers[n]; other fields are passed over ---- */

static hsd_status read_numbers(hsd_proto_message *outer, const hsd_proto_field *field, uint64_t *numbers,
                               uint32_t count, hsd_error *err)
{
    hsd_proto_message message;
    hsd_proto_field inner;
    hsd_status status;
    memset(numbers, 0, count * sizeof *numbers);
    HSD_TRY(hsd_proto_enter(outer, field, &message, err));
    while ((status = hsd_proto_next(&message, &inner, err)) == HSD_OK)
        if (inner.number < count && inner.wire == HSD_PROTO_VARINT) numbers[inner.number] = inner.value;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_value_type(hsd_proto_message *all, const hsd_proto_field *field, pprof_value_type *out,
                                  hsd_error *err)
{
    uint64_t numbers[3];
    HSD_TRY(read_numbers(all, field, numbers, 3, err));
    *out = (pprof_value_type){numbers[1], numbers[2]};
    return HSD_OK;
}

/* The row of an id that is new, or HSD_END for one that was there, and for 0, which is none. */
static hsd_status new_row(hsd_id_table *rows, uint64_t id, uint32_t *row, hsd_error *err)
{
    const uint32_t before = rows->count;
    if (id == 0) return HSD_END;
    HSD_TRY(hsd_id_table_put(rows, id, row, err));
    --*row;
    return rows->count > before ? HSD_OK : HSD_END;
}

static hsd_status read_mapping(pprof *p, hsd_proto_message *all, const hsd_proto_field *field, hsd_error *err)
{
    uint64_t n[7];
    uint32_t row;
    HSD_TRY(read_numbers(all, field, n, 7, err));
    const hsd_status status = new_row(&p->mapping_rows, n[1], &row, err);
    if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
    HSD_TRY(make_room_for_pprof_table(p, &p->mappings, &p->mapping_room, row, sizeof *p->mappings, err));
    p->mappings[row] = (pprof_mapping){n[2], n[3], n[4], n[5], n[6]};
    return HSD_OK;
}

static hsd_status read_function(pprof *p, hsd_proto_message *all, const hsd_proto_field *field, hsd_error *err)
{
    uint64_t n[5];
    uint32_t row;
    HSD_TRY(read_numbers(all, field, n, 5, err));
    const hsd_status status = new_row(&p->function_rows, n[1], &row, err);
    if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
    HSD_TRY(make_room_for_pprof_table(p, &p->functions, &p->function_room, row, sizeof *p->functions, err));
    p->functions[row] = (pprof_function){n[2], n[3], n[4]};
    return HSD_OK;
}

static hsd_status read_line(pprof *p, hsd_proto_message *location, const hsd_proto_field *field, hsd_error *err)
{
    uint64_t n[4];
    HSD_TRY(read_numbers(location, field, n, 4, err));
    HSD_TRY(make_room_for_pprof_table(p, &p->lines, &p->line_room, p->line_count, sizeof *p->lines, err));
    p->lines[p->line_count++] = (pprof_line){n[1], n[2], n[3]};
    return HSD_OK;
}

static hsd_status read_location(pprof *p, hsd_proto_message *all, const hsd_proto_field *field, hsd_error *err)
{
    pprof_location location = {.first_line = p->line_count};
    hsd_proto_message message;
    hsd_proto_field inner;
    hsd_status status;
    uint64_t id = 0;
    uint32_t row;
    HSD_TRY(hsd_proto_enter(all, field, &message, err));
    while ((status = hsd_proto_next(&message, &inner, err)) == HSD_OK) {
        if (inner.number == 4 && inner.wire == HSD_PROTO_BYTES)
            HSD_TRY(read_line(p, &message, &inner, err));
        else if (inner.number == 1)
            id = inner.value;
        else if (inner.number == 2)
            location.mapping = inner.value;
        else if (inner.number == 3)
            location.address = inner.value;
    }
    if (status != HSD_END) return status;
    location.line_count = p->line_count - location.first_line;
    status = new_row(&p->location_rows, id, &row, err);
    if (status == HSD_END) p->line_count = location.first_line;
    if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
    HSD_TRY(make_room_for_pprof_table(p, &p->locations, &p->location_room, row, sizeof *p->locations, err));
    location.id = id;
    p->locations[row] = location;
    return HSD_OK;
}

static hsd_status read_field(pprof *p, hsd_proto_message *all, const hsd_proto_field *field, hsd_error *err)
{
    pprof_value_type beyond;
    switch (field->number) {
    case 1:
        return read_value_type(all, field,
                               p->sample_type_count < PPROF_VALUES ? &p->sample_types[p->sample_type_count++] : &beyond,
                               err);
    case 2: p->sample_count++; return HSD_OK;
    case 3: return read_mapping(p, all, field, err);
    case 4: return read_location(p, all, field, err);
    case 5: return read_function(p, all, field, err);
    case 6: return read_string(p, all, field, err);
    case 9: p->taken_unix_ns = field->value; return HSD_OK;
    case 11: return read_value_type(all, field, &p->period_type, err);
    case 12: p->period = field->value; return HSD_OK;
    default: return HSD_OK;
    }
}

hsd_status hsd_pprof_read_tables(pprof *p, hsd_error *err)
{
    hsd_proto_message all = hsd_proto_all(p->source);
    hsd_proto_field field;
    hsd_status status;
    for (uint64_t fields = 0; (status = hsd_proto_next(&all, &field, err)) == HSD_OK; fields++) {
        HSD_TRY(read_field(p, &all, &field, err));
        if (fields % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(p->import->reporter, "reading the tables of the profile", field.offset,
                                 p->source->total_bytes, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* Column headers against the table of fields (forms.h), and the decoding of single columns. See columns.h. */
#include "format/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "format/bytes.h"
#include "format/forms.h"
#include "format/unpack.h"

static const uint64_t zero_u64;
static const uint32_t zero_u32;
const hsd_u64s hsd_u64s_zero = {&zero_u64, 0};
const hsd_u32s hsd_u32s_zero = {&zero_u32, 0};

static const hsd_field *find_field(uint8_t type, unsigned column)
{
    const hsd_form *form = hsd_form_of_block(type);
    return form == NULL ? NULL : hsd_form_field(form, column);
}

/* ---- headers ---- */

static hsd_status check_coding(const hsd_column *column, const hsd_field *field, unsigned id, hsd_fault *fault)
{
    const bool is_bytes = column->coding == HSC_CODING_BYTES;
    if (column->coding > HSC_CODING_BYTES) {
        return hsd_fault_corrupt(fault, "5.6", "column %u has coding %u", id, column->coding);
    }
    if (is_bytes != (field->kind == HSD_FIELD_BYTES)) {
        return hsd_fault_corrupt(fault, "5.6", "column %u has a coding of another kind of field", id);
    }
    if (column->transform > HSC_TRANSFORM_SOURCE ||
        (column->transform == HSC_TRANSFORM_SOURCE && id != HSC_COL_REF_TARGET)) {
        return hsd_fault_corrupt(fault, "5.7", "column %u has transform %u", id, column->transform);
    }
    if (column->shift > 63 || (is_bytes && (column->shift != 0 || column->transform != HSC_TRANSFORM_NONE))) {
        return hsd_fault_corrupt(fault, "5.8", "column %u has shift %u", id, column->shift);
    }
    return HSD_OK;
}

/* Length of the data against what count and coding make of it: afterwards decoding stays inside. */
static hsd_status check_length(const hsd_column *column, unsigned id, hsd_fault *fault)
{
    if (column->count == 0) return hsd_fault_corrupt(fault, "5.3", "column %u holds no value", id);
    if (column->coding == HSC_CODING_CONSTANT) {
        if (column->bytes != 8)
            return hsd_fault_corrupt(fault, "5.4", "column %u is constant and has %u bytes", id,
                                     (unsigned)column->bytes);
        return HSD_OK;
    }
    if (column->coding == HSC_CODING_BYTES) {
        if (column->bytes != column->count)
            return hsd_fault_corrupt(fault, "5.6", "column %u has %u bytes and says %u", id, (unsigned)column->bytes,
                                     (unsigned)column->count);
        return HSD_OK;
    }
    const uint32_t control = hsd_unpack_control_bytes(column->count);
    if (column->bytes < control || hsd_unpack_value_bytes(column->data, column->count) != column->bytes - control) {
        return hsd_fault_corrupt(fault, "5.5", "column %u has %u bytes, not what its control bytes say", id,
                                 (unsigned)column->bytes);
    }
    if (!hsd_unpack_tail_is_zero(column->data, column->count)) {
        return hsd_fault_corrupt(fault, "5.5", "unused bits of column %u are not 0", id);
    }
    return HSD_OK;
}

static hsd_status take_column(hsd_columns *columns, unsigned id, const hsd_column *column, hsd_fault *fault)
{
    const hsd_field *field = id < HSD_COLUMN_LIMIT ? find_field(columns->type, id) : NULL;
    if (field == NULL) {
        return hsd_fault_corrupt(fault, "5.2", "%s have no column %u", hsd_block_type_name(columns->type), id);
    }
    HSD_TRY(check_coding(column, field, id, fault));
    HSD_TRY(check_length(column, id, fault));
    if (!field->is_many && column->count != columns->records) {
        return hsd_fault_corrupt(fault, "5.3", "column %u has %u values for %u records", id, (unsigned)column->count,
                                 (unsigned)columns->records);
    }
    columns->column[id] = *column;
    columns->present |= UINT64_C(1) << id;
    return HSD_OK;
}

hsd_status hsd_columns_parse(const hsd_block *block, hsd_columns *columns, hsd_fault *fault)
{
    const uint8_t *at = block->payload;
    const uint8_t *end = at + block->header.raw_bytes;
    int last = -1;
    columns->type = block->header.type;
    columns->records = block->header.record_count;
    columns->present = 0;
    while (at < end) {
        if (end - at < HSC_COLUMN_HEADER_BYTES) {
            return hsd_fault_corrupt(fault, "5.1", "its columns do not fill its payload");
        }
        const unsigned id = at[0];
        const hsd_column column = {.data = at + HSC_COLUMN_HEADER_BYTES,
                                   .count = hsd_get_u32(at + 4),
                                   .bytes = hsd_get_u32(at + 8),
                                   .coding = at[1] & 15,
                                   .transform = at[1] >> 4,
                                   .shift = at[2]};
        if (column.bytes > (uint64_t)(end - column.data)) {
            return hsd_fault_corrupt(fault, "5.1", "column %u would end behind its payload", id);
        }
        if ((int)id <= last) return hsd_fault_corrupt(fault, "5.2", "column %u stands behind column %d", id, last);
        if (at[3] != 0) return hsd_fault_corrupt(fault, "5.8", "a reserved field of column %u is not 0", id);
        if (id < 128) HSD_TRY(take_column(columns, id, &column, fault));
        last = (int)id;
        at = column.data + column.bytes;
    }
    return HSD_OK;
}

/* ---- values ---- */

void hsd_column_store_release(hsd_column_store *store)
{
    for (size_t i = 0; i < HSD_COLUMN_LIMIT; i++)
        free(store->slot[i].array);
    *store = (hsd_column_store){0};
}

void *hsd_column_store_array(hsd_column_store *store, unsigned id, uint64_t count, size_t width, hsd_fault *fault)
{
    struct hsd_column_slot *slot = &store->slot[id];
    const size_t bytes = (size_t)count * width; /* count is within FORMAT.md 10, or that of bytes that are there */
    slot->fill_count = 0;
    if (slot->capacity_bytes < bytes) {
        void *bigger = malloc(bytes);
        if (bigger == NULL) {
            hsd_fault_set(fault, HSD_E_NOMEM, NULL, "no memory for the columns of a block");
            return NULL;
        }
        free(slot->array);
        slot->array = bigger;
        slot->capacity_bytes = bytes;
    }
    return slot->array;
}

static hsd_status check_count(const hsd_column *column, unsigned id, uint64_t count, hsd_fault *fault)
{
    if (column->count == count) return HSD_OK;
    return hsd_fault_corrupt(fault, "5.3", "column %u has %u values, and %llu are counted", id, (unsigned)column->count,
                             (unsigned long long)count);
}

/* Greatest value that a field may have; all its bits are ones. */
static uint64_t limit_of(const hsd_columns *columns, unsigned id)
{
    const hsd_field *field = find_field(columns->type, id);
    if (field == NULL || field->kind == HSD_FIELD_U64) return UINT64_MAX;
    return field->kind == HSD_FIELD_U32 ? UINT32_MAX : HSC_MAX_TABLE_ID;
}

static hsd_status check_limit(const hsd_columns *columns, unsigned id, uint64_t all_bits, hsd_fault *fault)
{
    if ((all_bits & ~limit_of(columns, id)) == 0) return HSD_OK;
    return hsd_fault_corrupt(fault, "5.9", "column %u holds a value past the limit of its field", id);
}

/* Returns the or of all values. Those of SOURCE stay as they are coded. */
static uint64_t unpack_u64(const hsd_column *column, uint64_t *out)
{
    const uint8_t *values = column->data + hsd_unpack_control_bytes(column->count);
    const int is_delta = column->transform == HSC_TRANSFORM_DELTA;
    hsd_work_did(HSD_COST_VALUES, column->count);
    const uint64_t all_bits = hsd_unpack_u64(column->data, values, column->count, is_delta, out);
    if (column->transform == HSC_TRANSFORM_SOURCE || column->shift == 0) return all_bits;
    for (uint32_t i = 0; i < column->count; i++)
        out[i] <<= column->shift;
    return all_bits << column->shift;
}

static uint64_t unpack_u32(const hsd_column *column, uint32_t *out)
{
    const uint8_t *values = column->data + hsd_unpack_control_bytes(column->count);
    const int is_delta = column->transform == HSC_TRANSFORM_DELTA;
    hsd_work_did(HSD_COST_VALUES, column->count);
    const uint64_t all_bits = hsd_unpack_u32(column->data, values, column->count, is_delta, out);
    if (column->shift != 0) {
        for (uint32_t i = 0; i < column->count; i++)
            out[i] = (uint32_t)((uint64_t)out[i] << column->shift);
    }
    return all_bits << column->shift;
}

void hsd_column_add_sources(const hsd_columns *columns, unsigned id, const uint64_t *sources, uint64_t *values)
{
    const hsd_column *column = &columns->column[id];
    for (uint32_t i = 0; i < column->count; i++)
        values[i] = sources[i] + (hsd_unzigzag(values[i]) << column->shift);
}

/* A constant difference makes a stair; else one value for all. */
static uint64_t constant_of(const hsd_column *column)
{
    const uint64_t coded = hsd_get_u64(column->data);
    if (column->transform == HSC_TRANSFORM_SOURCE) return coded;
    return (column->transform == HSC_TRANSFORM_NONE ? coded : hsd_unzigzag(coded)) << column->shift;
}

static bool is_stair(const hsd_column *column)
{
    return column->coding == HSC_CODING_CONSTANT && column->transform == HSC_TRANSFORM_DELTA;
}

static hsd_status decode_u64(const hsd_columns *columns, hsd_column_store *store, unsigned id, hsd_u64s *out,
                             hsd_fault *fault)
{
    const hsd_column *column = &columns->column[id];
    struct hsd_column_slot *slot = &store->slot[id];
    if (column->coding == HSC_CODING_CONSTANT && !is_stair(column)) {
        slot->constant = constant_of(column);
        *out = (hsd_u64s){&slot->constant, 0};
        return check_limit(columns, id, slot->constant, fault);
    }
    uint64_t *array = hsd_column_store_array(store, id, column->count, sizeof *array, fault);
    if (array == NULL) return HSD_E_NOMEM;
    uint64_t all_bits = 0;
    if (is_stair(column)) {
        const uint64_t step = constant_of(column);
        for (uint32_t i = 0; i < column->count; i++)
            all_bits |= array[i] = step * (i + UINT64_C(1));
    } else {
        all_bits = unpack_u64(column, array);
    }
    *out = (hsd_u64s){array, UINT64_MAX};
    return check_limit(columns, id, all_bits, fault);
}

static hsd_status decode_u32(const hsd_columns *columns, hsd_column_store *store, unsigned id, hsd_u32s *out,
                             hsd_fault *fault)
{
    const hsd_column *column = &columns->column[id];
    struct hsd_column_slot *slot = &store->slot[id];
    if (column->coding == HSC_CODING_CONSTANT && !is_stair(column)) {
        const uint64_t value = constant_of(column);
        uint32_t *constant = (uint32_t *)&slot->constant;
        *constant = (uint32_t)value;
        *out = (hsd_u32s){constant, 0};
        return check_limit(columns, id, value, fault);
    }
    uint32_t *array = hsd_column_store_array(store, id, column->count, sizeof *array, fault);
    if (array == NULL) return HSD_E_NOMEM;
    uint64_t all_bits = 0;
    if (is_stair(column)) {
        const uint64_t step = constant_of(column);
        for (uint32_t i = 0; i < column->count; i++) {
            const uint64_t value = step * (i + UINT64_C(1));
            array[i] = (uint32_t)value;
            all_bits |= value;
        }
    } else {
        all_bits = unpack_u32(column, array);
    }
    *out = (hsd_u32s){array, UINT64_MAX};
    return check_limit(columns, id, all_bits, fault);
}

hsd_status hsd_column_u64(const hsd_columns *columns, hsd_column_store *store, unsigned id, uint64_t count,
                          hsd_u64s *out, hsd_fault *fault)
{
    *out = hsd_u64s_zero;
    if (!hsd_columns_has(columns, id)) return HSD_OK;
    HSD_TRY(check_count(&columns->column[id], id, count, fault));
    return decode_u64(columns, store, id, out, fault);
}

hsd_status hsd_column_u32(const hsd_columns *columns, hsd_column_store *store, unsigned id, uint64_t count,
                          hsd_u32s *out, hsd_fault *fault)
{
    *out = hsd_u32s_zero;
    if (!hsd_columns_has(columns, id)) return HSD_OK;
    HSD_TRY(check_count(&columns->column[id], id, count, fault));
    return decode_u32(columns, store, id, out, fault);
}

/* True if the array already holds this value often enough, from an earlier block. */
static bool is_filled(const struct hsd_column_slot *slot, uint64_t value, uint64_t count)
{
    return count == 0 || (slot->fill_value == value && slot->fill_count >= count);
}

static hsd_status fill_u64(hsd_column_store *store, unsigned id, uint64_t count, uint64_t value, const uint64_t **out,
                           hsd_fault *fault)
{
    struct hsd_column_slot *slot = &store->slot[id];
    if (!is_filled(slot, value, count)) {
        uint64_t *array = hsd_column_store_array(store, id, count, sizeof *array, fault);
        if (array == NULL) return HSD_E_NOMEM;
        for (uint64_t i = 0; i < count; i++)
            array[i] = value;
        slot->fill_value = value;
        slot->fill_count = (uint32_t)count;
    }
    *out = slot->array;
    return HSD_OK;
}

static hsd_status fill_u32(hsd_column_store *store, unsigned id, uint64_t count, uint32_t value, const uint32_t **out,
                           hsd_fault *fault)
{
    struct hsd_column_slot *slot = &store->slot[id];
    if (!is_filled(slot, value, count)) {
        uint32_t *array = hsd_column_store_array(store, id, count, sizeof *array, fault);
        if (array == NULL) return HSD_E_NOMEM;
        for (uint64_t i = 0; i < count; i++)
            array[i] = value;
        slot->fill_value = value;
        slot->fill_count = (uint32_t)count;
    }
    *out = slot->array;
    return HSD_OK;
}

hsd_status hsd_column_u64_array(const hsd_columns *columns, hsd_column_store *store, unsigned id, uint64_t count,
                                const uint64_t **out, hsd_fault *fault)
{
    hsd_u64s values;
    HSD_TRY(hsd_column_u64(columns, store, id, count, &values, fault));
    *out = values.at;
    return values.mask != 0 ? HSD_OK : fill_u64(store, id, count, values.at[0], out, fault);
}

hsd_status hsd_column_u32_array(const hsd_columns *columns, hsd_column_store *store, unsigned id, uint64_t count,
                                const uint32_t **out, hsd_fault *fault)
{
    hsd_u32s values;
    HSD_TRY(hsd_column_u32(columns, store, id, count, &values, fault));
    *out = values.at;
    return values.mask != 0 ? HSD_OK : fill_u32(store, id, count, values.at[0], out, fault);
}

hsd_status hsd_column_zeros(hsd_column_store *store, unsigned id, uint64_t count, const uint64_t **out,
                            hsd_fault *fault)
{
    return fill_u64(store, id, count, 0, out, fault);
}

hsd_status hsd_column_bytes(const hsd_columns *columns, unsigned id, uint64_t count, hsd_bytes *out, hsd_fault *fault)
{
    *out = (hsd_bytes){0};
    if (!hsd_columns_has(columns, id)) {
        if (count == 0) return HSD_OK;
        return hsd_fault_corrupt(fault, "5.3", "column %u is missing, and %llu bytes are counted", id,
                                 (unsigned long long)count);
    }
    HSD_TRY(check_count(&columns->column[id], id, count, fault));
    *out = (hsd_bytes){columns->column[id].data, columns->column[id].count};
    return HSD_OK;
}

/*
 * Reading a complete capture from its end. See index.h.
 *
 *      … | INDEX | INDEX | END | trailer |
 *          ^index_offset   ^end_offset
 */
#include "format/index.h"

#include <string.h>

#include "format/bytes.h"
#include "format/columns.h"

hsd_status hsd_file_read_header(hsd_file *file, hsd_fault *fault)
{
    uint8_t bytes[HSC_FILE_HEADER_BYTES];
    const uint64_t size = file->input.size_bytes;
    const size_t wanted = size < sizeof bytes ? (size_t)size : sizeof bytes;
    *fault = (hsd_fault){.block = HSD_NO_BLOCK};
    hsd_error_init(&fault->error);
    const hsd_status status = hsd_input_read(&file->input, 0, bytes, wanted, &fault->error);
    if (status != HSD_OK) return hsd_fault_set(fault, status, "3.1", "%s", fault->error.text);
    return hsd_file_header_parse(bytes, wanted, &file->header, fault);
}

static hsd_status cut_off(hsd_fault *fault, uint64_t at, const char *inside, uint64_t block)
{
    char digits[HSD_DIGITS_BYTES];
    fault->offset_bytes = at;
    fault->block = block;
    if (block == HSD_NO_BLOCK) {
        return hsd_fault_set(fault, HSD_E_TRUNCATED, "2.1", "was cut off at byte %s, inside %s",
                             hsd_group_digits(digits, at), inside);
    }
    return hsd_fault_set(fault, HSD_E_TRUNCATED, "2.1", "was cut off at byte %s, inside block %llu",
                         hsd_group_digits(digits, at), (unsigned long long)block);
}

hsd_status hsd_file_read_block_header(const hsd_file *file, uint64_t offset, hsd_block_header *out, hsd_fault *fault)
{
    uint8_t bytes[HSC_BLOCK_HEADER_BYTES];
    const uint64_t size = file->input.size_bytes;
    fault->offset_bytes = offset;
    fault->block = HSD_NO_BLOCK;
    if (offset > size || size - offset < sizeof bytes)
        return cut_off(fault, size, "the header of a block", HSD_NO_BLOCK);
    hsd_error_init(&fault->error);
    const hsd_status status = hsd_input_read(&file->input, offset, bytes, sizeof bytes, &fault->error);
    if (status != HSD_OK) return hsd_fault_set(fault, status, "4.1", "%s", fault->error.text);
    HSD_TRY(hsd_block_header_parse(bytes, file->header.seed, out, fault));
    fault->block = out->number;
    if (size - offset - sizeof bytes < out->stored_bytes) return cut_off(fault, size, "", out->number);
    return HSD_OK;
}

hsd_status hsd_file_read_trailer(const hsd_file *file, hsd_trailer *out, hsd_fault *fault)
{
    uint8_t bytes[HSC_TRAILER_BYTES];
    const uint64_t size = file->input.size_bytes;
    fault->block = HSD_NO_BLOCK;
    if (size < file->header.header_bytes + sizeof bytes) {
        fault->offset_bytes = size;
        return hsd_fault_corrupt(fault, "9.2", "there is no trailer at the end of the file");
    }
    fault->offset_bytes = size - sizeof bytes;
    hsd_error_init(&fault->error);
    const hsd_status status = hsd_input_read(&file->input, size - sizeof bytes, bytes, sizeof bytes, &fault->error);
    if (status != HSD_OK) return hsd_fault_set(fault, status, "9.2", "%s", fault->error.text);
    return hsd_trailer_parse(bytes, file->header.seed, out, fault);
}

/* ---- one INDEX block ---- */

bool hsd_index_has_numbers(const hsd_block *block)
{
    hsd_columns columns;
    hsd_fault fault;
    return hsd_columns_parse(block, &columns, &fault) == HSD_OK && hsd_columns_has(&columns, HSC_COL_NUMBER);
}

typedef struct index_columns {
    hsd_u64s offset, ordinal, number;
    hsd_u32s type, records, stored;
    bool has_numbers;
} index_columns;

static hsd_status decode_columns(const hsd_block *block, hsd_column_store *store, index_columns *out, hsd_fault *fault)
{
    hsd_columns columns;
    const uint64_t count = block->header.record_count;
    HSD_TRY(hsd_columns_parse(block, &columns, fault));
    HSD_TRY(hsd_column_u64(&columns, store, HSC_COL_OFFSET, count, &out->offset, fault));
    HSD_TRY(hsd_column_u32(&columns, store, HSC_COL_BLOCK_TYPE, count, &out->type, fault));
    HSD_TRY(hsd_column_u32(&columns, store, HSC_COL_RECORDS, count, &out->records, fault));
    HSD_TRY(hsd_column_u64(&columns, store, HSC_COL_ORDINAL, count, &out->ordinal, fault));
    HSD_TRY(hsd_column_u32(&columns, store, HSC_COL_STORED, count, &out->stored, fault));
    HSD_TRY(hsd_column_u64(&columns, store, HSC_COL_NUMBER, count, &out->number, fault));
    out->has_numbers = hsd_columns_has(&columns, HSC_COL_NUMBER);
    return HSD_OK;
}

static hsd_status add_refs(const index_columns *columns, uint32_t count, uint64_t first, hsd_block_list *list,
                           hsd_fault *fault)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t type = hsd_u32s_get(columns->type, i);
        if (type == 0 || type > 255)
            return hsd_fault_corrupt(fault, "9.1", "the index tells of a block of type %u", (unsigned)type);
        const hsd_block_ref ref = {
            .offset_bytes = hsd_u64s_get(columns->offset, i),
            .number = columns->has_numbers ? hsd_u64s_get(columns->number, i) : first + i,
            .first_ordinal = hsd_u64s_get(columns->ordinal, i),
            .record_count = hsd_u32s_get(columns->records, i),
            .stored_bytes = hsd_u32s_get(columns->stored, i),
            .type = (uint8_t)type,
        };
        HSD_TRY(hsd_block_list_add(list, &ref, fault));
    }
    return HSD_OK;
}

hsd_status hsd_index_decode(const hsd_block *block, uint64_t first, hsd_block_list *list, hsd_fault *fault)
{
    hsd_column_store store = {0};
    index_columns columns;
    hsd_status status = decode_columns(block, &store, &columns, fault);
    if (status == HSD_OK) status = add_refs(&columns, block->header.record_count, first, list, fault);
    hsd_column_store_release(&store);
    return status;
}

/* ---- the whole ---- */

/* Loads the block at an offset where one of a known type must be. */
static hsd_status load_at(const hsd_file *file, uint64_t offset, uint8_t type, hsd_block *block, hsd_fault *fault)
{
    hsd_block_header header = {0};
    HSD_TRY(hsd_file_read_block_header(file, offset, &header, fault));
    if (header.type != type) {
        return hsd_fault_corrupt(fault, "9.2", "the trailer leads to %s, not to the %s",
                                 hsd_block_type_name(header.type), hsd_block_type_name(type));
    }
    const hsd_block_ref ref = hsd_block_ref_of(&header, offset);
    return hsd_block_load(block, &file->input, &ref, file->header.seed, fault);
}

static hsd_status load_end(const hsd_file *file, const hsd_trailer *trailer, hsd_block *block, hsd_block_ref *ref,
                           hsd_facts *end, hsd_fault *fault)
{
    HSD_TRY(load_at(file, trailer->end_offset, HSC_BLOCK_END, block, fault));
    *ref = hsd_block_ref_of(&block->header, trailer->end_offset);
    if (hsd_block_ref_end(ref) != file->input.size_bytes - HSC_TRAILER_BYTES) {
        return hsd_fault_corrupt(fault, "9.2", "the trailer does not follow the end record");
    }
    return hsd_facts_parse(block, end, fault);
}

/* INDEX blocks one behind the other; what they tell goes to `list`, what they are to `indexes`. */
static hsd_status load_index(const hsd_file *file, const hsd_trailer *trailer, bool is_salvaged, hsd_block *block,
                             hsd_block_list *list, hsd_block_list *indexes, hsd_fault *fault)
{
    uint64_t offset = trailer->index_offset;
    while (offset < trailer->end_offset) {
        HSD_TRY(load_at(file, offset, HSC_BLOCK_INDEX, block, fault));
        if (hsd_index_has_numbers(block) != is_salvaged) {
            return hsd_fault_corrupt(fault, "9.1", "the index %s the numbers of the blocks",
                                     is_salvaged ? "lacks" : "has");
        }
        HSD_TRY(hsd_index_decode(block, list->count, list, fault));
        const hsd_block_ref ref = hsd_block_ref_of(&block->header, offset);
        HSD_TRY(hsd_block_list_add(indexes, &ref, fault));
        offset = hsd_block_ref_end(&ref);
    }
    fault->offset_bytes = trailer->end_offset;
    if (offset != trailer->end_offset)
        return hsd_fault_corrupt(fault, "9.2", "the index does not end where the end record begins");
    return HSD_OK;
}

/* Ordinals of one block of objects to those of the one before. */
static bool ordinals_follow(const hsd_block_ref *before, const hsd_block_ref *ref, bool is_salvaged)
{
    const uint64_t most = before == NULL ? 0 : before->first_ordinal + before->record_count;
    const uint64_t least = before == NULL || before->record_count == 0 ? most : most - 1; /* one may continue */
    return ref->first_ordinal >= least && (is_salvaged || ref->first_ordinal <= most);
}

static hsd_status check_list(const hsd_file *file, const hsd_block_list *list, bool is_salvaged, hsd_fault *fault)
{
    uint64_t offset = file->header.header_bytes;
    const hsd_block_ref *objects = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const hsd_block_ref *ref = &list->refs[i];
        fault->offset_bytes = ref->offset_bytes;
        fault->block = ref->number;
        if (ref->offset_bytes != offset || ref->stored_bytes > HSC_MAX_STORED_BYTES) {
            return hsd_fault_corrupt(fault, "9.1", "by the index it does not lie behind the block before it");
        }
        if (is_salvaged ? (i > 0 && ref->number <= list->refs[i - 1].number) : ref->number != i) {
            return hsd_fault_corrupt(fault, "4.5", "its number is not the next");
        }
        if (ref->record_count > HSC_MAX_RECORDS || ref->first_ordinal > HSC_MAX_OBJECTS) {
            return hsd_fault_corrupt(fault, "10.3", "by the index it passes the limits of a block");
        }
        if (ref->type == HSC_BLOCK_OBJECTS) {
            if (!ordinals_follow(objects, ref, is_salvaged))
                return hsd_fault_corrupt(fault, "4.10", "its ordinals do not follow those before it");
            objects = ref;
        }
        offset = hsd_block_ref_end(ref);
    }
    return HSD_OK;
}

hsd_status hsd_index_read(const hsd_file *file, const hsd_trailer *trailer, hsd_block *block, hsd_block_list *list,
                          hsd_facts *end, hsd_fault *fault)
{
    hsd_block_list indexes = {.memory_bytes = list->memory_bytes};
    hsd_block_ref end_ref;
    fault->offset_bytes = file->input.size_bytes - HSC_TRAILER_BYTES;
    fault->block = HSD_NO_BLOCK;
    if (trailer->index_offset < file->header.header_bytes || trailer->index_offset >= trailer->end_offset) {
        return hsd_fault_corrupt(fault, "9.2", "the places that the trailer tells of cannot be");
    }
    HSD_TRY(load_end(file, trailer, block, &end_ref, end, fault));
    const bool is_salvaged = end->number[HSC_END_STATE] == HSC_STATE_SALVAGED;
    hsd_status status = load_index(file, trailer, is_salvaged, block, list, &indexes, fault);
    for (size_t i = 0; status == HSD_OK && i < indexes.count; i++)
        status = hsd_block_list_add(list, &indexes.refs[i], fault);
    if (status == HSD_OK) status = hsd_block_list_add(list, &end_ref, fault);
    if (status == HSD_OK) status = check_list(file, list, is_salvaged, fault);
    /* END again: its entries borrow from the block. */
    if (status == HSD_OK) status = load_end(file, trailer, block, &end_ref, end, fault);
    hsd_block_list_release(&indexes);
    return status;
}

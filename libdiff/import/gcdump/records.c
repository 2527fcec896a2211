/*
 * The blob of records, which nodes point into from anywhere. Mostly a node's record stands behind that of the node
 * before, so pages of a file do nearly as well as memory.
 *
 * A record: type << 1 | 1 if the size follows, [size], number of children, each as what its number is more than the
 * node's own. Numbers have seven bits a byte, the most significant first, and a sign.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/gcdump/gcdump.h"

#define PAGE_BYTES   ((uint64_t)4096)
#define PIECE_BYTES  ((size_t)65536)
#define NUMBER_BYTES 5

/* ---- the blob ---- */

static hsd_status keep_in_file(gcdump_records *records, gcdump_serial *in, hsd_temp_space *space, uint64_t memory_bytes,
                               hsd_error *err)
{
    records->page_count = 16;
    while ((uint64_t)records->page_count * 4 * PAGE_BYTES <= memory_bytes && records->page_count < 1u << 20)
        records->page_count *= 2;
    records->pages = malloc(records->page_count * PAGE_BYTES);
    records->page_numbers = calloc(records->page_count, sizeof *records->page_numbers);
    if (records->pages == NULL || records->page_numbers == NULL) return hsd_fail_nomem(err, "records of a gcdump");
    HSD_TRY(hsd_temp_open(&records->temp, space, err));
    for (uint64_t done = 0; done < records->size;) {
        const size_t some =
            (size_t)hsd_min_u64(records->size - done,
                                records->page_count * PAGE_BYTES < PIECE_BYTES ? PAGE_BYTES : PIECE_BYTES);
        HSD_TRY(hsd_source_copy(in->source, records->pages, some, err));
        HSD_TRY(hsd_temp_write(&records->temp, done, records->pages, some, err));
        done += some;
    }
    return HSD_OK;
}

hsd_status hsd_gcdump_records_open(gcdump_records *records, gcdump_serial *in, const gcdump_graph *graph,
                                   hsd_temp_space *space, uint64_t memory_bytes, hsd_error *err)
{
    *records = (gcdump_records){.size = graph->blob_known, .temp = {.fd = -1}};
    HSD_TRY(hsd_gcdump_go(in, graph->blob_offset, err));
    if (records->size > memory_bytes) return keep_in_file(records, in, space, memory_bytes, err);
    records->bytes = malloc((size_t)records->size + 1);
    if (records->bytes == NULL) return hsd_fail_nomem(err, "records of a gcdump");
    return hsd_source_copy(in->source, records->bytes, (size_t)records->size, err);
}

static hsd_status view_page(gcdump_records *records, uint64_t offset, hsd_bytes *view, hsd_error *err)
{
    const uint64_t number = offset / PAGE_BYTES, slot = number & (records->page_count - 1), first = number * PAGE_BYTES;
    const size_t size = (size_t)hsd_min_u64(PAGE_BYTES, records->size - first);
    uint8_t *page = records->pages + slot * PAGE_BYTES;
    if (records->page_numbers[slot] != number + 1) {
        records->page_numbers[slot] = 0;
        HSD_TRY(hsd_temp_read(&records->temp, first, page, size, err));
        records->page_numbers[slot] = number + 1;
    }
    *view = (hsd_bytes){page + (offset - first), size - (size_t)(offset - first)};
    return HSD_OK;
}

hsd_status hsd_gcdump_records_view(gcdump_records *records, uint64_t offset, hsd_bytes *view, hsd_error *err)
{
    if (offset >= records->size) return HSD_END;
    if (records->bytes == NULL) return view_page(records, offset, view, err);
    *view = (hsd_bytes){records->bytes + offset, (size_t)(records->size - offset)};
    return HSD_OK;
}

void hsd_gcdump_records_release(gcdump_records *records)
{
    free(records->bytes);
    free(records->pages);
    free(records->page_numbers);
    hsd_temp_close(&records->temp);
    *records = (gcdump_records){.temp = {.fd = -1}};
}

/* ---- one record ---- */

static hsd_status turn_page(gcdump_record *record, hsd_error *err)
{
    hsd_bytes view;
    HSD_TRY(hsd_gcdump_records_view(record->records, record->end_offset, &view, err));
    record->at = view.data;
    record->end = view.data + view.size;
    record->end_offset += view.size;
    return HSD_OK;
}

static hsd_status fail_number(const gcdump_record *record, hsd_error *err)
{
    return hsd_fail(err, HSD_E_CORRUPT,
                    "not a valid gcdump: a number of more than %d bytes in the record at %llu of the blob",
                    NUMBER_BYTES, (unsigned long long)record->first);
}

static hsd_status read_number_slowly(gcdump_record *record, uint32_t *number, hsd_error *err)
{
    uint32_t value = 0;
    for (int i = 0; i < NUMBER_BYTES; i++) {
        if (record->at == record->end) HSD_TRY(turn_page(record, err));
        const uint32_t byte = *record->at++;
        value = i == 0 ? (byte & 0x7f) | (byte & 0x40 ? ~UINT32_C(0x7f) : 0) : value << 7 | (byte & 0x7f);
        if (byte < 0x80) {
            *number = value;
            return HSD_OK;
        }
    }
    return fail_number(record, err);
}

static inline hsd_status read_number(gcdump_record *record, uint32_t *number, hsd_error *err)
{
    if (__builtin_expect(record->end - record->at < NUMBER_BYTES, 0)) return read_number_slowly(record, number, err);
    uint32_t byte = *record->at++;
    uint32_t value = (byte & 0x7f) | (byte & 0x40 ? ~UINT32_C(0x7f) : 0);
    for (int i = 1; byte >= 0x80; i++) {
        if (i == NUMBER_BYTES) return fail_number(record, err);
        byte = *record->at++;
        value = value << 7 | (byte & 0x7f);
    }
    *number = value;
    return HSD_OK;
}

static hsd_status fail_record(const gcdump_record *record, const char *what, hsd_error *err)
{
    return hsd_fail(err, HSD_E_CORRUPT, "not a valid gcdump: the record at %llu of the blob has %s",
                    (unsigned long long)record->first, what);
}

hsd_status hsd_gcdump_record_open(gcdump_record *record, gcdump_records *records, const gcdump_types *types,
                                  uint64_t offset, hsd_error *err)
{
    uint32_t type, size;
    *record = (gcdump_record){.records = records, .end_offset = offset, .first = offset};
    HSD_TRY(turn_page(record, err));
    HSD_TRY(read_number(record, &type, err));
    record->type = (uint32_t)((int32_t)type >> 1);
    if (record->type >= types->count) return fail_record(record, "a type that is not there", err);
    size = (uint32_t)types->types[record->type].size;
    if (type & 1) HSD_TRY(read_number(record, &size, err));
    record->size = (int32_t)size < 0 ? 0 : size;
    HSD_TRY(read_number(record, &record->children, err));
    return (int32_t)record->children < 0 ? fail_record(record, "less than no children", err) : HSD_OK;
}

hsd_status hsd_gcdump_record_children(gcdump_record *record, uint64_t node, uint64_t *out, size_t most, hsd_error *err)
{
    const size_t count = (size_t)hsd_min_u64(record->children, most);
    for (size_t i = 0; i < count; i++) {
        uint32_t difference;
        HSD_TRY(read_number(record, &difference, err));
        out[i] = (uint32_t)((uint32_t)node + difference);
    }
    record->children -= (uint32_t)count;
    return HSD_OK;
}

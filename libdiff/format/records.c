/* The iterator over all records of one kind: block after block of the list. */
#include <stdlib.h>

#include "base/fail.h"
#include "format/capture_state.h"
#include "format/record_block.h"
#include "format/sums.h"

struct hsd_record_reader {
    hsd_capture *capture;
    uint8_t type; /* of the blocks that have such records */
    bool is_of_sums;
    hsd_sum_walk sums;
    size_t next_ref;   /* where on the list to look for the next of them */
    hsd_status failed; /* sticks */
    hsd_block block;
    hsd_record_block records;
};

hsd_status hsd_record_reader_open(hsd_record_reader **out, hsd_capture *capture, hsd_record_kind kind, hsd_error *err)
{
    *out = NULL;
    if ((unsigned)kind >= HSD_RECORD_KINDS)
        return hsd_fail(err, HSD_E_MISUSE, "there is no kind of record %u", (unsigned)kind);
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return hsd_fail_nomem(err, "reading records");
    (*out)->capture = capture;
    (*out)->type = hsd_record_block_type(kind);
    (*out)->is_of_sums = hsd_block_is_of_sums((*out)->type);
    if ((*out)->is_of_sums && !capture->info.is_baseline) (*out)->next_ref = capture->list.count;
    return HSD_OK;
}

void hsd_record_reader_close(hsd_record_reader *reader)
{
    if (reader == NULL) return;
    hsd_record_block_release(&reader->records);
    hsd_block_release(&reader->block);
    free(reader);
}

static hsd_status load_next(hsd_record_reader *reader, hsd_error *err)
{
    const hsd_block_list *list = &reader->capture->list;
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    if (reader->failed != HSD_OK) return hsd_fail(err, reader->failed, "records could not be read before");
    const size_t i = hsd_block_list_find(list, reader->next_ref, reader->type);
    if (i == list->count) return HSD_END;
    reader->next_ref = i + 1;
    reader->failed = hsd_capture_load(reader->capture, &list->refs[i], &reader->block, &fault);
    if (reader->failed == HSD_OK) reader->failed = hsd_record_block_decode(&reader->records, &reader->block, &fault);
    if (reader->failed == HSD_OK && reader->is_of_sums)
        reader->failed = hsd_sum_begin(&reader->sums, &reader->block.header, &fault);
    if (reader->failed == HSD_OK) return HSD_OK;
    reader->records.records = 0;
    return hsd_fault_raise(&fault, reader->capture->file.input.name, err);
}

/* The order of sums is held as they are read. Not inlined: a fault is half a kilobyte, and other records need none. */
static __attribute__((noinline)) hsd_status check_format_record(hsd_record_reader *reader, hsd_record *record,
                                                                hsd_error *err)
{
    hsd_fault fault = {.offset_bytes = reader->block.offset_bytes, .block = reader->block.header.number};
    reader->failed = hsd_sum_step(&reader->sums, reader->type, record, &fault);
    if (reader->failed == HSD_OK) return HSD_OK;
    reader->records.records = 0;
    return hsd_fault_raise(&fault, reader->capture->file.input.name, err);
}

hsd_status hsd_record_reader_next(hsd_record_reader *reader, hsd_record *record, hsd_error *err)
{
    while (!hsd_record_block_next(&reader->records, record))
        HSD_TRY(load_next(reader, err));
    return reader->is_of_sums ? check_format_record(reader, record, err) : HSD_OK;
}

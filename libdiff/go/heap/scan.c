/*
 * The scan: the whole dump once. Bytes of objects are skipped, but the segments of globals are looked at for what tells
 * the process instance (goheap.h).
 */
#include "base/check.h"
#include "base/mix.h"
#include "go/heap/goheap.h"

#include <string.h>

enum { PROGRESS_EVERY = 4096, NAME_BYTES = 1024 };
/* where Linux puts first stacks and libraries, with 47 bits of addresses */
#define STACKS_BEGIN UINT64_C(0x7f0000000000)
#define STACKS_END   UINT64_C(0x800000000000)

static hsd_status read_params(goheap *go, hsd_error *err)
{
    uint64_t head[4], processors;
    hsd_bytes text;
    HSD_TRY(hsd_goheap_numbers(go, head, 4, err));
    if (head[1] != 4 && head[1] != 8) return hsd_goheap_corrupt(go, "pointers of neither 4 nor 8 bytes", err);
    go->is_big_endian = head[0] != 0;
    go->pointer_bytes = (unsigned)head[1];
    HSD_TRY(hsd_goheap_skip_text(go, err));
    HSD_TRY(hsd_goheap_text(go, sizeof go->version - 1, &text, err));
    memcpy(go->version, text.data, text.size);
    go->version[text.size] = '\0';
    return hsd_goheap_number(go, &processors, err);
}

static hsd_status scan_object(goheap *go, hsd_error *err)
{
    uint64_t address, size, first_field;
    HSD_TRY(hsd_goheap_number(go, &address, err));
    HSD_TRY(hsd_goheap_number(go, &size, err));
    const uint64_t offset = hsd_source_offset(go->source);
    HSD_TRY(hsd_source_skip(go->source, size, err));
    const hsd_status status = hsd_goheap_field(go, &first_field, err);
    if (status < 0) return status;
    if (status == HSD_OK) HSD_TRY(hsd_goheap_skip_fields(go, err));
    HSD_TRY(hsd_goheap_place_object(go, address, size, offset, status == HSD_OK, err));
    if (!go->import->options->summary_only) HSD_TRY(hsd_goheap_index_put(&go->index, address, size, err));
    go->object_count++;
    return HSD_OK;
}

static hsd_status look_at_word(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    goheap *go = context;
    (void)offset, (void)err;
    if (value >= STACKS_BEGIN && value < STACKS_END) go->arguments = hsd_max_u64(go->arguments, value);
    return HSD_OK;
}

static hsd_status scan_segment(goheap *go, bool is_bss, hsd_error *err)
{
    uint64_t address;
    goheap_content content;
    HSD_TRY(hsd_goheap_number(go, &address, err));
    HSD_TRY(hsd_goheap_open_content(go, &content, err));
    go->segments = hsd_mix(hsd_mix(go->segments, address), content.size);
    if (go->globals_high == 0 || address < go->globals_low) go->globals_low = address;
    go->globals_high = hsd_max_u64(go->globals_high, hsd_add_saturating(address, content.size));
    hsd_goheap_place_segment(go, is_bss, address, content.size, content.bytes_offset);
    if (go->import->options->summary_only) return hsd_goheap_skip_fields(go, err);
    return hsd_goheap_read_content(go, &content, look_at_word, go, err);
}

static hsd_status scan_itab(goheap *go, hsd_error *err)
{
    uint64_t numbers[2];
    HSD_TRY(hsd_goheap_numbers(go, numbers, 2, err));
    return hsd_goheap_place_itab(go, numbers[0], numbers[1], err);
}

static hsd_status scan_finalizer(goheap *go, hsd_error *err)
{
    enum { OBJECT = 0, POINTER_TYPE = 4, NUMBERS };
    uint64_t numbers[NUMBERS];
    HSD_TRY(hsd_goheap_numbers(go, numbers, NUMBERS, err));
    return hsd_goheap_place_finalizer(go, numbers[OBJECT], numbers[POINTER_TYPE], err);
}

static hsd_status scan_goroutine(goheap *go, hsd_error *err)
{
    uint64_t numbers[8], rest[4];
    HSD_TRY(hsd_goheap_numbers(go, numbers, 8, err));
    HSD_TRY(hsd_goheap_skip_text(go, err));
    HSD_TRY(hsd_goheap_numbers(go, rest, 4, err));
    go->scans_main = numbers[2] == GOROUTINE_MAIN;
    return hsd_goheap_note_goroutine(go, numbers[0], numbers[3], err);
}

static hsd_status scan_frame(goheap *go, hsd_error *err)
{
    uint64_t head[3], pcs[3];
    goheap_content content;
    hsd_bytes function;
    HSD_TRY(hsd_goheap_numbers(go, head, 3, err));
    HSD_TRY(hsd_goheap_open_content(go, &content, err));
    HSD_TRY(hsd_goheap_numbers(go, pcs, 3, err));
    HSD_TRY(hsd_goheap_text(go, NAME_BYTES, &function, err));
    HSD_TRY(hsd_goheap_note_function(go, function, pcs[1], err));
    HSD_TRY(hsd_goheap_skip_fields(go, err));
    HSD_TRY(hsd_goheap_note_slots(go, &content, err));
    return hsd_goheap_place_frame(go, head[0], pcs[1], head[1] == 0, &content, err);
}

static hsd_status scan_thread(goheap *go, hsd_error *err)
{
    uint64_t numbers[3];
    HSD_TRY(hsd_goheap_numbers(go, numbers, 3, err));
    if (numbers[1] == 0) go->first_thread = numbers[2];
    return HSD_OK;
}

static hsd_status scan_stats(goheap *go, hsd_error *err)
{
    uint64_t pauses[GOHEAP_PAUSES];
    HSD_TRY(hsd_goheap_numbers(go, go->stats, GOHEAP_STATS, err));
    HSD_TRY(hsd_goheap_numbers(go, pauses, GOHEAP_PAUSES, err));
    HSD_TRY(hsd_goheap_number(go, &go->collections, err));
    go->has_stats = true;
    return HSD_OK;
}

static hsd_status scan_record(goheap *go, uint64_t tag, hsd_error *err)
{
    if (go->pointer_bytes == 0 && tag != GOHEAP_PARAMS)
        return hsd_goheap_corrupt(go, "it does not begin with its parameters", err);
    switch (tag) {
    case GOHEAP_PARAMS: return read_params(go, err);
    case GOHEAP_OBJECT: return scan_object(go, err);
    case GOHEAP_DATA: return scan_segment(go, false, err);
    case GOHEAP_BSS: return scan_segment(go, true, err);
    case GOHEAP_ITAB: return scan_itab(go, err);
    case GOHEAP_FINALIZER:
    case GOHEAP_QUEUED_FINALIZER: return scan_finalizer(go, err);
    case GOHEAP_GOROUTINE: return scan_goroutine(go, err);
    case GOHEAP_FRAME: return scan_frame(go, err);
    case GOHEAP_THREAD: return scan_thread(go, err);
    case GOHEAP_MEMSTATS: return scan_stats(go, err);
    case GOHEAP_BUCKET: HSD_TRY(hsd_goheap_check_memory(go, err)); return hsd_goheap_read_bucket(go, err);
    case GOHEAP_SAMPLE: HSD_TRY(hsd_goheap_check_memory(go, err)); return hsd_goheap_read_sample(go, err);
    default: return hsd_goheap_skip_record(go, tag, err);
    }
}

static hsd_status scan_records(goheap *go, hsd_error *err)
{
    uint64_t tag;
    HSD_TRY(hsd_source_skip(go->source, GOHEAP_MAGIC_BYTES, err));
    for (uint64_t records = 0;; records++) {
        go->end_offset = hsd_source_offset(go->source);
        HSD_TRY(hsd_goheap_number(go, &tag, err));
        if (tag == GOHEAP_END) return HSD_OK;
        HSD_TRY(scan_record(go, tag, err));
        if (records % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(go->import->reporter, "reading", hsd_source_offset(go->source),
                                 go->source->total_bytes, err));
    }
}

hsd_status hsd_goheap_scan(goheap *go, hsd_error *err)
{
    hsd_error cut;
    hsd_error_init(&cut);
    const hsd_status status = scan_records(go, &cut);
    if (status == HSD_E_TRUNCATED && go->import->options->salvage && go->object_count > 0) {
        go->is_cut = true;
    } else if (status != HSD_OK) {
        return hsd_import_give_up(status, &cut, true, err);
    }
    hsd_goheap_sort_samples(go);
    return HSD_OK;
}

/*
 * Opening a capture by its index, its info, and closing it. A capture whose end is not there or not whole is
 * refused here, with the reason that a walk from the start finds; survey.c opens what is left of such a one.
 */
#include "format/capture_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "format/columns.h"
#include "format/scan.h"

#define TYPE_IS_PART  0x2u  /* FORMAT.md 6.3 */
#define FACT_BASELINE 0x40u /* FORMAT.md 8.2, key 9 */

bool hsd_capture_probe(const void *prefix, size_t size)
{
    return size >= HSC_FILE_MAGIC_BYTES && memcmp(prefix, HSC_FILE_MAGIC, HSC_FILE_MAGIC_BYTES) == 0;
}

const hsd_capture_info *hsd_capture_get_info(const hsd_capture *capture) { return &capture->info; }

/* ---- info ---- */

static hsd_status copy_facts(hsd_capture *capture, const hsd_facts *facts, uint8_t *present, uint64_t *number,
                             hsd_text *text, hsd_fault *fault)
{
    for (unsigned key = 0; key < HSD_FACT_KEYS; key++) {
        present[key] = hsd_facts_has(facts, key);
        number[key] = facts->number[key];
        text[key] = (hsd_text){"", 0};
        const hsd_bytes bytes = facts->bytes[key];
        if (bytes.size == 0) continue; /* not there, a number, or empty */
        const char *copy = hsd_arena_copy(&capture->arena, bytes.data, bytes.size);
        if (copy == NULL) return hsd_fault_set(fault, HSD_E_NOMEM, NULL, "no memory for the facts of a capture");
        text[key] = (hsd_text){copy, bytes.size};
    }
    return HSD_OK;
}

static const char *text_of(const hsd_text *text) { return text->data != NULL ? text->data : ""; }

static void fill_baseline(hsd_capture *capture)
{
    hsd_capture_info *info = &capture->info;
    const uint64_t *number = capture->info_number;
    info->is_baseline = (info->facts & FACT_BASELINE) != 0;
    if (!info->is_baseline) return;
    info->sums = (uint32_t)number[HSC_INFO_SUMS];
    info->why_no_places = text_of(&capture->info_text[HSC_INFO_WHY_NO_PLACES]);
    info->place_least_bytes = number[HSC_INFO_PLACE_LEAST_BYTES];
    info->soft_objects = number[HSC_INFO_SOFT_OBJECTS];
    info->soft_bytes = number[HSC_INFO_SOFT_BYTES];
    info->dangling = number[HSC_INFO_DANGLING];
}

static void fill_info(hsd_capture *capture)
{
    hsd_capture_info *info = &capture->info;
    const uint64_t *number = capture->info_number;
    const hsd_text *text = capture->info_text;
    info->producer = text_of(&text[HSC_INFO_PRODUCER]);
    info->runtime = text_of(&text[HSC_INFO_RUNTIME]);
    info->process_name = text_of(&text[HSC_INFO_PROCESS_NAME]);
    info->source_format = text_of(&text[HSC_INFO_SOURCE_FORMAT]);
    info->pid = number[HSC_INFO_PID];
    info->started_unix_ns = number[HSC_INFO_STARTED_UNIX_NS];
    info->taken_unix_ns = number[HSC_INFO_TAKEN_UNIX_NS];
    info->facts = (uint32_t)number[HSC_INFO_FACTS];
    info->identity =
        number[HSC_INFO_IDENTITY] <= HSD_IDENTITY_MOVING ? (hsd_identity)number[HSC_INFO_IDENTITY] : HSD_IDENTITY_NONE;
    info->pointer_bytes = (unsigned)number[HSC_INFO_POINTER_BYTES];
    info->targets_are_ordinals = number[HSC_INFO_TARGETS] == 1;
    if (capture->info_present[HSC_INFO_DOMAIN]) memcpy(info->domain, text[HSC_INFO_DOMAIN].data, sizeof info->domain);
    fill_baseline(capture);
}

hsd_status hsd_capture_take_info(hsd_capture *capture, const hsd_facts *facts, hsd_fault *fault)
{
    if (memcmp(facts->bytes[HSC_INFO_CAPTURE_ID].data, capture->file.header.capture_id, HSC_CAPTURE_ID_BYTES) != 0) {
        return hsd_fault_corrupt(fault, "8.2", "the info block is of another capture");
    }
    HSD_TRY(copy_facts(capture, facts, capture->info_present, capture->info_number, capture->info_text, fault));
    capture->has_info = true;
    fill_info(capture);
    return HSD_OK;
}

hsd_status hsd_capture_take_end(hsd_capture *capture, const hsd_facts *facts, hsd_fault *fault)
{
    hsd_capture_info *info = &capture->info;
    const uint64_t *number = facts->number;
    HSD_TRY(copy_facts(capture, facts, capture->end_present, capture->end_number, capture->end_text, fault));
    capture->has_end = true;
    info->is_salvaged = number[HSC_END_STATE] == HSC_STATE_SALVAGED;
    info->objects = number[HSC_END_OBJECTS];
    info->pseudo_objects = number[HSC_END_PSEUDO];
    info->references = number[HSC_END_REFERENCES];
    info->edges = number[HSC_END_EDGES];
    info->roots = number[HSC_END_ROOTS];
    info->bytes = number[HSC_END_BYTES];
    info->native_bytes = number[HSC_END_NATIVE_BYTES];
    info->strings = number[HSC_END_STRINGS];
    info->types = number[HSC_END_TYPES];
    info->labels = number[HSC_END_LABELS];
    info->sites = number[HSC_END_SITES];
    info->threads = number[HSC_END_THREADS];
    info->frames = number[HSC_END_FRAMES];
    info->metrics = number[HSC_END_METRICS];
    info->losses = number[HSC_END_LOSSES];
    info->lost = number[HSC_END_LOST];
    info->summary_objects = number[HSC_END_COUNTED_OBJECTS];
    info->summary_bytes = number[HSC_END_COUNTED_BYTES];
    return HSD_OK;
}

hsd_status hsd_capture_set_reason(hsd_capture *capture, hsd_fault *fault, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size < 0) text[0] = '\0';
    const char *copy = hsd_arena_copy(&capture->arena, text, strlen(text));
    if (copy == NULL) return hsd_fault_set(fault, HSD_E_NOMEM, NULL, "no memory for the facts of a capture");
    capture->info.incomplete_reason = copy;
    return HSD_OK;
}

/* ---- blocks ---- */

hsd_status hsd_capture_check_targets(const hsd_capture *capture, const hsd_block_header *header, hsd_fault *fault)
{
    if (header->type != HSC_BLOCK_OBJECTS && header->type != HSC_BLOCK_EDGES && header->type != HSC_BLOCK_ROOTS)
        return HSD_OK;
    const bool are_ordinals = (header->flags & HSC_BLOCK_FLAG_TARGET_ORDINAL) != 0;
    if (are_ordinals == capture->info.targets_are_ordinals) return HSD_OK;
    return hsd_fault_corrupt(fault, "4.8", "its targets are %s, unlike those of the capture",
                             are_ordinals ? "ordinals" : "ids");
}

hsd_status hsd_capture_load(const hsd_capture *capture, const hsd_block_ref *ref, hsd_block *block, hsd_fault *fault)
{
    HSD_TRY(hsd_block_load(block, &capture->file.input, ref, capture->file.header.seed, fault));
    return hsd_capture_check_targets(capture, &block->header, fault);
}

hsd_status hsd_capture_block_has_parts(const hsd_block *block, bool *has_parts, hsd_fault *fault)
{
    hsd_columns columns;
    hsd_column_store store = {0};
    hsd_u32s flags;
    *has_parts = false;
    HSD_TRY(hsd_columns_parse(block, &columns, fault));
    const hsd_status status = hsd_column_u32(&columns, &store, HSC_COL_FLAGS, columns.records, &flags, fault);
    for (uint32_t i = 0; status == HSD_OK && i < columns.records; i++) {
        if ((hsd_u32s_get(flags, i) & TYPE_IS_PART) != 0) *has_parts = true;
    }
    hsd_column_store_release(&store);
    return status;
}

static hsd_status find_parts(hsd_capture *capture, hsd_block *block, hsd_fault *fault)
{
    bool has_parts = false;
    size_t i = hsd_block_list_find(&capture->list, 0, HSC_BLOCK_TYPES);
    for (; i < capture->list.count && !has_parts; i = hsd_block_list_find(&capture->list, i + 1, HSC_BLOCK_TYPES)) {
        HSD_TRY(hsd_capture_load(capture, &capture->list.refs[i], block, fault));
        HSD_TRY(hsd_capture_block_has_parts(block, &has_parts, fault));
    }
    capture->info.has_parts = has_parts;
    return HSD_OK;
}

/* ---- opening by the index ---- */

/* How many ordinals arrays need: the greatest that the last blocks of objects can hold. */
static uint64_t count_ordinals(const hsd_capture *capture)
{
    uint64_t ordinals = capture->info.objects;
    for (size_t i = 0; i < capture->list.count && capture->info.is_salvaged; i++) {
        const hsd_block_ref *ref = &capture->list.refs[i];
        if (ref->type != HSC_BLOCK_OBJECTS) continue;
        const uint64_t end = ref->first_ordinal + ref->record_count;
        ordinals = end > ordinals ? end : ordinals;
    }
    return ordinals;
}

/* Records by type of block, as the index tells. */
static void count_records(const hsd_block_list *list, uint64_t records[256])
{
    for (size_t i = 0; i < list->count; i++)
        records[list->refs[i].type] += list->refs[i].record_count;
}

/* True if so many objects can begin in the blocks of the list: records but for those that continue an object. */
static bool can_hold_objects(const hsd_capture *capture, uint64_t records, uint64_t objects)
{
    const hsd_block_list *list = &capture->list;
    const size_t last = hsd_block_list_find_ordinal(list, HSC_MAX_OBJECTS);
    if (capture->info.is_salvaged || last == list->count) return objects <= records;
    const uint64_t end = list->refs[last].first_ordinal + list->refs[last].record_count;
    return objects == end || objects + 1 == end;
}

/* The end record against the index, so that nobody makes room for objects that are not there (8.4). */
static hsd_status check_counts(const hsd_capture *capture, hsd_fault *fault)
{
    const uint64_t *end = capture->end_number;
    uint64_t records[256] = {0};
    count_records(&capture->list, records);
    const struct {
        unsigned key, type;
    } counts[] = {
        {HSC_END_EDGES, HSC_BLOCK_EDGES},     {HSC_END_ROOTS, HSC_BLOCK_ROOTS},   {HSC_END_STRINGS, HSC_BLOCK_STRINGS},
        {HSC_END_TYPES, HSC_BLOCK_TYPES},     {HSC_END_LABELS, HSC_BLOCK_LABELS}, {HSC_END_SITES, HSC_BLOCK_SITES},
        {HSC_END_THREADS, HSC_BLOCK_THREADS}, {HSC_END_FRAMES, HSC_BLOCK_FRAMES}, {HSC_END_METRICS, HSC_BLOCK_METRICS},
        {HSC_END_LOSSES, HSC_BLOCK_LOSSES},
    };
    bool is_right = end[HSC_END_BLOCKS] == capture->list.count - 1 &&
                    can_hold_objects(capture, records[HSC_BLOCK_OBJECTS], end[HSC_END_OBJECTS]) &&
                    end[HSC_END_PSEUDO] <= end[HSC_END_OBJECTS] &&
                    end[HSC_END_REFERENCES] <= HSC_MAX_REFERENCES * records[HSC_BLOCK_OBJECTS];
    for (size_t i = 0; i < HSD_ARRAY_LEN(counts); i++)
        is_right &= end[counts[i].key] == records[counts[i].type];
    if (is_right) return HSD_OK;
    fault->offset_bytes = capture->list.refs[capture->list.count - 1].offset_bytes;
    fault->block = capture->list.refs[capture->list.count - 1].number;
    return hsd_fault_corrupt(fault, "8.4", "the end record counts what is not in the index");
}

static hsd_status count_sums(hsd_capture *capture, hsd_fault *fault)
{
    hsd_capture_info *info = &capture->info;
    uint64_t records[256] = {0};
    count_records(&capture->list, records);
    info->site_totals = records[HSC_BLOCK_SITE_TOTALS];
    if (!info->is_baseline) return HSD_OK;
    info->live_totals = records[HSC_BLOCK_LIVE_TOTALS];
    info->root_totals = records[HSC_BLOCK_ROOT_TOTALS];
    info->places = records[HSC_BLOCK_PLACES];
    if (info->places <= HSC_MAX_PLACES) return HSD_OK;
    return hsd_fault_corrupt(fault, "10.10", "it has %llu places", (unsigned long long)info->places);
}

static hsd_status load_info(hsd_capture *capture, hsd_block *block, hsd_fault *fault)
{
    hsd_facts facts;
    const hsd_block_ref *first = &capture->list.refs[0];
    fault->offset_bytes = first->offset_bytes;
    fault->block = first->number;
    if (first->type != HSC_BLOCK_INFO) return hsd_fault_corrupt(fault, "2.3", "the first block is no info block");
    HSD_TRY(hsd_capture_load(capture, first, block, fault));
    HSD_TRY(hsd_facts_parse(block, &facts, fault));
    return hsd_capture_take_info(capture, &facts, fault);
}

static hsd_status take_state(hsd_capture *capture, hsd_fault *fault)
{
    const uint64_t state = capture->end_number[HSC_END_STATE];
    const char *reason = text_of(&capture->end_text[HSC_END_REASON]);
    capture->info.is_complete = state == HSC_STATE_COMPLETE;
    if (state == HSC_STATE_COMPLETE) return HSD_OK;
    if (state == HSC_STATE_SALVAGED)
        return hsd_capture_set_reason(capture, fault, "it was salvaged%s%s", reason[0] ? ": " : "", reason);
    return hsd_capture_set_reason(capture, fault, "the producer stopped%s%s", reason[0] ? ": " : "", reason);
}

static hsd_status open_by_index(hsd_capture *capture, const hsd_trailer *trailer, hsd_block *block, hsd_fault *fault)
{
    hsd_facts end;
    HSD_TRY(hsd_index_read(&capture->file, trailer, block, &capture->list, &end, fault));
    HSD_TRY(hsd_capture_take_end(capture, &end, fault));
    HSD_TRY(check_counts(capture, fault));
    HSD_TRY(take_state(capture, fault));
    HSD_TRY(load_info(capture, block, fault));
    HSD_TRY(find_parts(capture, block, fault));
    HSD_TRY(count_sums(capture, fault));
    capture->info.has_index = true;
    capture->info.blocks = capture->list.count;
    capture->info.ordinals = count_ordinals(capture);
    return HSD_OK;
}

/* ---- why it cannot be opened ---- */

/* Everything up to END is there: what is wrong lies behind it. */
static hsd_status blame_trailer(const hsd_capture *capture, const hsd_scan_step *at_end, hsd_fault *fault)
{
    char digits[HSD_DIGITS_BYTES];
    const uint64_t size = capture->file.input.size_bytes;
    if (at_end->bytes < HSC_TRAILER_BYTES) {
        fault->offset_bytes = size;
        return hsd_fault_set(fault, HSD_E_TRUNCATED, "2.1", "was cut off at byte %s, inside the trailer",
                             hsd_group_digits(digits, size));
    }
    if (at_end->bytes == HSC_TRAILER_BYTES) return fault->status;
    fault->offset_bytes = at_end->offset_bytes + HSC_TRAILER_BYTES;
    return hsd_fault_corrupt(fault, "9.4", "%s bytes follow the end of the capture",
                             hsd_group_digits(digits, at_end->bytes - HSC_TRAILER_BYTES));
}

static hsd_status blame_end(const hsd_scan *scan, const hsd_scan_step *step, hsd_fault *fault)
{
    char digits[HSD_DIGITS_BYTES];
    fault->offset_bytes = step->offset_bytes;
    if (scan->next_number == 0) {
        return hsd_fault_set(fault, HSD_E_TRUNCATED, "2.1", "was cut off at byte %s, behind the file header",
                             hsd_group_digits(digits, step->offset_bytes));
    }
    return hsd_fault_set(fault, HSD_E_TRUNCATED, "2.1",
                         "was cut off at byte %s, behind block %llu: there is no end record",
                         hsd_group_digits(digits, step->offset_bytes), (unsigned long long)(scan->next_number - 1));
}

/* The first thing that is wrong from the start of the file on; `fault` comes in as that of the trailer. */
static hsd_status find_first_fault(const hsd_capture *capture, hsd_fault *fault)
{
    hsd_scan scan;
    hsd_scan_step step;
    hsd_status status;
    hsd_scan_begin(&scan, &capture->file);
    do {
        status = hsd_scan_next(&scan, &step);
    } while (step.is_usable && step.missing == 0);
    hsd_scan_finish(&scan);
    if (status == HSD_OK && step.kind == HSD_SCAN_END) {
        return scan.has_end ? blame_trailer(capture, &step, fault) : blame_end(&scan, &step, fault);
    }
    *fault = step.fault;
    if (step.is_usable)
        hsd_fault_corrupt(fault, "4.5", "%llu blocks are missing before it", (unsigned long long)step.missing);
    return fault->status;
}

static hsd_status open_refusing(hsd_capture *capture, hsd_fault *fault)
{
    hsd_block block = {0};
    hsd_trailer trailer;
    HSD_TRY(hsd_file_read_header(&capture->file, fault));
    hsd_status status = hsd_file_read_trailer(&capture->file, &trailer, fault);
    if (status == HSD_E_CORRUPT) return find_first_fault(capture, fault);
    if (status == HSD_OK) status = open_by_index(capture, &trailer, &block, fault);
    hsd_block_release(&block);
    return status;
}

/* ---- open and close ---- */

static uint64_t list_memory(const hsd_run *run)
{
    const uint64_t memory = run != NULL && run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    return memory / 2;
}

static hsd_status open_input(hsd_capture *capture, hsd_damage damage, hsd_error *err)
{
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    const hsd_input *input = &capture->file.input;
    capture->damage = damage;
    capture->list.memory_bytes = list_memory(capture->reporter.run);
    capture->info = (hsd_capture_info){.path = input->name,
                                       .producer = "",
                                       .runtime = "",
                                       .process_name = "",
                                       .source_format = "",
                                       .incomplete_reason = "",
                                       .why_no_places = "",
                                       .file_bytes = input->size_bytes};
    const hsd_status status =
        damage == HSD_DAMAGE_SKIP ? hsd_capture_survey(capture, &fault) : open_refusing(capture, &fault);
    if (status != HSD_OK) return hsd_fault_raise(&fault, input->name, err);
    memcpy(capture->info.capture_id, capture->file.header.capture_id, sizeof capture->info.capture_id);
    capture->info.version_major = capture->file.header.major;
    capture->info.version_minor = capture->file.header.minor;
    if (hsd_capture_find_digest(capture, &fault) != HSD_OK) return hsd_fault_raise(&fault, input->name, err);
    return HSD_OK;
}

static hsd_status make_format_capture(hsd_capture **out, const hsd_run *run, hsd_error *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        hsd_fail_nomem(err, "opening a capture");
        return HSD_E_NOMEM;
    }
    (*out)->file.input.fd = -1;
    hsd_reporter_init(&(*out)->reporter, run);
    return HSD_OK;
}

static hsd_status finish_open(hsd_capture **out, hsd_damage damage, hsd_status status, hsd_error *err)
{
    if (status == HSD_OK) status = open_input(*out, damage, err);
    if (status != HSD_OK) {
        hsd_capture_close(*out);
        *out = NULL;
    }
    return status;
}

hsd_status hsd_capture_open(hsd_capture **out, const char *path, hsd_damage damage, const hsd_run *run, hsd_error *err)
{
    HSD_TRY(make_format_capture(out, run, err));
    return finish_open(out, damage, hsd_input_open(&(*out)->file.input, path, run, err), err);
}

hsd_status hsd_capture_open_fd(hsd_capture **out, int fd, const char *name, hsd_damage damage, const hsd_run *run,
                               hsd_error *err)
{
    const hsd_status status = make_format_capture(out, run, err);
    if (status != HSD_OK) {
        close(fd);
        return status;
    }
    return finish_open(out, damage, hsd_input_open_fd(&(*out)->file.input, fd, name, run, err), err);
}

void hsd_capture_close(hsd_capture *capture)
{
    if (capture == NULL) return;
    hsd_input_close(&capture->file.input);
    hsd_block_list_release(&capture->list);
    hsd_arena_release(&capture->arena);
    hsd_reporter_release(&capture->reporter);
    free(capture);
}

/*
 * Opening and closing: where the memory of a writer is measured out, the file header and INFO are written,
 * and a failure is kept.
 *
 * All memory is one allocation of hsc_options.memory_bytes. At 1 MiB and level 1:
 *
 *      | writer | compressor | staged tables | staged objects | header | raw region |
 *      |  2 KiB |  297 KiB   |    264 KiB    |    222 KiB     |        |  236 KiB   |
 *
 * A block of objects is staged, encoded into the raw region, and compressed back over its own staging
 * area. What is allocated later is the growth of the counters (totals.c) and the index (index.c).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "hash.h"
#include "layout.h"
#include "writer.h"

/* ---- failures ---- */

static void shut(hsc_writer *w)
{
    w->objects.is_open = false;
    w->objects.limit = w->objects.ref_limit = 0;
}

hsc_status hsc_fail(hsc_writer *w, hsc_status status, const char *format, ...)
{
    if (w->status != HSC_OK) return w->status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->error_text, sizeof w->error_text, format, arguments);
    va_end(arguments);
    w->status = status;
    shut(w);
    return status;
}

hsc_status hsc_fail_errno(hsc_writer *w, int system_error, const char *sentence)
{
    char why[96] = "";
    if (strerror_r(system_error, why, sizeof why) != 0) snprintf(why, sizeof why, "error %d", system_error);
    if (w->status == HSC_OK) w->system_error = system_error;
    return hsc_fail(w, HSC_E_IO, "%s: %s", sentence, why);
}

hsc_status hsc_check_open(hsc_writer *w)
{
    if (HSC_UNLIKELY(w->status != HSC_OK)) return w->status;
    if (HSC_UNLIKELY(w->is_finished)) return hsc_fail(w, HSC_E_MISUSE, "a call after hsc_finish");
    return HSC_OK;
}

hsc_status hsc_add_total(hsc_writer *w, uint64_t key, uint64_t count, uint64_t bytes, uint64_t native_bytes)
{
    hsc_total *total = hsc_totals_find(&w->totals, key);
    if (HSC_UNLIKELY(total == NULL)) return hsc_fail(w, HSC_E_NOMEM, "no memory for the type totals");
    hsc_add(&total->count, count);
    hsc_add(&total->bytes, bytes);
    hsc_add(&total->native_bytes, native_bytes);
    return HSC_OK;
}

/* ---- memory ---- */

typedef struct memory_plan {
    size_t memory; /* all of it */
    bool is_baseline, has_site_totals;
    hsc_codec_plan codec;
    size_t codec_bytes, staging_bytes, value_bytes, raw_bytes;
} memory_plan;

static size_t round_up(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

static size_t sums_bytes(const memory_plan *plan) { return plan->is_baseline ? round_up(sizeof(hsc_sums)) : 0; }

static size_t table_bytes(const memory_plan *plan, unsigned kind)
{
    const bool is_of_sums = kind >= HSC_TABLE_LIVE_TOTALS;
    if (kind == HSC_TABLE_SITE_TOTALS && !plan->has_site_totals) return 0;
    if (plan->is_baseline ? kind == HSC_TABLE_EDGES || kind == HSC_TABLE_ROOTS : is_of_sums) return 0;
    return (plan->memory / HSC_TABLE_SHARES * hsc_table_share((enum hsc_table_kind)kind)) & ~(size_t)15;
}

/* What is left for staging and raw region together, once all else has its part. */
static size_t left_for_blocks(const memory_plan *plan)
{
    size_t used = round_up(sizeof(hsc_writer)) + sums_bytes(plan) + plan->codec_bytes + 16 + HSC_BLOCK_HEADER_BYTES +
                  hsc_totals_first_bytes() + sizeof(hsc_index_piece);
    for (unsigned kind = 0; kind < HSC_TABLE_COUNT; kind++)
        used += table_bytes(plan, kind);
    return plan->memory > used ? plan->memory - used : 0;
}

/* False if the memory is too small for these options. */
static bool make_plan(memory_plan *plan, const hsc_options *options)
{
    *plan = (memory_plan){.memory = options->memory_bytes != 0 ? options->memory_bytes : HSC_DEFAULT_MEMORY,
                          .is_baseline = options->baseline != NULL,
                          .has_site_totals = options->has_site_totals};
    if (plan->memory < HSC_LEAST_MEMORY) return false;
    if (plan->memory > HSC_MOST_MEMORY) plan->memory = HSC_MOST_MEMORY;
    if (options->compression != 0) {
        hsc_codec_make_plan(&plan->codec, options->compression, plan->memory / 10 * 3);
        plan->codec_bytes = round_up(plan->codec.workspace_bytes);
    }
    const size_t fixed = hsc_stage_bound(0), left = left_for_blocks(plan);
    if (left < fixed) return false;
    size_t staging = (left - fixed) / 33 * 16; /* staging + staging · 17/16 */
    const size_t most = (HSC_MAX_RAW_BYTES - fixed) / 17 * 16;
    if (staging > most) staging = most;
    plan->staging_bytes = staging & ~(size_t)15;
    plan->raw_bytes = hsc_stage_bound(plan->staging_bytes);
    if ((options->facts & HSC_FACT_VALUES) != 0)
        plan->value_bytes = staging / 8 > HSC_MAX_VALUE_BYTES ? (staging / 8) & ~(size_t)7 : HSC_MAX_VALUE_BYTES;
    return plan->staging_bytes >= hsc_stage_least(plan->value_bytes) && plan->raw_bytes >= HSC_MOST_INFO_BYTES;
}

/* One allocation, cut up; NULL if it fails. Only the writer itself begins as zeros: a small capture never touches most
 * of the rest, and zeroing 8 MiB takes longer than writing 50,000 objects. */
static hsc_writer *allocate(const memory_plan *plan, const hsc_allocator *allocator)
{
    size_t size = round_up(sizeof(hsc_writer)) + sums_bytes(plan) + plan->codec_bytes + plan->staging_bytes + 16 +
                  HSC_BLOCK_HEADER_BYTES + plan->raw_bytes;
    for (unsigned kind = 0; kind < HSC_TABLE_COUNT; kind++)
        size += table_bytes(plan, kind);
    unsigned char *at = hsc_take_unset(allocator, size);
    if (at == NULL) return NULL;
    hsc_writer *w = memset(at, 0, sizeof *w);
    w->allocator = w->blocks.index.allocator = allocator;
    at += round_up(sizeof *w);
    if (plan->is_baseline) w->sums = memset(at, 0, sizeof *w->sums);
    at += sums_bytes(plan);
    unsigned char *workspace = at;
    at += plan->codec_bytes;
    for (unsigned kind = 0; kind < HSC_TABLE_COUNT; kind++) {
        hsc_table_init(&w->tables[kind], (enum hsc_table_kind)kind, at, table_bytes(plan, kind));
        at += table_bytes(plan, kind);
    }
    hsc_stage_init(&w->objects, at, plan->staging_bytes, plan->value_bytes);
    w->blocks.raw = at + plan->staging_bytes + 16 + HSC_BLOCK_HEADER_BYTES - 8; /* payload aligned to 16 */
    w->blocks.raw_bytes = plan->raw_bytes;
    const bool is_ready = hsc_totals_init(&w->totals, allocator) &&
                          (plan->codec_bytes == 0 || hsc_codec_init(&w->blocks.compressor, &plan->codec, workspace));
    if (is_ready) return w;
    hsc_totals_release(&w->totals);
    hsc_give(allocator, w);
    return NULL;
}

/* ---- opening ---- */

void hsc_options_init(hsc_options *options) { *options = (hsc_options){.compression = 1}; }

static bool is_zero_writer(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

static uint64_t now_unix_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void draw_id(uint8_t *id, const hsc_writer *w)
{
    if (getrandom(id, HSC_CAPTURE_ID_BYTES, 0) == HSC_CAPTURE_ID_BYTES) return;
    /* No source of randomness: what tells this writer from others, spread over the id. */
    const uint64_t seen[] = {now_unix_ns(), (uint64_t)getpid(), (uint64_t)(uintptr_t)w};
    hsc_put_u64(id, hsc_hash(seen, sizeof seen, 1));
    hsc_put_u64(id + 8, hsc_hash(seen, sizeof seen, 2));
}

static bool is_fact_text(const char *text) { return text == NULL || strlen(text) <= HSC_INFO_TEXT_BYTES; }

static hsc_status check_options(const hsc_options *options)
{
    if (options->compression < -7 || options->compression > 19) return HSC_E_MISUSE;
    if ((unsigned)options->identity > HSC_IDENTITY_MOVING) return HSC_E_MISUSE;
    if ((options->facts & HSC_FACT_BASELINE) != 0 && options->baseline == NULL) return HSC_E_MISUSE;
    if (options->has_site_totals && options->baseline != NULL) return HSC_E_MISUSE;
    if (options->pointer_bytes != 0 && options->pointer_bytes != 4 && options->pointer_bytes != 8) return HSC_E_MISUSE;
    if (!is_fact_text(options->producer) || !is_fact_text(options->runtime) || !is_fact_text(options->process_name) ||
        !is_fact_text(options->source_format) ||
        (options->baseline != NULL && !is_fact_text(options->baseline->why_no_places)))
        return HSC_E_LIMIT;
    return HSC_OK;
}

static hsc_status new_writer(hsc_writer **out, const hsc_options *options)
{
    memory_plan plan;
    const hsc_status status = check_options(options);
    if (status != HSC_OK) return status;
    if (!make_plan(&plan, options)) return HSC_E_MISUSE;
    *out = allocate(&plan, options->allocator);
    return *out != NULL ? HSC_OK : HSC_E_NOMEM;
}

static unsigned minor_of(const hsc_writer *w)
{
    return w->has_site_totals ? HSC_VERSION_MINOR_SITE_TOTALS
           : w->sums != NULL  ? HSC_VERSION_MINOR_BASELINE
                              : HSC_VERSION_MINOR;
}

static hsc_status write_file_header(hsc_writer *w, const uint8_t *id)
{
    unsigned char header[HSC_FILE_HEADER_BYTES] = {0};
    memcpy(header, HSC_FILE_MAGIC, HSC_FILE_MAGIC_BYTES);
    hsc_put_u16(header + 8, HSC_VERSION_MAJOR);
    hsc_put_u16(header + 10, (uint16_t)minor_of(w));
    hsc_put_u32(header + 12, HSC_FILE_HEADER_BYTES);
    memcpy(header + 32, id, HSC_CAPTURE_ID_BYTES);
    hsc_put_u64(header + 56, hsc_hash(header, 56, 0));
    if (!hsc_output_write(&w->blocks.output, header, sizeof header))
        return hsc_fail_errno(w, w->blocks.output.system_error, "cannot write the capture");
    return HSC_OK;
}

static void put_baseline(hsc_entries *e, const hsc_baseline *baseline)
{
    hsc_entry_number(e, HSC_INFO_SUMS, baseline->sums);
    hsc_entry_text(e, HSC_INFO_WHY_NO_PLACES, baseline->why_no_places);
    hsc_entry_number(e, HSC_INFO_PLACE_LEAST_BYTES, baseline->place_least_bytes);
    hsc_entry_number(e, HSC_INFO_SOFT_OBJECTS, baseline->soft_objects);
    hsc_entry_number(e, HSC_INFO_SOFT_BYTES, baseline->soft_bytes);
    hsc_entry_number(e, HSC_INFO_DANGLING, baseline->dangling);
}

static hsc_status write_info(hsc_writer *w, const hsc_options *options, const uint8_t *id)
{
    const uint64_t taken = options->taken_unix_ns == 0            ? now_unix_ns()
                           : options->taken_unix_ns == UINT64_MAX ? 0
                                                                  : options->taken_unix_ns;
    hsc_entries e = {w->blocks.raw, w->blocks.raw, 0};
    hsc_entry_bytes(&e, HSC_INFO_CAPTURE_ID, id, HSC_CAPTURE_ID_BYTES);
    hsc_entry_text(&e, HSC_INFO_PRODUCER, options->producer);
    hsc_entry_text(&e, HSC_INFO_RUNTIME, options->runtime);
    hsc_entry_text(&e, HSC_INFO_PROCESS_NAME, options->process_name);
    hsc_entry_text(&e, HSC_INFO_SOURCE_FORMAT, options->source_format);
    hsc_entry_number(&e, HSC_INFO_PID, options->pid);
    hsc_entry_number(&e, HSC_INFO_STARTED_UNIX_NS, options->started_unix_ns);
    hsc_entry_number(&e, HSC_INFO_TAKEN_UNIX_NS, taken);
    hsc_entry_number(&e, HSC_INFO_FACTS, w->facts);
    hsc_entry_number(&e, HSC_INFO_IDENTITY, (uint64_t)options->identity);
    if (!is_zero_writer(options->domain, sizeof options->domain))
        hsc_entry_bytes(&e, HSC_INFO_DOMAIN, options->domain, sizeof options->domain);
    hsc_entry_number(&e, HSC_INFO_POINTER_BYTES, options->pointer_bytes);
    hsc_entry_number(&e, HSC_INFO_TARGETS, options->targets_are_ordinals);
    if (options->baseline != NULL) put_baseline(&e, options->baseline);
    const hsc_block block = {.type = HSC_BLOCK_INFO, .records = e.count};
    return hsc_block_write_stored(w, &block, (size_t)(e.end - e.start));
}

/* The file header and block 0, into the output that the writer has by now. */
static hsc_status start_writer(hsc_writer *w, const hsc_options *options)
{
    uint8_t id[HSC_CAPTURE_ID_BYTES];
    memcpy(id, options->capture_id, sizeof id);
    if (is_zero_writer(id, sizeof id)) draw_id(id, w);
    w->blocks.seed = hsc_hash(id, sizeof id, 0);
    w->facts = options->facts;
    if (w->sums != NULL) w->facts |= HSC_FACT_BASELINE | HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    w->targets_are_ordinals = options->targets_are_ordinals;
    w->has_site_totals = options->has_site_totals;
    const hsc_status status = write_file_header(w, id);
    return status == HSC_OK ? write_info(w, options, id) : status;
}

/* Hands the writer over, or clears away what a failed open leaves; errno says why it failed. */
static hsc_status opened(hsc_writer **out, hsc_writer *w, hsc_status status)
{
    if (status == HSC_OK) {
        *out = w;
        return HSC_OK;
    }
    const int why = w->blocks.output.system_error;
    hsc_close(w);
    errno = why;
    return status;
}

hsc_status hsc_open(hsc_writer **out, const hsc_sink *sink, const hsc_options *options)
{
    hsc_writer *w;
    *out = NULL;
    if (sink == NULL || sink->write == NULL || options == NULL) return HSC_E_MISUSE;
    const hsc_status status = new_writer(&w, options);
    if (status != HSC_OK) return status;
    hsc_output_to_sink(&w->blocks.output, sink);
    return opened(out, w, start_writer(w, options));
}

hsc_status hsc_open_fd(hsc_writer **out, int fd, const hsc_options *options)
{
    hsc_writer *w;
    *out = NULL;
    if (fd < 0 || options == NULL) return HSC_E_MISUSE;
    const hsc_status status = new_writer(&w, options);
    if (status != HSC_OK) return status;
    hsc_output_to_fd(&w->blocks.output, fd);
    return opened(out, w, start_writer(w, options));
}

hsc_status hsc_open_file(hsc_writer **out, const char *path, const hsc_options *options)
{
    hsc_writer *w;
    *out = NULL;
    if (path == NULL || path[0] == '\0' || options == NULL) return HSC_E_MISUSE;
    hsc_status status = new_writer(&w, options);
    if (status != HSC_OK) return status;
    status = hsc_output_to_new_file(&w->blocks.output, path);
    if (status == HSC_OK) status = start_writer(w, options);
    return opened(out, w, status);
}

/* ---- ending ---- */

hsc_status hsc_mark_incomplete(hsc_writer *w, const char *reason)
{
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    w->is_incomplete = true;
    snprintf(w->reason, sizeof w->reason, "%s", reason != NULL ? reason : "");
    return HSC_OK;
}

static hsc_status write_rest(hsc_writer *w)
{
    hsc_status status = hsc_stage_flush(w);
    if (status == HSC_OK && w->sums != NULL && w->objects.references > 0)
        status = hsc_fail(w, HSC_E_MISUSE, "references in a baseline");
    for (unsigned kind = 0; kind < HSC_TABLE_COUNT && status == HSC_OK; kind++)
        status = hsc_table_flush(w, (enum hsc_table_kind)kind);
    if (status == HSC_OK) status = hsc_write_summaries(w);
    return status == HSC_OK ? hsc_write_ending(w) : status;
}

hsc_status hsc_finish(hsc_writer *w)
{
    hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (w->objects.is_open) return hsc_fail(w, HSC_E_MISUSE, "hsc_finish inside an object");
    shut(w);
    status = write_rest(w);
    if (status != HSC_OK) return status;
    w->is_finished = true;
    if (!hsc_output_finish(&w->blocks.output, true))
        return hsc_fail_errno(w, w->blocks.output.system_error, "cannot close the capture");
    return HSC_OK;
}

void hsc_close(hsc_writer *w)
{
    if (w == NULL) return;
    if (w->handoff != NULL) hsc_handoff_wait(w->handoff);
    hsc_give(w->allocator, w->handoff);
    hsc_output_finish(&w->blocks.output, false);
    hsc_totals_release(&w->totals);
    hsc_index_release(&w->blocks.index);
    hsc_give(w->allocator, w);
}

uint64_t hsc_bytes_written(const hsc_writer *w)
{
    if (w->handoff != NULL) hsc_handoff_wait(w->handoff);
    return w->blocks.output.written;
}

uint64_t hsc_object_count(const hsc_writer *w) { return w->objects.ordinal; }
int hsc_system_error(const hsc_writer *w) { return w->system_error; }

const char *hsc_error_text(const hsc_writer *w)
{
    if (w == NULL) return "the capture could not be opened";
    return w->error_text;
}

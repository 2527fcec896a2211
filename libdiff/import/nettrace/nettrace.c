/*
 * The nettrace importer: heaps of .NET (CoreCLR 3.0 and later) as the runtime tells them over its diagnostics socket,
 * or as a file of such a session. The row of the registry, and the walk over the objects of the stream in one pass:
 *
 *      "Nettrace"  !FastSerialization.1  Trace  { MetadataBlock | EventBlock | StackBlock | SPBlock } …  NullReference
 *
 * A block is at most some hundred kilobytes and is read whole; what it holds goes to heap.h. The collection that tells
 * the heap ends with an event, and the origin of the import is told then, because a session ends only when it is asked
 * to; what follows (names of methods) is read and dropped.
 *
 * Identity: addresses of a collector that moves. The heap was collected: nothing that is dead is in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/id_map.h"
#include "import/nettrace/heap.h"

#define MAGIC           "Nettrace"
#define SERIALIZATION   "!FastSerialization.1"
#define MAGIC_BYTES     ((size_t)8)
#define HEADER_BYTES    (MAGIC_BYTES + 4 + 20)
#define NEWEST_VERSION  5u
#define TRACE_BYTES     ((size_t)48)
#define BLOCK_MAX_BYTES ((uint32_t)16 << 20)
#define RUNTIME         "Microsoft-Windows-DotNETRuntime"
#define PATIENCE        UINT64_C(300)     /* seconds of a running process without a heap: it will tell none */
#define KIND_OTHER      UINT32_C(0x10000) /* events of other providers */

enum { TAG_NULL = 1, TAG_BEGIN_OBJECT = 5, TAG_END_OBJECT = 6 };

typedef enum object_kind {
    OBJECT_TRACE,
    OBJECT_METADATA,
    OBJECT_EVENTS,
    OBJECT_STACKS,
    OBJECT_THREADS,
    OBJECT_KINDS
} object_kind;

typedef struct nettrace {
    hsd_import *import;
    hsd_source *source;
    uint64_t ticks_per_second, first_ticks; /* first_ticks: of the first event, 0 = none yet */
    hsd_id_map kinds;                       /* number of metadata -> number of the event, or KIND_OTHER */
    nettrace_threads threads;
    nettrace_heap heap;
    bool has_trace, has_told_origin;
    hsd_buffer block;
    hsd_error cut;
} nettrace;

static hsd_status fail_nettrace(const nettrace *self, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(self->source), "no valid nettrace: %s", what);
}

/* ---- blocks ---- */

/* What describes a kind of event: its number, its provider, the number that the provider gave it. */
static hsd_status read_metadata(nettrace *self, const nettrace_event *event, hsd_error *err)
{
    nettrace_cursor in = nettrace_cursor_over(event->payload);
    const uint32_t number = nettrace_u32(&in);
    const hsd_bytes provider = nettrace_text(&in);
    const uint32_t kind = nettrace_u32(&in);
    if (in.is_short) return fail_nettrace(self, "metadata that ends within a field", err);
    bool is_runtime = provider.size == 2 * (sizeof RUNTIME - 1);
    for (size_t i = 0; is_runtime && i < provider.size; i++)
        is_runtime = provider.data[i] == (i % 2 == 0 ? (uint8_t)RUNTIME[i / 2] : 0);
    return hsd_id_map_put(&self->kinds, number, is_runtime && kind < KIND_OTHER ? kind : KIND_OTHER, err);
}

/* A session goes on until it is asked to end, and it is asked when a heap has ended: there must be one. */
static hsd_status check_patience(nettrace *self, const nettrace_event *event, hsd_error *err)
{
    const hsd_import_origin *origin = self->import->options->origin;
    uint64_t most;
    if (self->first_ticks == 0) self->first_ticks = event->ticks;
    if (origin == NULL || origin->heap_end == NULL || self->heap.stage != NETTRACE_BEFORE ||
        event->ticks <= self->first_ticks)
        return HSD_OK;
    if (!hsd_mul_u64(self->ticks_per_second, PATIENCE, &most) || event->ticks - self->first_ticks <= most)
        return HSD_OK;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "the runtime has told no heap for %" PRIu64 " seconds", PATIENCE);
}

static hsd_status read_event(nettrace *self, const nettrace_event *event, hsd_error *err)
{
    const uint32_t kind = hsd_id_map_get(&self->kinds, event->metadata);
    const bool was_told = self->heap.stage == NETTRACE_TOLD;
    HSD_TRY(hsd_nettrace_threads_note(&self->threads, event, err));
    HSD_TRY(check_patience(self, event, err));
    if (kind == HSD_ID_NONE || kind == KIND_OTHER) return HSD_OK;
    HSD_TRY(hsd_nettrace_heap_event(&self->heap, kind, event, err));
    if (self->heap.stage == NETTRACE_TOLD && !was_told) /* what is dropped from now on is not of the heap */
        self->heap.lost_events =
            hsd_max_u64(self->heap.lost_events, hsd_nettrace_threads_lost(&self->threads, self->heap.thread));
    return HSD_OK;
}

static hsd_status read_events(nettrace *self, hsd_bytes bytes, uint64_t offset, bool is_metadata, hsd_error *err)
{
    nettrace_block block;
    nettrace_event event;
    hsd_status status;
    HSD_TRY(hsd_nettrace_block_open(&block, bytes, offset, err));
    while ((status = hsd_nettrace_block_next(&block, &event, err)) == HSD_OK)
        HSD_TRY(is_metadata ? read_metadata(self, &event, err) : read_event(self, &event, err));
    return status == HSD_END ? HSD_OK : status;
}

/* How far each thread had come at some moment. */
static hsd_status read_threads(nettrace *self, hsd_bytes bytes, hsd_error *err)
{
    nettrace_cursor in = nettrace_cursor_over(bytes);
    nettrace_u64(&in);
    const uint32_t count = nettrace_u32(&in);
    for (uint32_t i = 0; i < count && !in.is_short; i++) {
        const uint64_t thread = nettrace_u64(&in);
        const uint32_t sequence = nettrace_u32(&in);
        if (!in.is_short) hsd_nettrace_threads_reach(&self->threads, thread, sequence);
    }
    return in.is_short ? fail_nettrace(self, "a list of threads that is cut", err) : HSD_OK;
}

static hsd_status copy_block(nettrace *self, uint32_t size, hsd_error *err)
{
    hsd_buffer_clear(&self->block);
    while (self->block.size < size) { /* memory grows with what is really there */
        const size_t some = (size_t)hsd_min_u64(size - self->block.size, 65536);
        HSD_TRY(hsd_buffer_reserve(&self->block, some, err));
        HSD_TRY(hsd_source_copy(self->source, self->block.data + self->block.size, some, err));
        self->block.size += some;
    }
    return HSD_OK;
}

static hsd_status read_block(nettrace *self, object_kind kind, hsd_error *err)
{
    uint8_t number[4];
    if (!self->has_trace) return fail_nettrace(self, "a block stands before what describes the trace", err);
    HSD_TRY(hsd_source_copy(self->source, number, sizeof number, err));
    const uint32_t size = (uint32_t)nettrace_at(number, sizeof number);
    if (size > BLOCK_MAX_BYTES) return fail_nettrace(self, "a block is too large", err);
    HSD_TRY(hsd_source_skip(self->source, (4 - hsd_source_offset(self->source) % 4) % 4, err));
    const uint64_t offset = hsd_source_offset(self->source);
    if (kind == OBJECT_STACKS) return hsd_source_skip(self->source, size, err);
    HSD_TRY(copy_block(self, size, err));
    const hsd_bytes bytes = {self->block.data, self->block.size};
    if (kind == OBJECT_THREADS) return read_threads(self, bytes, err);
    HSD_TRY(read_events(self, bytes, offset, kind == OBJECT_METADATA, err));
    if (self->heap.stage == NETTRACE_TOLD && !self->has_told_origin) {
        self->has_told_origin = true;
        hsd_import_heap_end(self->import);
    }
    return hsd_progress(self->import->reporter, "importing", hsd_source_offset(self->source), self->source->total_bytes,
                        err);
}

/* ---- the trace ---- */

/* Days from 1970-01-01 to a date of the Gregorian calendar (years from March on, so that the leap day is the last). */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
    year -= month <= 2;
    const int64_t era = year / 400;
    const unsigned of_era = (unsigned)(year - era * 400),
                   of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + (int64_t)(of_era * 365 + of_era / 4 - of_era / 100 + of_year) - 719468;
}

/* Year, month, day of the week, day, hour, minute, second, millisecond, two bytes each. */
static uint64_t unix_ns(nettrace_cursor *in)
{
    unsigned field[8];
    for (size_t i = 0; i < 8; i++)
        field[i] = (unsigned)nettrace_number(in, 2);
    const bool is_date =
        field[0] >= 1970 && field[0] < 2500 && field[1] >= 1 && field[1] <= 12 && field[3] >= 1 && field[3] <= 31;
    if (!is_date || field[4] > 23 || field[5] > 59 || field[6] > 60 || field[7] > 999) return UINT64_MAX;
    const uint64_t seconds =
        (uint64_t)days_of(field[0], field[1], field[3]) * 86400 + field[4] * 3600u + field[5] * 60u + field[6];
    return seconds * 1000000000u + field[7] * UINT64_C(1000000);
}

static hsd_status begin_nettrace(nettrace *self, uint64_t taken_ns, uint32_t pid, unsigned pointer_bytes,
                                 hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = ".NET";
    options.identity = HSC_IDENTITY_MOVING;
    options.facts = HSC_FACT_COLLECTED;
    options.taken_unix_ns = taken_ns;
    options.pid = pid;
    options.pointer_bytes = pointer_bytes;
    HSD_TRY(hsd_nettrace_heap_init(&self->heap, self->import, pointer_bytes, err));
    return hsd_import_begin(self->import, &options, err);
}

static hsd_status read_trace(nettrace *self, hsd_error *err)
{
    uint8_t bytes[TRACE_BYTES];
    if (self->has_trace) return fail_nettrace(self, "it describes the trace twice", err);
    HSD_TRY(hsd_source_copy(self->source, bytes, sizeof bytes, err));
    nettrace_cursor in = nettrace_cursor_over((hsd_bytes){bytes, sizeof bytes});
    const uint64_t taken_ns = unix_ns(&in);
    nettrace_u64(&in); /* ticks at that time */
    self->ticks_per_second = nettrace_u64(&in);
    const uint32_t pointer_bytes = nettrace_u32(&in), pid = nettrace_u32(&in);
    if (pointer_bytes != 4 && pointer_bytes != 8) return fail_nettrace(self, "pointers of neither 4 nor 8 bytes", err);
    self->has_trace = true;
    return begin_nettrace(self, taken_ns, pid, pointer_bytes, err);
}

/* ---- objects ---- */

static hsd_status expect_byte(nettrace *self, uint8_t expected, hsd_error *err)
{
    uint8_t byte;
    HSD_TRY(hsd_source_copy(self->source, &byte, 1, err));
    return byte == expected ? HSD_OK : fail_nettrace(self, "an object without its tag", err);
}

/* The type of an object: two tags, its version, the oldest reader that may read it, its name, a tag. */
static hsd_status read_kind(nettrace *self, object_kind *out, hsd_error *err)
{
    static const char *const names[OBJECT_KINDS] = {"Trace", "MetadataBlock", "EventBlock", "StackBlock", "SPBlock"};
    uint8_t fixed[12], name[32];
    HSD_TRY(expect_byte(self, TAG_BEGIN_OBJECT, err));
    HSD_TRY(expect_byte(self, TAG_NULL, err));
    HSD_TRY(hsd_source_copy(self->source, fixed, sizeof fixed, err));
    const uint32_t oldest = (uint32_t)nettrace_at(fixed + 4, 4), size = (uint32_t)nettrace_at(fixed + 8, 4);
    if (size > sizeof name) return fail_nettrace(self, "an object of a kind with a long name", err);
    HSD_TRY(hsd_source_copy(self->source, name, size, err));
    HSD_TRY(expect_byte(self, TAG_END_OBJECT, err));
    if (oldest > NEWEST_VERSION)
        return hsd_fail(err, HSD_E_TOO_NEW,
                        "this nettrace wants a reader of version %" PRIu32 ", and this is one of version %u", oldest,
                        NEWEST_VERSION);
    for (unsigned kind = 0; kind < OBJECT_KINDS; kind++)
        if (strlen(names[kind]) == size && memcmp(names[kind], name, size) == 0) {
            *out = (object_kind)kind;
            return HSD_OK;
        }
    return fail_nettrace(self, "an object of a kind that nettrace does not have", err);
}

/* One object; HSD_END behind the last. */
static hsd_status read_object(nettrace *self, hsd_error *err)
{
    uint8_t tag;
    object_kind kind = OBJECT_TRACE;
    HSD_TRY(hsd_source_copy(self->source, &tag, 1, err));
    if (tag == TAG_NULL) return HSD_END;
    if (tag != TAG_BEGIN_OBJECT) return fail_nettrace(self, "neither an object nor the end", err);
    HSD_TRY(read_kind(self, &kind, err));
    HSD_TRY(kind == OBJECT_TRACE ? read_trace(self, err) : read_block(self, kind, err));
    return expect_byte(self, TAG_END_OBJECT, err);
}

static hsd_status read_header(nettrace *self, hsd_error *err)
{
    uint8_t header[HEADER_BYTES];
    HSD_TRY(hsd_source_copy(self->source, header, sizeof header, err));
    if (memcmp(header, MAGIC, MAGIC_BYTES) != 0)
        return fail_nettrace(self, "it does not begin_nettrace with its magic", err);
    if (nettrace_at(header + MAGIC_BYTES, 4) == 20 && memcmp(header + MAGIC_BYTES + 4, SERIALIZATION, 20) == 0)
        return HSD_OK;
    const uint32_t major = (uint32_t)nettrace_at(header + MAGIC_BYTES + 4, 4);
    if (nettrace_at(header + MAGIC_BYTES, 4) != 0)
        return fail_nettrace(self, "it is not serialised as nettrace is", err);
    hsd_fail(err, HSD_E_TOO_NEW, "nettrace of version %" PRIu32 ": hsdiff reads 4 and 5", major);
    hsd_error_set_hint(err, "let hsdiff ask the runtime itself: hsdiff capture PID -o FILE.hs");
    return HSD_E_TOO_NEW;
}

static hsd_status read_stream(nettrace *self, hsd_error *err)
{
    hsd_status status;
    HSD_TRY(read_header(self, err));
    while ((status = read_object(self, err)) == HSD_OK)
        continue;
    return status == HSD_END ? HSD_OK : status;
}

/* ---- the end ---- */

static hsd_status finish_nettrace(nettrace *self, const char *cut, hsd_error *err)
{
    char reason[160];
    nettrace_heap *heap = &self->heap;
    if (heap->stage != NETTRACE_TOLD)
        heap->lost_events = hsd_max_u64(heap->lost_events, hsd_nettrace_threads_lost(&self->threads, heap->thread));
    HSD_TRY(hsd_nettrace_heap_finish(heap, self->ticks_per_second, err));
    if (heap->lost_events != 0)
        snprintf(reason, sizeof reason, "%" PRIu64 " event%s of the heap %s dropped by the runtime", heap->lost_events,
                 heap->lost_events == 1 ? "" : "s", heap->lost_events == 1 ? "was" : "were");
    else
        snprintf(reason, sizeof reason, "%s", cut != NULL ? cut : "references and objects do not fit together");
    if (cut != NULL || hsd_nettrace_heap_is_torn(heap)) HSD_TRY(hsd_import_mark_incomplete(self->import, reason, err));
    if (heap->other_dumps != 0)
        hsd_note(self->import->reporter, HSD_NOTE_WARNING, "%s: it holds more than one heap: the first was imported",
                 self->source->name);
    return hsd_import_end(self->import, err);
}

static hsd_status refuse_without_heap(hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "this nettrace holds no heap: it was collected without heap dump events");
    hsd_error_set_hint(err, "let hsdiff ask the runtime itself: hsdiff capture PID -o FILE.hs");
    return HSD_E_UNSUPPORTED;
}

static hsd_status import_stream(nettrace *self, hsd_error *err)
{
    const bool salvages = self->import->options->salvage;
    hsd_error_init(&self->cut);
    hsd_status status = read_stream(self, &self->cut);
    const bool has_heap = self->has_trace && self->heap.stage != NETTRACE_BEFORE;
    if (status == HSD_OK && !has_heap) return refuse_without_heap(err);
    if (status == HSD_OK && self->heap.stage != NETTRACE_TOLD) {
        status =
            hsd_fail(&self->cut, HSD_E_TRUNCATED, "the heap does not end: the session was stopped in the middle of it");
    }
    if (status == HSD_OK) return finish_nettrace(self, NULL, err);
    if ((status == HSD_E_TRUNCATED || status == HSD_E_CORRUPT) && salvages && has_heap)
        return finish_nettrace(self, self->cut.text, err);
    return hsd_import_give_up(status, &self->cut, has_heap, err);
}

static hsd_status run_nettrace(hsd_import *import, hsd_error *err)
{
    nettrace self = {.import = import, .source = import->source, .heap = {.edges = {.spill = {.fd = -1}}}};
    const hsd_status status = import_stream(&self, err);
    hsd_nettrace_heap_release(&self.heap);
    hsd_nettrace_threads_release(&self.threads);
    hsd_id_map_release(&self.kinds);
    hsd_buffer_release(&self.block);
    return status;
}

/* ---- the row ---- */

static unsigned probe_nettrace(const uint8_t *prefix, size_t size)
{
    if (size < MAGIC_BYTES || memcmp(prefix, MAGIC, MAGIC_BYTES) != 0) return 0;
    const bool is_serialised = size >= HEADER_BYTES && memcmp(prefix + MAGIC_BYTES + 4, SERIALIZATION, 20) == 0;
    return (unsigned)(is_serialised ? HEADER_BYTES : MAGIC_BYTES) * 8;
}

const hsd_importer hsd_import_nettrace = {
    .info = {.name = "nettrace",
             .summary = ".NET heap events (CoreCLR diagnostics socket, dotnet-trace)",
             .suffixes = ".nettrace",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES | HSD_CARRIES_ROOTS},
             .lacks = "field names"},
    .probe = probe_nettrace,
    .run = run_nettrace,
};

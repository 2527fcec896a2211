/*
 * The scan: the whole file once, as fast as bodies can be skipped. It fills the tables of classes,
 * threads and frames, notes where strings and objects stand, counts instances and arrays by class, and
 * looks at the distance from each object to the next one:
 *
 *      file     … | String @1000 | byte[5] @1018 | HashMap$Node @1030 | …
 *      steps               18 hex          18 hex
 *
 * Dumpers walk the heap by address, so the smallest step that is ever seen behind instances of a class
 * is mostly their size, and steps behind arrays of known length show how wide headers and references
 * are in the heap, which the dump itself does not say.
 *
 * The loop over sub-records is made twice, for ids of 4 and of 8 bytes: with the width known to the
 * compiler it is about a third faster.
 */
#include "import/hprof/hprof.h"

#include "base/check.h"

#define CHUNK_BYTES (UINT64_C(256) << 10)
#define MAX_CHUNKS  UINT32_C(65536)
#define MAX_VOTES   UINT32_C(65536)

typedef struct scan {
    hprof *self;
    hprof_reader *reader;
    uint64_t previous;       /* id of the object before in the file */
    uint32_t previous_class; /* its class; 0 = an array */
    uint32_t votes_left;
    bool has_records;     /* there is one at least */
    bool has_vote;        /* the object before is an array whose step is looked at */
    uint8_t vote_width;   /* of its elements, 0 = references */
    uint64_t vote_count;  /* number of its elements */
    uint64_t least, most; /* ids of the chunk */
    uint64_t next_chunk;  /* offset from which on a new one begins */
} scan;

/* ---- steps from object to object ---- */

static uint64_t padded(uint64_t size, unsigned alignment)
{
    return (size + alignment - 1) & ~(uint64_t)(alignment - 1);
}

static void vote_header(hprof_votes *votes, const scan *s, unsigned alignment, uint64_t step)
{
    static const unsigned headers[4] = HPROF_ARRAY_HEADERS;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t first = s->vote_width == 8 ? padded(headers[i], 8) : headers[i];
        if (padded(first + s->vote_count * s->vote_width, alignment) == step) votes->headers[i]++;
    }
}

static void vote_reference(hprof_votes *votes, const scan *s, unsigned alignment, uint64_t step)
{
    const uint64_t narrow = s->vote_count * 4, wide = s->vote_count * 8;
    const bool is_narrow = step == padded(16 + narrow, alignment) || step == padded(12 + narrow, alignment);
    const bool is_wide = step == padded(16 + wide, alignment) || step == padded(24 + wide, alignment);
    if (is_narrow && !is_wide) votes->narrow++;
    if (is_wide && !is_narrow) votes->wide++;
}

static __attribute__((noinline)) void vote(scan *s, uint64_t step)
{
    s->has_vote = false;
    for (unsigned i = 0; i < HPROF_ALIGNMENTS; i++) {
        hprof_votes *votes = &s->self->traces.votes[i];
        if (s->vote_width == 0)
            vote_reference(votes, s, 8u << i, step);
        else
            vote_header(votes, s, 8u << i, step);
    }
}

/* An object stands at `id`, behind the one before. */
static inline void step_to(scan *s, uint64_t id)
{
    const uint64_t step = id - s->previous; /* huge when it lies below */
    hprof_tally *before = &s->self->classes.tallies[s->previous_class];
    if (step < before->nearest) before->nearest = step;
    if (__builtin_expect(s->has_vote, 0)) vote(s, step);
    s->previous = id;
    s->self->traces.objects++;
    s->self->traces.ids_or |= id;
    s->least = hsd_min_u64(s->least, id);
    s->most = hsd_max_u64(s->most, id);
}

static inline void step_to_array(scan *s, const hprof_sub *sub, unsigned width)
{
    step_to(s, sub->id);
    s->previous_class = 0;
    if (s->votes_left == 0) return;
    s->votes_left--;
    s->has_vote = true;
    s->vote_width = (uint8_t)width;
    s->vote_count = sub->count;
}

/* ---- objects ---- */

static inline hsd_status count_instance(scan *s, const hprof_sub *sub, hsd_error *err)
{
    hprof_classes *classes = &s->self->classes;
    uint32_t number = hsd_id_table_find(&classes->table, sub->class_id);
    if (__builtin_expect(number == 0, 0)) HSD_TRY(hsd_hprof_put_class(classes, sub->class_id, &number, err));
    step_to(s, sub->id);
    s->previous_class = number;
    hprof_tally *tally = &classes->tallies[number];
    tally->objects++;
    tally->bytes += sub->count;
    if (__builtin_expect(tally->objects == 1, 0)) classes->items[number].first_instance = sub->id;
    return HSD_OK;
}

static void add_array(hprof_array_tally *tally, uint64_t count)
{
    tally->arrays[count % HPROF_REMAINDERS]++;
    tally->elements += count;
}

static hsd_status count_object_array(scan *s, const hprof_sub *sub, hsd_error *err)
{
    hprof_classes *classes = &s->self->classes;
    uint32_t number = 0;
    HSD_TRY(hsd_hprof_put_class(classes, sub->class_id, &number, err));
    hprof_tally *tally = &classes->tallies[number];
    if (tally->arrays == 0) {
        const uint32_t place = classes->array_count + 1;
        HSD_TRY(hsd_import_grow((void **)&classes->arrays, &classes->array_capacity, place, sizeof *classes->arrays,
                                err));
        tally->arrays = classes->array_count = place;
    }
    add_array(&classes->arrays[tally->arrays], sub->count);
    step_to_array(s, sub, 0);
    return HSD_OK;
}

static void count_prim_array(scan *s, const hprof_sub *sub)
{
    add_array(&s->self->primitives[sub->element], sub->count);
    step_to_array(s, sub, hsd_hprof_width[sub->element]);
}

/* ---- chunks ---- */

static void close_chunk(scan *s)
{
    hprof_chunks *chunks = &s->self->chunks;
    hprof_traces *traces = &s->self->traces;
    if (chunks->count == 0) return;
    chunks->items[chunks->count - 1].least = s->least;
    chunks->items[chunks->count - 1].most = s->most;
    traces->least = hsd_min_u64(traces->least, s->least);
    traces->most = hsd_max_u64(traces->most, s->most);
    s->least = UINT64_MAX;
    s->most = 0;
}

/* Two chunks become one: half as many, twice as long. */
static void join_chunks(hprof_chunks *chunks)
{
    for (uint32_t i = 0; i < chunks->count; i += 2) {
        hprof_chunk joined = chunks->items[i];
        if (i + 1 < chunks->count) {
            joined.least = hsd_min_u64(joined.least, chunks->items[i + 1].least);
            joined.most = hsd_max_u64(joined.most, chunks->items[i + 1].most);
        }
        chunks->items[i / 2] = joined;
    }
    chunks->count = (chunks->count + 1) / 2;
    chunks->chunk_bytes *= 2;
}

/* Begins a chunk with the sub-record at `offset`. */
static hsd_status open_chunk(scan *s, uint64_t offset, hsd_error *err)
{
    hprof_chunks *chunks = &s->self->chunks;
    close_chunk(s);
    if (chunks->count == MAX_CHUNKS) join_chunks(chunks);
    HSD_TRY(hsd_import_grow((void **)&chunks->items, &chunks->capacity, chunks->count, sizeof *chunks->items, err));
    chunks->items[chunks->count++] = (hprof_chunk){.offset = offset,
                                                   .segment_end = s->reader->segment_end,
                                                   .is_clamped = s->reader->is_clamped,
                                                   .least = UINT64_MAX};
    s->next_chunk = offset + chunks->chunk_bytes;
    HSD_TRY(hsd_hprof_check_memory(s->self, 0, err));
    return hsd_progress(s->self->import->reporter, "scanning the heap dump", offset, s->reader->total_bytes, err);
}

/* ---- sub-records ---- */

static hsd_status scan_rare(scan *s, const hprof_sub *sub, hsd_error *err)
{
    hprof *self = s->self;
    hprof_class *class = NULL;
    uint32_t name = 0;
    switch (sub->tag) {
    case HPROF_CLASS:
        HSD_TRY(hsd_hprof_check_memory(self, 0, err));
        return hsd_hprof_read_class(&self->classes, &self->names, s->reader, sub->id, err);
    case HPROF_STICKY_CLASS:
        class = hsd_hprof_class(&self->classes, sub->id);
        if (class != NULL) class->is_sticky = true;
        return HSD_OK;
    case HPROF_THREAD_OBJECT: return hsd_hprof_note_thread(&self->stacks, sub->stack, sub->id, sub->frame, err);
    case HPROF_HEAP_INFO: return hsd_hprof_want(&self->names, sub->class_id, &name, err);
    case HPROF_NO_DATA_ARRAY: count_prim_array(s, sub); return HSD_OK;
    default: return HSD_OK;
    }
}

/* All sub-records of a segment. HSD_END at its end. */
static inline __attribute__((always_inline)) hsd_status scan_segment(scan *s, const unsigned id_bytes, hsd_error *err)
{
    hprof_sub sub;
    for (;;) {
        HSD_TRY(hsd_hprof_next_sub(s->reader, id_bytes, &sub, err));
        if (__builtin_expect(sub.offset >= s->next_chunk, 0)) HSD_TRY(open_chunk(s, sub.offset, err));
        switch (sub.tag) {
        case HPROF_INSTANCE:
            HSD_TRY(hsd_hprof_skip(s->reader, sub.body, err));
            HSD_TRY(count_instance(s, &sub, err));
            break;
        case HPROF_PRIM_ARRAY:
            HSD_TRY(hsd_hprof_skip(s->reader, sub.body, err));
            count_prim_array(s, &sub);
            break;
        case HPROF_OBJECT_ARRAY:
            HSD_TRY(hsd_hprof_skip(s->reader, sub.body, err));
            HSD_TRY(count_object_array(s, &sub, err));
            break;
        default: HSD_TRY(scan_rare(s, &sub, err)); break;
        }
    }
}

static __attribute__((noinline)) hsd_status scan_segment_4(scan *s, hsd_error *err) { return scan_segment(s, 4, err); }

static __attribute__((noinline)) hsd_status scan_segment_8(scan *s, hsd_error *err) { return scan_segment(s, 8, err); }

/* ---- records ---- */

static hsd_status scan_load_class(scan *s, const hprof_record *record, hsd_error *err)
{
    hprof *self = s->self;
    const unsigned w = s->reader->id_bytes;
    uint32_t name = 0;
    if (record->length < 8 + 2 * w) return HSD_OK;
    const hsd_status status = hsd_hprof_peek(s->reader, 8 + 2 * w, err);
    if (status == HSD_END) return hsd_hprof_cut(s->reader, err);
    HSD_TRY(status);
    const uint8_t *at = s->reader->source->at;
    const uint32_t serial = hsd_hprof_u32(at);
    const uint64_t id = hsd_hprof_id(at + 4, w), name_id = hsd_hprof_id(at + 8 + w, w);
    HSD_TRY(hsd_hprof_want(&self->names, name_id, &name, err));
    return hsd_hprof_load_class(&self->classes, serial, id, name, err);
}

static hsd_status scan_heap_summary(scan *s, const hprof_record *record, hsd_error *err)
{
    if (record->length < 4) return HSD_OK;
    const hsd_status status = hsd_hprof_peek(s->reader, 4, err);
    if (status == HSD_OK) s->self->live_bytes = hsd_hprof_u32(s->reader->source->at);
    return status < 0 ? status : HSD_OK;
}

static hsd_status scan_heap(scan *s, const hprof_record *record, hsd_error *err)
{
    hprof *self = s->self;
    if (s->reader->dumps != self->dump) return HSD_OK;
    self->is_complete = false; /* until its end is seen */
    const hsd_status status = s->reader->id_bytes == 8 ? scan_segment_8(s, err) : scan_segment_4(s, err);
    if (status < 0) return status;
    self->heap_end = hsd_source_offset(s->reader->source);
    const bool is_whole = s->reader->cut_offset == UINT64_MAX && !s->reader->is_clamped && s->reader->lost_bytes == 0;
    if (record->tag == HPROF_HEAP_DUMP) self->is_complete = is_whole;
    return HSD_OK;
}

static hsd_status scan_record(scan *s, const hprof_record *record, hsd_error *err)
{
    hprof *self = s->self;
    hprof_reader *reader = s->reader;
    switch (record->tag) {
    case HPROF_STRING: return hsd_hprof_note_string(&self->names, record->offset, record->body + record->length, err);
    case HPROF_LOAD_CLASS: return scan_load_class(s, record, err);
    case HPROF_STACK_FRAME: return hsd_hprof_read_frame(&self->stacks, &self->names, reader, record->length, err);
    case HPROF_STACK_TRACE: return hsd_hprof_read_trace(&self->stacks, reader, record->length, err);
    case HPROF_START_THREAD:
        self->is_agent = true;
        return hsd_hprof_read_start(&self->stacks, &self->names, reader, record->length, err);
    case HPROF_ALLOC_SITES:
    case HPROF_END_THREAD:
    case HPROF_CPU_SAMPLES:
    case HPROF_CONTROL_SETTINGS: self->is_agent = true; return HSD_OK;
    case HPROF_HEAP_SUMMARY: return scan_heap_summary(s, record, err);
    case HPROF_HEAP_DUMP:
    case HPROF_SEGMENT: return scan_heap(s, record, err);
    case HPROF_DUMP_END:
        if (reader->dumps == self->dump && reader->lost_bytes == 0) self->is_complete = true;
        return HSD_OK;
    default: return HSD_OK;
    }
}

static hsd_status scan_records(scan *s, hsd_error *err)
{
    hprof_record record;
    uint32_t since_check = 0;
    for (;;) {
        hsd_status status = hsd_hprof_next_record(s->reader, &record, err);
        if (status == HSD_OK) status = scan_record(s, &record, err);
        if (status == HSD_OK && s->reader->cut_offset == UINT64_MAX) status = hsd_hprof_leave(s->reader, &record, err);
        if (status < 0) return status;
        s->has_records |= status == HSD_OK;
        if (status == HSD_END || s->reader->cut_offset != UINT64_MAX) return HSD_OK;
        if ((++since_check & 0xfff) == 0) HSD_TRY(hsd_hprof_check_memory(s->self, 0, err));
    }
}

/* ---- what it amounts to ---- */

/* HotSpot writes names, classes and stacks before the heap, and nothing but heaps: it came no further. The hprof agent
 * also writes profiles without one. */
static hsd_status fail_before_heap(const hprof *self, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(self->reader.source),
                       "the heap dump was cut off before its first object, so nothing of it can be used");
}

static hsd_status check_dumps(const scan *s, hsd_error *err)
{
    hprof *self = s->self;
    const unsigned dumps = self->reader.dumps, wanted = self->import->options->dump_number;
    if (dumps == 0 && s->has_records && !self->is_agent) return fail_before_heap(self, err);
    if (dumps == 0) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "this Java profile holds no heap dump");
        hsd_error_set_hint(err, "make one: jcmd PID GC.heap_dump /path/to/file.hprof");
        return HSD_E_UNSUPPORTED;
    }
    if (wanted == 0 && dumps > 1) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "this file holds %u heap dumps", dumps);
        hsd_error_set_hint(err, "choose one with --dump N, from --dump 1 (the oldest) to --dump %u", dumps);
        return HSD_E_UNSUPPORTED;
    }
    if (wanted > dumps)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "there is no heap dump %u in this file: it holds %u", wanted, dumps);
    return HSD_OK;
}

/* With salvage, a segmented dump without its end mark was cut between two segments. */
static hsd_status check_end_of_hprof_scan(hprof *self, hsd_error *err)
{
    if (self->is_complete || self->import->options->salvage) return HSD_OK;
    self->reader.last = hsd_source_offset(self->reader.source);
    hsd_fail_at(err, HSD_E_TRUNCATED, self->reader.last, "the heap dump was cut off: its end mark is missing");
    hsd_import_hint_partial(err);
    return HSD_E_TRUNCATED;
}

hsd_status hsd_hprof_scan(hprof *self, hsd_error *err)
{
    scan s = {.self = self, .reader = &self->reader, .votes_left = MAX_VOTES, .least = UINT64_MAX};
    const unsigned wanted = self->import->options->dump_number;
    self->dump = wanted == 0 ? 1 : wanted;
    if (self->chunks.chunk_bytes == 0) self->chunks.chunk_bytes = CHUNK_BYTES;
    self->traces.least = UINT64_MAX;
    HSD_TRY(hsd_import_grow((void **)&self->classes.tallies, &self->classes.tally_capacity, 0,
                            sizeof *self->classes.tallies, err)); /* 0 stands for arrays */
    HSD_TRY(scan_records(&s, err));
    close_chunk(&s);
    HSD_TRY(check_dumps(&s, err));
    return check_end_of_hprof_scan(self, err);
}

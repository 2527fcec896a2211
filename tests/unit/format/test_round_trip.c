/*
 * Random captures written by the capture library and read back: every record of every kind equals what was written, in
 * order, whatever the writer's options, the reader's wishes, and the way of opening.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hscapture/hscapture.h>
#include <hsdiff/capture.h>

#include "format/object_block.h"
#include "format/object_reader.h"
#include "support/memfile.h"
#include "support/random.h"

#define MAX_OBJECTS    600
#define MAX_REFERENCES 4000
#define MAX_RECORDS    64

/* What is written, in plain arrays. */
typedef struct model {
    hsc_options options;
    size_t objects, references, records; /* records: of every other kind */
    hsc_object object[MAX_OBJECTS];
    size_t first_reference[MAX_OBJECTS + 1];
    hsd_reference reference[MAX_REFERENCES];
    uint8_t value[MAX_OBJECTS][16];
    size_t value_size[MAX_OBJECTS];
    hsd_edge edge[MAX_RECORDS];
    hsd_root root[MAX_RECORDS];
    char text[MAX_RECORDS][24];
    size_t text_size[MAX_RECORDS];
    uint32_t number[MAX_RECORDS]; /* of tables */
    hsd_site site[MAX_RECORDS];
    hsd_frame frame[MAX_RECORDS];
    uint64_t amount[MAX_RECORDS];
} model;

/* Small most of the time, anything some of the time. */
static uint64_t any_u64(test_random *random)
{
    const unsigned bits =
        (unsigned)test_below(random, 10) < 7 ? (unsigned)test_below(random, 17) : (unsigned)test_below(random, 65);
    return bits == 0 ? 0 : test_next(random) >> (64 - bits);
}

static uint32_t any_number(test_random *random) { return (uint32_t)any_u64(random) & 0x7FFFFFFF; }

static void make_objects(model *m, test_random *random, unsigned style)
{
    uint64_t id = test_next(random) >> 20;
    for (size_t i = 0; i < m->objects; i++) {
        hsc_object *o = &m->object[i];
        id = style == 0 ? id + 16 : style == 1 ? id + 8 * test_below(random, 64) + 8 : test_next(random);
        *o = (hsc_object){.id = id, .type = any_number(random)};
        if (style != 0) o->size_bytes = any_u64(random);
        if (style == 2) {
            o->native_bytes = any_u64(random);
            o->elements = any_u64(random);
            o->identity = any_u64(random);
            o->content = any_u64(random);
            o->site = any_number(random);
            o->age = (uint32_t)any_u64(random);
            o->flags = (uint32_t)test_below(random, 8);
            o->name = any_number(random);
            o->category = any_number(random);
            m->value_size[i] = test_below(random, 3) == 0 ? test_below(random, 17) : 0;
            for (size_t k = 0; k < m->value_size[i]; k++)
                m->value[i][k] = (uint8_t)test_next(random);
        }
        m->first_reference[i] = m->references;
        size_t count = test_below(random, 7);
        if (test_below(random, 200) == 0) count = 700;
        for (; count > 0 && m->references < MAX_REFERENCES; count--) {
            m->reference[m->references++] = (hsd_reference){
                .target = m->options.targets_are_ordinals ? test_below(random, m->objects)
                          : style == 1                    ? id - 512 + 8 * test_below(random, 128)
                                                          : any_u64(random),
                .label = any_number(random),
                .index = style == 2 ? any_u64(random) : 0,
            };
        }
    }
    m->first_reference[m->objects] = m->references;
}

static void make_records(model *m, test_random *random)
{
    for (size_t i = 0; i < m->records; i++) {
        m->edge[i] = (hsd_edge){any_u64(random), any_u64(random), any_u64(random), any_number(random),
                                m->options.targets_are_ordinals};
        m->root[i] = (hsd_root){any_u64(random),           (uint32_t)test_below(random, HSC_ROOT_KIND_COUNT),
                                any_number(random),        any_number(random),
                                (uint32_t)any_u64(random), (uint32_t)any_u64(random)};
        m->text_size[i] = test_below(random, sizeof m->text[i]);
        for (size_t k = 0; k < m->text_size[i]; k++)
            m->text[i][k] = (char)(test_below(random, 4) == 0 ? (int)test_below(random, 255) + 1 : 'a');
        m->number[i] = (uint32_t)(i + 1) * (1 + (uint32_t)test_below(random, 1000));
        m->site[i] = (hsd_site){m->number[i],       any_number(random),        any_number(random),
                                any_number(random), (uint32_t)any_u64(random), (uint32_t)any_u64(random)};
        m->frame[i] = (hsd_frame){any_number(random) | 1, (uint32_t)any_u64(random), any_number(random),
                                  any_number(random), (uint32_t)any_u64(random)};
        m->amount[i] = any_u64(random);
    }
    for (size_t i = 1; i < m->records; i++) { /* numbers of a table differ */
        if (m->number[i] <= m->number[i - 1]) m->number[i] = m->number[i - 1] + 1;
        m->site[i].id = m->number[i];
    }
}

static model *make(test_random *random)
{
    static const size_t memory[] = {65536, 65536, 100000, 1 << 20};
    model *m = calloc(1, sizeof *m);
    cr_assert_not_null(m);
    hsc_options_init(&m->options);
    m->options.runtime = "round trip";
    m->options.facts = HSC_FACT_VALUES;
    m->options.compression = (int)test_below(random, 2);
    m->options.memory_bytes = memory[test_below(random, 4)];
    m->options.targets_are_ordinals = test_below(random, 2) == 0;
    m->objects = 1 + test_below(random, MAX_OBJECTS);
    m->records = test_below(random, MAX_RECORDS + 1);
    make_objects(m, random, (unsigned)test_below(random, 3));
    make_records(m, random);
    return m;
}

static void write_objects(hsc_writer *w, const model *m)
{
    for (size_t i = 0; i < m->objects; i++) {
        hsc_begin_object(w, &m->object[i]);
        if (m->value_size[i] > 0) hsc_value(w, m->value[i], m->value_size[i]);
        for (size_t k = m->first_reference[i]; k < m->first_reference[i + 1]; k++) {
            hsc_reference(w, m->reference[k].target, m->reference[k].label, m->reference[k].index);
        }
        hsc_end_object(w);
        /* Other records in between: blocks of all types are mixed. */
        if (i < m->records) hsc_edge(w, m->edge[i].source, m->edge[i].target, m->edge[i].label, m->edge[i].index);
    }
    for (size_t i = m->objects; i < m->records; i++)
        hsc_edge(w, m->edge[i].source, m->edge[i].target, m->edge[i].label, m->edge[i].index);
}

static void write_records(hsc_writer *w, const model *m)
{
    for (size_t i = 0; i < m->records; i++) {
        char text[32] = {0};
        memcpy(text, m->text[i], m->text_size[i]);
        hsc_define_string(w, m->number[i], m->text[i], m->text_size[i]);
        hsc_define_type(w, m->number[i], m->text[i], m->text_size[i], (uint32_t)i & 7);
        hsc_define_label(w, m->number[i], (hsc_label_kind)(i % 8), (uint32_t)(i % 3), m->number[0]);
        hsc_define_site(w, m->site[i].id, m->site[i].parent, m->site[i].function, m->site[i].file, m->site[i].line,
                        m->site[i].column);
        hsc_root(w, &(hsc_root_record){.kind = (hsc_root_kind)m->root[i].kind,
                                       .label = m->root[i].label,
                                       .target = m->root[i].target,
                                       .thread = m->root[i].thread,
                                       .frame = m->root[i].frame,
                                       .flags = m->root[i].flags});
        hsc_define_thread(w, m->number[i], m->number[0]);
        hsc_frame(w, m->frame[i].thread, m->frame[i].depth, m->frame[i].function, m->frame[i].file, m->frame[i].line);
        hsc_metric(w, text, "ns", m->amount[i]);
        hsc_loss(w, text, m->amount[i]);
    }
}

static memfile write_capture(const model *m)
{
    memfile file = memfile_of("", 0);
    hsc_writer *w;
    cr_assert_eq(hsc_open_fd(&w, file.fd, &m->options), HSC_OK);
    write_objects(w, m);
    write_records(w, m);
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
    return file;
}

/* ---- reading ---- */

static void expect_text(hsd_text text, const model *m, size_t i)
{
    cr_assert_eq(text.size, m->text_size[i]);
    cr_assert_arr_eq(text.data, m->text[i], text.size);
    cr_assert_eq(text.data[text.size], '\0');
}

static void check_record(const model *m, hsd_record_kind kind, const hsd_record *r, size_t i)
{
    switch (kind) {
    case HSD_RECORD_STRING:
        cr_assert_eq(r->string.id, m->number[i]);
        expect_text(r->string.text, m, i);
        break;
    case HSD_RECORD_TYPE:
        cr_assert_eq(r->type.id, m->number[i]);
        cr_assert_eq(r->type.flags, i & 7);
        expect_text(r->type.name, m, i);
        break;
    case HSD_RECORD_LABEL:
        cr_assert_eq(r->label.id, m->number[i]);
        cr_assert_eq(r->label.kind, i % 8);
        cr_assert_eq(r->label.flags, i % 3);
        cr_assert_eq(r->label.name, m->number[0]);
        break;
    case HSD_RECORD_SITE: cr_assert_arr_eq(&r->site, &m->site[i], sizeof r->site); break;
    case HSD_RECORD_EDGE:
        cr_assert_eq(r->edge.source, m->edge[i].source);
        cr_assert_eq(r->edge.target, m->edge[i].target);
        cr_assert_eq(r->edge.index, m->edge[i].index);
        cr_assert_eq(r->edge.label, m->edge[i].label);
        cr_assert_eq(r->edge.source_is_ordinal, m->edge[i].source_is_ordinal);
        break;
    case HSD_RECORD_ROOT:
        cr_assert_eq(r->root.target, m->root[i].target);
        cr_assert_eq(r->root.kind, m->root[i].kind);
        cr_assert_eq(r->root.label, m->root[i].label);
        cr_assert_eq(r->root.thread, m->root[i].thread);
        cr_assert_eq(r->root.frame, m->root[i].frame);
        cr_assert_eq(r->root.flags, m->root[i].flags);
        break;
    case HSD_RECORD_THREAD:
        cr_assert_eq(r->thread.id, m->number[i]);
        cr_assert_eq(r->thread.name, m->number[0]);
        break;
    case HSD_RECORD_FRAME: cr_assert_arr_eq(&r->frame, &m->frame[i], sizeof r->frame); break;
    case HSD_RECORD_METRIC:
        cr_assert_eq(r->metric.name.size, m->text_size[i]);
        cr_assert_arr_eq(r->metric.name.data, m->text[i], m->text_size[i]);
        cr_assert_eq(r->metric.unit.size, 2);
        cr_assert_str_eq(r->metric.unit.data, "ns");
        cr_assert_eq(r->metric.value, m->amount[i]);
        break;
    case HSD_RECORD_LOSS:
        expect_text(r->loss.what, m, i);
        cr_assert_eq(r->loss.count, m->amount[i]);
        break;
    case HSD_RECORD_TYPE_TOTAL:
    case HSD_RECORD_GROUP_TOTAL:
    case HSD_RECORD_LIVE_TOTAL:
    case HSD_RECORD_ROOT_TOTAL:
    case HSD_RECORD_PLACE:
    case HSD_RECORD_SITE_TOTAL: break;
    }
}

static void check_records(const model *m, hsd_capture *capture)
{
    for (hsd_record_kind kind = HSD_RECORD_STRING; kind <= HSD_RECORD_LOSS; kind++) {
        hsd_record_reader *reader;
        hsd_record record;
        cr_assert_eq(hsd_record_reader_open(&reader, capture, kind, NULL), HSD_OK);
        for (size_t i = 0; i < m->records; i++) {
            cr_assert_eq(hsd_record_reader_next(reader, &record, NULL), HSD_OK, "kind %u, record %zu", kind, i);
            check_record(m, kind, &record, i);
        }
        cr_assert_eq(hsd_record_reader_next(reader, &record, NULL), HSD_END);
        cr_assert_eq(hsd_record_reader_next(reader, &record, NULL), HSD_END, "the end stays the end");
        hsd_record_reader_close(reader);
    }
}

#define WANTED(bit, field, value)                                                                                      \
    cr_assert_eq(o->field, (want & (bit)) ? (value) : 0, "object %zu, " #field ": %llx, not %llx", i,                  \
                 (unsigned long long)o->field, (unsigned long long)(value))

static void check_object(const model *m, const hsd_object *o, size_t i, unsigned want)
{
    const hsc_object *e = &m->object[i];
    cr_assert_eq(o->ordinal, i);
    cr_assert_eq(o->type, e->type);
    cr_assert_eq(o->flags, e->flags);
    WANTED(HSD_WANT_IDS, id, e->id);
    WANTED(HSD_WANT_IDS, identity, e->identity);
    WANTED(HSD_WANT_IDS, content, e->content);
    WANTED(HSD_WANT_SIZES, size_bytes, e->size_bytes);
    WANTED(HSD_WANT_SIZES, native_bytes, e->native_bytes);
    WANTED(HSD_WANT_SIZES, elements, e->elements);
    WANTED(HSD_WANT_DETAILS, site, e->site);
    WANTED(HSD_WANT_DETAILS, age, e->age);
    WANTED(HSD_WANT_DETAILS, name, e->name);
    WANTED(HSD_WANT_DETAILS, category, e->category);
    WANTED(HSD_WANT_DETAILS, value.size, m->value_size[i]);
    if (o->value.size > 0) cr_assert_arr_eq(o->value.data, m->value[i], o->value.size);
}

static void check_references(const model *m, const hsd_object *o, size_t first, unsigned want)
{
    for (uint32_t k = 0; k < o->reference_count; k++) {
        const hsd_reference *e = &m->reference[first + k];
        if (want & HSD_WANT_REFERENCES) cr_assert_eq(o->targets[k], e->target, "reference %zu", first + k);
        if (want & HSD_WANT_LABELS) cr_assert_eq(o->labels[k], e->label, "reference %zu", first + k);
        if (want & HSD_WANT_INDEXES) cr_assert_eq(o->indexes[k], e->index, "reference %zu", first + k);
    }
    if (!(want & HSD_WANT_REFERENCES)) cr_assert_null(o->targets);
    if (!(want & HSD_WANT_LABELS)) cr_assert_null(o->labels);
    if (!(want & HSD_WANT_INDEXES)) cr_assert_null(o->indexes);
}

/* From object `first` on, as a reader gives them. */
static void check_objects(const model *m, hsd_object_reader *reader, size_t first, unsigned want)
{
    hsd_object o;
    hsd_status status;
    size_t i = first, reference = m->first_reference[first];
    const bool has_references = (want & (HSD_WANT_REFERENCES | HSD_WANT_LABELS | HSD_WANT_INDEXES)) != 0;
    while ((status = hsd_object_reader_next(reader, &o, NULL)) == HSD_OK) {
        if (o.is_continuation) {
            cr_assert_eq(o.ordinal, i - 1);
            if (want & HSD_WANT_IDS) cr_assert_eq(o.id, m->object[i - 1].id);
        } else {
            if (has_references) cr_assert_eq(reference, m->first_reference[i]);
            check_object(m, &o, i, want);
            i++;
        }
        check_references(m, &o, reference, want);
        reference += o.reference_count;
    }
    cr_assert_eq(status, HSD_END);
    cr_assert_eq(i, m->objects);
    cr_assert_eq(reference, has_references ? m->references : m->first_reference[first]);
}

static void check_all_objects(const model *m, hsd_capture *capture, test_random *random)
{
    for (unsigned k = 0; k < 4; k++) {
        const unsigned want = k == 0 ? HSD_WANT_ALL : (unsigned)test_below(random, HSD_WANT_ALL + 1);
        hsd_object_reader *reader;
        cr_assert_eq(hsd_object_reader_open(&reader, capture, want, NULL), HSD_OK);
        check_objects(m, reader, 0, want);
        for (unsigned s = 0; s < 3; s++) {
            const size_t at = test_below(random, m->objects);
            cr_assert_eq(hsd_object_reader_seek(reader, at, NULL), HSD_OK);
            check_objects(m, reader, at, want);
        }
        cr_assert_eq(hsd_object_reader_seek(reader, m->objects, NULL), HSD_END);
        hsd_object o;
        cr_assert_eq(hsd_object_reader_next(reader, &o, NULL), HSD_END);
        hsd_object_reader_close(reader);
    }
}

/* A block of them at once. */
static void check_ids(const model *m, hsd_capture *capture)
{
    hsd_object_reader *reader;
    hsd_status status;
    const uint64_t *ids;
    uint64_t first;
    uint32_t count;
    size_t seen = 0;
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ID, NULL), HSD_OK);
    while ((status = hsd_object_reader_next_ids(reader, &ids, &count, &first, NULL)) == HSD_OK) {
        if (count > 0) cr_assert_eq(first, seen);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(ids[i], m->object[seen + i].id);
        seen += count;
    }
    cr_assert_eq(status, HSD_END);
    cr_assert_eq(seen, m->objects);
    hsd_object_reader_close(reader);
}

/* The columns of a block at once, and targets as they are stored. */
static void check_blocks(const model *m, hsd_capture *capture, unsigned want)
{
    hsd_object_reader *reader;
    const hsd_object_block *block;
    hsd_status status;
    size_t seen = 0, references = 0;
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_REFERENCES | HSD_WANT_LABELS | want, NULL), HSD_OK);
    while ((status = hsd_object_reader_next_block(reader, &block, NULL)) == HSD_OK) {
        const uint64_t *target = block->targets;
        const uint32_t *label = block->labels;
        for (uint32_t i = block->next; i < block->records; i++) {
            if ((block->flags[i] & HSD_OBJECT_CONTINUES) == 0) {
                cr_assert_eq(block->next_ordinal + i - (block->starts_with_continuation ? 1 : 0), seen);
                cr_assert_eq(references, m->first_reference[seen]);
                cr_assert_eq(block->type[i], m->object[seen++].type);
            }
            for (uint32_t k = 0; k < block->ref_count[i]; k++, references++) {
                cr_assert_eq(hsd_object_block_target(block, *target++, seen - 1), m->reference[references].target);
                cr_assert_eq(*label++, m->reference[references].label);
            }
        }
    }
    cr_assert_eq(status, HSD_END);
    cr_assert_eq(seen, m->objects);
    hsd_object_reader_close(reader);
}

/* Ids without what comes with them otherwise. */
static void check_bare_ids(const model *m, hsd_capture *capture)
{
    hsd_object_reader *reader;
    hsd_object o;
    size_t seen = 0;
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ID | HSD_WANT_REFERENCES, NULL), HSD_OK);
    while (hsd_object_reader_next(reader, &o, NULL) == HSD_OK) {
        if (o.is_continuation) continue;
        cr_assert_eq(o.id, m->object[seen].id);
        cr_assert_eq(o.content, 0);
        for (uint32_t i = 0; i < o.reference_count; i++)
            cr_assert_eq(o.targets[i], m->reference[m->first_reference[seen] + i].target);
        seen++;
    }
    cr_assert_eq(seen, m->objects);
    hsd_object_reader_close(reader);
}

static void check_info(const model *m, const hsd_capture_info *info)
{
    uint64_t bytes = 0, pseudo = 0, lost = 0;
    for (size_t i = 0; i < m->objects; i++) {
        pseudo += m->object[i].flags & 1;
        if (!(m->object[i].flags & 1) && __builtin_add_overflow(bytes, m->object[i].size_bytes, &bytes))
            bytes = UINT64_MAX;
    }
    for (size_t i = 0; i < m->records; i++) {
        if (__builtin_add_overflow(lost, m->amount[i], &lost)) lost = UINT64_MAX;
    }
    cr_assert(info->is_complete && info->has_index);
    cr_assert_str_eq(info->runtime, "round trip");
    cr_assert_eq(info->targets_are_ordinals, m->options.targets_are_ordinals);
    cr_assert_eq(info->objects, m->objects);
    cr_assert_eq(info->ordinals, m->objects);
    cr_assert_eq(info->pseudo_objects, pseudo);
    cr_assert_eq(info->references, m->references);
    cr_assert_eq(info->bytes, bytes);
    const uint64_t counts[] = {info->edges, info->roots,   info->strings, info->types,   info->labels,
                               info->sites, info->threads, info->frames,  info->metrics, info->losses};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        cr_assert_eq(counts[i], m->records, "count %zu", i);
    cr_assert_eq(info->lost, lost);
    cr_assert_eq(info->has_parts, m->records > 2);
}

static void round_trip(test_random *random)
{
    model *m = make(random);
    memfile file = write_capture(m);
    for (hsd_damage damage = HSD_DAMAGE_REFUSE; damage <= HSD_DAMAGE_SKIP; damage++) {
        hsd_capture *capture;
        hsd_error err;
        hsd_error_init(&err);
        cr_assert_eq(hsd_capture_open(&capture, file.path, damage, NULL, &err), HSD_OK, "%s", err.text);
        check_info(m, hsd_capture_get_info(capture));
        check_records(m, capture);
        check_all_objects(m, capture, random);
        check_ids(m, capture);
        check_blocks(m, capture, 0);
        check_blocks(m, capture, HSD_WANT_DIFFERENCES);
        check_bare_ids(m, capture);
        hsd_capture_close(capture);
    }
    memfile_close(&file);
    free(m);
}

Test(round_trip, gives_back_what_was_written)
{
    const uint64_t seed = test_seed(21);
    for (uint64_t i = 0; i < 60; i++) {
        test_random random = {seed + i};
        round_trip(&random);
    }
}

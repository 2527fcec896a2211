/*
 * A capture that is a summary alone: count and bytes of every type, from what the scan counted. The
 * numbers are those of the full import, to the byte: where a dump has instances whose bytes decide, it is read once
 * more.
 */
#include <stdlib.h>

#include "import/hprof/hprof.h"
#include "import/hprof/output.h"
#include "import/hprof/plan.h"

#include "base/check.h"
#include "base/fail.h"

#define PROGRESS_BYTES (UINT64_C(1) << 20)

/* Of a class whose instances are looked at. */
typedef struct closer {
    uint64_t mirrors;     /* instances of java.lang.Class that have a CLASS_DUMP, which counts them */
    uint64_t stack_bytes; /* behind the fields of pieces of virtual threads' stacks */
    uint32_t words_offset;
    uint8_t kind; /* HPROF_PLAN_CLASS, HPROF_PLAN_STACK or HPROF_PLAN_PLAIN: it is not looked at */
} closer;

typedef struct summary {
    hprof *self;
    hprof_output output;
    hsd_import_result *result;
    closer *closer; /* by number of the class; NULL = no class is looked at */
    hprof_reader reader;
    uint64_t next_progress;
} summary;

/* ---- instances that are looked at ---- */

static hsd_status look_at_instance(summary *s, const hprof_sub *sub, hsd_error *err)
{
    const hprof_classes *classes = &s->self->classes;
    closer *of = &s->closer[hsd_id_table_find(&classes->table, sub->class_id)];
    const size_t size = (size_t)hsd_min_u64(sub->body, s->reader.source->window_bytes);
    if (of->kind == HPROF_PLAN_CLASS) {
        const hprof_class *mirrored = hsd_hprof_class(classes, sub->id);
        of->mirrors += mirrored != NULL && mirrored->has_dump;
    } else if (of->kind == HPROF_PLAN_STACK) {
        const hsd_status status = hsd_hprof_peek(&s->reader, size, err);
        if (status != HSD_OK) return status == HSD_END ? hsd_hprof_cut(&s->reader, err) : status;
        const uint64_t bytes = hsd_hprof_stack_bytes(s->self, of->words_offset, s->reader.source->at, size);
        of->stack_bytes = hsd_add_saturating(of->stack_bytes, bytes);
    }
    return hsd_hprof_skip(&s->reader, sub->body, err);
}

/* All sub-records of a segment. HSD_END at its end. */
static hsd_status look_at_segment(summary *s, hsd_error *err)
{
    hprof_sub sub;
    for (;;) {
        HSD_TRY(hsd_hprof_next_sub(&s->reader, s->reader.id_bytes, &sub, err));
        if (sub.offset >= s->next_progress) {
            s->next_progress = sub.offset + PROGRESS_BYTES;
            HSD_TRY(hsd_progress(s->self->import->reporter, "looking at stacks", sub.offset, s->reader.total_bytes,
                                 err));
        }
        if (sub.tag == HPROF_INSTANCE)
            HSD_TRY(look_at_instance(s, &sub, err));
        else if (sub.tag == HPROF_CLASS)
            HSD_TRY(hsd_hprof_skip_class(&s->reader, err));
        else
            HSD_TRY(hsd_hprof_skip(&s->reader, sub.body, err));
    }
}

static hsd_status look_at_dump(summary *s, hsd_error *err)
{
    hprof_record record;
    s->reader = s->self->reader;
    s->reader.limit = s->self->reader.cut_offset;
    s->reader.cut_offset = UINT64_MAX;
    s->reader.dumps = 0;
    s->reader.is_dump_open = false;
    HSD_TRY(hsd_source_seek(s->reader.source, s->self->reader.first_record, err));
    for (;;) {
        hsd_status status = hsd_hprof_next_record(&s->reader, &record, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        const bool is_heap = record.tag == HPROF_SEGMENT || record.tag == HPROF_HEAP_DUMP;
        if (is_heap && s->reader.dumps > s->self->dump) return HSD_OK;
        if (is_heap && s->reader.dumps == s->self->dump) status = look_at_segment(s, err);
        if (status < 0) return status;
        status = hsd_hprof_leave(&s->reader, &record, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status; /* cut off in this record */
    }
}

/* Few dumps have any: class objects among their instances, or virtual threads that wait. */
static hsd_status look_closer(summary *s, hsd_error *err)
{
    const hprof_classes *classes = &s->self->classes;
    bool is_wanted = false;
    HSD_TRY(hsd_hprof_check_memory(s->self, ((uint64_t)classes->table.count + 1) * sizeof *s->closer, err));
    s->closer = calloc((size_t)classes->table.count + 1, sizeof *s->closer);
    if (s->closer == NULL) return hsd_fail_nomem(err, "the list of classes");
    for (uint32_t i = 1; i <= classes->table.count; i++) {
        if (classes->tallies[i].objects == 0) continue;
        const hprof_plan_kind kind = hsd_hprof_plan_kind_of(s->self, &classes->items[i]);
        if (kind != HPROF_PLAN_CLASS && kind != HPROF_PLAN_STACK) continue;
        s->closer[i] =
            (closer){.kind = (uint8_t)kind, .words_offset = hsd_hprof_words_offset(s->self, &classes->items[i])};
        is_wanted = true;
    }
    return is_wanted ? look_at_dump(s, err) : HSD_OK;
}

/* ---- sums ---- */

static hsd_status count_hprof_summary(summary *s, uint32_t type, uint64_t objects, uint64_t bytes, hsd_error *err)
{
    if (objects == 0) return HSD_OK;
    s->result->objects += objects;
    s->result->bytes = hsd_add_saturating(s->result->bytes, bytes);
    HSD_WRITE(s->self->import, hsc_count(s->output.writer, type, objects, bytes), err);
    return HSD_OK;
}

static uint64_t number_of(const hprof_array_tally *tally)
{
    uint64_t arrays = 0;
    for (unsigned i = 0; i < HPROF_REMAINDERS; i++)
        arrays += tally->arrays[i];
    return arrays;
}

static hsd_status count_class(summary *s, uint32_t number, hsd_error *err)
{
    const hprof *self = s->self;
    const hprof_class *of = &self->classes.items[number];
    const hprof_tally *tally = &self->classes.tallies[number];
    uint32_t type = 0;
    if (tally->objects == 0 && tally->arrays == 0) return HSD_OK;
    HSD_TRY(hsd_hprof_type_of_class(self, &s->output, of, &type, err));
    const uint64_t size = hsd_hprof_instance_size(self, of);
    const uint64_t instances = tally->objects - s->closer[number].mirrors;
    const uint64_t behind = hsd_add_saturating(of->has_dump ? 0 : tally->bytes, s->closer[number].stack_bytes);
    HSD_TRY(count_hprof_summary(s, type, instances, hsd_add_saturating(instances * size, behind), err));
    if (tally->arrays == 0) return HSD_OK;
    const hprof_array_tally *arrays = &self->classes.arrays[tally->arrays];
    return count_hprof_summary(s, type, number_of(arrays),
                               hsd_hprof_arrays_size(&self->model, arrays, self->model.reference), err);
}

static hsd_status count_class_objects(summary *s, hsd_error *err)
{
    static const char name[] = "java.lang.Class";
    const hprof *self = s->self;
    uint64_t objects = 0, bytes = 0;
    uint32_t type = 0;
    for (uint32_t i = 1; i <= self->classes.table.count; i++) {
        if (!self->classes.items[i].has_dump) continue;
        objects++;
        bytes += hsd_hprof_class_object_size(self, &self->classes.items[i]);
    }
    HSD_TRY(hsd_hprof_put_type(&s->output, (hsd_bytes){(const uint8_t *)name, sizeof name - 1}, &type, err));
    return count_hprof_summary(s, type, objects, bytes, err);
}

static hsd_status count_primitives(summary *s, hsd_error *err)
{
    for (unsigned i = 0; i < HPROF_TYPE_COUNT; i++) {
        const uint8_t element = (uint8_t)i;
        const hprof_array_tally *tally = &s->self->primitives[element];
        const char *name = hsd_hprof_prim_array_name(element);
        uint32_t type = 0;
        if (number_of(tally) == 0) continue;
        HSD_TRY(hsd_hprof_put_type(&s->output, (hsd_bytes){(const uint8_t *)name, strlen(name)}, &type, err));
        HSD_TRY(count_hprof_summary(s, type, number_of(tally),
                                    hsd_hprof_arrays_size(&s->self->model, tally, hsd_hprof_width[element]), err));
    }
    return HSD_OK;
}

static hsd_status summarise(summary *s, hsd_error *err)
{
    hprof *self = s->self;
    hsc_options options;
    hsc_options_init(&options);
    HSD_TRY(hsd_hprof_describe(self, &options, err));
    options.facts = HSC_FACT_NO_REFERENCES | HSC_FACT_NO_ROOTS;
    HSD_TRY(hsd_import_begin(self->import, &options, err));
    s->output.writer = self->import->writer;
    HSD_TRY(look_closer(s, err));
    for (uint32_t i = 1; i <= self->classes.table.count; i++)
        HSD_TRY(count_class(s, i, err));
    HSD_TRY(count_class_objects(s, err));
    HSD_TRY(count_primitives(s, err));
    if (self->reader.lost_bytes > 0)
        HSD_WRITE(self->import,
                  hsc_loss(s->output.writer, "bytes of heap segments that could not be read", self->reader.lost_bytes),
                  err);
    return hsd_hprof_finish(self, err);
}

hsd_status hsd_hprof_summarise(hprof *self, hsd_error *err)
{
    summary s = {.self = self, .output = {.import = self->import}, .result = self->import->result};
    const hsd_status status = summarise(&s, err);
    hsd_hprof_output_release(&s.output);
    free(s.closer);
    return status;
}

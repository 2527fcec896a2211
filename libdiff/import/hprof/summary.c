/*
 * A capture that is a summary alone: count and bytes of every type, from what the scan counted. The
 * numbers are those of the full import, to the byte.
 */
#include "import/hprof/hprof.h"
#include "import/hprof/output.h"
#include "import/hprof/plan.h"

#include "base/check.h"

typedef struct summary {
    hprof *self;
    hprof_output output;
    hsd_import_result *result;
} summary;

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
    const uint64_t instances = tally->objects - tally->mirrors;
    HSD_TRY(count_hprof_summary(s, type, instances, instances * size + (of->has_dump ? 0 : tally->bytes), err));
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
    return status;
}

/*
 * The records of a baseline: types and roots, each name with its sums, so that a file that was cut off keeps whole
 * rows; then places, metrics, losses, objects. Nothing depends on the machine: the memory of the writer is fixed, and
 * blocks are stored as they are, since a compressor may pack alike bytes differently from one version to the next; a
 * repository compresses by itself, and sees what changed.
 */
#include "export/baseline_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define WRITER_BYTES    ((size_t)1 << 20)
#define INFO_TEXT_BYTES 1024u /* what the writer takes of one text of the info */
#define OWN_FACTS       (HSC_FACT_BASELINE | HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES)

typedef struct putting {
    const hsd_baseline_source *from;
    hsc_writer *out;
    hsd_baseline_sink sink;
    void *context;
    hsd_error sink_error;
    char texts[5][INFO_TEXT_BYTES + 1];
} putting;

/* ---- the writer ---- */

static ptrdiff_t take_baseline_record(void *context, const void *data, size_t size)
{
    putting *p = context;
    if (p->sink(p->context, data, size, &p->sink_error) == HSD_OK) return (ptrdiff_t)size;
    errno = EIO; /* nothing to try again */
    return -1;
}

static hsd_status raise(const putting *p, hsc_status status, hsd_error *err)
{
    const char *text = p->out == NULL ? "cannot begin a capture" : hsc_error_text(p->out);
    if (status == HSC_OK) return HSD_OK;
    if (status == HSC_E_IO && p->sink_error.status != HSD_OK) {
        if (err != NULL) *err = p->sink_error;
        return p->sink_error.status;
    }
    if (status == HSC_E_NOMEM) return hsd_fail(err, HSD_E_NOMEM, "%s", text);
    if (status == HSC_E_LIMIT) return hsd_fail(err, HSD_E_UNSUPPORTED, "%s", text);
    return hsd_fail(err, HSD_E_MISUSE, "the sums cannot be written: %s", text);
}

/* ---- the info ---- */

/* At most what the writer takes. */
static const char *fit(putting *p, size_t i, const char *text, size_t size)
{
    if (size > INFO_TEXT_BYTES) size = INFO_TEXT_BYTES;
    memcpy(p->texts[i], text, size);
    p->texts[i][size] = '\0';
    return p->texts[i];
}

static uint32_t sums_of(const hsd_profile *profile)
{
    return (profile->side.has_roots ? HSC_SUMS_ROOTS : 0) | (profile->side.has_references ? HSC_SUMS_REFERENCES : 0) |
           (profile->has_places ? HSC_SUMS_PLACES : 0) | (profile->is_summary ? HSC_SUMS_SUMMARY : 0);
}

static hsc_options options_of(putting *p, const uint8_t capture_id[16], hsc_baseline *baseline)
{
    const hsd_profile *profile = p->from->profile;
    const hsd_capture_info *info = hsd_capture_get_info(p->from->capture);
    const bool has_width = info->pointer_bytes == 4 || info->pointer_bytes == 8;
    hsc_options options;
    *baseline = (hsc_baseline){
        .sums = sums_of(profile),
        .why_no_places =
            profile->has_places ? NULL : fit(p, 4, profile->why_no_places.data, profile->why_no_places.size),
        .place_least_bytes = profile->place_least_bytes,
        .soft_objects = profile->side.soft.objects,
        .soft_bytes = profile->side.soft.bytes,
        .dangling = profile->side.dangling,
    };
    hsc_options_init(&options);
    options.producer = fit(p, 0, info->producer, strlen(info->producer));
    options.runtime = fit(p, 1, info->runtime, strlen(info->runtime));
    options.process_name = fit(p, 2, info->process_name, strlen(info->process_name));
    options.source_format = fit(p, 3, info->source_format, strlen(info->source_format));
    options.pid = info->pid;
    options.started_unix_ns = info->started_unix_ns;
    options.taken_unix_ns = info->taken_unix_ns != 0 ? info->taken_unix_ns : UINT64_MAX;
    options.facts = info->facts & ~OWN_FACTS;
    options.identity = (hsc_identity)info->identity;
    memcpy(options.domain, info->domain, sizeof options.domain);
    memcpy(options.capture_id, capture_id, sizeof options.capture_id);
    options.pointer_bytes = has_width ? info->pointer_bytes : 0;
    options.memory_bytes = WRITER_BYTES;
    options.compression = 0;
    options.baseline = baseline;
    return options;
}

/* ---- sums: errors of the writer stick, and are looked at in the end ---- */

static void define_type(const putting *p, size_t i, uint32_t flags)
{
    const hsd_text name = p->from->names->types.texts[i];
    hsc_define_type(p->out, (uint32_t)i + 1, name.data, name.size, flags);
}

static void define_string(const putting *p, size_t i)
{
    const hsd_text text = p->from->names->strings.texts[i];
    hsc_define_string(p->out, (uint32_t)i + 1, text.data, text.size);
}

/* What places name, and no row. */
static void put_other_names(const putting *p)
{
    for (size_t i = p->from->profile->type_count; i < p->from->names->types.count; i++)
        define_type(p, i, 0);
    for (size_t i = p->from->profile->root_count; i < p->from->names->strings.count; i++)
        define_string(p, i);
}

/* What is live has records where there are objects; the rest is counted, for readers that know no baselines. */
static void put_types(const putting *p)
{
    const bool has_objects = p->from->objects != NULL;
    for (size_t i = 0; i < p->from->profile->type_count; i++) {
        const hsd_top_type *row = &p->from->profile->types[i];
        const uint32_t type = (uint32_t)i + 1;
        define_type(p, i, row->flags);
        hsc_sum_type(p->out, &(hsc_live_total){.type = type,
                                               .objects = row->live.objects,
                                               .bytes = row->live.bytes,
                                               .retained_bytes = row->retained_bytes,
                                               .unreached_objects = row->unreached.objects,
                                               .unreached_bytes = row->unreached.bytes});
        hsc_count(p->out, type, row->unreached.objects, row->unreached.bytes);
        if (!has_objects) hsc_count(p->out, type, row->live.objects, row->live.bytes);
    }
}

static void put_roots(const putting *p)
{
    for (size_t i = 0; i < p->from->profile->root_count; i++) {
        const hsd_top_root *row = &p->from->profile->roots[i];
        define_string(p, i);
        hsc_sum_root(p->out, &(hsc_root_total){.name = (uint32_t)i + 1,
                                               .kind = (hsc_root_kind)row->kind,
                                               .flags = row->is_shared ? HSC_ROOT_TOTAL_SHARED : 0,
                                               .objects = row->live.objects,
                                               .bytes = row->live.bytes,
                                               .retained_bytes = row->retained_bytes});
    }
}

static void put_places(const putting *p)
{
    const hsd_profile *profile = p->from->profile;
    for (size_t i = 0; i < profile->place_count && profile->has_places; i++) {
        const hsd_place *row = &profile->places[i];
        hsc_sum_place(p->out, &(hsc_place){.parent = row->parent,
                                           .edge = p->from->names->place_edges[i],
                                           .name = p->from->names->place_names[i],
                                           .flags = (row->is_root ? HSC_PLACE_IS_ROOT : 0) |
                                                    (row->can_hold ? HSC_PLACE_CAN_HOLD : 0) |
                                                    (row->is_fold ? HSC_PLACE_IS_FOLD : 0),
                                           .objects = row->own.objects,
                                           .bytes = row->own.bytes});
    }
}

/* ---- what is taken over ---- */

static void put_metrics(const putting *p)
{
    for (size_t i = 0; i < p->from->profile->metric_count; i++) {
        const hsd_profile_metric *metric = &p->from->profile->metrics[i];
        hsc_metric(p->out, metric->name.data, metric->unit.data, metric->value);
    }
}

static hsd_status put_losses(const putting *p, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, p->from->capture, HSD_RECORD_LOSS, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK)
        hsc_loss(p->out, record.loss.what.data, record.loss.count);
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status put_objects(const putting *p, hsd_error *err)
{
    hsd_kept_objects *objects = p->from->objects;
    hsd_kept_object object;
    for (uint64_t i = 0; objects != NULL && i < objects->count; i++) {
        HSD_TRY(hsd_kept_objects_get(objects, i, &object, err));
        hsc_begin_object(p->out, &(hsc_object){.id = object.id, .type = object.type + 1, .size_bytes = object.bytes});
        if (hsc_end_object(p->out) != HSC_OK) return HSD_OK; /* told at the end */
        if (i % 4096 == 0) HSD_TRY(hsd_progress(p->from->reporter, "writing objects", i, objects->count, err));
    }
    return HSD_OK;
}

/* A baseline of an incomplete capture is incomplete for the reason for which that is. */
static void put_reason(const putting *p)
{
    static const char again[] = "the producer stopped: ";
    const hsd_capture_info *info = hsd_capture_get_info(p->from->capture);
    const char *reason = info->incomplete_reason;
    if (info->is_complete) return;
    if (strncmp(reason, again, sizeof again - 1) == 0) reason += sizeof again - 1; /* a reader says it again */
    hsc_mark_incomplete(p->out, reason);
}

static hsd_status put_all_baseline_records(const putting *p, hsd_error *err)
{
    put_reason(p);
    put_types(p);
    put_roots(p);
    put_other_names(p);
    put_places(p);
    put_metrics(p);
    HSD_TRY(put_losses(p, err));
    HSD_TRY(put_objects(p, err));
    return raise(p, hsc_finish(p->out), err);
}

hsd_status hsd_baseline_put(const hsd_baseline_source *source, const uint8_t capture_id[16], hsd_baseline_sink sink,
                            void *context, hsd_error *err)
{
    hsc_baseline baseline;
    putting *p = calloc(1, sizeof *p);
    if (p == NULL) return hsd_fail_nomem(err, "writing a baseline");
    p->from = source;
    p->sink = sink;
    p->context = context;
    hsd_error_init(&p->sink_error);
    const hsc_options options = options_of(p, capture_id, &baseline);
    const hsc_sink to = {.write = take_baseline_record, .context = p};
    hsd_status status = raise(p, hsc_open(&p->out, &to, &options), err);
    if (status == HSD_OK) status = put_all_baseline_records(p, err);
    hsc_close(p->out);
    free(p);
    return status;
}

/*
 * The exporter of HPROF 1.0.2: heap dumps of a JVM, which Eclipse MAT and VisualVM open. hout.h says in which order.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "export/hprof/hout.h"

#define MOST_BYTES    (UINT64_C(1) << 40) /* of a heap whose sizes are made up by filling */
#define LEAST_TABLES  (UINT64_C(16) << 20)
#define PLURAL(count) ((count) == 1 ? "" : "s")

hsd_status hsd_hout_check_memory(const hout *h, hsd_error *err)
{
    const uint64_t taken =
        hsd_hout_rows_memory(&h->rows) + hsd_names_memory(&h->strings) + hsd_names_memory(&h->texts.names) +
        hsd_names_memory(&h->type_names.names) + h->mirror_capacity * sizeof *h->mirrors +
        h->static_capacity * sizeof *h->statics + h->class_capacity * sizeof *h->classes +
        h->huge_capacity * sizeof *h->huge + h->stacks.site_capacity * sizeof *h->stacks.sites +
        h->stacks.frame_capacity * sizeof *h->stacks.frames +
        h->label_table.capacity * (sizeof(hsd_label) + sizeof *h->labels) + h->field_capacity * sizeof *h->fields;
    const uint64_t allowed = hsd_max_u64(h->x->memory_bytes / 2, LEAST_TABLES);
    if (taken <= allowed) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "its types, classes and names take more than %" PRIu64 " MiB", allowed >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so", (taken * 3 + (UINT64_C(32) << 20)) >> 20);
    return HSD_E_OVER_BUDGET;
}

/* ---- what is said ---- */

static void tell_hprof_export(hout *h, uint64_t count, const char *what)
{
    if (count > 0) hsd_note(h->x->reporter, HSD_NOTE_WARNING, "%" PRIu64 " reference%s %s", count, PLURAL(count), what);
}

static void tell_losses(hout *h)
{
    const hout_left *left = &h->left;
    tell_hprof_export(h, left->weak, "that keep nothing alive were left out: a heap dump has those of a JVM alone");
    tell_hprof_export(h, left->soft, "that are soft were written as strong ones");
    tell_hprof_export(h, left->unnamed, "went without a name into (elements)[]: their names are too many for fields");
    tell_hprof_export(h, left->indexes, "of arrays that are mostly empty were written without the index");
    tell_hprof_export(h, left->cut, "or sizes did not fit into the largest record of a heap dump");
    if (!h->keeps_sizes)
        hsd_note(h->x->reporter, HSD_NOTE_WARNING,
                 "objects are smaller than in the capture: the heap is too large to be filled up");
    if ((h->info->facts & HSC_FACT_NO_ROOTS) != 0)
        hsd_note(h->x->reporter, HSD_NOTE_WARNING,
                 "the capture knows no roots: set \"Keep unreachable objects\" in MAT, or it drops all of them");
}

/* ---- the whole ---- */

/* Targets that are ordinals need not be joined with objects if all ids can be held. Class objects are asked for theirs
 * too early. */
static hsd_status hold_ids(hout *h, hsd_error *err)
{
    const hsd_capture_info *info = h->info;
    const bool is_straight = info->targets_are_ordinals && info->edges == 0 && !info->is_salvaged && !h->is_jvm;
    if (!is_straight || info->ordinals > h->x->memory_bytes / 4 / sizeof *h->id_of) return HSD_OK;
    h->id_of = calloc((size_t)info->ordinals + 1, sizeof *h->id_of);
    return h->id_of != NULL ? HSD_OK : hsd_fail_nomem(err, "the ids of objects");
}

static hsd_status open_joined(hout *h, hsd_error *err)
{
    const hsd_joined_options options = {.want = HSD_WANT_SIZES | HSD_WANT_IDS | HSD_WANT_DETAILS,
                                        .want_ids = h->id_of == NULL,
                                        .memory_bytes = hsd_max_u64(h->x->memory_bytes / 2, HSD_JOINED_MIN_BYTES),
                                        .space = h->x->space,
                                        .reporter = h->x->reporter};
    return hsd_joined_new(&h->joined, h->capture, &options, err);
}

static hsd_status start_hprof_export(hout *h, hsd_error *err)
{
    h->chunk = malloc(HOUT_CHUNK_BYTES);
    if (h->chunk == NULL) return hsd_fail_nomem(err, "the elements of arrays");
    HSD_TRY(hsd_hout_load_tables(h, err));
    HSD_TRY(hold_ids(h, err));
    HSD_TRY(open_joined(h, err));
    HSD_TRY(hsd_hout_survey(h, err));
    HSD_TRY(hsd_hout_make_classes(h, err));
    return hsd_hout_lay_out(h, err);
}

static hsd_status finish_hprof_export(hout *h, hsd_error *err)
{
    uint8_t *nothing;
    HSD_TRY(hsd_hout_record(&h->out, HOUT_END, 0, &nothing, err));
    HSD_TRY(hsd_hout_flush(&h->out, err));
    tell_losses(h);
    return HSD_OK;
}

static hsd_status write_dump(hout *h, hsd_error *err)
{
    HSD_TRY(start_hprof_export(h, err));
    HSD_TRY(hsd_hout_open(&h->out, h->x, err));
    HSD_TRY(hsd_hout_write_head(h, err));
    HSD_TRY(hsd_hout_write_classes(h, err));
    HSD_TRY(hsd_hout_write_objects(h, err));
    HSD_TRY(hsd_hout_write_roots(h, err));
    return finish_hprof_export(h, err);
}

static void release_hprof_export(hout *h)
{
    hsd_hout_close(&h->out);
    hsd_joined_free(h->joined);
    hsd_hout_rows_release(&h->rows);
    hsd_type_table_release(&h->types);
    hsd_type_names_release(&h->type_names);
    hsd_label_table_release(&h->label_table);
    hsd_texts_release(&h->texts);
    hsd_names_release(&h->strings);
    hsd_id_map_release(&h->stacks.site_index);
    hsd_id_map_release(&h->stacks.thread_index);
    hsd_buffer_release(&h->text);
    void *const owned[] = {h->labels,     h->stacks.frames, h->stacks.sites, h->stacks.threads,
                           h->held.items, h->seen_at,       h->seen,         h->huge,
                           h->mirrors,    h->statics,       h->classes,      h->class_of_name,
                           h->fields,     h->chunk,         h->thread_names, h->id_of};
    for (size_t i = 0; i < HSD_ARRAY_LEN(owned); i++)
        free(owned[i]);
}

static hsd_status run_hprof_export(hsd_export *x, hsd_error *err)
{
    hout *h = calloc(1, sizeof *h);
    if (h == NULL) return hsd_fail_nomem(err, "an export");
    h->x = x;
    h->capture = x->after;
    h->info = hsd_capture_get_info(x->after);
    h->with_values = x->options->with_values;
    h->keeps_sizes = hsd_add_saturating(h->info->bytes, h->info->native_bytes) <= MOST_BYTES;
    const hsd_status status = write_dump(h, err);
    release_hprof_export(h);
    free(h);
    return status;
}

const hsd_exporter hsd_export_hprof = {
    .info = {.name = "hprof",
             .summary = "heap dump of a JVM, whatever the heap",
             .suffix = ".hprof",
             .opened_by = "VisualVM (Eclipse MAT was not tried)",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS | HSD_CARRIES_SITES,
                         .sometimes = HSD_CARRIES_VALUES},
             .lacks = "weak references of other heaps than a JVM's; sizes are those that the tools compute"},
    .needs_objects = true,
    .run = run_hprof_export,
};

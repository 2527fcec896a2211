/*
 * The importer of Firefox's heap snapshots: the row of the registry, the way through the messages, and what the capture
 * says of itself.
 */
#include "import/firefox/firefox.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

#define YEAR_2000 UINT64_C(946684800000000) /* in microseconds */
#define YEAR_2200 UINT64_C(7258118400000000)

enum { PROGRESS_EVERY = 4096 };

/* ---- the row ---- */

static const uint8_t *take_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at != NULL && at < end && shift < 64; shift += 7) {
        const uint64_t byte = *at++;
        *value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return at;
    }
    return NULL;
}

static const uint8_t *take_byte(const uint8_t *at, const uint8_t *end, uint8_t byte)
{
    return at != NULL && at < end && *at == byte ? at + 1 : NULL;
}

/* A moment, and behind it a node whose type is the list of roots. */
static unsigned probe_firefox(const uint8_t *prefix, size_t size)
{
    static const char roots[] = "JS::ubi::RootList";
    const uint8_t *end = prefix + size, *at = prefix;
    uint64_t length, moment, number;
    at = take_varint(at, end, &length);
    const uint8_t *first = at;
    at = take_byte(at, end, 1 << 3);
    at = take_varint(at, end, &moment);
    if (at == NULL || moment < YEAR_2000 || moment > YEAR_2200 || (uint64_t)(at - first) > length ||
        length > (uint64_t)(end - first))
        return 0;
    at = take_varint(first + length, end, &number);
    at = take_byte(at, end, 1 << 3);
    at = take_varint(at, end, &number);
    at = take_byte(at, end, 2 << 3 | 2);
    at = take_byte(at, end, 2 * (sizeof roots - 1));
    if (at == NULL || (size_t)(end - at) < 2 * (sizeof roots - 1)) return 0;
    for (size_t i = 0; i < sizeof roots - 1; i++)
        if (at[2 * i] != (uint8_t)roots[i] || at[2 * i + 1] != 0) return 0;
    return 8 * 2 * (sizeof roots - 1);
}

/* ---- messages ---- */

static hsd_status begin_firefox(firefox *fx, uint64_t taken_us, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "Firefox";
    options.identity = HSC_IDENTITY_MOVING;
    options.taken_unix_ns = taken_us > YEAR_2000 && taken_us < YEAR_2200 ? taken_us * 1000 : UINT64_MAX;
    options.pointer_bytes = 0;
    if (fx->import->options->summary_only) options.facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    HSD_TRY(hsd_import_begin(fx->import, &options, err));
    return hsd_firefox_put(fx, "JSObject", &fx->js_object, err);
}

static hsd_status read_metadata(firefox *fx, uint64_t size, hsd_error *err)
{
    hsd_proto_message message = {.source = fx->source, .end = hsd_source_offset(fx->source) + size};
    hsd_proto_field field;
    hsd_status status;
    uint64_t taken_us = 0;
    while ((status = hsd_proto_next(&message, &field, err)) == HSD_OK)
        if (field.number == 1) taken_us = field.value;
    return status == HSD_END ? begin_firefox(fx, taken_us, err) : status;
}

/* The length of the next message. HSD_END behind the last. */
static hsd_status next_length(firefox *fx, uint64_t *size, hsd_error *err)
{
    HSD_TRY(hsd_proto_varint(fx->source, size, err));
    uint64_t end;
    if (hsd_add_u64(hsd_source_offset(fx->source), *size, &end) && end < UINT64_MAX) return HSD_OK;
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(fx->source),
                       "not a valid Firefox snapshot: a node without an end");
}

/* HSD_END at the end that a snapshot should have: behind a node. */
static hsd_status read_messages(firefox *fx, hsd_error *err)
{
    uint64_t size;
    const hsd_status first = next_length(fx, &size, err);
    if (first != HSD_OK) return first;
    HSD_TRY(read_metadata(fx, size, err));
    for (uint64_t nodes = 0;; nodes++) {
        HSD_TRY(next_length(fx, &size, err));
        HSD_TRY(hsd_firefox_read_node(fx, size, err));
        if (nodes % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(fx->import->reporter, "importing",
                                 hsd_source_offset(fx->import->file == NULL ? fx->source : fx->import->file),
                                 fx->import->file == NULL ? fx->source->total_bytes : fx->import->file->total_bytes,
                                 err));
    }
}

static hsd_status read_all_of_firefox(firefox *fx, hsd_error *err)
{
    hsd_error cut;
    hsd_error_init(&cut);
    hsd_status status = read_messages(fx, &cut);
    if (status == HSD_END && fx->nodes == 0)
        status =
            hsd_fail_at(&cut, HSD_E_TRUNCATED, hsd_source_offset(fx->source), "there are no nodes in this snapshot");
    if (status == HSD_END) return HSD_OK;
    fx->is_cut = status == HSD_E_TRUNCATED && fx->import->options->salvage && fx->nodes > 0;
    if (fx->is_cut) return HSD_OK;
    return hsd_import_give_up(status, &cut, fx->nodes > 0, err);
}

static hsd_status finish_firefox(firefox *fx, hsd_error *err)
{
    hsd_import *import = fx->import;
    if (import->options->summary_only)
        HSD_TRY(hsd_firefox_write_totals(fx, err));
    else
        HSD_TRY(hsd_firefox_write_names(fx, err));
    HSD_TRY(hsd_import_mark_cut(import, fx->is_cut, "the snapshot was cut off", "", err));
    return hsd_import_end(import, err);
}

static hsd_status take_memory(firefox *fx, hsd_error *err)
{
    fx->edge_most = (size_t)hsd_max_u64(FIREFOX_BATCH, hsd_min_u64(fx->import->memory_bytes / 16 / sizeof *fx->edges,
                                                                   FIREFOX_EDGES_MOST));
    fx->edges = malloc(fx->edge_most * sizeof *fx->edges);
    fx->targets = malloc(FIREFOX_BATCH * sizeof *fx->targets);
    fx->indexes = malloc(FIREFOX_BATCH * sizeof *fx->indexes);
    fx->labels = malloc(FIREFOX_BATCH * sizeof *fx->labels);
    const bool has_all = fx->edges != NULL && fx->targets != NULL && fx->indexes != NULL && fx->labels != NULL;
    return has_all ? HSD_OK : hsd_fail_nomem(err, "the references of a node");
}

static hsd_status import_snapshot(firefox *fx, hsd_error *err)
{
    HSD_TRY(take_memory(fx, err));
    HSD_TRY(read_all_of_firefox(fx, err));
    return finish_firefox(fx, err);
}

static hsd_status run_firefox(hsd_import *import, hsd_error *err)
{
    firefox *fx = calloc(1, sizeof *fx);
    if (fx == NULL) return hsd_fail_nomem(err, "an import");
    fx->import = import;
    fx->source = import->source;
    const hsd_status status = import_snapshot(fx, err);
    hsd_names_release(&fx->names.texts);
    hsd_buffer_release(&fx->names.scratch);
    hsd_buffer_release(&fx->stack);
    hsd_id_table_release(&fx->sites);
    hsd_id_table_release(&fx->types);
    free(fx->names.uses);
    free(fx->names.labels);
    free(fx->names.wide);
    free(fx->names.narrow);
    free(fx->edges);
    free(fx->targets);
    free(fx->indexes);
    free(fx->labels);
    free(fx->totals);
    free(fx);
    return status;
}

const hsd_importer hsd_import_firefox = {
    .info = {.name = "firefox",
             .summary = "Firefox heap snapshot",
             .suffixes = ".fxsnapshot",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS,
                         .sometimes = HSD_CARRIES_SITES},
             .lacks = "classes that scripts declare (their instances are Object), texts of strings"},
    .probe = probe_firefox,
    .run = run_firefox,
};

/*
 * The importer of Ruby's heap dumps: the row of the registry, and what the capture says of itself.
 */
#include "import/ruby/ruby.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"

enum { PROGRESS_EVERY = 4096, LEAST_TARGETS = 4096, MOST_TARGETS = 1 << 20 };

static bool ruby_begins_with(const uint8_t *prefix, size_t size, const char *text)
{
    return size >= strlen(text) && memcmp(prefix, text, strlen(text)) == 0;
}

static unsigned probe_ruby(const uint8_t *prefix, size_t size)
{
    static const char root[] = "{\"type\":\"ROOT\"", object[] = "{\"address\":\"0x";
    if (ruby_begins_with(prefix, size, root)) return 8 * (sizeof root - 1);
    return ruby_begins_with(prefix, size, object) ? 8 * (sizeof object - 1) : 0;
}

static uint32_t facts_of(const ruby *rb)
{
    const hsd_import_options *options = rb->import->options;
    uint32_t facts = options->with_values && !options->summary_only ? HSC_FACT_VALUES : 0;
    if (options->summary_only) facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    if (!rb->has_roots) facts |= HSC_FACT_NO_ROOTS;
    return facts;
}

static hsd_status begin_ruby(ruby *rb, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "Ruby";
    options.source_format = "ObjectSpace.dump_all";
    options.identity = HSC_IDENTITY_ADDRESS;
    options.taken_unix_ns = UINT64_MAX;
    options.facts = facts_of(rb);
    if (rb->instance != 0) {
        const uint64_t first = hsd_mix(1, rb->instance), second = hsd_mix(first, 7);
        hsd_import_set_domain(options.domain, first, second);
    }
    HSD_TRY(hsd_import_begin(rb->import, &options, err));
    return hsd_ruby_begin_tables(rb, err);
}

/* Roots stand in front of all others, and are kept; the capture begins with the first line that is none. */
static hsd_status take_line(ruby *rb, hsd_error *err)
{
    const ruby_line *line = &rb->line;
    if (line->kind == RUBY_ROOT) {
        rb->has_roots = true;
        return HSD_OK;
    }
    if (!line->has_address || line->kind == RUBY_SHAPE || line->kind == RUBY_NONE) return HSD_OK;
    if (rb->import->writer == NULL) HSD_TRY(begin_ruby(rb, err)); /* it began as a root does */
    return hsd_ruby_write_object(rb, err);
}

/* Whether the line ahead is one of a root, which has no address in front of its type. */
static hsd_status sees_root(ruby *rb, bool *is_root, hsd_error *err)
{
    const hsd_status status = hsd_source_peek(rb->source, 16, err);
    const size_t ahead = hsd_source_ahead(rb->source);
    *is_root = ruby_begins_with(rb->source->at, ahead, "{\"type\":\"ROOT\"") ||
               ruby_begins_with(rb->source->at, ahead, "{\"type\": \"ROOT\"");
    return status < 0 ? status : HSD_OK;
}

static hsd_status read_lines(ruby *rb, hsd_error *err)
{
    for (uint64_t lines = 0;; lines++) {
        bool is_root = true;
        if (rb->import->writer == NULL) HSD_TRY(sees_root(rb, &is_root, err));
        if (!is_root && hsd_source_ahead(rb->source) > 0) HSD_TRY(begin_ruby(rb, err));
        HSD_TRY(hsd_ruby_read_line(rb, err));
        HSD_TRY(take_line(rb, err));
        if (lines % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(rb->import->reporter, "importing", hsd_source_offset(rb->source),
                                 rb->source->total_bytes, err));
    }
}

/* HSD_END is the end that a dump should have: behind a newline. */
static hsd_status read_all_of_ruby(ruby *rb, hsd_error *err)
{
    hsd_error cut;
    hsd_error_init(&cut);
    hsd_status status = read_lines(rb, &cut);
    if (status == HSD_END && rb->objects == 0)
        status =
            hsd_fail_at(&cut, HSD_E_TRUNCATED, hsd_source_offset(rb->source), "there are no objects in this heap dump");
    if (status == HSD_END) return HSD_OK;
    if (status == HSD_E_TRUNCATED && rb->import->options->salvage && rb->objects > 0) {
        rb->is_cut = true;
        rb->line.is_cut = true;
        /* its references are in the capture already */
        return rb->line.is_spilled ? hsd_ruby_write_object(rb, err) : HSD_OK;
    }
    return hsd_import_give_up(status, &cut, rb->objects > 0, err);
}

static hsd_status tell_losses(ruby *rb, hsd_error *err)
{
    hsd_import *import = rb->import;
    HSD_TRY(hsd_import_tell_unreadable(import, rb->unreadable, err));
    if (!rb->has_roots)
        hsd_note(import->reporter, HSD_NOTE_WARNING,
                 "%s has no roots: it holds only what was allocated since some moment (dump_all with since:), and all "
                 "of that counts as live",
                 import->source->name);
    return HSD_OK;
}

static hsd_status finish_ruby(ruby *rb, hsd_error *err)
{
    hsd_import *import = rb->import;
    HSD_TRY(hsd_ruby_write_roots(rb, err));
    HSD_TRY(hsd_ruby_name_types(rb, err));
    HSD_TRY(tell_losses(rb, err));
    if (rb->tracer_bytes > 0)
        HSD_WRITE(import, hsc_metric(import->writer, "tracer.used", "bytes", rb->tracer_bytes), err);
    HSD_TRY(hsd_import_mark_cut(import, rb->is_cut, "the heap dump was cut off", "", err));
    return hsd_import_end(import, err);
}

static hsd_status import_dump(ruby *rb, hsd_error *err)
{
    HSD_TRY(read_all_of_ruby(rb, err));
    return finish_ruby(rb, err);
}

static hsd_status run_ruby(hsd_import *import, hsd_error *err)
{
    ruby *rb = calloc(1, sizeof *rb);
    if (rb == NULL) return hsd_fail_nomem(err, "an import");
    rb->import = import;
    rb->source = import->source;
    rb->target_most = (size_t)hsd_max_u64(LEAST_TARGETS, hsd_min_u64(import->memory_bytes / 64, MOST_TARGETS));
    const hsd_status status = import_dump(rb, err);
    hsd_names_release(&rb->strings.names);
    hsd_names_release(&rb->sites);
    hsd_names_release(&rb->classes);
    hsd_names_release(&rb->types);
    free(rb->class_rows);
    free(rb->targets);
    free(rb->roots);
    free(rb);
    return status;
}

const hsd_importer hsd_import_ruby = {
    .info = {.name = "ruby",
             .summary = "Ruby heap dump",
             .suffixes = ".json .heap .json.gz .heap.gz",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES | HSD_CARRIES_ROOTS |
                                   HSD_CARRIES_IDENTITY,
                         .sometimes = HSD_CARRIES_SITES | HSD_CARRIES_VALUES},
             .lacks = "the names of references"},
    .probe = probe_ruby,
    .run = run_ruby,
};

/*
 * The HPROF importer: dumps of HotSpot (JDK 5 and later), of the hprof agent (up to JDK 8) and of
 * Android. The stages stand in files of their own, hprof.h says in which order; this one drives them.
 *
 * Identity: HotSpot and Android write addresses of objects that move, so ids mean nothing in another
 * dump. The hprof agent writes tags that an object has for life; several dumps in one file are of one
 * process and can be compared object by object, so they get one identity domain, drawn from the
 * beginning of the file.
 */
#include "base/fail.h"
#include "import/hprof/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/names.h"

#define DOMAIN_BYTES ((size_t)65536) /* of the file that the identity domain is drawn from */

static unsigned probe_hprof_import(const uint8_t *prefix, size_t size)
{
    static const char magic[] = "JAVA PROFILE 1.0";
    const size_t magic_size = sizeof magic - 1;
    if (size < magic_size || memcmp(prefix, magic, magic_size) != 0) return 0;
    return (unsigned)magic_size * 8;
}

hsd_status hsd_hprof_check_memory(const hprof *self, uint64_t more, hsd_error *err)
{
    const uint64_t taken = hsd_hprof_classes_memory(&self->classes) + hsd_hprof_names_memory(&self->names) +
                           hsd_hprof_stacks_memory(&self->stacks) + self->chunks.capacity * sizeof *self->chunks.items +
                           (self->layouts == NULL ? 0 : self->classes.table.count * sizeof *self->layouts) + more;
    return hsd_import_expect_room(taken, self->import->memory_bytes, "the classes and names of this dump",
                                  taken + taken / 2 + HSD_IMPORT_MORE / 2, err);
}

/* ---- what the capture says of itself ---- */

static const char *runtime_prefix(hprof_flavour flavour)
{
    switch (flavour) {
    case HPROF_HOTSPOT: return "HotSpot";
    case HPROF_AGENT: return "JVM (hprof agent)";
    case HPROF_ANDROID: return "Android Runtime";
    }
    return "JVM";
}

static uint64_t time_ns(const hprof *self)
{
    uint64_t ns = 0;
    const bool is_sane = self->reader.time_ms != 0 && hsd_mul_u64(self->reader.time_ms, 1000000, &ns) && ns < INT64_MAX;
    return is_sane ? ns : UINT64_MAX;
}

static hsd_status draw_domain(hprof *self, uint8_t domain[16], hsd_error *err)
{
    hsd_source *source = self->reader.source;
    const size_t want = (size_t)hsd_min_u64(DOMAIN_BYTES, source->window_bytes);
    HSD_TRY(hsd_source_seek(source, 0, err));
    const hsd_status status = hsd_source_peek(source, want, err);
    if (status < 0) return status;
    const size_t size = (size_t)hsd_min_u64(want, hsd_source_ahead(source));
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t hash = hsd_hash_bytes(source->at, size, i);
        memcpy(domain + i * 8, &hash, sizeof hash);
    }
    return HSD_OK;
}

hsd_status hsd_hprof_describe(hprof *self, hsc_options *options, hsd_error *err)
{
    static const char *const formats[] = {"hprof", "hprof 1.0.1", "hprof 1.0.2", "hprof 1.0.3"};
    char version[sizeof self->runtime];
    memcpy(version, self->runtime, sizeof version);
    snprintf(self->runtime, sizeof self->runtime, "%s%s%.100s", runtime_prefix(self->flavour),
             version[0] == '\0' ? "" : " ", version);
    options->runtime = self->runtime;
    options->source_format = formats[self->reader.version];
    options->identity = self->flavour == HPROF_AGENT ? HSC_IDENTITY_EXACT : HSC_IDENTITY_MOVING;
    options->taken_unix_ns = time_ns(self);
    if (self->flavour == HPROF_AGENT) { /* its header says when the process began to be watched */
        options->started_unix_ns = time_ns(self) == UINT64_MAX ? 0 : time_ns(self);
        options->taken_unix_ns = UINT64_MAX;
        HSD_TRY(draw_domain(self, options->domain, err));
    }
    if (self->flavour == HPROF_HOTSPOT) options->pointer_bytes = self->reader.id_bytes;
    HSD_TRY(hsd_hprof_keeps_values(self, &self->keeps_values, err));
    if (self->keeps_values) options->facts |= HSC_FACT_VALUES;
    return HSD_OK;
}

/* ---- the end ---- */

hsd_status hsd_hprof_finish(const hprof *self, hsd_error *err)
{
    hsd_import *import = self->import;
    import->result->is_complete = self->is_complete;
    if (!self->is_complete) {
        const bool is_cut = self->reader.lost_bytes == 0;
        HSD_WRITE(import,
                  hsc_mark_incomplete(import->writer,
                                      is_cut ? "the heap dump was cut off" : "parts of the heap dump were damaged"),
                  err);
        hsd_note(import->reporter, HSD_NOTE_DAMAGE,
                 is_cut ? "%s was cut off: what is there was imported"
                        : "%s is damaged: what could be read was imported",
                 import->source->name);
    }
    return hsd_import_end(import, err);
}

static void explain(const hprof *self)
{
    const hprof_model *model = &self->model;
    hsd_note(self->import->reporter, HSD_NOTE_DETAIL,
             "%s: %u-byte ids, dump %u of %u, %" PRIu32 " classes, %" PRIu32 " names of %" PRIu32
             " stretches, headers of %u and %u bytes, references of %u, aligned to %u, %s",
             self->runtime, self->reader.id_bytes, self->dump, self->reader.dumps, self->classes.table.count,
             self->names.table.count, self->names.stretch_count, model->header, model->array_header, model->reference,
             model->alignment,
             model->is_given     ? "sizes given"
             : model->fills_gaps ? "gaps filled"
                                 : "gaps left");
}

static hsd_status import_dump(hprof *self, hsd_error *err)
{
    hsd_import *import = self->import;
    HSD_TRY(hsd_hprof_open(&self->reader, import->source, import->options->salvage, err));
    HSD_TRY(hsd_hprof_scan(self, err));
    hsd_import_note_input(import);
    HSD_TRY(hsd_hprof_read_names(&self->names, &self->reader, err));
    HSD_TRY(hsd_hprof_check_memory(self, 0, err));
    hsd_hprof_sort_loaders(&self->classes, &self->names);
    HSD_TRY(hsd_hprof_choose_model(self, err));
    if (!import->options->summary_only) HSD_TRY(hsd_hprof_look_up(self, err));
    explain(self);
    return import->options->summary_only ? hsd_hprof_summarise(self, err) : hsd_hprof_write(self, err);
}

static hsd_status run_hprof_import(hsd_import *import, hsd_error *err)
{
    hprof self = {.import = import};
    const hsd_status status = import_dump(&self, err);
    hsd_hprof_classes_release(&self.classes);
    hsd_hprof_names_release(&self.names);
    hsd_hprof_stacks_release(&self.stacks);
    free(self.chunks.items);
    free(self.layouts);
    return status;
}

const hsd_importer hsd_import_hprof = {
    .info = {.name = "hprof",
             .summary = "JVM binary heap dump: HotSpot, hprof agent, Android",
             .suffixes = ".hprof .hprof.gz",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS | HSD_CARRIES_VALUES,
                         .sometimes = HSD_CARRIES_SITES | HSD_CARRIES_IDENTITY},
             .lacks = "shallow sizes, which are computed"},
    .needs_rewind = true,
    .reads_ahead = true,
    .probe = probe_hprof_import,
    .run = run_hprof_import,
};

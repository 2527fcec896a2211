/*
 * The importer of .gcdump: the row of the registry, the way through the file, and what the capture says of itself.
 */
#include "import/gcdump/gcdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

#define SIGNATURE       "\x14\0\0\0!FastSerialization.1"
#define SIGNATURE_BYTES ((size_t)24)
#define NAME_OFFSET     (SIGNATURE_BYTES + 11) /* of the length of the name of what the file holds */
#define TOOL_STOPS_AT   UINT64_C(10000000)     /* nodes, in dotnet-gcdump */

static const char *const entries[] = {"GCHeapDump", "Graphs.MemoryGraph"};

/* ---- the row ---- */

static unsigned probe_gcdump(const uint8_t *prefix, size_t size)
{
    if (size < NAME_OFFSET + 4 || memcmp(prefix, SIGNATURE, SIGNATURE_BYTES) != 0) return 0;
    for (size_t i = 0; i < HSD_ARRAY_LEN(entries); i++) {
        const size_t length = strlen(entries[i]);
        const uint8_t *name = prefix + NAME_OFFSET;
        if (size >= NAME_OFFSET + 4 + length && name[0] == length && memcmp(name + 1, "\0\0\0", 3) == 0 &&
            memcmp(name + 4, entries[i], length) == 0)
            return (unsigned)(SIGNATURE_BYTES + 4 + length) * 8;
    }
    return 0;
}

/* ---- the source ---- */

/* What comes out of a gzip file goes back to its begin alone: into a file with it. */
static hsd_status make_seekable(gcdump *self, hsd_error *err)
{
    hsd_source *source = self->import->source;
    hsd_status status;
    self->in.source = source;
    if (source->is_borrowed || (source->ops != NULL && source->ops->seek != NULL)) return HSD_OK;
    HSD_TRY(hsd_temp_open(&self->copied, self->import->space, err));
    while ((status = hsd_source_peek(source, 1, err)) == HSD_OK) {
        const size_t ahead = hsd_source_ahead(source);
        HSD_TRY(hsd_temp_write(&self->copied, self->copied.size_bytes, source->at, ahead, err));
        hsd_source_take(source, ahead);
    }
    if (status < 0 && !(status == HSD_E_TRUNCATED && self->import->options->salvage)) return status;
    hsd_import_note_input(self->import);
    HSD_TRY(hsd_source_open_temp(&self->copy, &self->copied, source->name, source->window_bytes, err));
    self->in.source = &self->copy;
    return HSD_OK;
}

/* Graphs alone are written with wide labels or narrow ones; the last label tells, which points at the one in front of
 * it. */
static hsd_status find_label_width(gcdump_serial *in, hsd_error *err)
{
    const uint64_t here = hsd_source_offset(in->source);
    uint64_t label = 0;
    const hsd_status status = hsd_source_skip(in->source, UINT64_MAX / 4, err);
    if (status < 0 && status != HSD_E_TRUNCATED) return status;
    const uint64_t end = hsd_source_offset(in->source);
    if (end >= 16) {
        HSD_TRY(hsd_source_seek(in->source, end - 8, err));
        HSD_TRY(hsd_gcdump_number(in, 8, &label, err));
    }
    in->label_bytes = end >= 16 && label == end - 16 ? 8 : 4;
    return hsd_source_seek(in->source, here, err);
}

/* ---- the file ---- */

static hsd_status read_signature(gcdump *self, hsd_error *err)
{
    uint8_t signature[SIGNATURE_BYTES];
    HSD_TRY(hsd_source_copy(self->in.source, signature, sizeof signature, err));
    return memcmp(signature, SIGNATURE, SIGNATURE_BYTES) == 0
               ? HSD_OK
               : hsd_gcdump_fail(&self->in, "it does not begin as one does", err);
}

static hsd_status check_version(const gcdump_kind *kind, hsd_error *err)
{
    if (kind->least_reader > GCDUMP_NEWEST)
        return hsd_fail(err, HSD_E_TOO_NEW,
                        "this gcdump wants a reader of version %" PRIu32 ", and this is one of version %d",
                        kind->least_reader, GCDUMP_NEWEST);
    if (kind->version >= 4 && kind->version != 8) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "a gcdump of version %" PRIu32 ": hsdiff reads 4 to 7, 9 and 10, as PerfView does",
             kind->version);
    hsd_error_set_hint(err, "take the dump again: dotnet-gcdump collect -p PID");
    return HSD_E_UNSUPPORTED;
}

static hsd_status read_graph(gcdump *self, const gcdump_kind *kind, bool *is_usable, hsd_error *err)
{
    if (kind == NULL || strcmp(kind->name, entries[1]) != 0)
        return hsd_gcdump_fail(&self->in, "it holds no graph", err);
    return hsd_gcdump_graph_read(&self->graph, &self->in, &self->types, kind, is_usable, err);
}

static hsd_status read_file(gcdump *self, bool *is_usable, hsd_error *err)
{
    const gcdump_kind *entry, *graph;
    *is_usable = false;
    self->in.label_bytes = 4;
    HSD_TRY(read_signature(self, err));
    HSD_TRY(hsd_gcdump_open(&self->in, &entry, err));
    if (entry == NULL) return hsd_gcdump_fail(&self->in, "it holds nothing", err);
    if (strcmp(entry->name, entries[0]) != 0) {
        HSD_TRY(find_label_width(&self->in, err));
        return read_graph(self, entry, is_usable, err);
    }
    HSD_TRY(check_version(entry, err));
    HSD_TRY(hsd_gcdump_open(&self->in, &graph, err));
    HSD_TRY(read_graph(self, graph, is_usable, err));
    return hsd_gcdump_facts_read(&self->facts, &self->in, entry->version, self->import->memory_bytes / 16, err);
}

/* A file that ends too early, or holds less than it says it does behind its graph, can be used from the table of nodes
 * on. */
static hsd_status read_tables(gcdump *self, hsd_error *err)
{
    bool is_usable;
    hsd_error cut;
    hsd_error_init(&cut);
    const hsd_status status = read_file(self, &is_usable, &cut);
    if (status == HSD_OK) return HSD_OK;
    is_usable = is_usable && (self->types.count > 0 || self->graph.node_count == 0); /* each node has a type */
    self->is_cut = status == HSD_E_TRUNCATED && is_usable && self->import->options->salvage;
    if (self->is_cut) return HSD_OK;
    return hsd_import_give_up(status, &cut, is_usable, err);
}

/* ---- memory ---- */

static hsd_status take_memory(gcdump *self, hsd_error *err)
{
    const uint64_t bits = self->graph.node_count / 8 + 1, most = self->import->memory_bytes;
    if (bits > most / 8) {
        hsd_fail(err, HSD_E_OVER_BUDGET,
                 "a gcdump of %" PRIu64 " nodes needs a bit for each of them, and there are %" PRIu64 " bytes for that",
                 self->graph.node_count, most / 8);
        hsd_error_set_hint(err, "give it more: --memory %" PRIu64, bits * 10);
        return HSD_E_OVER_BUDGET;
    }
    const size_t chunk = (size_t)hsd_min_u64(GCDUMP_CHUNK_NODES, self->graph.node_count) + 1;
    self->no_objects = calloc((size_t)bits, 1);
    self->offsets = calloc(chunk, sizeof *self->offsets);
    self->addresses = calloc(chunk, sizeof *self->addresses);
    if (self->import->options->summary_only)
        self->types.totals = calloc(self->types.names.count + (size_t)1, sizeof *self->types.totals);
    const bool has_all = self->no_objects != NULL && self->offsets != NULL && self->addresses != NULL;
    if (!has_all || (self->import->options->summary_only && self->types.totals == NULL))
        return hsd_fail_nomem(err, "the nodes of a gcdump");
    return hsd_gcdump_records_open(&self->records, &self->in, &self->graph, self->import->space, most / 2, err);
}

/* ---- the capture ---- */

static hsd_status begin_gcdump(gcdump *self, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = self->has_scripts && !self->has_net ? "JavaScript" : ".NET";
    options.identity = HSC_IDENTITY_MOVING;
    options.taken_unix_ns = self->facts.taken_unix_ns != 0 ? self->facts.taken_unix_ns : UINT64_MAX;
    options.process_name = self->facts.process[0] != '\0' ? self->facts.process : NULL;
    options.pid = self->facts.pid;
    options.pointer_bytes = self->graph.pointer_bytes != 0 ? self->graph.pointer_bytes : self->facts.pointer_bytes;
    options.targets_are_ordinals = true;
    if (strcmp(self->facts.tool, "dotnet-gcdump") == 0) options.facts |= HSC_FACT_COLLECTED;
    if (hsd_gcdump_is_sampled(&self->facts)) options.facts |= HSC_FACT_SAMPLED;
    if (self->import->options->summary_only) options.facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    return hsd_import_begin(self->import, &options, err);
}

static hsd_status tell_losses(gcdump *self, hsd_error *err)
{
    hsd_import *import = self->import;
    if (self->dropped > 0)
        HSD_WRITE(import, hsc_loss(import->writer, "objects that are referred to and not told", self->dropped), err);
    if (hsd_gcdump_is_sampled(&self->facts) && !import->options->summary_only)
        hsd_note(import->reporter, HSD_NOTE_WARNING,
                 "%s holds samples: one object in the capture stands for several of the heap (a summary has the "
                 "estimated numbers)",
                 import->source->name);
    if (self->is_cut) return hsd_import_mark_incomplete(import, "the dump was cut off", err);
    if (self->graph.node_count >= TOOL_STOPS_AT && strcmp(self->facts.tool, "dotnet-gcdump") == 0)
        return hsd_import_mark_incomplete(import, "dotnet-gcdump stops at 10,000,000 objects", err);
    return HSD_OK;
}

static hsd_status tell_metrics(gcdump *self, hsd_error *err)
{
    hsd_import *import = self->import;
    if (self->facts.segment_bytes > 0)
        HSD_WRITE(import, hsc_metric(import->writer, "heap.committed", "bytes", self->facts.segment_bytes), err);
    if (self->facts.resident_bytes > 0)
        HSD_WRITE(import, hsc_metric(import->writer, "process.rss", "bytes", self->facts.resident_bytes), err);
    return HSD_OK;
}

static hsd_status import_file(gcdump *self, hsd_error *err)
{
    self->types.memory_bytes = self->import->memory_bytes / 4;
    self->facts.count_multiplier = self->facts.size_multiplier = 1;
    HSD_TRY(make_seekable(self, err));
    HSD_TRY(read_tables(self, err));
    HSD_TRY(take_memory(self, err));
    HSD_TRY(hsd_gcdump_census(self, err));
    HSD_TRY(begin_gcdump(self, err));
    if (!self->import->options->summary_only) HSD_TRY(hsd_gcdump_write_nodes(self, err));
    HSD_TRY(hsd_gcdump_types_write(&self->types, self->import, hsd_gcdump_is_sampled(&self->facts), err));
    HSD_TRY(tell_metrics(self, err));
    HSD_TRY(tell_losses(self, err));
    return hsd_import_end(self->import, err);
}

static hsd_status run_gcdump(hsd_import *import, hsd_error *err)
{
    gcdump *self = calloc(1, sizeof *self);
    if (self == NULL) return hsd_fail_nomem(err, "an import");
    self->import = import;
    self->copied.fd = self->records.temp.fd = -1;
    const hsd_status status = import_file(self, err);
    hsd_gcdump_types_release(&self->types);
    hsd_gcdump_facts_release(&self->facts);
    hsd_gcdump_records_release(&self->records);
    hsd_source_close(&self->copy);
    hsd_temp_close(&self->copied);
    free(self->no_objects);
    free(self->offsets);
    free(self->addresses);
    free(self);
    return status;
}

const hsd_importer hsd_import_gcdump = {
    .info = {.name = "gcdump",
             .summary = ".NET heap graph (dotnet-gcdump, PerfView, Visual Studio)",
             .suffixes = ".gcdump",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES | HSD_CARRIES_ROOTS},
             .lacks = "names of fields, lengths of arrays, allocation sites"},
    .needs_rewind = true,
    .probe = probe_gcdump,
    .run = run_gcdump,
};

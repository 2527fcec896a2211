/*
 * The importer of heap graphs in traces of Perfetto: the row of the registry, the passes in their order, and what the
 * capture says of itself. Ids are addresses of a collector that moves objects: they say nothing in another dump.
 */
#include "import/perfetto/perfetto.h"

#include <stdlib.h>

#include "base/fail.h"

static hsd_status begin_perfetto(perfetto *self, hsd_error *err)
{
    const perfetto_dump *dump = &self->dumps[self->dump - 1];
    const uint64_t taken = hsd_perfetto_unix_ns(self, dump->time_ns);
    const char *name = hsd_perfetto_process(self, dump->pid);
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "Android Runtime";
    options.identity = HSC_IDENTITY_MOVING;
    options.process_name = name[0] != '\0' ? name : NULL;
    options.pid = dump->pid;
    options.taken_unix_ns = taken != 0 ? taken : UINT64_MAX;
    if (self->import->options->summary_only) options.facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    return hsd_import_begin(self->import, &options, err);
}

static hsd_status tell_losses(perfetto *self, hsd_error *err)
{
    hsd_import *import = self->import;
    const perfetto_dump *dump = &self->dumps[self->dump - 1];
    if (self->malformed > 0)
        HSD_WRITE(import,
                  hsc_loss(import->writer, "objects with other numbers of references than of fields", self->malformed),
                  err);
    if (dump->has_lost)
        return hsd_import_mark_incomplete(import,
                                          "packets of the heap graph were lost, since the buffer of the trace was full",
                                          err);
    if (dump->is_open) return hsd_import_mark_incomplete(import, "the trace ends before the heap graph does", err);
    return HSD_OK;
}

static hsd_status import_trace(perfetto *self, hsd_error *err)
{
    HSD_TRY(hsd_perfetto_read_packets(self, err));
    HSD_TRY(hsd_perfetto_find_dumps(self, err));
    HSD_TRY(hsd_perfetto_choose_dump(self, err));
    HSD_TRY(begin_perfetto(self, err));
    self->import->result->is_complete = true;
    HSD_TRY(hsd_perfetto_read_tables(self, err));
    HSD_TRY(hsd_perfetto_read_objects(self, err));
    HSD_TRY(tell_losses(self, err));
    return hsd_import_end(self->import, err);
}

static void release_perfetto(perfetto *self)
{
    hsd_source_close(&self->graphs);
    hsd_temp_close(&self->temp);
    hsd_id_table_release(&self->process_rows);
    hsd_id_table_release(&self->type_rows);
    hsd_id_table_release(&self->field_rows);
    hsd_names_release(&self->texts);
    free(self->packets);
    free(self->dumps);
    free(self->process_names);
    free(self->types);
    free(self->fields);
    free(self->type_fields);
    free(self->field_ids.items);
    free(self->targets.items);
    free(self);
}

static hsd_status run_perfetto(hsd_import *import, hsd_error *err)
{
    perfetto *self = calloc(1, sizeof *self);
    if (self == NULL) return hsd_fail_nomem(err, "an import");
    self->import = import;
    self->temp.fd = -1;
    const hsd_status status = import_trace(self, err);
    release_perfetto(self);
    return status;
}

const hsd_importer hsd_import_perfetto = {
    .info = {.name = "perfetto",
             .summary = "heap graph of Android in a trace of Perfetto (android.java_hprof)",
             .suffixes = ".pftrace .perfetto-trace .pftrace.gz",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES | HSD_CARRIES_ROOTS,
                         .sometimes = HSD_CARRIES_EDGE_NAMES},
             .lacks = "values, names of roots"},
    .probe = hsd_perfetto_probe,
    .run = run_perfetto,
};

/*
 * The importer of portable heap dumps: the row of the registry, and what the capture says of itself. See phd.h.
 */
#include "import/phd/phd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

static unsigned probe_phd(const uint8_t *prefix, size_t size)
{
    static const char magic[] = "\0\022portable heap dump";
    return size >= PHD_MAGIC_BYTES && memcmp(prefix, magic, PHD_MAGIC_BYTES) == 0 ? 8 * PHD_MAGIC_BYTES : 0;
}

/* "OpenJ9, JRE 17 Linux amd64-64-Bit": what stands in parentheses behind it are settings. */
static void name_runtime(const phd *p, char *out, size_t room)
{
    const char *vm = p->is_j9 ? "OpenJ9" : "JVM of IBM", *settings = strstr(p->vm, " (");
    const size_t size = settings == NULL ? strlen(p->vm) : (size_t)(settings - p->vm);
    snprintf(out, room, "%s%s%.*s", vm, size == 0 ? "" : ", ", (int)size, p->vm);
}

static hsd_status begin_phd(phd *p, hsd_error *err)
{
    char runtime[PHD_VERSION_BYTES + 16];
    hsc_options options;
    hsc_options_init(&options);
    name_runtime(p, runtime, sizeof runtime);
    options.runtime = runtime;
    options.source_format = "portable heap dump";
    options.identity = HSC_IDENTITY_MOVING;
    options.taken_unix_ns = UINT64_MAX;
    options.pointer_bytes = p->is_64 ? 8 : 4;
    if (p->version < 6) options.facts |= HSC_FACT_ESTIMATED;
    if (p->import->options->summary_only) options.facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    return hsd_import_begin(p->import, &options, err);
}

static hsd_status import_phd(phd *p, hsd_error *err)
{
    HSD_TRY(hsd_phd_learn(p, err));
    if (p->records == 0)
        return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(p->source), "there are no objects in this heap dump");
    HSD_TRY(begin_phd(p, err));
    HSD_TRY(hsd_phd_write(p, err));
    hsd_import_heap_end(p->import);
    if (p->unknown_class > 0)
        HSD_WRITE(p->import,
                  hsc_loss(p->import->writer, "instances of classes that the dump does not describe", p->unknown_class),
                  err);
    HSD_TRY(hsd_import_mark_cut(p->import, p->is_cut, "the heap dump was cut off",
                                p->classes.count == 0 ? ", and its classes stood at its end" : "", err));
    return hsd_import_end(p->import, err);
}

static hsd_status run_phd(hsd_import *import, hsd_error *err)
{
    phd *p = calloc(1, sizeof *p);
    uint8_t *name = malloc(PHD_NAME_BYTES);
    hsd_status status = HSD_E_NOMEM;
    if (p == NULL || name == NULL) {
        hsd_fail_nomem(err, "an import");
    } else {
        p->import = import;
        p->source = import->source;
        p->name = name;
        status = import_phd(p, err);
        hsd_phd_release_marks(&p->marks);
        hsd_phd_release_instances(&p->instances);
        hsd_id_table_release(&p->classes);
        hsd_id_table_release(&p->rooted);
        hsd_names_release(&p->names);
        hsd_names_release(&p->types);
        hsd_names_release(&p->texts.names);
        free(p->class_rows);
    }
    free(name);
    free(p);
    return status;
}

const hsd_importer hsd_import_phd = {
    .info = {.name = "phd",
             .summary = "portable heap dump of OpenJ9 and of IBM's JVMs",
             .suffixes = ".phd .phd.gz",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES,
                         .sometimes = HSD_CARRIES_ROOTS},
             .lacks = "roots, which are guessed, the names of fields, and which references are weak"},
    .needs_rewind = true,
    .probe = probe_phd,
    .run = run_phd,
};

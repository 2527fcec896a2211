/*
 * The importer of heap dumps of PyHeap: the row of the registry, and the parts of a dump one behind the other.
 */
#include "import/pyheap/pyheap.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

static const uint8_t magic[12] = {0, 0, 0, 0, 0x07, 0x54, 0xd6, 0x01, 0, 0, 0}; /* 123000321, and the version */
enum { MAGIC_BYTES = 11, MAGIC_BITS = 88, MOST_DATE = 64 };

static unsigned probe_pyheap(const uint8_t *prefix, size_t size)
{
    if (size < 14 || memcmp(prefix, magic, MAGIC_BYTES) != 0) return 0;
    return prefix[12] == 0 && prefix[13] < MOST_DATE ? MAGIC_BITS : 0;
}

static hsd_status begin_pyheap(pyheap *p, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "CPython";
    options.source_format = "PyHeap";
    options.identity = HSC_IDENTITY_ADDRESS;
    options.taken_unix_ns = UINT64_MAX;
    /* modules are known by their reprs alone */
    if (!p->has_texts) options.facts = HSC_FACT_NO_ROOTS;
    return hsd_import_begin(p->import, &options, err);
}

static hsd_status read_parts(pyheap *p, hsd_error *err)
{
    uint64_t end;
    HSD_TRY(hsd_pyheap_threads(p, err));
    HSD_TRY(hsd_pyheap_frequent(p, err));
    HSD_TRY(hsd_pyheap_objects(p, err));
    HSD_TRY(hsd_pyheap_types(p, err));
    HSD_TRY(hsd_pyheap_number(p, 8, &end, err));
    if (end == 123000321) return HSD_OK;
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(p->source), "the heap dump does not end as one does");
}

static hsd_status finish_pyheap(pyheap *p, hsd_error *err)
{
    hsd_import_heap_end(p->import);
    HSD_TRY(hsd_pyheap_name_rest(p, err));
    p->import->result->is_complete = !p->is_cut;
    if (p->is_cut) {
        HSD_WRITE(p->import, hsc_mark_incomplete(p->import->writer, "the heap dump was cut off"), err);
        hsd_note(p->import->reporter, HSD_NOTE_DAMAGE, "%s was cut off: what is there was imported",
                 p->import->source->name);
    }
    return hsd_import_end(p->import, err);
}

static hsd_status import_dump(pyheap *p, hsd_error *err)
{
    HSD_TRY(hsd_pyheap_header(p, err));
    HSD_TRY(begin_pyheap(p, err));
    const hsd_status status = read_parts(p, err);
    p->is_cut = status == HSD_E_TRUNCATED && p->import->options->salvage;
    if (status == HSD_E_TRUNCATED && !p->is_cut) hsd_import_hint_partial(err);
    if (status != HSD_OK && !p->is_cut) return status;
    return finish_pyheap(p, err);
}

static hsd_status run_pyheap(hsd_import *import, hsd_error *err)
{
    pyheap *p = calloc(1, sizeof *p);
    if (p == NULL) return hsd_fail_nomem(err, "an import");
    p->import = import;
    p->source = import->source;
    const hsd_status status = import_dump(p, err);
    hsd_names_release(&p->names);
    hsd_names_release(&p->strings);
    hsd_id_table_release(&p->fields);
    hsd_id_table_release(&p->common);
    hsd_id_table_release(&p->types);
    free(p->frequent);
    free(p->is_named);
    free(p->referents);
    free(p->attributes);
    free(p);
    return status;
}

const hsd_importer hsd_import_pyheap = {
    .info = {.name = "pyheap",
             .summary = "heap dump of PyHeap (CPython)",
             .suffixes = ".pyheap",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES | HSD_CARRIES_IDENTITY,
                         .sometimes = HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS},
             .lacks = "what C holds, keys of dicts, modules of types; roots where it was made without texts"},
    .probe = probe_pyheap,
    .run = run_pyheap,
};

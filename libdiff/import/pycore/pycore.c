/*
 * The importer of ELF cores of CPython: the row of the registry, and what the capture says of itself.
 */
#include "import/pycore/pycore.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"

enum { ELF_TYPE_AT = 16, ELF_CORE = 4, CLASS_AT = 4, ORDER_AT = 5, ELF_HEADER = 64, BITS = 63 };
/* Of code that is interpreted: for each word of the core, of all calls and of one; and the least. */
enum { STEPS_FIRST = 1 << 22, STEPS_A_WORD = 64, STEPS_OF_CALL = 1 << 16, STEPS_A_WORD_OF_CALL = 16 };

/* One less than gocore: which it is stands in the notes, behind everything else, and hsd_pycore_is_python looks there.
 */
static unsigned probe_pycore(const uint8_t *prefix, size_t size)
{
    static const uint8_t magic[4] = {0x7f, 'E', 'L', 'F'};
    if (size < ELF_HEADER || memcmp(prefix, magic, sizeof magic) != 0 || prefix[CLASS_AT] != 2 || prefix[ORDER_AT] != 1)
        return 0;
    return prefix[ELF_TYPE_AT] == ELF_CORE && prefix[ELF_TYPE_AT + 1] == 0 ? BITS : 0;
}

/* The process is told by the sixteen random bytes that the kernel gives each program. */
static void draw_domain(pycore *c, uint8_t domain[16])
{
    uint64_t words[2];
    if (c->memory.random_address == 0 || !hsd_pymemory_read(&c->memory, c->memory.random_address, words, sizeof words))
        return;
    const uint64_t first = hsd_mix(hsd_mix(1, words[0]), c->memory.pid),
                   second = hsd_mix(hsd_mix(2, words[1]), c->memory.random_address);
    memcpy(domain, &first, sizeof first);
    memcpy(domain + 8, &second, sizeof second);
}

static hsd_status begin_pycore(pycore *c, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = c->version;
    options.source_format = "ELF core";
    options.process_name = c->memory.process_name[0] != '\0' ? c->memory.process_name : NULL;
    options.pid = c->memory.pid;
    options.identity = HSC_IDENTITY_ADDRESS;
    options.taken_unix_ns = UINT64_MAX;
    options.pointer_bytes = 8;
    draw_domain(c, options.domain);
    return hsd_import_begin(c->import, &options, err);
}

static hsd_status tell_losses(pycore *c, hsd_error *err)
{
    hsd_import *import = c->import;
    if (c->opaque > 0)
        HSD_WRITE(import, hsc_loss(import->writer, "objects of C that were looked through word by word", c->opaque),
                  err);
    if (c->unsized > 0)
        HSD_WRITE(import, hsc_loss(import->writer, "objects whose buffers are not counted", c->unsized), err);
    if (c->torn > 0)
        HSD_WRITE(import, hsc_loss(import->writer, "lists of the collector that were being changed", c->torn), err);
    if (c->strange > 0) HSD_WRITE(import, hsc_loss(import->writer, "references to what is no object", c->strange), err);
    return HSD_OK;
}

static hsd_status write_metrics(pycore *c, hsd_error *err)
{
    hsc_writer *w = c->import->writer;
    HSD_WRITE(c->import, hsc_metric(w, "python.gc_tracked", "count", c->tracked), err);
    HSD_WRITE(c->import, hsc_metric(w, "python.held_by_c", "count", c->held_objects), err);
    HSD_WRITE(c->import, hsc_metric(w, "python.references_of_c", "count", c->held_references), err);
    return HSD_OK;
}

static hsd_status finish_pycore(pycore *c, hsd_error *err)
{
    hsd_import *import = c->import;
    const bool is_cut = c->memory.core.is_cut;
    import->result->is_complete = !is_cut;
    HSD_TRY(tell_losses(c, err));
    HSD_TRY(write_metrics(c, err));
    if (is_cut) {
        HSD_WRITE(import, hsc_mark_incomplete(import->writer, "the core was cut off"), err);
        hsd_note(import->reporter, HSD_NOTE_DAMAGE, "%s was cut off: what is there was imported", import->source->name);
    }
    return hsd_import_end(import, err);
}

static hsd_status import_core(pycore *c, hsd_error *err)
{
    HSD_TRY(hsd_pymemory_open(&c->memory, c->import, err));
    const uint64_t words = c->memory.core_bytes / 8;
    c->most_references = hsd_add_saturating(hsd_add_saturating(words, words), 1 << 16);
    c->most_steps = words * STEPS_A_WORD + STEPS_FIRST; /* words are fewer than the bytes of a file */
    c->most_steps_of_call = words * STEPS_A_WORD_OF_CALL + STEPS_OF_CALL;
    HSD_TRY(hsd_pycore_find_runtime(c, err));
    HSD_TRY(begin_pycore(c, err));
    HSD_TRY(hsd_pytables_open(c, err));
    HSD_TRY(hsd_pywalk_all(c, err));
    return finish_pycore(c, err);
}

static hsd_status run_pycore(hsd_import *import, hsd_error *err)
{
    pycore *c = calloc(1, sizeof *c);
    if (c == NULL) return hsd_fail_nomem(err, "an import");
    c->import = import;
    hsd_error_init(&c->failure);
    const hsd_status status = import_core(c, err);
    hsd_pymachine_close(c);
    hsd_pytables_close(c);
    hsd_pyplans_close(c);
    hsd_pymemory_close(&c->memory);
    hsd_id_table_release(&c->ids);
    free(c->visits);
    free(c->queue.at);
    free(c->told.at);
    free(c);
    return status;
}

const hsd_importer hsd_import_pycore = {
    .info = {.name = "pycore",
             .summary = "ELF core of a Python program (CPython 3.8 to 3.14)",
             .suffixes = ".core core.*",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS | HSD_CARRIES_IDENTITY},
             .lacks = "all of it unless the interpreter and its libraries are at hand"},
    .probe = probe_pycore,
    .takes = hsd_pycore_is_python,
    .run = run_pycore,
};

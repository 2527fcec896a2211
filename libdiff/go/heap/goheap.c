/*
 * The importer of Go's heap dumps: the row of the registry, and what the capture says of itself.
 */
#include "go/heap/goheap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"

static unsigned probe_goheap(const uint8_t *prefix, size_t size)
{
    if (size < GOHEAP_MAGIC_BYTES || memcmp(prefix, GOHEAP_MAGIC, GOHEAP_MAGIC_BYTES) != 0) return 0;
    return GOHEAP_MAGIC_BYTES * 8;
}

static bool find_object(const void *context, uint64_t address, uint64_t *begin)
{
    const goheap *go = context;
    return hsd_goheap_index_find(&go->index, address, begin);
}

hsd_status hsd_goheap_check_memory(const void *context, hsd_error *err)
{
    const goheap *go = context;
    const uint64_t taken = hsd_gowriter_memory(&go->out) + hsd_names_memory(&go->patterns) +
                           hsd_names_memory(&go->frames) + go->pattern_room * sizeof *go->types_of +
                           go->bucket_room * sizeof *go->buckets + go->sample_room * sizeof *go->samples +
                           hsd_goheap_types_memory(go) + hsd_id_table_memory(&go->goroutines) +
                           hsd_id_table_memory(&go->slots) + go->slots.count + go->start_room * sizeof *go->starts;
    const uint64_t allowed = go->import->memory_bytes / (go->typed == NULL ? 2 : 16);
    return hsd_import_expect_room(taken, allowed, "the names and sites of this dump", taken * 4 + HSD_IMPORT_MORE, err);
}

/* Only what is drawn anew for each process tells it from others: without it the domain stays unknown. */
static void draw_domain(const goheap *go, uint8_t domain[16])
{
    if (go->arguments == 0) return;
    uint64_t first = hsd_mix(hsd_mix(1, go->arguments), go->segments);
    first = hsd_mix(first, go->first_thread);
    const uint64_t second = hsd_mix(first, hsd_hash_bytes(go->version, strlen(go->version), 7));
    hsd_import_set_domain(domain, first, second);
}

static hsd_status begin_goheap(goheap *go, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = go->version[0] != '\0' ? go->version : "Go";
    options.source_format = "go1.7 heap dump";
    options.identity = HSC_IDENTITY_ADDRESS;
    options.taken_unix_ns = UINT64_MAX;
    options.pointer_bytes = go->pointer_bytes;
    draw_domain(go, options.domain);
    return hsd_import_begin(go->import, &options, err);
}

static hsd_status finish_goheap(goheap *go, hsd_error *err)
{
    HSD_TRY(hsd_import_mark_cut(go->import, go->is_cut, "the heap dump was cut off", "", err));
    return hsd_import_end(go->import, err);
}

static hsd_status import_dump(goheap *go, hsd_error *err)
{
    HSD_TRY(hsd_goheap_open_types(go, err));
    HSD_TRY(hsd_goheap_scan(go, err));
    go->is_referred = calloc((size_t)go->slots.count + 1, 1);
    if (go->is_referred == NULL) return hsd_fail_nomem(err, "what frames hold");
    if (go->pointer_bytes == 0) return hsd_goheap_corrupt(go, "there is nothing in it", err);
    hsd_import_note_input(go->import);
    HSD_TRY(hsd_goheap_find_types(go, err));
    HSD_TRY(begin_goheap(go, err));
    HSD_TRY(hsd_goheap_write(go, err));
    return finish_goheap(go, err);
}

static hsd_status run_goheap(hsd_import *import, hsd_error *err)
{
    goheap *go = calloc(1, sizeof *go);
    if (go == NULL) return hsd_fail_nomem(err, "an import");
    go->import = import;
    go->out = (gowriter){.import = import,
                         .labels_before = GOHEAP_FIRST_TYPED_LABEL,
                         .find = find_object,
                         .check_memory = hsd_goheap_check_memory,
                         .context = go};
    go->source = import->source;
    go->index.most_bytes = hsd_max_u64(import->memory_bytes / (import->options->executable == NULL ? 2 : 8), 1);
    const hsd_status status = import_dump(go, err);
    hsd_goheap_close_types(go);
    hsd_goheap_index_release(&go->index);
    hsd_gowriter_release(&go->out);
    hsd_names_release(&go->patterns);
    hsd_names_release(&go->frames);
    hsd_buffer_release(&go->bytes);
    hsd_id_table_release(&go->goroutines);
    hsd_id_table_release(&go->mapped);
    hsd_id_table_release(&go->slots);
    free(go->is_referred);
    free(go->starts);
    free(go->types_of);
    free(go->buckets);
    free(go->samples);
    free(go);
    return status;
}

const hsd_importer hsd_import_goheap = {
    .info = {.name = "go",
             .summary = "heap dump of a Go program",
             .suffixes = ".heapdump .heapdump.gz",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_EDGES | HSD_CARRIES_ROOTS | HSD_CARRIES_IDENTITY,
                         .sometimes = HSD_CARRIES_TYPES | HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_SITES},
             .lacks = "types and field names, unless --exe names the program"},
    .needs_rewind = true,
    .probe = probe_goheap,
    .run = run_goheap,
};

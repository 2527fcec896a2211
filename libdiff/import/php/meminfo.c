/*
 * The importer of php-meminfo's dumps: the row of the registry, the header and the end. See meminfo.h.
 */
#include "import/php/meminfo.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"

/* Whether these tokens stand at the start, spaces between them or not. */
static unsigned probe_meminfo(const uint8_t *prefix, size_t size)
{
    static const char tokens[] = "{\"header\":{\"memory_usage\":";
    size_t at = 0;
    for (const char *token = tokens; *token != '\0'; token++) {
        while (at < size && (prefix[at] == ' ' || prefix[at] == '\n' || prefix[at] == '\r' || prefix[at] == '\t'))
            at++;
        if (at == size || prefix[at++] != (uint8_t)*token) return 0;
    }
    return 8 * (sizeof tokens - 1);
}

static hsd_status begin_meminfo(meminfo *m, hsd_error *err)
{
    const hsd_import_options *chosen = m->import->options;
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "PHP";
    options.source_format = "php-meminfo";
    options.identity = HSC_IDENTITY_ADDRESS;
    options.taken_unix_ns = UINT64_MAX;
    if (chosen->summary_only) options.facts |= HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    if (chosen->with_values && !chosen->summary_only) options.facts |= HSC_FACT_VALUES;
    HSD_TRY(hsd_import_begin(m->import, &options, err));
    return hsd_meminfo_begin_tables(m, err);
}

static const char *metric_of(const hsd_import_json *json)
{
    static const char *const known[][2] = {
        {"memory_usage", "heap.used"}, {"memory_usage_real", "heap.committed"}, {"peak_memory_usage", "heap.peak"}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++)
        if (hsd_import_json_is(json, known[i][0])) return known[i][1];
    return NULL;
}

static hsd_status read_header(meminfo *m, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    m->json.where = "header";
    while ((status = hsd_import_json_next_key(&m->json, &is_first, err)) == HSD_OK) {
        const char *metric = metric_of(&m->json);
        uint64_t value;
        if (metric == NULL) {
            HSD_TRY(hsd_import_json_skip(&m->json, err));
            continue;
        }
        HSD_TRY(hsd_import_json_number(&m->json, &value, err));
        HSD_WRITE(m->import, hsc_metric(m->import->writer, metric, "bytes", value), err);
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_meminfo(meminfo *m, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    while (m->json.where = "parts", (status = hsd_import_json_next_key(&m->json, &is_first, err)) == HSD_OK) {
        if (hsd_import_json_is(&m->json, "header"))
            HSD_TRY(read_header(m, err));
        else if (hsd_import_json_is(&m->json, "items"))
            HSD_TRY(hsd_meminfo_items(m, err));
        else
            HSD_TRY(hsd_import_json_skip(&m->json, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status import_meminfo(meminfo *m, hsd_error *err)
{
    hsd_error why;
    hsd_error_init(&why);
    HSD_TRY(begin_meminfo(m, err));
    const hsd_status status = read_meminfo(m, &why);
    const bool is_usable = m->import->result->objects > 0;
    m->is_cut = status == HSD_E_TRUNCATED && m->import->options->salvage && is_usable;
    if (status != HSD_OK && !m->is_cut) return hsd_import_give_up(status, &why, is_usable, err);
    if (!is_usable)
        return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(m->json.source), "there are no items in this dump");
    hsd_import_heap_end(m->import);
    HSD_TRY(hsd_meminfo_name_labels(m, err));
    HSD_TRY(hsd_import_mark_cut(m->import, m->is_cut, "the dump was cut off", "", err));
    return hsd_import_end(m->import, err);
}

static hsd_status run_meminfo(hsd_import *import, hsd_error *err)
{
    meminfo *m = calloc(1, sizeof *m);
    if (m == NULL) return hsd_fail_nomem(err, "an import");
    m->import = import;
    m->json.source = import->source;
    m->json.what = "dump";
    m->words_most =
        (uint32_t)hsd_max_u64(MEMINFO_LEAST_WORDS, hsd_min_u64(import->memory_bytes / 512, MEMINFO_MOST_WORDS));
    const hsd_status status = import_meminfo(m, err);
    hsd_import_json_release(&m->json);
    hsd_names_release(&m->types);
    hsd_names_release(&m->words);
    hsd_names_release(&m->texts.names);
    free(m->seen);
    free(m);
    return status;
}

const hsd_importer hsd_import_meminfo = {
    .info = {.name = "meminfo",
             .summary = "dump of PHP's extension meminfo",
             .suffixes = ".json .json.gz",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS | HSD_CARRIES_IDENTITY,
                         .sometimes = HSD_CARRIES_VALUES},
             .lacks = "what extensions hold, static variables of functions, and the bytes of tables"},
    .probe = probe_meminfo,
    .run = run_meminfo,
};

/*
 * Which values of a sample are the objects and the bytes of a heap. Producers call them what they like, and put them in
 * any order: they are found by name, what is in use before what was ever allocated.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "import/pprof/pprof.h"

typedef struct alias { /* a pair of columns that belong together */
    const char *objects, *bytes;
    bool is_of_allocations;
} alias;

static const alias aliases[] = {
    {"inuse_objects", "inuse_space", false}, /* Go, tcmalloc, jemalloc_pprof */
    {"inuse_objects", "inuse_bytes", false},
    {"objects", "space", false},     /* V8 */
    {"objects", "allocated", false}, /* Fuchsia */
    {"allocations", "inuse_space", false},
    {"Unreleased malloc count", "Unreleased malloc size", false}, /* perfetto */
    {"Unreleased allocation count", "Unreleased allocation size", false},
    {"live_objects", "live_bytes", false},
    {"count", "inuse_space", false},
    {"count", "space", false},
    {"alloc_objects", "alloc_space", true},
    {"alloc_objects", "alloc_bytes", true},
    {"alloc_in_new_tlab_objects", "alloc_in_new_tlab_bytes", true}, /* JFR */
    {"Total malloc count", "Total malloc size", true},
    {"allocations", "size", true},
};

static const struct {
    const char *name;
    uint64_t bytes;
} units[] = {
    {"bytes", 1},           {"byte", 1},      {"B", 1}, {"", 1}, {"kilobytes", 1024}, {"KiB", 1024}, {"kb", 1024},
    {"megabytes", 1 << 20}, {"MiB", 1 << 20},
};

static uint64_t unit_of(const pprof *p, size_t column)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(units); i++)
        if (hsd_pprof_text_is(p, p->sample_types[column].unit, units[i].name)) return units[i].bytes;
    return 0;
}

static size_t find_column(const pprof *p, const char *name)
{
    for (size_t i = 0; i < p->sample_type_count; i++)
        if (hsd_pprof_text_is(p, p->sample_types[i].type, name)) return i;
    return SIZE_MAX;
}

/* The first pair of which the bytes are there; one with its objects goes before one without. */
static const alias *choose_pprof_column(pprof *p)
{
    for (int must_have_objects = 1; must_have_objects >= 0; must_have_objects--)
        for (size_t i = 0; i < HSD_ARRAY_LEN(aliases); i++) {
            p->bytes_column = find_column(p, aliases[i].bytes);
            p->objects_column = find_column(p, aliases[i].objects);
            if (p->bytes_column == SIZE_MAX || unit_of(p, p->bytes_column) == 0) continue;
            if (!must_have_objects || p->objects_column != SIZE_MAX) return &aliases[i];
        }
    return NULL;
}

/* "samples (count), cpu (nanoseconds)", in what a terminal may be shown. */
static void list_columns(const pprof *p, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->sample_type_count && used + 1 < size; i++) {
        const hsd_bytes type = hsd_pprof_text(p, p->sample_types[i].type),
                        unit = hsd_pprof_text(p, p->sample_types[i].unit);
        const int more =
            snprintf(out + used, size - used, "%s%.*s (%.*s)", i > 0 ? ", " : "", (int)hsd_min_u64(type.size, 40),
                     (const char *)type.data, (int)hsd_min_u64(unit.size, 20), (const char *)unit.data);
        if (more < 0) break;
        used += (size_t)more;
    }
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
}

static hsd_status refuse_pprof_column(const pprof *p, hsd_error *err)
{
    char columns[160];
    list_columns(p, columns, sizeof columns);
    if (p->sample_type_count == 0)
        hsd_fail(err, HSD_E_UNSUPPORTED, "this pprof profile does not say what it measures: it has no sample types");
    else
        hsd_fail(err, HSD_E_UNSUPPORTED, "this pprof profile is none of a heap: it has %s", columns);
    hsd_error_set_hint(err, "take one of the heap: pprof.Lookup(\"heap\").WriteTo(f, 0), or /debug/pprof/heap");
    return HSD_E_UNSUPPORTED;
}

static void find_keys(pprof *p)
{
    const struct {
        uint64_t *key;
        const char *words;
    } keys[] = {{&p->key_process_name, "process_name"},
                {&p->key_process_koid, "process_koid"},
                {&p->key_address, "address"},
                {&p->key_bytes, "bytes"},
                {&p->key_timestamp, "timestamp"},
                {&p->key_thread, "thread"},
                {&p->key_type, "type"}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(keys); i++)
        *keys[i].key = hsd_pprof_find_text(p, keys[i].words);
}

hsd_status hsd_pprof_choose_columns(pprof *p, hsd_error *err)
{
    const alias *chosen = choose_pprof_column(p);
    if (chosen == NULL) return refuse_pprof_column(p, err);
    p->bytes_unit = unit_of(p, p->bytes_column);
    p->is_of_allocations = chosen->is_of_allocations;
    find_keys(p);
    if (p->is_of_allocations)
        hsd_note(p->import->reporter, HSD_NOTE_WARNING,
                 "%s says what was allocated since the program began, freed or not: it has no %s", p->source->name,
                 "column of what is in use");
    return HSD_OK;
}

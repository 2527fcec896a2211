/*
 * The capture: what it says of itself, types, and of each sample a sum or an object.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/mix.h"
#include "import/pprof/pprof.h"

enum { NAME_BYTES = PPROF_TEXT_BYTES + 64 };

enum { BY_FRAME, BY_SIZE, BY_LABEL };

static const char *runtime_of(const pprof *p)
{
    static const char *const of_go[] = {"runtime.main", "runtime.goexit", "runtime.mallocgc", "runtime.mstart",
                                        "runtime.doInit"};
    if (p->key_process_koid != UINT64_MAX) return "Fuchsia";
    for (size_t i = 0; i < HSD_ARRAY_LEN(of_go); i++)
        if (hsd_pprof_find_text(p, of_go[i]) != UINT64_MAX) return "Go";
    return NULL;
}

/* A process instance: a koid is not given twice while the system runs. */
static void draw_domain(const pprof *p, uint8_t domain[16])
{
    const hsd_bytes name = hsd_pprof_text(p, p->process->name);
    const uint64_t first = hsd_mix(hsd_hash_bytes(name.data, name.size, 1), p->process->koid),
                   second = hsd_mix(first, 7);
    hsd_import_set_domain(domain, first, second);
}

hsd_status hsd_pprof_begin(pprof *p, hsd_error *err)
{
    char name[256] = "";
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = runtime_of(p);
    options.source_format = "pprof";
    options.taken_unix_ns = p->taken_unix_ns != 0 ? p->taken_unix_ns : UINT64_MAX;
    options.facts =
        HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES | (p->period > 1 && (int64_t)p->period > 0 ? HSC_FACT_SAMPLED : 0);
    options.has_site_totals = !p->import->options->summary_only;
    if (p->process != NULL) {
        const hsd_bytes text = hsd_pprof_text(p, p->process->name);
        snprintf(name, sizeof name, "%.*s", (int)hsd_min_u64(text.size, sizeof name - 1), (const char *)text.data);
        options.process_name = name;
        options.pid = p->process->koid;
    }
    if (p->process != NULL && p->key_address != UINT64_MAX) {
        options.identity = HSC_IDENTITY_ADDRESS;
        draw_domain(p, options.domain);
    }
    return hsd_import_begin(p->import, &options, err);
}

/* ---- types ---- */

/* A type that a label names. Else "48 B at main.fill": what it is nobody knows, so where it was made says most. A colon
 * parts an address that is to be resolved from what stands around it, for the name of a file may have spaces in it. */
static size_t name_type(const pprof *p, const pprof_type_key *key, char name[NAME_BYTES])
{
    const uint32_t function = key->frame == UINT32_MAX ? 0 : p->frames[key->frame].function;
    const hsd_bytes text = function != 0 ? hsd_names_get(&p->names.names, function - 1) : (hsd_bytes){0};
    const char *at = function != 0 && p->frames[key->frame].is_unresolved ? "at: " : "at ";
    int size = 0;
    if (key->by == BY_LABEL) {
        const hsd_bytes label = hsd_pprof_text(p, key->size);
        memcpy(name, label.data, label.size);
        return label.size;
    }
    if (key->by == BY_SIZE)
        size = snprintf(name, NAME_BYTES, "%" PRIu64 " B %s", key->size, function == 0 ? "objects" : at);
    else
        size =
            function == 0 ? snprintf(name, NAME_BYTES, "(no stack)") : snprintf(name, NAME_BYTES, "allocated %s", at);
    if (text.size > 0) memcpy(name + size, text.data, text.size);
    return (size_t)size + text.size;
}

/* What makes the type of what the sample allocated: where in a function is the site's to say. */
static pprof_type_key key_of_type(const pprof *p, uint32_t frame)
{
    const pprof_sample *sample = &p->sample;
    if (p->key_type != UINT64_MAX && sample->type != 0) return (pprof_type_key){sample->type, UINT32_MAX, BY_LABEL};
    return (pprof_type_key){sample->has_bytes ? sample->bytes : 0,
                            frame != UINT32_MAX ? p->frames[frame].function : UINT32_MAX,
                            sample->has_bytes ? BY_SIZE : BY_FRAME};
}

static hsd_status define_type(pprof *p, const pprof_type_key *key, uint32_t number, hsd_error *err)
{
    char name[NAME_BYTES];
    const size_t size = name_type(p, key, name);
    HSD_WRITE(p->import, hsc_define_type(p->import->writer, number, name, size, 0), err);
    return (number & 0xff) == 0 ? hsd_pprof_check_memory(p, err) : HSD_OK;
}

static hsd_status number_type(pprof *p, pprof_type_key key, uint32_t frame, uint32_t *number, hsd_error *err)
{
    const uint32_t before = p->type_keys.count;
    HSD_TRY(hsd_names_put(&p->type_keys, (hsd_bytes){(const uint8_t *)&key, sizeof key}, number, err));
    ++*number;
    if (p->type_keys.count == before) return HSD_OK;
    if (key.by != BY_LABEL) key.frame = frame;
    return define_type(p, &key, *number, err);
}

/* Of a profile with few types nearly all are known by what was asked for last: a tenth of an import went into names. */
static hsd_status put_type(pprof *p, uint32_t frame, uint32_t *number, hsd_error *err)
{
    const pprof_type_key key = key_of_type(p, frame);
    const uint64_t place = hsd_mix(key.size, (uint64_t)key.by << 32 | key.frame) % PPROF_KNOWN_TYPES;
    pprof_known_type *known = &p->known_types[place];
    if (known->number == 0 || memcmp(&known->key, &key, sizeof key) != 0) {
        known->number = 0;
        HSD_TRY(number_type(p, key, frame, number, err));
        *known = (pprof_known_type){key, *number};
    }
    *number = (uint32_t)known->number;
    return HSD_OK;
}

/* ---- samples ---- */

/* One allocation with its address. The moment at which it was made, in units of about a millisecond, tells it from
 * another that had the address before. */
static hsd_status write_object(pprof *p, uint32_t type, uint32_t site, uint64_t bytes, hsd_error *err)
{
    const pprof_sample *sample = &p->sample;
    hsc_object object = {.id = sample->address, .type = type, .site = site, .size_bytes = bytes};
    if (sample->timestamp != 0) object.age = 1 + (uint32_t)((sample->timestamp >> 20) % UINT32_MAX);
    HSD_TRY(hsd_pprof_string(p, hsd_pprof_text(p, sample->thread), &object.category, err));
    HSD_WRITE(p->import, hsc_begin_object(p->import->writer, &object), err);
    HSD_WRITE(p->import, hsc_end_object(p->import->writer), err);
    p->import->result->objects++;
    p->import->result->bytes = hsd_add_saturating(p->import->result->bytes, bytes);
    return HSD_OK;
}

static bool is_one_allocation(const pprof *p) { return p->sample.has_address && p->process != NULL; }

/* Whether the sample is one allocation whose address nothing else has. */
static hsd_status is_object(pprof *p, int64_t objects, int64_t bytes, bool *is_one, hsd_error *err)
{
    uint32_t row;
    *is_one = false;
    if (!is_one_allocation(p) || p->import->options->summary_only || objects > 1 || objects < 0 || bytes < 0)
        return HSD_OK;
    const uint32_t before = p->objects.count;
    HSD_TRY(hsd_id_table_put(&p->objects, p->sample.address, &row, err));
    *is_one = p->objects.count > before;
    p->repeated += !*is_one;
    return (row & 0xff) == 0 ? hsd_pprof_check_memory(p, err) : HSD_OK;
}

/* What a column says, in its unit; false where the numbers of the sample are not those of the sample types. An
 * allocation that a profile without counts has one by one is 1, whoever asks. */
static bool read_values(pprof *p, int64_t *objects, int64_t *bytes)
{
    const pprof_sample *sample = &p->sample;
    if (sample->value_count != p->sample_type_count) return false;
    *bytes = sample->values[p->bytes_column];
    if (p->objects_column != SIZE_MAX)
        *objects = sample->values[p->objects_column];
    else
        *objects = is_one_allocation(p) ? (*bytes > 0) - (*bytes < 0) : 0;
    if (__builtin_mul_overflow(*bytes, (int64_t)p->bytes_unit, bytes)) *bytes = *bytes > 0 ? INT64_MAX : INT64_MIN;
    return true;
}

hsd_status hsd_pprof_take_sample(pprof *p, hsd_error *err)
{
    uint32_t site, frame, type;
    int64_t objects, bytes;
    bool is_one;
    if (p->process != NULL && (!p->sample.has_process || p->sample.process_koid != p->process->koid)) return HSD_OK;
    if (!read_values(p, &objects, &bytes)) {
        p->surplus++;
        return HSD_OK;
    }
    if (objects == 0 && bytes == 0) return HSD_OK; /* freed since */
    HSD_TRY(hsd_pprof_site(p, &site, &frame, err));
    HSD_TRY(put_type(p, frame, &type, err));
    HSD_TRY(is_object(p, objects, bytes, &is_one, err));
    if (is_one) return write_object(p, type, site, (uint64_t)bytes, err);
    return hsd_pprof_add(p, type, site, objects, bytes, err);
}

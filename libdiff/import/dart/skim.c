/*
 * The first pass: over everything, up to the end of the file. What stands behind the objects is kept for the second
 * one, and so is what some of them say about others. See dart.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"
#include "import/dart/dart.h"

enum { FIRST_MOST = 64, CHECK_EVERY = 1 << 12, HASH_PAGE = 1 << 14 };
#define DOMAIN_SEED UINT64_C(0x6973)

/* ---- objects ---- */

/* A port is drawn at random for each isolate, and isolates stand in the order in which they were made. */
static void note_isolate(dart *d, const dart_object *o)
{
    if (d->domain != 0 || o->name_size == 0) return;
    d->domain = hsd_mix(hsd_hash_bytes(o->name, o->name_size, DOMAIN_SEED), DOMAIN_SEED) | 1;
}

static void note_value(dart *d, uint64_t number)
{
    if (d->value_count == DART_MOST_VALUES) return;
    d->values[d->value_count++] = number;
    d->least_value = hsd_min_u64(d->least_value, number);
    d->greatest_value = hsd_max_u64(d->greatest_value, number);
}

static hsd_status skim_references(dart *d, const dart_object *o, hsd_error *err)
{
    const dart_kind kind = (dart_kind)hsd_dart_class_of(d, o)->kind;
    uint64_t first[FIRST_MOST];
    if (!hsd_dart_has_notes(kind)) return hsd_dart_skip_numbers(d, o->references, err);
    const size_t count = (size_t)hsd_min_u64(o->references, FIRST_MOST);
    for (size_t i = 0; i < count; i++)
        HSD_TRY(hsd_dart_number(d, &first[i], err));
    HSD_TRY(hsd_dart_note(d, o, first, count, err));
    return hsd_dart_skip_numbers(d, o->references - count, err);
}

static hsd_status skim_object(dart *d, uint64_t number, dart_object *o, hsd_error *err)
{
    HSD_TRY(hsd_dart_object(d, number, false, o, err));
    HSD_TRY(skim_references(d, o, err));
    const dart_class *c = hsd_dart_class_of(d, o);
    const bool is_number =
        (o->tag == DART_DATA_INTEGER || c->kind == DART_SMALL) && o->bytes == 0 && o->references == 0;
    if (!is_number)
        d->first_number = UINT64_MAX;
    else if (d->first_number == UINT64_MAX)
        d->first_number = number;
    if (c->kind == DART_ISOLATE) note_isolate(d, o);
    if (o->tag == DART_DATA_NULL || o->tag == DART_DATA_BOOL || c->kind == DART_VALUE) note_value(d, number);
    return is_number && o->tag == DART_DATA_INTEGER ? hsd_dart_note_number(d, o, o->length, err) : HSD_OK;
}

static hsd_status add_total(dart *d, const dart_object *o, hsd_error *err)
{
    if (!d->import->options->summary_only || hsd_dart_is_node(d, o)) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&d->totals, &d->total_room, o->class_number, sizeof *d->totals, err));
    dart_total *total = &d->totals[o->class_number];
    if (total->first != d->first_number) total->numbers = 0;
    total->first = d->first_number;
    total->numbers += d->first_number != UINT64_MAX;
    total->objects++;
    total->bytes = hsd_add_saturating(total->bytes, o->bytes);
    d->import->result->references += o->references;
    return HSD_OK;
}

static hsd_status skim_objects(dart *d, hsd_error *err)
{
    static const char *const step = "looking through objects";
    dart_object o;
    for (uint64_t number = 1; number <= d->object_count; number++) {
        HSD_TRY(skim_object(d, number, &o, err));
        HSD_TRY(add_total(d, &o, err));
        d->told_count = number;
        if (number % CHECK_EVERY != 0) continue;
        HSD_TRY(hsd_dart_check_memory(d, err));
        HSD_TRY(hsd_progress(d->import->reporter, step, number, d->object_count, err));
    }
    return HSD_OK;
}

/* ---- what stands behind them ---- */

static hsd_status read_external(dart *d, hsd_error *err)
{
    uint64_t object, bytes;
    uint32_t row;
    char name[1];
    size_t size;
    const uint64_t offset = hsd_source_offset(d->source);
    HSD_TRY(hsd_dart_number(d, &object, err));
    HSD_TRY(hsd_dart_number(d, &bytes, err));
    HSD_TRY(hsd_dart_text(d, name, 0, &size, err)); /* of what frees them */
    if (object > d->object_count)
        return hsd_fail_at(err, HSD_E_CORRUPT, offset,
                           "not a valid heap snapshot of Dart: memory of object %" PRIu64 " of %" PRIu64, object,
                           d->object_count);
    if (object == 0 || bytes == 0 || d->import->options->summary_only) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&d->external, object, &row, err));
    HSD_TRY(hsd_import_grow((void **)&d->external_bytes, &d->external_room, row, sizeof *d->external_bytes, err));
    d->external_bytes[row] = hsd_add_saturating(d->external_bytes[row], bytes);
    return HSD_OK;
}

static hsd_status read_externals(dart *d, hsd_error *err)
{
    uint64_t count;
    HSD_TRY(hsd_dart_number(d, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        HSD_TRY(read_external(d, err));
        if (i % CHECK_EVERY == 0) HSD_TRY(hsd_dart_check_memory(d, err));
    }
    return HSD_OK;
}

static hsd_status write_page(dart *d, uint64_t first, uint32_t count, hsd_error *err)
{
    return hsd_temp_write(&d->hashes, first * sizeof *d->hash_page, d->hash_page, count * sizeof *d->hash_page, err);
}

static hsd_status keep_hashes(dart *d, hsd_error *err)
{
    uint64_t any = 0;
    uint32_t filled = 0;
    HSD_TRY(hsd_temp_open(&d->hashes, d->import->space, err));
    for (uint64_t i = 0; i < d->object_count; i++) {
        uint64_t hash;
        const uint64_t offset = hsd_source_offset(d->source);
        HSD_TRY(hsd_dart_number(d, &hash, err));
        if (hash > UINT32_MAX)
            return hsd_fail_at(err, HSD_E_CORRUPT, offset,
                               "not a valid heap snapshot of Dart: the identity hash of object %" PRIu64
                               " has more than 32 bits",
                               i + 1);
        any |= hash;
        d->hash_page[filled++] = (uint32_t)hash;
        if (filled < HASH_PAGE) continue;
        HSD_TRY(write_page(d, i + 1 - filled, filled, err));
        HSD_TRY(hsd_progress(d->import->reporter, "reading identity hashes", i, d->object_count, err));
        filled = 0;
    }
    d->has_hashes = any != 0;
    return write_page(d, d->object_count - filled, filled, err);
}

/* Older VMs have none. */
static hsd_status read_hashes(dart *d, hsd_error *err)
{
    const hsd_status status = hsd_source_peek(d->source, 1, err);
    if (status < 0) return status;
    if (hsd_source_ahead(d->source) == 0 || d->import->options->summary_only) return HSD_OK;
    d->hash_page = malloc(HASH_PAGE * sizeof *d->hash_page);
    return d->hash_page == NULL ? hsd_fail_nomem(err, "identity hashes") : keep_hashes(d, err);
}

hsd_status hsd_dart_hash(dart *d, uint64_t number, uint32_t *hash, hsd_error *err)
{
    *hash = 0;
    if (!d->has_hashes) return HSD_OK;
    const uint64_t at = number - 1;
    if (at >= d->hash_first + d->hash_count || at < d->hash_first) {
        d->hash_first = at;
        d->hash_count = hsd_min_u64(HASH_PAGE, d->object_count - at);
        HSD_TRY(hsd_temp_read(&d->hashes, at * sizeof *hash, d->hash_page, (size_t)d->hash_count * sizeof *hash, err));
    }
    *hash = d->hash_page[at - d->hash_first];
    return HSD_OK;
}

hsd_status hsd_dart_skim(dart *d, hsd_error *err)
{
    uint64_t references;
    d->first_number = d->least_value = UINT64_MAX;
    HSD_TRY(hsd_dart_number(d, &references, err));
    HSD_TRY(hsd_dart_number(d, &d->object_count, err));
    d->objects_offset = hsd_source_offset(d->source);
    if (d->object_count > UINT32_MAX - 256)
        return hsd_fail_at(err, HSD_E_UNSUPPORTED, d->objects_offset,
                           "a heap snapshot of %" PRIu64 " objects: hsdiff reads 4,294,967,039", d->object_count);
    HSD_TRY(skim_objects(d, err));
    HSD_TRY(read_externals(d, err));
    return read_hashes(d, err);
}

/*
 * Numbers, texts and the fronts of objects. See dart.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"
#include "import/dart/dart.h"

enum { NUMBER_BYTES = 10 };
#define CONTENT_SEED UINT64_C(0x64617274)

static hsd_status fail_cut_snapshot(const dart *d, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(d->source),
                       "the heap snapshot of Dart ends in the middle");
}

/* Bits beyond the 64th are those of the sign, where a number can be negative; elsewhere there may be none. */
static hsd_status read_long(dart *d, bool is_signed, uint64_t *out, hsd_error *err)
{
    hsd_source *s = d->source;
    const hsd_status status = hsd_source_peek(s, NUMBER_BYTES, err);
    if (status < 0) return status;
    const size_t ahead = hsd_source_ahead(s);
    uint64_t value = 0;
    for (size_t i = 0; i < NUMBER_BYTES && i < ahead; i++) {
        const uint64_t byte = s->at[i];
        if (i == NUMBER_BYTES - 1 && byte > 1 && !is_signed) break;
        value |= (byte & 0x7f) << (7 * i);
        if (byte >= 0x80) continue;
        hsd_source_take(s, i + 1);
        *out = value;
        return HSD_OK;
    }
    if (ahead < NUMBER_BYTES) return fail_cut_snapshot(d, err);
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(s),
                       "not a valid heap snapshot of Dart: a number has more than 64 bits");
}

hsd_status hsd_dart_slow_number(dart *d, uint64_t *out, hsd_error *err) { return read_long(d, false, out, err); }

static hsd_status take_bytes(dart *d, uint64_t bytes, void *out, size_t room, size_t *size, hsd_error *err)
{
    *size = (size_t)hsd_min_u64(bytes, room);
    hsd_status status = hsd_source_copy(d->source, out, *size, err);
    if (status == HSD_OK && bytes > *size) status = hsd_source_skip(d->source, bytes - *size, err);
    return status == HSD_E_TRUNCATED ? fail_cut_snapshot(d, err) : status;
}

hsd_status hsd_dart_text(dart *d, char *out, size_t room, size_t *size, hsd_error *err)
{
    uint64_t bytes;
    HSD_TRY(hsd_dart_number(d, &bytes, err));
    return take_bytes(d, bytes, out, room, size, err);
}

hsd_status hsd_dart_word(dart *d, uint32_t *word, hsd_error *err)
{
    char text[DART_NAME_BYTES];
    size_t size;
    HSD_TRY(hsd_dart_text(d, text, sizeof text, &size, err));
    return hsd_names_put(&d->words, (hsd_bytes){(const uint8_t *)text, size}, word, err);
}

hsd_status hsd_dart_header(dart *d, hsd_error *err)
{
    uint64_t number;
    uint32_t word;
    char name[DART_NAME_BYTES];
    size_t size;
    uint8_t magic[8];
    HSD_TRY(hsd_source_copy(d->source, magic, sizeof magic, err));
    HSD_TRY(hsd_names_put(&d->words, (hsd_bytes){(const uint8_t *)"", 0}, &word, err));
    HSD_TRY(hsd_dart_number(d, &number, err)); /* flags */
    HSD_TRY(hsd_dart_text(d, name, sizeof name, &size, err));
    HSD_TRY(hsd_dart_number(d, &d->live_bytes, err));
    HSD_TRY(hsd_dart_number(d, &d->capacity_bytes, err));
    return hsd_dart_number(d, &number, err); /* bytes outside, which the externals tell, too */
}

/* ---- objects ---- */

static uint64_t hash_of(dart_tag tag, uint64_t length, const uint8_t *bytes, size_t size)
{
    const uint64_t hash = hsd_mix(hsd_hash_bytes(bytes, size, CONTENT_SEED + (uint64_t)tag), length);
    return hash == 0 ? 1 : hash;
}

/* The first code units, and how many there are in all. */
static hsd_status read_characters(dart *d, bool wants_content, dart_object *o, hsd_error *err)
{
    uint64_t units, all;
    size_t size;
    HSD_TRY(hsd_dart_number(d, &o->length, err));
    HSD_TRY(hsd_dart_number(d, &units, err));
    if (units > o->length || !hsd_mul_u64(units, o->tag == DART_DATA_UTF16 ? 2 : 1, &all))
        return hsd_fail_at(err, HSD_E_CORRUPT, o->offset,
                           "not a valid heap snapshot of Dart: of object %" PRIu64 " %" PRIu64 " of %" PRIu64
                           " characters are there",
                           o->number, units, o->length);
    HSD_TRY(take_bytes(d, all, d->characters, wants_content ? sizeof d->characters : 0, &size, err));
    if (wants_content) o->content = hash_of(o->tag, o->length, d->characters, size);
    return HSD_OK;
}

static hsd_status read_data(dart *d, bool wants_content, dart_object *o, hsd_error *err)
{
    uint8_t bytes[8];
    size_t size;
    uint64_t tag;
    HSD_TRY(hsd_dart_number(d, &tag, err));
    o->tag = (dart_tag)tag;
    switch (tag) {
    case DART_DATA_NONE:
    case DART_DATA_NULL: return HSD_OK;
    case DART_DATA_BOOL:
    case DART_DATA_INTEGER:
        HSD_TRY(read_long(d, true, &o->length, err));
        o->content = hash_of(o->tag, o->length, NULL, 0);
        return HSD_OK;
    case DART_DATA_DOUBLE:
        HSD_TRY(take_bytes(d, sizeof bytes, bytes, sizeof bytes, &size, err));
        o->content = hash_of(o->tag, 0, bytes, size);
        return HSD_OK;
    case DART_DATA_LATIN1:
    case DART_DATA_UTF16: return read_characters(d, wants_content, o, err);
    case DART_DATA_LENGTH: return hsd_dart_number(d, &o->length, err);
    case DART_DATA_NAME:
        HSD_TRY(hsd_dart_text(d, o->name, sizeof o->name, &o->name_size, err));
        if (wants_content && !hsd_dart_class_of(d, o)->has_names)
            o->content = hash_of(o->tag, 0, (const uint8_t *)o->name, o->name_size);
        return HSD_OK;
    default: break;
    }
    hsd_fail_at(err, HSD_E_CORRUPT, o->offset,
                "not a valid heap snapshot of Dart: object %" PRIu64 " has data of kind %" PRIu64
                ", which is not known",
                o->number, tag);
    hsd_error_set_hint(err, "if a newer Dart wrote it, a newer hsdiff may know it; else write the snapshot again");
    return HSD_E_CORRUPT;
}

hsd_status hsd_dart_object(dart *d, uint64_t number, bool wants_content, dart_object *out, hsd_error *err)
{
    out->number = number;
    out->offset = hsd_source_offset(d->source);
    out->length = out->content = 0;
    out->name_size = 0;
    HSD_TRY(hsd_dart_number(d, &out->class_number, err));
    if (out->class_number > d->class_count)
        return hsd_fail_at(err, HSD_E_CORRUPT, out->offset,
                           "not a valid heap snapshot of Dart: object %" PRIu64 " is of class %" PRIu64 " of %" PRIu64,
                           number, out->class_number, d->class_count);
    HSD_TRY(hsd_dart_number(d, &out->bytes, err));
    HSD_TRY(read_data(d, wants_content, out, err));
    return hsd_dart_number(d, &out->references, err);
}

/* Ends of numbers among eight bytes. */
static unsigned ends_of(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return (unsigned)__builtin_popcountll(~word & UINT64_C(0x8080808080808080));
}

hsd_status hsd_dart_skip_numbers(dart *d, uint64_t count, hsd_error *err)
{
    hsd_source *s = d->source;
    while (count > 0) {
        const uint8_t *at = s->at;
        while (count >= 8 && s->end - at >= 8) {
            count -= ends_of(at);
            at += 8;
        }
        for (; count > 0 && at < s->end; at++)
            count -= *at < 0x80;
        hsd_source_take(s, (size_t)(at - s->at));
        if (count == 0) break;
        const hsd_status status = hsd_source_peek(s, 1, err);
        if (status == HSD_END) return fail_cut_snapshot(d, err);
        HSD_TRY(status);
    }
    return HSD_OK;
}

/* ---- memory ---- */

hsd_status hsd_dart_check_memory(const dart *d, hsd_error *err)
{
    const uint64_t taken =
        hsd_names_memory(&d->words) + hsd_names_memory(&d->texts.names) + hsd_names_memory(&d->types) +
        d->class_room * sizeof *d->classes + d->field_room * sizeof *d->fields + hsd_id_table_memory(&d->labels) +
        hsd_id_table_memory(&d->isolate_names) + hsd_id_table_memory(&d->places) +
        d->place_room * sizeof *d->place_heads + d->described_room * sizeof *d->described +
        hsd_id_table_memory(&d->owners) + d->owner_room * sizeof *d->owner_rows + hsd_id_table_memory(&d->external) +
        d->external_room * sizeof *d->external_bytes + d->total_room * sizeof *d->totals +
        (d->statics == NULL ? 0 : d->classes[d->isolate].field_count * sizeof *d->statics);
    const uint64_t allowed = d->import->memory_bytes / 4 * 3;
    return hsd_import_expect_room(taken, allowed, "the names of this heap snapshot", taken * 2 + HSD_IMPORT_MORE, err);
}

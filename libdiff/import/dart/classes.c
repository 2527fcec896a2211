/*
 * The table of classes: what each is called, and what the places of its references are. See dart.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/dart/dart.h"

/* Places that have no name lie between those that have one: few of them. */
enum { GAP_MOST = 1024, PLACE_MOST = 1 << 22, CHECK_EVERY = 256 };

static bool is_word(const dart *d, uint32_t word, const char *text)
{
    const hsd_bytes name = hsd_names_get(&d->words, word);
    return name.size == strlen(text) && memcmp(name.data, text, name.size) == 0;
}

/* The place of the first field that is called so. */
static int place_of(const dart *d, const dart_class *c, const char *name)
{
    for (uint32_t i = 0; i < c->field_count; i++)
        if (is_word(d, d->fields[c->first_field + i].name, name)) return (int)i;
    return DART_NO_FIELD;
}

static hsd_status read_field(dart *d, dart_class *c, uint64_t count, hsd_error *err)
{
    uint64_t number, place;
    uint32_t name;
    char reserved[1];
    size_t size;
    HSD_TRY(hsd_dart_number(d, &number, err)); /* flags */
    HSD_TRY(hsd_dart_number(d, &place, err));
    HSD_TRY(hsd_dart_word(d, &name, err));
    HSD_TRY(hsd_dart_text(d, reserved, 0, &size, err));
    if (place >= PLACE_MOST || place >= hsd_add_saturating(count, GAP_MOST)) return HSD_OK;
    const uint64_t end = (uint64_t)c->first_field + place + 1;
    HSD_TRY(hsd_import_grow((void **)&d->fields, &d->field_room, end - 1, sizeof *d->fields, err));
    d->field_total = (uint32_t)hsd_max_u64(d->field_total, end);
    d->fields[end - 1].name = name;
    if (place > GAP_MOST) HSD_TRY(hsd_dart_check_memory(d, err));
    c->field_count = d->field_total - c->first_field;
    return HSD_OK;
}

/* Statics have places among the references of their isolate. */
static hsd_status note_isolate(dart *d, const dart_class *c, uint32_t number, hsd_error *err)
{
    uint32_t row;
    if (d->isolate != 0) return HSD_OK;
    d->isolate = number;
    for (uint32_t i = 0; i < c->field_count; i++)
        if (d->fields[c->first_field + i].name != 0)
            HSD_TRY(hsd_id_table_put(&d->isolate_names, d->fields[c->first_field + i].name, &row, err));
    return HSD_OK;
}

static hsd_status note_class(dart *d, const dart_class *c, uint32_t number, hsd_error *err)
{
    const struct {
        dart_kind kind;
        int *at;
        const char *names[2]; /* the second: as older VMs have it */
    } places[] = {{DART_FIELD, &d->at.field_owner, {"owner_"}},
                  {DART_FIELD, &d->at.field_place, {"host_offset_or_field_id_"}},
                  {DART_CLASS, &d->at.class_library, {"library_"}},
                  {DART_PATCH, &d->at.patch_whole, {"wrapped_class_", "patched_class_"}},
                  {DART_FUNCTION, &d->at.function_owner, {"owner_"}},
                  {DART_FUNCTION, &d->at.function_data, {"data_"}},
                  {DART_CLOSURE_DATA, &d->at.data_parent, {"parent_function_"}},
                  {DART_CLOSURE, &d->at.closure_function, {"function_"}}};
    if (c->kind == DART_ISOLATE) return note_isolate(d, c, number, err);
    for (size_t i = 0; i < HSD_ARRAY_LEN(places); i++)
        for (size_t k = 0; k < 2 && c->kind == places[i].kind && *places[i].at == DART_NO_FIELD; k++)
            if (places[i].names[k] != NULL) *places[i].at = place_of(d, c, places[i].names[k]);
    return HSD_OK;
}

static hsd_status read_class(dart *d, uint32_t number, hsd_error *err)
{
    dart_class c = {.first_field = d->field_total};
    uint64_t flags, count;
    char text[DART_NAME_BYTES];
    size_t size;
    HSD_TRY(hsd_dart_number(d, &flags, err));
    HSD_TRY(hsd_dart_word(d, &c.name, err));
    HSD_TRY(hsd_dart_text(d, text, sizeof text, &size, err)); /* what the library calls itself, if it does */
    HSD_TRY(hsd_dart_word(d, &c.library, err));
    if (c.library == 0) HSD_TRY(hsd_names_put(&d->words, (hsd_bytes){(const uint8_t *)text, size}, &c.library, err));
    HSD_TRY(hsd_dart_text(d, text, 0, &size, err));
    c.kind = (uint8_t)hsd_dart_kind(hsd_names_get(&d->words, c.name), hsd_names_get(&d->words, c.library));
    HSD_TRY(hsd_dart_number(d, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        HSD_TRY(read_field(d, &c, count, err));
        if (i % CHECK_EVERY == CHECK_EVERY - 1) HSD_TRY(hsd_dart_check_memory(d, err));
    }
    HSD_TRY(hsd_import_grow((void **)&d->classes, &d->class_room, number, sizeof *d->classes, err));
    c.has_names = c.library == 0 && !is_word(d, c.name, "TypeArguments");
    d->classes[number] = c;
    return note_class(d, &c, number, err);
}

hsd_status hsd_dart_classes(dart *d, hsd_error *err)
{
    d->at = (dart_places){DART_NO_FIELD, DART_NO_FIELD, DART_NO_FIELD, DART_NO_FIELD,
                          DART_NO_FIELD, DART_NO_FIELD, DART_NO_FIELD, DART_NO_FIELD};
    HSD_TRY(hsd_import_grow((void **)&d->classes, &d->class_room, 0, sizeof *d->classes, err));
    HSD_TRY(hsd_dart_number(d, &d->class_count, err));
    if (d->class_count > INT32_MAX)
        return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(d->source),
                           "not a valid heap snapshot of Dart: it has %" PRIu64 " classes", d->class_count);
    for (uint32_t i = 1; i <= d->class_count; i++) {
        HSD_TRY(read_class(d, i, err));
        if (i % CHECK_EVERY == 0) HSD_TRY(hsd_dart_check_memory(d, err));
    }
    return hsd_dart_check_memory(d, err);
}

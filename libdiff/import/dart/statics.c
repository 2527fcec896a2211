/*
 * Whose a static field is. An isolate knows its static fields by their places and their simple names. An object of the
 * VM's class Field has the name, the place (a small number, which stands behind all other objects) and the owner: a
 * class, or a part of one, of a library. Fields of instances have a number there, too, so only those count whose name
 * is that of the static field at the place; where two do, neither does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/dart/dart.h"

hsd_status hsd_dart_note_field(dart *d, const dart_object *o, const uint64_t *first, size_t count, hsd_error *err)
{
    const uint64_t owner = hsd_dart_reference(first, count, d->at.field_owner),
                   place = hsd_dart_reference(first, count, d->at.field_place);
    uint32_t row;
    if (owner == 0 || place == 0 || o->name_size == 0) return HSD_OK;
    const uint32_t name = hsd_names_find(&d->words, (hsd_bytes){(const uint8_t *)o->name, o->name_size});
    if (name == HSD_NAME_NONE || hsd_id_table_find(&d->isolate_names, name) == 0) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&d->places, place, &row, err));
    HSD_TRY(hsd_import_grow((void **)&d->place_heads, &d->place_room, row, sizeof *d->place_heads, err));
    HSD_TRY(hsd_import_grow((void **)&d->described, &d->described_room, d->described_count, sizeof *d->described, err));
    d->described[d->described_count] = (dart_described){.name = name, .next = d->place_heads[row], .owner = owner};
    d->place_heads[row] = ++d->described_count;
    return HSD_OK;
}

hsd_status hsd_dart_note_number(dart *d, const dart_object *o, uint64_t value, hsd_error *err)
{
    const uint32_t row = hsd_id_table_find(&d->places, o->number);
    if (row == 0 || d->isolate == 0) return HSD_OK;
    const dart_class *isolate = &d->classes[d->isolate];
    if (value >= isolate->field_count) return HSD_OK;
    if (d->statics == NULL) {
        d->statics = calloc(isolate->field_count, sizeof *d->statics);
        if (d->statics == NULL) return hsd_fail_nomem(err, "static fields");
    }
    dart_static *at = &d->statics[value];
    for (uint32_t i = d->place_heads[row]; i != 0; i = d->described[i - 1].next) {
        if (d->described[i - 1].name != d->fields[isolate->first_field + value].name) continue;
        at->is_ambiguous = at->is_ambiguous || (at->row != 0 && at->row != i);
        at->row = i;
    }
    return HSD_OK;
}

hsd_bytes hsd_dart_name_static(const dart *d, uint32_t place, char *out)
{
    const dart_class *isolate = &d->classes[d->isolate];
    const hsd_bytes name = hsd_names_get(&d->words, d->fields[isolate->first_field + place].name);
    const dart_static *at = d->statics == NULL ? NULL : &d->statics[place];
    dart_whose w = {.is_inside = false};
    if (at != NULL && at->row != 0 && !at->is_ambiguous) w = hsd_dart_whose(d, d->described[at->row - 1].owner);
    const int size = snprintf(out, 4 * DART_NAME_BYTES, "static %.*s%s%.*s%s%.*s%s", (int)w.class_name.size,
                              (const char *)w.class_name.data, w.class_name.size > 0 ? "." : "", (int)name.size,
                              (const char *)name.data, w.place.size > 0 ? " (" : "", (int)w.place.size,
                              (const char *)w.place.data, w.place.size > 0 ? ")" : "");
    return (hsd_bytes){(const uint8_t *)out, size < 0 ? 0 : (size_t)size};
}

/*
 * Of which function, class and library something is. Each object of the VM for one of these refers to the one above it:
 *
 *      a function without a name ──► what says in which function it is ──► that function
 *      a function, a static field ──► a part of a class ──► the class ──► its library
 */
#include <stdio.h>
#include <string.h>

#include "import/dart/dart.h"

enum { OWNERS_MOST = 32 };
static const char nameless[] = "<anonymous closure>";

static bool has_no_name(hsd_bytes name)
{
    return name.size == sizeof nameless - 1 && memcmp(name.data, nameless, name.size) == 0;
}

static uint64_t above_of(const dart *d, const dart_object *o, dart_kind kind, const uint64_t *first, size_t count)
{
    const bool is_nameless = has_no_name((hsd_bytes){(const uint8_t *)o->name, o->name_size});
    const int place = kind == DART_CLASS          ? d->at.class_library
                      : kind == DART_PATCH        ? d->at.patch_whole
                      : kind == DART_CLOSURE_DATA ? d->at.data_parent
                      : kind != DART_FUNCTION     ? DART_NO_FIELD
                      : is_nameless               ? d->at.function_data
                                                  : d->at.function_owner;
    return hsd_dart_reference(first, count, place);
}

hsd_status hsd_dart_note(dart *d, const dart_object *o, const uint64_t *first, size_t count, hsd_error *err)
{
    const dart_kind kind = (dart_kind)hsd_dart_class_of(d, o)->kind;
    const uint32_t before = d->owners.count;
    uint32_t row, name;
    if (kind == DART_FIELD) return hsd_dart_note_field(d, o, first, count, err);
    HSD_TRY(hsd_names_put(&d->words, (hsd_bytes){(const uint8_t *)o->name, o->name_size}, &name, err));
    HSD_TRY(hsd_id_table_put(&d->owners, o->number, &row, err));
    if (d->owners.count == before) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&d->owner_rows, &d->owner_room, row, sizeof *d->owner_rows, err));
    d->owner_rows[row] = (dart_owner){.name = name, .above = above_of(d, o, kind, first, count), .kind = (uint8_t)kind};
    return HSD_OK;
}

dart_owner *hsd_dart_owner(const dart *d, uint64_t object)
{
    const uint32_t row = hsd_id_table_find(&d->owners, object);
    return row == 0 ? NULL : &d->owner_rows[row];
}

dart_whose hsd_dart_whose(const dart *d, uint64_t object)
{
    dart_whose out = {.is_inside = false};
    for (int step = 0; step < OWNERS_MOST; step++) {
        const dart_owner *owner = hsd_dart_owner(d, object);
        if (owner == NULL) break;
        const hsd_bytes name = hsd_names_get(&d->words, owner->name);
        if (owner->kind == DART_FUNCTION && has_no_name(name))
            out.is_inside = true;
        else if (owner->kind == DART_FUNCTION && out.function.size == 0)
            out.function = name;
        else if (owner->kind == DART_CLASS && !hsd_bytes_begin(name, "::"))
            out.class_name = name;
        else if (owner->kind == DART_LIBRARY)
            out.place = hsd_dart_place(name);
        object = owner->above;
    }
    return out;
}

hsd_bytes hsd_dart_name_closure(const dart *d, uint64_t function, char *out)
{
    const dart_whose w = hsd_dart_whose(d, function);
    const int size =
        w.function.size == 0
            ? snprintf(out, 4 * DART_NAME_BYTES, "Closure")
            : snprintf(out, 4 * DART_NAME_BYTES, "Closure %s%.*s%s%.*s%s%.*s%s", w.is_inside ? "in " : "",
                       (int)w.class_name.size, (const char *)w.class_name.data, w.class_name.size > 0 ? "." : "",
                       (int)w.function.size, (const char *)w.function.data, w.place.size > 0 ? " (" : "",
                       (int)w.place.size, (const char *)w.place.data, w.place.size > 0 ? ")" : "");
    return (hsd_bytes){(const uint8_t *)out, size < 0 ? 0 : (size_t)size};
}

/* A list of all types of an image by the hashes of their bare names. See named_types.h. */
#include "symbols/named_types.h"

#ifdef HSD_HAVE_DW
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/search.h"

enum { TYPES_MAX = 1 << 20, TRIED_MAX = 16 };

typedef struct hsd_listed_type {
    uint64_t hash; /* of its name without namespaces and arguments: "vector" */
    Dwarf_Off die;
} hsd_listed_type;

/* ---- the list ---- */

static bool is_structure(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* A structure that is defined here, or the name of one that has none of its own. */
static bool is_listed(Dwarf_Die *die)
{
    Dwarf_Die of;
    if (is_structure(dwarf_tag(die))) return !dwarf_hasattr(die, DW_AT_declaration);
    return dwarf_tag(die) == DW_TAG_typedef && hsd_type_of(die, &of) && is_structure(dwarf_tag(&of)) &&
           dwarf_diename(&of) == NULL;
}

static hsd_status list_type(void *context, Dwarf_Die *die, hsd_error *err)
{
    hsd_type_list *list = context;
    const char *name = is_listed(die) ? dwarf_diename(die) : NULL;
    if (name == NULL || name[0] == '\0' || list->count >= TYPES_MAX) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(list->at, list->capacity, list->count + 1, 256, "types", err));
    list->at[list->count++] = (hsd_listed_type){hsd_hash_bytes(name, strcspn(name, "<"), 0), dwarf_dieoffset(die)};
    return HSD_OK;
}

static int compare_types(const void *a, const void *b)
{
    const hsd_listed_type *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->die < y->die ? -1 : x->die > y->die;
}

static hsd_status read_types(hsd_lines *lines, hsd_type_list *list, hsd_error *err)
{
    list->is_read = true;
    HSD_TRY(hsd_dies_walk(lines, hsd_die_is_around, list_type, list, err));
    if (list->count > 1) qsort(list->at, list->count, sizeof *list->at, compare_types);
    return HSD_OK;
}

/* ---- looking up ---- */

/* "Session" of shop::Session, "map" of std::map<shop::Id, Session>. */
static hsd_text bare_name(hsd_text name)
{
    size_t end = name.size, depth = 0;
    if (end > 0 && name.data[end - 1] == '>') {
        do {
            const char c = name.data[--end];
            depth = c == '>' ? depth + 1 : c == '<' ? depth - 1 : depth;
        } while (end > 0 && depth > 0);
    }
    size_t begin = end;
    while (begin > 0 && name.data[begin - 1] != ':')
        begin--;
    return (hsd_text){name.data + begin, end - begin};
}

static hsd_status is_type_called(Dwarf_Die *die, hsd_text name, bool *is_it, hsd_error *err)
{
    hsd_type_name said = {.bytes = 0};
    const hsd_status status = hsd_type_describe(&said, die, err);
    *is_it = status == HSD_OK && said.text.size == name.size && memcmp(said.text.data, name.data, name.size) == 0;
    hsd_type_release(&said);
    return status;
}

hsd_status hsd_named_type_find(hsd_lines *lines, hsd_text name, Dwarf_Die *out, bool *is_found, hsd_error *err)
{
    hsd_type_list *list = hsd_lines_types(lines);
    const hsd_text bare = bare_name(name);
    size_t at;
    *is_found = false;
    if (!list->is_read) HSD_TRY(read_types(lines, list, err));
    if (bare.size == 0) return HSD_OK;
    const uint64_t hash = hsd_hash_bytes(bare.data, bare.size, 0);
    HSD_LOWER_BOUND(at, 0, list->count, list->at[at].hash, hash);
    for (size_t tried = 0; !*is_found && tried < TRIED_MAX && at < list->count && list->at[at].hash == hash; at++) {
        if (dwarf_offdie(hsd_lines_dwarf(lines), list->at[at].die, out) == NULL) continue;
        HSD_TRY(is_type_called(out, name, is_found, err));
        tried++;
    }
    return HSD_OK;
}

#endif

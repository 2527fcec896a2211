/*
 * Questions to the tables of go_types.h: a type behind its names, a member by its path, what stands at an address. All
 * are searches by halves, but for those by name, which are asked a few times for each program.
 */
#include <string.h>

#include "base/check.h"
#include "base/search.h"
#include "go/dwarf/go_types.h"

enum { MOST_STEPS = 64 };

uint32_t hsd_go_types_resolve(const hsd_go_types *types, uint32_t type)
{
    for (unsigned i = 0; i < MOST_STEPS; i++) {
        if (type >= types->type_count) return 0;
        if (types->types[type].kind != HSD_GO_IS_ALIAS) return type;
        type = (uint32_t)types->types[type].target;
    }
    return 0;
}

uint64_t hsd_go_types_size(const hsd_go_types *types, uint32_t type)
{
    const hsd_go_type *found = &types->types[hsd_go_types_resolve(types, type)];
    uint64_t size = found->size;
    for (unsigned i = 0; i < MOST_STEPS && size == 0 && found->kind == HSD_GO_IS_ARRAY;
         i++) { /* arrays without a size of their own */
        const hsd_go_type *element = &types->types[hsd_go_types_resolve(types, (uint32_t)found->target)];
        if (!hsd_mul_u64(element->size, found->count, &size)) return 0;
        found = element;
    }
    return size;
}

uint32_t hsd_go_types_named(const hsd_go_types *types, const char *name)
{
    const uint32_t wanted = hsd_names_find(&types->names, (hsd_bytes){(const uint8_t *)name, strlen(name)});
    for (uint32_t i = 1; wanted != HSD_NAME_NONE && i < types->type_count; i++)
        if (types->types[i].name == wanted && types->types[i].kind == HSD_GO_IS_STRUCT) return i;
    return 0;
}

static const hsd_go_member *find_member(const hsd_go_types *types, uint32_t type, const char *name, size_t size)
{
    const hsd_go_type *owner = &types->types[type];
    for (uint32_t i = 0; owner->kind == HSD_GO_IS_STRUCT && i < owner->member_count; i++) {
        const hsd_go_member *member = &types->members[owner->member + i];
        const hsd_bytes text = hsd_names_get(&types->names, member->name);
        if (text.size == size && memcmp(text.data, name, size) == 0) return member;
    }
    return NULL;
}

bool hsd_go_types_member(const hsd_go_types *types, uint32_t type, const char *path, uint64_t *offset,
                         uint32_t *member_type)
{
    uint64_t place = 0;
    type = hsd_go_types_resolve(types, type);
    for (const char *part = path; *part != '\0';) {
        const size_t size = strcspn(part, ".");
        const hsd_go_member *member = find_member(types, type, part, size);
        if (member == NULL || !hsd_add_u64(place, member->offset, &place)) return false;
        type = hsd_go_types_resolve(types, (uint32_t)member->type);
        part += size + (part[size] == '.');
    }
    *offset = place;
    *member_type = type;
    return true;
}

const hsd_go_global *hsd_go_types_global_at(const hsd_go_types *types, uint64_t address)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, types->global_count, types->globals[low].address, address);
    if (low == 0) return NULL;
    const hsd_go_global *found = &types->globals[low - 1];
    return address - found->address < hsd_go_types_size(types, (uint32_t)found->type) ? found : NULL;
}

const hsd_go_global *hsd_go_types_global_named(const hsd_go_types *types, const char *name)
{
    const uint32_t wanted = hsd_names_find(&types->names, (hsd_bytes){(const uint8_t *)name, strlen(name)});
    for (uint32_t i = 0; wanted != HSD_NAME_NONE && i < types->global_count; i++)
        if (types->globals[i].name == wanted) return &types->globals[i];
    return NULL;
}

const hsd_go_function *hsd_go_types_code_at(const hsd_go_types *types, uint64_t address)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, types->function_count, types->functions[low].low, address);
    return low == 0 || address >= types->functions[low - 1].high ? NULL : &types->functions[low - 1];
}

bool hsd_go_is_wrapper(const char *function)
{
    return strstr(function, ".gowrap") != NULL || strstr(function, ".deferwrap") != NULL ||
           strstr(function, "·dwrap·") != NULL;
}

bool hsd_go_types_is_wrapper(const hsd_go_types *types, const hsd_go_function *function)
{
    return function->is_wrapper || hsd_go_is_wrapper(hsd_go_types_text(types, function->name));
}

const char *hsd_go_types_function_at(const hsd_go_types *types, uint64_t address)
{
    const hsd_go_function *found = hsd_go_types_code_at(types, address);
    return found == NULL ? NULL : hsd_go_types_text(types, found->name);
}

uint32_t hsd_go_types_by_runtime_type(const hsd_go_types *types, uint64_t address)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, types->runtime_type_count, types->types[types->by_runtime_type[low]].runtime_type, address);
    if (low == types->runtime_type_count) return 0;
    const uint32_t found = types->by_runtime_type[low];
    return types->types[found].runtime_type == address ? found : 0;
}

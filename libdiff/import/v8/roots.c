/*
 * Follows node 0 to the roots. A group stands before the groups it leads to, so one pass is enough: a
 * reference marks a later node as awaited, and when that comes it is either a group itself or a root.
 */
#include "import/v8/roots.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"

/* Real snapshots have about 40. */
#define MOST_GROUPS 256u

typedef struct root { /* as it waits */
    uint32_t group;
    uint32_t target;
} root;

static hsd_status add_group(hsd_v8_roots *roots, uint32_t name, uint32_t kind, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(roots->groups, roots->group_capacity, roots->group_count + 1, 64, "roots", err));
    roots->groups[roots->group_count++] = (hsd_v8_group){.name = name, .kind = kind};
    return HSD_OK;
}

hsd_status hsd_v8_roots_init(hsd_v8_roots *roots, hsd_temp_space *space, uint64_t memory_bytes, hsd_error *err)
{
    *roots = (hsd_v8_roots){0};
    hsd_v8_spool_init(&roots->spool, space, memory_bytes);
    HSD_TRY(add_group(roots, 0, HSC_ROOT_GLOBAL, err));
    HSD_TRY(add_group(roots, 0, HSC_ROOT_RUNTIME, err));
    return add_group(roots, 0, HSC_ROOT_HANDLE, err);
}

hsd_status hsd_v8_roots_put(hsd_v8_roots *roots, uint32_t group, uint32_t target, hsd_error *err)
{
    const root record = {group, target};
    HSD_TRY(hsd_v8_spool_room(&roots->spool, sizeof record, err));
    memcpy(roots->spool.at, &record, sizeof record);
    roots->spool.at += sizeof record;
    return HSD_OK;
}

/* The group of this name; past the limit, and for 0, the one without a name. */
static hsd_status group_of(hsd_v8_roots *roots, hsd_v8_names *names, uint32_t name, uint32_t *out, hsd_error *err)
{
    uint32_t entry;
    *out = HSD_V8_GROUP_EMBEDDER;
    if (name == 0) return HSD_OK;
    for (uint32_t i = HSD_V8_GROUP_FIRST; i < roots->group_count; i++)
        if (roots->groups[i].name == name) {
            *out = i;
            return HSD_OK;
        }
    if (roots->group_count == MOST_GROUPS) return HSD_OK;
    HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_ROOT, roots->group_count, name, 0, &entry, err));
    if (entry == HSD_V8_NO_ENTRY) return HSD_OK;
    *out = roots->group_count;
    return add_group(roots, name, HSC_ROOT_HANDLE, err);
}

hsd_status hsd_v8_roots_node(hsd_v8_roots *roots, hsd_v8_names *names, uint32_t ordinal, uint32_t name, bool is_group,
                             uint32_t *group, hsd_error *err)
{
    uint32_t mine;
    *group = HSD_V8_NO_GROUP;
    HSD_TRY(group_of(roots, names, name, &mine, err));
    if (!is_group) return hsd_v8_roots_put(roots, mine, ordinal, err);
    *group = mine;
    return HSD_OK;
}

hsd_status hsd_v8_roots_reference(hsd_v8_roots *roots, hsd_v8_marks *marks, uint32_t source, uint32_t group,
                                  hsd_v8_edge kind, uint32_t target, hsd_error *err)
{
    const bool is_synthetic = hsd_v8_marks_get(marks, target) == HSD_V8_MARK_SYNTHETIC;
    if (source == 0 && !is_synthetic) roots->has_user_root = true;
    if (kind == HSD_V8_EDGE_WEAK) return HSD_OK;
    if (source == 0 && kind == HSD_V8_EDGE_SHORTCUT) {
        roots->has_global = true;
        return hsd_v8_roots_put(roots, HSD_V8_GROUP_GLOBAL, target, err);
    }
    if (source != 0 && !is_synthetic) return hsd_v8_roots_put(roots, group, target, err);
    if (target > source) hsd_v8_marks_await(marks, target);
    return HSD_OK;
}

void hsd_v8_roots_name(hsd_v8_roots *roots, uint32_t group, hsd_bytes text, uint32_t string)
{
    static const struct {
        const char *name;
        uint32_t kind;
    } known[] = {
        {"(Stack roots)", HSC_ROOT_STACK},
        {"(Isolate)", HSC_ROOT_STACK}, /* what it was called up to V8 8 */
        {"(Handle scope)", HSC_ROOT_STACK},
        {"C++ native stack roots", HSC_ROOT_STACK},
        {"C++ native stack traced handles", HSC_ROOT_STACK},
        {"(Global handles)", HSC_ROOT_HANDLE},
        {"(Eternal handles)", HSC_ROOT_HANDLE},
        {"(Traced handles)", HSC_ROOT_HANDLE},
        {"(Internalized strings)", HSC_ROOT_INTERNED},
        {"(External strings)", HSC_ROOT_INTERNED},
        {"(Document DOM trees)", HSC_ROOT_GLOBAL},
    };
    hsd_v8_group *mine = &roots->groups[group];
    mine->text = string;
    mine->kind = text.size > 0 && text.data[0] == '(' ? HSC_ROOT_RUNTIME : HSC_ROOT_HANDLE;
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++)
        if (strlen(known[i].name) == text.size && memcmp(known[i].name, text.data, text.size) == 0)
            mine->kind = known[i].kind;
    if (mine->kind == HSC_ROOT_GLOBAL) roots->has_user_root = true;
}

hsd_status hsd_v8_roots_next(hsd_v8_roots *roots, hsc_root_record *out, hsd_error *err)
{
    root record;
    const hsd_status status = hsd_v8_spool_next(&roots->spool, err);
    if (status != HSD_OK) return status;
    memcpy(&record, roots->spool.at, sizeof record);
    roots->spool.at += sizeof record;
    const hsd_v8_group *group = &roots->groups[record.group];
    *out = (hsc_root_record){.kind = (hsc_root_kind)group->kind,
                             .label = group->text,
                             .target = record.target,
                             .flags = group->kind == HSC_ROOT_GLOBAL ? 0 : HSC_ROOT_SECONDARY};
    return HSD_OK;
}

void hsd_v8_roots_release(hsd_v8_roots *roots)
{
    hsd_v8_spool_release(&roots->spool);
    free(roots->groups);
    *roots = (hsd_v8_roots){0};
}

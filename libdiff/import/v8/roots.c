/*
 * Follows node 0 to the roots. A group stands before the groups it leads to, so one pass is enough: a
 * reference marks a later node as awaited, and when that comes it is either a group itself or a root.
 */
#include "import/v8/roots.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "import/v8/wishes.h"

/* Real snapshots have about 40. */
#define MOST_GROUPS 256u

typedef struct root { /* as it waits */
    uint32_t group;
    uint32_t target;
    uint32_t slot; /* of its reference, or HSD_V8_NO_SLOT */
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

static hsd_status put_with_slot(hsd_v8_roots *roots, uint32_t group, uint32_t target, uint32_t slot, hsd_error *err)
{
    const root record = {group, target, slot};
    HSD_TRY(hsd_v8_spool_room(&roots->spool, sizeof record, err));
    memcpy(roots->spool.at, &record, sizeof record);
    roots->spool.at += sizeof record;
    return HSD_OK;
}

hsd_status hsd_v8_roots_put(hsd_v8_roots *roots, uint32_t group, uint32_t target, hsd_error *err)
{
    return put_with_slot(roots, group, target, HSD_V8_NO_SLOT, err);
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
    roots->groups[mine].named += !is_group;
    if (!is_group) return hsd_v8_roots_put(roots, mine, ordinal, err);
    *group = mine;
    return HSD_OK;
}

/* Of a group, to what is none. */
static hsd_status put_reference(hsd_v8_roots *roots, hsd_v8_marks *marks, const hsd_v8_root_edge *e, hsd_error *err)
{
    const uint32_t name = e->kind == HSD_V8_EDGE_INTERNAL ? e->name : HSD_V8_NO_STRING;
    uint32_t slot = HSD_V8_NO_SLOT;
    if (e->target > e->source) HSD_TRY(hsd_v8_frames_put(&roots->frames, e->group, name, e->target, &slot, err));
    if (slot != HSD_V8_NO_SLOT) hsd_v8_marks_await(marks, e->target);
    return put_with_slot(roots, e->group, e->target, slot, err);
}

hsd_status hsd_v8_roots_reference(hsd_v8_roots *roots, hsd_v8_marks *marks, const hsd_v8_root_edge *e, hsd_error *err)
{
    const bool is_synthetic = hsd_v8_marks_get(marks, e->target) == HSD_V8_MARK_SYNTHETIC;
    if (e->source == 0 && !is_synthetic) roots->has_user_root = true;
    if (e->kind == HSD_V8_EDGE_WEAK) return HSD_OK;
    if (e->source == 0 && e->kind == HSD_V8_EDGE_SHORTCUT) {
        roots->has_global = true;
        return hsd_v8_roots_put(roots, HSD_V8_GROUP_GLOBAL, e->target, err);
    }
    if (e->source != 0 && !is_synthetic) return put_reference(roots, marks, e, err);
    if (e->target <= e->source) return HSD_OK;
    hsd_v8_marks_await(marks, e->target);
    return is_synthetic ? HSD_OK : hsd_id_map_put(&roots->direct, e->target, 1, err);
}

static bool is_group_called(hsd_bytes text, const char *name)
{
    return strlen(name) == text.size && memcmp(name, text.data, text.size) == 0;
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
    if (is_group_called(text, "Node / Worker")) roots->workers += mine->named;
    mine->text = string;
    mine->is_stack = is_group_called(text, "(Stack roots)");
    mine->is_weak = is_group_called(text, "(Internalized strings)");
    mine->kind = text.size > 0 && text.data[0] == '(' ? HSC_ROOT_RUNTIME : HSC_ROOT_HANDLE;
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++)
        if (is_group_called(text, known[i].name)) mine->kind = known[i].kind;
    if (mine->kind == HSC_ROOT_GLOBAL) roots->has_user_root = true;
}

uint32_t hsd_v8_roots_stack(const hsd_v8_roots *roots)
{
    for (uint32_t i = HSD_V8_GROUP_FIRST; i < roots->group_count; i++)
        if (roots->groups[i].is_stack) return i;
    return HSD_V8_NO_GROUP;
}

static hsd_status read_root(hsd_v8_roots *roots, root *out, hsd_error *err)
{
    const hsd_status status = hsd_v8_spool_next(&roots->spool, err);
    if (status != HSD_OK) return status;
    memcpy(out, roots->spool.at, sizeof *out);
    roots->spool.at += sizeof *out;
    return HSD_OK;
}

/* Objects refer to it as well, and the group does not keep it. Code stays: it is what the compiler works on. */
static bool holds_nothing(const hsd_v8_roots *roots, const hsd_v8_names *names, const hsd_v8_marks *marks,
                          const root *r)
{
    const hsd_v8_group *group = &roots->groups[r->group];
    if (marks->incoming == NULL || !hsd_v8_marks_is_referred(marks, r->target)) return false;
    if (group->is_weak) return true;
    return !group->is_stack && hsd_v8_marks_get(marks, r->target) != HSD_V8_MARK_CODE &&
           hsd_v8_frames_is_compiled(&roots->frames, names, r->slot);
}

hsd_status hsd_v8_roots_next(hsd_v8_roots *roots, const hsd_v8_names *names, const hsd_v8_marks *marks,
                             hsd_v8_root *out, hsd_error *err)
{
    root r;
    do
        HSD_TRY(read_root(roots, &r, err));
    while (holds_nothing(roots, names, marks, &r));
    const hsd_v8_group *group = &roots->groups[r.group];
    out->function = hsd_v8_frames_function(&roots->frames, r.slot);
    out->record = (hsc_root_record){.kind = (hsc_root_kind)group->kind,
                                    .label = group->text,
                                    .target = r.target,
                                    .flags = group->kind == HSC_ROOT_GLOBAL ? 0 : HSC_ROOT_SECONDARY};
    return HSD_OK;
}

void hsd_v8_roots_release(hsd_v8_roots *roots)
{
    hsd_v8_spool_release(&roots->spool);
    hsd_v8_frames_release(&roots->frames);
    hsd_id_map_release(&roots->direct);
    free(roots->groups);
    *roots = (hsd_v8_roots){0};
}

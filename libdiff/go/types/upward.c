/*
 * Maps of which nothing is typed but what the allocator knows: those of variables that the compiler has on the stack,
 * and of which it does not say where they are.
 *
 *      (a word on a stack) ──► directory ──► tables ──► groups, which have their type from the allocator
 *
 * What has no type and leads to the beginning of groups where a table does is a table; what has none and begins
 * with a pointer to such a table is a directory. Of which map they are the groups say. From Go 1.24 on; before, a map
 * led to what the allocator knows by one pointer.
 */
#include "go/types/typing.h"

typedef struct upward {
    gotyping *t;
    uint32_t table, pointer; /* types: a table of the runtime, and a pointer to one */
    uint64_t groups;         /* offset in a table */
    bool has_found;
} upward;

/* The type of pointers to this one; 0 = there is none. */
static uint32_t pointer_to(const hsd_go_types *types, uint32_t type)
{
    for (uint32_t i = 1; i < types->type_count; i++) {
        const hsd_go_type *of = &types->types[i];
        if (of->kind == HSD_GO_IS_POINTER && hsd_go_types_resolve(types, (uint32_t)of->target) == type) return i;
    }
    return 0;
}

static bool find_table(upward *u)
{
    const hsd_go_types *types = &u->t->types;
    uint32_t member;
    u->table = hsd_go_types_named(types, "internal/runtime/maps.table");
    u->pointer = u->table == 0 ? 0 : pointer_to(types, u->table);
    return u->pointer != 0 && hsd_go_types_member(types, u->table, "groups.data", &u->groups, &member);
}

/* The type of the object that the word at this address leads to the beginning of; 0 = none. */
static hsd_status type_behind(gotyping *t, uint64_t address, uint32_t *type, hsd_error *err)
{
    uint64_t value;
    goslot slot;
    *type = 0;
    HSD_TRY(hsd_gomemory_word(&t->memory, address, &value, err));
    if (value == 0 || !hsd_goslots_find(&t->slots, value, &slot)) return HSD_OK;
    if (hsd_goslots_is_live(&t->slots, slot.number) && value == slot.begin + slot.span->head_bytes)
        *type = hsd_gotyped_of(t->slots.types[slot.number]).type;
    return HSD_OK;
}

static hsd_status take_table(upward *u, uint64_t begin, hsd_error *err)
{
    uint32_t groups;
    HSD_TRY(type_behind(u->t, begin + u->groups, &groups, err));
    if (groups == 0 || groups >= GOTYPE_TEXT || !hsd_gotype_begins(&u->t->types, groups, "noalg.map.group["))
        return HSD_OK;
    u->has_found = true;
    return hsd_gotyping_offer(u->t, begin, u->table, false, err);
}

static hsd_status take_directory(upward *u, uint64_t begin, hsd_error *err)
{
    uint32_t table;
    HSD_TRY(type_behind(u->t, begin, &table, err));
    return table == u->table ? hsd_gotyping_offer(u->t, begin, u->pointer, true, err) : HSD_OK;
}

/* Each object without a type that has at least so many bytes, and at most so many. */
static hsd_status look_at_untyped(upward *u, uint64_t least, uint64_t most,
                                  hsd_status (*take)(upward *, uint64_t, hsd_error *), hsd_error *err)
{
    gotyping *t = u->t;
    for (uint32_t i = 0; i < t->slots.span_count; i++) {
        const gospan *span = &t->slots.spans[i];
        if (span->slot_bytes < span->head_bytes + least || span->slot_bytes - span->head_bytes > most) continue;
        for (uint32_t j = 0; j < span->count && t->work_left > 0; j++) {
            if (!hsd_goslots_is_live(&t->slots, span->first + j) || t->slots.types[span->first + j] != 0) continue;
            t->work_left--;
            HSD_TRY(take(u, span->begin + j * span->slot_bytes + span->head_bytes, err));
        }
    }
    return HSD_OK;
}

hsd_status hsd_gotyping_upward(gotyping *t, hsd_error *err)
{
    upward u = {.t = t};
    if (!find_table(&u)) return HSD_OK;
    const uint64_t size = hsd_go_types_size(&t->types, u.table);
    HSD_TRY(look_at_untyped(&u, size, size + size / 2, take_table, err));
    if (u.has_found) HSD_TRY(look_at_untyped(&u, sizeof(uint64_t), UINT64_MAX, take_directory, err));
    return hsd_gotyping_settle(t, err);
}

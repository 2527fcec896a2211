/*
 * What the package unique has beside the values that it keeps once each: a table for each type, a tree of nodes, whose
 * entries hold their values weakly. An entry goes when its value went, some time behind the collector. Whatever leads
 * to a part of it, the cleanups of all values and words that a call has left on a stack, would lead to all of it.
 *
 *      unique.uniqueMaps ──► maps by type ──► nodes ──► … ──► entry: hash, weak pointer
 *
 * So a reference to one of its parts keeps nothing alive. All that the variable leads to is such a part.
 */
#include <stdlib.h>

#include "base/check.h"
#include "go/core/gocore.h"

enum { MOST_WORDS_OF_TABLE = 64 };

typedef struct canon_search {
    gocore *go;
    uint64_t *met; /* by number - 1 */
    uint32_t room;
} canon_search;

static hsd_status meet_part(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    canon_search *s = context;
    gocore *go = s->go;
    uint64_t target;
    uint32_t number;
    (void)offset;
    if (!hsd_gocore_target(go, value, &target)) return HSD_OK;
    const uint32_t before = go->canon.count;
    HSD_TRY(hsd_id_table_put(&go->canon, target, &number, err));
    if (go->canon.count == before) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&s->met, &s->room, before, sizeof *s->met, err));
    s->met[before] = target;
    return HSD_OK;
}

static hsd_status meet_all(canon_search *s, uint64_t address, uint64_t words, hsd_error *err)
{
    gocore *go = s->go;
    uint64_t value;
    for (uint64_t i = 0; i < words; i++) {
        HSD_TRY(hsd_gomemory_word(&go->typing.memory, address + 8 * i, &value, err));
        HSD_TRY(meet_part(s, 8 * i, value, err));
    }
    for (uint32_t i = 0; i < go->canon.count; i++) {
        goslot slot;
        if (hsd_id_table_memory(&go->canon) > go->import->memory_bytes / 16) { /* then it is as any other table */
            hsd_id_table_release(&go->canon);
            return HSD_OK;
        }
        if (hsd_goslots_find(&go->typing.slots, s->met[i], &slot))
            HSD_TRY(hsd_gocore_pointers(go, &slot, meet_part, s, err));
    }
    return HSD_OK;
}

hsd_status hsd_gocore_find_canon(gocore *go, hsd_error *err)
{
    const hsd_go_types *types = &go->typing.types;
    const hsd_go_global *table = hsd_go_types_global_named(types, "unique.uniqueMaps");
    canon_search s = {.go = go};
    if (table == NULL) return HSD_OK;
    const uint64_t words = hsd_go_types_size(types, (uint32_t)table->type) / 8;
    const hsd_status status =
        meet_all(&s, table->address + go->typing.bias, hsd_min_u64(words, MOST_WORDS_OF_TABLE), err);
    free(s.met);
    return status;
}

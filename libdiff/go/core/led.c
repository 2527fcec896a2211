/*
 * What the variables of main lead to. The compiler leaves on the stack what it needed for a moment: of
 *
 *      shop := &Shop{hub: &Hub{topics: map[string]*Topic{}}}
 *
 * also the hub and the map, in words that have no name, as long as main runs. Nobody knows which of these the program
 * will still read. Where a variable leads to the same object, a word without a name keeps nothing alive that the
 * variable does not, and is no root. It is looked as far as the nearest thousands of objects, and not into large ones.
 */
#include "go/core/gocore.h"

enum { MOST_LED = 4096, MOST_OBJECT_BYTES = 2048, MOST_WORDS = 4096 };

typedef struct leading {
    gocore *go;
    uint64_t met[MOST_LED]; /* by number: what was met, in order */
} leading;

static hsd_status meet_led(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    leading *l = context;
    gocore *go = l->go;
    uint64_t target;
    uint32_t number;
    (void)offset;
    if (go->led.count == MOST_LED || !hsd_gocore_target(go, value, &target)) return HSD_OK;
    if (hsd_id_table_find(&go->goroutines, target) != 0 || hsd_id_table_find(&go->out.timers, target) != 0)
        return HSD_OK; /* a reference to these keeps nothing alive */
    const uint32_t before = go->led.count;
    HSD_TRY(hsd_id_table_put(&go->led, target, &number, err));
    if (go->led.count > before) l->met[number - 1] = target;
    return HSD_OK;
}

static hsd_status meet_in_variables(leading *l, hsd_error *err)
{
    const golocals *locals = &l->go->typing.locals;
    uint64_t value, left = MOST_WORDS;
    for (uint32_t i = 0; i < locals->count; i++)
        for (uint64_t at = 0; at + 8 <= locals->at[i].bytes && left > 0; at += 8, left--) {
            HSD_TRY(hsd_gomemory_word(&l->go->typing.memory, locals->at[i].address + at, &value, err));
            HSD_TRY(meet_led(l, at, value, err));
        }
    return HSD_OK;
}

hsd_status hsd_gocore_find_led(gocore *go, hsd_error *err)
{
    leading l = {.go = go};
    HSD_TRY(meet_in_variables(&l, err));
    for (uint32_t i = 0; i < go->led.count && go->led.count < MOST_LED; i++) {
        goslot slot;
        if (!hsd_goslots_find(&go->typing.slots, l.met[i], &slot) || slot.span->slot_bytes > MOST_OBJECT_BYTES)
            continue;
        HSD_TRY(hsd_gocore_pointers(go, &slot, meet_led, &l, err));
    }
    return HSD_OK;
}

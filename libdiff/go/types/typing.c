/*
 * Types by following pointers. See typing.h.
 */
#include "go/types/typing.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"

enum { STACK = 65536, ITAB_TYPE = 8, MAP_LENGTH = 8, LEAST_WORK = 1 << 24, DEEPEST = 64 };

hsd_status hsd_gotyping_open(gotyping *t, uint64_t most_bytes, hsd_error *err)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < t->slots.span_count; i++)
        bytes = hsd_add_saturating(bytes, t->slots.spans[i].slot_bytes * t->slots.spans[i].count);
    t->work_left = hsd_add_saturating(bytes, LEAST_WORK);
    t->stack = malloc(STACK * sizeof *t->stack);
    if (t->stack == NULL) return hsd_fail_nomem(err, "types");
    t->statics.most_bytes = most_bytes / 4;
    return hsd_goplans_open(&t->plans, &t->types, most_bytes, err);
}

void hsd_gotyping_close(gotyping *t)
{
    if (t->plans.types != NULL) hsd_goplans_close(&t->plans);
    hsd_goslots_release(&t->slots);
    hsd_gostatics_release(&t->statics);
    hsd_golocals_release(&t->locals);
    hsd_go_types_release(&t->types);
    hsd_go_lines_release(&t->lines);
    hsd_id_table_release(&t->itabs);
    free(t->itab_types);
    free(t->stack);
    *t = (gotyping){0};
}

uint64_t hsd_gotyping_size(const gotyping *t, uint32_t type)
{
    return type == GOTYPE_TEXT ? 1 : type == GOTYPE_CLOSURE ? 8 : hsd_go_types_size(&t->types, type);
}

/* ---- offers ---- */

static void wait_for(gotyping *t, uint32_t slot)
{
    const uint64_t bit = UINT64_C(1) << slot % 64;
    uint64_t *word = &t->slots.pending[slot / 64];
    if ((*word & bit) != 0) return;
    *word |= bit;
    if (t->depth == STACK)
        t->has_pending = true;
    else
        t->stack[t->depth++] = slot;
}

/* How many bytes of the room such a type tells of: of texts and closures, that it is one. */
static uint64_t told(const gotyping *t, gotyped typed, uint64_t room)
{
    if (typed.type >= GOTYPE_TEXT) return 1;
    const uint64_t size = hsd_gotyping_size(t, typed.type);
    return size == 0 || size > room ? 0 : typed.is_items ? room - room % size : size;
}

/* Is `inner` what stands at the beginning of an `outer`? */
static bool begins_with(const gotyping *t, uint32_t outer, uint32_t inner)
{
    for (int i = 0; i < DEEPEST && outer != 0 && outer < GOTYPE_TEXT; i++) {
        const hsd_go_type *of = hsd_go_types_get(&t->types, outer);
        uint64_t next = 0;
        if (of->kind == HSD_GO_IS_ARRAY)
            next = of->target;
        else if (of->kind == HSD_GO_IS_STRUCT && of->member_count > 0 && t->types.members[of->member].offset == 0)
            next = t->types.members[of->member].type;
        outer = hsd_go_types_resolve(&t->types, (uint32_t)next);
        if (outer == inner) return true;
    }
    return false;
}

static bool is_better(const gotyping *t, gotyped one, gotyped other, uint64_t room)
{
    if (other.type == 0) return true;
    if (one.is_guess != other.is_guess) return other.is_guess || begins_with(t, one.type, other.type);
    if (one.is_strong != other.is_strong) return one.is_strong;
    const uint64_t a = told(t, one, room), b = told(t, other, room);
    if (a != b) return a > b;
    if (one.is_items != other.is_items) return one.is_items;
    return one.type < other.type;
}

hsd_status hsd_gotyping_offer(gotyping *t, uint64_t pointer, uint32_t type, bool is_items, hsd_error *err)
{
    goslot slot;
    gotyped typed = {.type = type >= GOTYPE_TEXT ? type : hsd_go_types_resolve(&t->types, type),
                     .is_items = is_items,
                     .is_guess = t->is_guessing};
    if (typed.type == 0) return HSD_OK;
    if (!hsd_goslots_find(&t->slots, pointer, &slot))
        return is_items ? HSD_OK : hsd_gostatics_offer(t, pointer, typed.type, false, 1, err);
    if (!hsd_goslots_is_live(&t->slots, slot.number)) return HSD_OK;
    const uint64_t begin = slot.begin + slot.span->head_bytes;
    if (pointer < begin || slot.span->head_bytes >= slot.span->slot_bytes) return HSD_OK;
    const uint64_t room = slot.span->slot_bytes - slot.span->head_bytes, size = hsd_gotyping_size(t, typed.type);
    if (size == 0 || size > room) return HSD_OK;
    typed.is_strong = pointer == begin;
    if (!typed.is_strong && (!is_items || (pointer - begin) % size != 0)) return HSD_OK;
    uint32_t *known = &t->slots.types[slot.number];
    if (!is_better(t, typed, hsd_gotyped_of(*known), room)) return HSD_OK;
    *known =
        typed.type << 3 | (uint32_t)typed.is_guess << 2 | (uint32_t)typed.is_items << 1 | (uint32_t)typed.is_strong;
    if (typed.type < GOTYPE_TEXT) wait_for(t, slot.number);
    return HSD_OK;
}

/* ---- words ---- */

uint32_t hsd_gotyping_described(const gotyping *t, uint64_t runtime_type)
{
    return hsd_go_types_resolve(&t->types, hsd_go_types_by_runtime_type(&t->types, runtime_type - t->bias));
}

hsd_status hsd_gotyping_put_itab(gotyping *t, uint64_t itab, uint64_t runtime_type, hsd_error *err)
{
    uint32_t number = 0;
    HSD_TRY(hsd_id_table_put(&t->itabs, itab, &number, err));
    HSD_TRY(hsd_import_grow((void **)&t->itab_types, &t->itab_room, number, sizeof *t->itab_types, err));
    t->itab_types[number] = runtime_type;
    return HSD_OK;
}

hsd_status hsd_gotyping_offer_pointed(gotyping *t, uint64_t object, uint64_t pointer_type, hsd_error *err)
{
    const uint32_t pointer = hsd_gotyping_described(t, pointer_type);
    if (pointer == 0 || hsd_go_types_get(&t->types, pointer)->kind != HSD_GO_IS_POINTER) return HSD_OK;
    return hsd_gotyping_offer(t, object, (uint32_t)hsd_go_types_get(&t->types, pointer)->target, false, err);
}

static hsd_status type_of_itab(gotyping *t, uint64_t itab, uint64_t *runtime_type, hsd_error *err)
{
    const uint32_t number = hsd_id_table_find(&t->itabs, itab);
    if (number == 0) return hsd_gomemory_word(&t->memory, itab + ITAB_TYPE, runtime_type, err);
    *runtime_type = t->itab_types[number];
    return HSD_OK;
}

/* A closure begins with its code, which knows what it captured. */
static hsd_status type_of_closure(gotyping *t, uint64_t value, uint32_t *type, hsd_error *err)
{
    uint64_t code;
    HSD_TRY(hsd_gomemory_word(&t->memory, value, &code, err));
    const hsd_go_function *function = code < t->bias ? NULL : hsd_go_types_code_at(&t->types, code - t->bias);
    *type = function == NULL || function->closure == 0 ? GOTYPE_CLOSURE : function->closure;
    return HSD_OK;
}

/* The value of an interface: types that are one pointer stand in it, others behind it. */
static hsd_status aim_of_interface(gotyping *t, const goword *word, uint64_t address, uint64_t first, goaim *out,
                                   hsd_error *err)
{
    uint64_t runtime_type = first, value;
    const goplan *plan;
    if (word->what == GO_IFACE) HSD_TRY(type_of_itab(t, first, &runtime_type, err));
    HSD_TRY(hsd_gomemory_word(&t->memory, address + 8, &value, err));
    const uint32_t type = hsd_gotyping_described(t, runtime_type);
    if (type == 0 || value == 0) return HSD_OK;
    HSD_TRY(hsd_goplans_of(&t->plans, type, &plan, err));
    *out = (goaim){value, type};
    if (plan->count != 1 || hsd_go_types_size(&t->types, type) != 8) return HSD_OK;
    const goword *inner = &plan->words[0];
    out->type = inner->what == GO_POINTER ? inner->target : 0;
    return inner->what == GO_FUNC ? type_of_closure(t, value, &out->type, err) : HSD_OK;
}

hsd_status hsd_gotyping_aim(gotyping *t, const goword *word, uint64_t address, uint64_t value, goaim *out,
                            hsd_error *err)
{
    *out = (goaim){value, 0};
    switch ((gowhat)word->what) {
    case GO_POINTER: out->type = word->target; return HSD_OK;
    case GO_FUNC: return type_of_closure(t, value, &out->type, err);
    case GO_EFACE:
    case GO_IFACE: return aim_of_interface(t, word, address, value, out, err);
    case GO_ITEMS:
    case GO_TEXT:
    case GO_DIRECTORY:
    case GO_NODE:
    case GO_ANY: break;
    }
    return HSD_OK;
}

static hsd_status follow_node(gotyping *t, const goword *word, uint64_t value, hsd_error *err)
{
    uint64_t first;
    HSD_TRY(hsd_gomemory_word(&t->memory, value, &first, err));
    const bool is_leaf = (first & 0xff) != 0;
    return hsd_gotyping_offer(t, value, is_leaf ? word->other : word->target, false, err);
}

/* How many there are a slot of the heap tells; among the globals it is the length behind the pointer. */
static hsd_status follow_items(gotyping *t, const goword *word, uint64_t address, uint64_t value, hsd_error *err)
{
    goslot slot;
    uint64_t length;
    if (hsd_goslots_find(&t->slots, value, &slot)) return hsd_gotyping_offer(t, value, word->target, true, err);
    HSD_TRY(hsd_gomemory_word(&t->memory, address + 8, &length, err));
    return hsd_gostatics_offer(t, value, hsd_go_types_resolve(&t->types, word->target), true, length, err);
}

hsd_status hsd_gotyping_follow(gotyping *t, const goword *word, uint64_t address, uint64_t value, hsd_error *err)
{
    uint64_t length;
    goaim aim;
    switch ((gowhat)word->what) {
    case GO_POINTER:
    case GO_FUNC:
    case GO_EFACE:
    case GO_IFACE:
        HSD_TRY(hsd_gotyping_aim(t, word, address, value, &aim, err));
        return aim.type == 0 ? HSD_OK : hsd_gotyping_offer(t, aim.pointer, aim.type, false, err);
    case GO_ITEMS: return follow_items(t, word, address, value, err);
    case GO_TEXT: return hsd_gotyping_offer(t, value, GOTYPE_TEXT, true, err);
    case GO_DIRECTORY:
        HSD_TRY(hsd_gomemory_word(&t->memory, address + MAP_LENGTH, &length, err));
        return hsd_gotyping_offer(t, value, length == 0 ? word->other : word->target, true, err);
    case GO_NODE: return follow_node(t, word, value, err);
    case GO_ANY: break;
    }
    return HSD_OK;
}

static hsd_status follow_all(gotyping *t, uint64_t address, uint32_t type, uint64_t count, hsd_error *err)
{
    const goplan *plan;
    uint8_t bytes[8];
    HSD_TRY(hsd_goplans_of(&t->plans, type, &plan, err));
    const uint64_t size = hsd_go_types_size(&t->types, type);
    for (uint64_t i = 0; plan->count > 0 && i < count; i++, address += size)
        for (uint32_t j = 0; j < plan->count; j++) {
            const goword *word = &plan->words[j];
            uint64_t value = 0, at;
            if (t->work_left == 0 || !hsd_add_u64(address, word->offset, &at)) return HSD_OK;
            t->work_left--;
            const hsd_status status = hsd_gomemory_read(&t->memory, at, bytes, sizeof bytes, err);
            if (status == HSD_END) return HSD_OK;
            if (status != HSD_OK) return status;
            for (unsigned k = 0; k < 8; k++)
                value |= (uint64_t)bytes[k] << 8 * k;
            if (value != 0) HSD_TRY(hsd_gotyping_follow(t, word, at, value, err));
        }
    return HSD_OK;
}

hsd_status hsd_gotyping_value(gotyping *t, uint64_t address, uint32_t type, hsd_error *err)
{
    uint64_t count = 1;
    type = hsd_go_types_resolve(&t->types, type);
    const hsd_go_type *of = hsd_go_types_get(&t->types, type);
    if (of->kind == HSD_GO_IS_ARRAY) { /* element by element: as a whole it may be too large for a plan */
        count = of->count;
        type = hsd_go_types_resolve(&t->types, (uint32_t)of->target);
    }
    return type == 0 || hsd_go_types_size(&t->types, type) == 0 ? HSD_OK : follow_all(t, address, type, count, err);
}

/* ---- all ---- */

static hsd_status look_into(gotyping *t, uint32_t number, hsd_error *err)
{
    t->slots.pending[number / 64] &= ~(UINT64_C(1) << number % 64);
    const goslot slot = hsd_goslots_get(&t->slots, number);
    const gotyped typed = hsd_gotyped_of(t->slots.types[number]);
    if (typed.type >= GOTYPE_TEXT) return HSD_OK; /* what it became while it waited has no pointers */
    const uint64_t room = slot.span->slot_bytes - slot.span->head_bytes, size = hsd_gotyping_size(t, typed.type);
    const uint64_t count = typed.is_items && size > 0 ? room / size : 1;
    return typed.is_items ? follow_all(t, slot.begin + slot.span->head_bytes, typed.type, count, err)
                          : hsd_gotyping_value(t, slot.begin + slot.span->head_bytes, typed.type, err);
}

static hsd_status empty_stack(gotyping *t, hsd_error *err)
{
    while (t->depth > 0)
        HSD_TRY(look_into(t, t->stack[--t->depth], err));
    return HSD_OK;
}

static hsd_status look_at_marks(gotyping *t, hsd_error *err)
{
    t->has_pending = false;
    for (uint32_t i = 0; i <= t->slots.slot_count / 64; i++)
        while (t->slots.pending[i] != 0) {
            HSD_TRY(look_into(t, i * 64 + (uint32_t)__builtin_ctzll(t->slots.pending[i]), err));
            HSD_TRY(empty_stack(t, err));
        }
    return HSD_OK;
}

static hsd_status look_at_static(gotyping *t, const gostatic *one, hsd_error *err)
{
    const uint64_t size = hsd_gotyping_size(t, one->type);
    return one->is_items ? follow_all(t, one->address, one->type, size == 0 ? 0 : one->bytes / size, err)
                         : hsd_gotyping_value(t, one->address, one->type, err);
}

hsd_status hsd_gotyping_settle(gotyping *t, hsd_error *err)
{
    gostatic one;
    do {
        HSD_TRY(empty_stack(t, err));
        while (t->has_pending)
            HSD_TRY(look_at_marks(t, err));
        while (hsd_gostatics_next(t, &one))
            HSD_TRY(look_at_static(t, &one, err));
    } while (t->depth > 0 || t->has_pending);
    return HSD_OK;
}

hsd_status hsd_gotyping_run(gotyping *t, hsd_error *err)
{
    HSD_TRY(empty_stack(t, err));
    for (uint32_t i = 0; i < t->types.global_count; i++) {
        const hsd_go_global *global = &t->types.globals[i];
        HSD_TRY(hsd_gotyping_value(t, global->address + t->bias, (uint32_t)global->type, err));
        HSD_TRY(empty_stack(t, err));
    }
    HSD_TRY(hsd_gotask_offer_timers(t, err));
    return hsd_gotyping_settle(t, err);
}

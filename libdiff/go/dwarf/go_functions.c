/*
 * Functions of a Go program: where their code is, what their closures hold, what a wrapper calls.
 *
 * A function that is copied into others (inlined) has its name in an entry of its own, its origin, which stands
 * anywhere; the entry of its code, and those of its copies, say where. A method value, `c.handle`, is a closure of the
 * code of a function main.(*connection).handle-fm and the receiver behind it, of which no entry says anything.
 */
#include "go/dwarf/go_reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"

enum { NAME_BYTES = 1024, CODE_BYTES = 8 };

static const char method_value[] = "-fm";

/* Its name says more than that it is a wrapper. */
static bool is_method_value(const char *function)
{
    const size_t length = function == NULL ? 0 : strlen(function), end = sizeof method_value - 1;
    return length > end && strcmp(function + length - end, method_value) == 0;
}

uint64_t hsd_go_reading_memory(const hsd_go_reading *r)
{
    return r->origin_room * sizeof *r->origins + r->copy_room * sizeof *r->copies;
}

void hsd_go_reading_release(hsd_go_reading *r)
{
    free(r->origins);
    free(r->copies);
    r->origins = NULL;
    r->copies = NULL;
}

/* ---- entries ---- */

static hsd_status add_origin(hsd_go_reading *r, const hsd_die *die, hsd_error *err)
{
    hsd_go_origin added = {.die = die->offset};
    HSD_TRY(hsd_go_put_name(r, die->name, &added.name, err));
    HSD_TRY(hsd_go_grow(r, &r->origins, &r->origin_room, r->origin_count, sizeof added, err));
    r->origins[r->origin_count++] = added;
    return HSD_OK;
}

static hsd_status add_copy(hsd_go_reading *r, uint64_t origin, bool is_called, hsd_error *err)
{
    const hsd_go_copy added = {.origin = origin, .function = r->types->function_count - 1, .is_called = is_called};
    HSD_TRY(hsd_go_grow(r, &r->copies, &r->copy_room, r->copy_count, sizeof added, err));
    r->copies[r->copy_count++] = added;
    return HSD_OK;
}

static hsd_status add_function(hsd_go_reading *r, const hsd_die *die, hsd_error *err)
{
    hsd_go_types *types = r->types;
    hsd_go_function added = {
        .low = die->low_pc, .high = die->high_pc, .is_wrapper = die->is_trampoline && !is_method_value(die->name)};
    HSD_TRY(hsd_go_put_name(r, die->name, &added.name, err));
    HSD_TRY(hsd_go_grow(r, &types->functions, &types->function_room, types->function_count, sizeof added, err));
    types->functions[types->function_count++] = added;
    r->function_depth = die->depth + 1;
    return die->name == NULL ? add_copy(r, die->origin, false, err) : HSD_OK;
}

/* A variable that a function captured: a member of its closure's structure, which the first of them makes. One that is
 * captured by reference is called &name. */
static hsd_status add_captured(hsd_go_reading *r, const hsd_die *die, hsd_error *err)
{
    hsd_go_types *types = r->types;
    hsd_go_function *function = &types->functions[types->function_count - 1];
    hsd_die member = *die;
    char name[NAME_BYTES];
    if (function->closure == 0) {
        snprintf(name, sizeof name, "func %s", hsd_go_types_text(types, function->name));
        const hsd_die closure = {.offset = die->offset, .name = name, .go_kind = HSD_GO_FUNC, .depth = die->depth - 1};
        HSD_TRY(hsd_go_add_type(r, &closure, HSD_GO_IS_STRUCT, err));
        function->closure = types->type_count - 1;
    }
    member.member_offset = die->closure_offset;
    member.name = die->name[0] == '&' ? die->name + 1 : die->name;
    return hsd_go_add_member(r, &member, err);
}

hsd_status hsd_go_take_function(hsd_go_reading *r, const hsd_die *die, hsd_error *err)
{
    if (die->depth < r->function_depth) r->function_depth = 0;
    if (die->tag == HSD_TAG_SUBPROGRAM && die->low_pc < die->high_pc && (die->name != NULL || die->origin != 0))
        return add_function(r, die, err);
    if (die->tag == HSD_TAG_SUBPROGRAM && die->name != NULL) return add_origin(r, die, err);
    if (r->function_depth == 0 || die->depth != r->function_depth) return HSD_OK;
    if (die->tag == HSD_TAG_VARIABLE && die->closure_offset != 0 && die->name != NULL) return add_captured(r, die, err);
    const hsd_go_function *function = &r->types->functions[r->types->function_count - 1];
    if (die->tag == HSD_TAG_INLINED && die->origin != 0 && hsd_go_types_is_wrapper(r->types, function))
        return add_copy(r, die->origin, true, err);
    return HSD_OK;
}

/* ---- names of copies ---- */

static uint32_t name_of_origin(const hsd_go_reading *r, uint64_t die)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, r->origin_count, r->origins[low].die, die);
    return low < r->origin_count && r->origins[low].die == die ? r->origins[low].name : 0;
}

static hsd_status name_copies(hsd_go_reading *r, hsd_error *err)
{
    char name[NAME_BYTES];
    hsd_go_types *types = r->types;
    for (uint32_t i = 0; i < r->copy_count; i++) {
        const hsd_go_copy *copy = &r->copies[i];
        hsd_go_function *function = &types->functions[copy->function];
        const uint32_t origin = name_of_origin(r, copy->origin);
        if (copy->is_called && function->calls == 0) function->calls = origin;
        if (copy->is_called || origin == 0) continue;
        function->name = origin;
        if (function->closure == 0) continue;
        snprintf(name, sizeof name, "func %s", hsd_go_types_text(types, origin));
        HSD_TRY(hsd_go_put_name(r, name, &types->types[function->closure].name, err));
    }
    return HSD_OK;
}

/* Functions that no entry names are as good as not there. */
static void drop_nameless(hsd_go_types *types)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < types->function_count; i++)
        if (*hsd_go_types_text(types, types->functions[i].name) != '\0') types->functions[kept++] = types->functions[i];
    types->function_count = kept;
}

/* ---- method values ---- */

/* The receiver's type as the linker calls it: "*main.connection" of main.(*connection).handle-fm, "main.point" of
 * main.point.draw-fm. */
static bool name_receiver(const char *function, char *out, size_t size)
{
    if (!is_method_value(function)) return false;
    snprintf(out, size, "%.*s", (int)(hsd_min_u64(strlen(function), size) - (sizeof method_value - 1)), function);
    char *method = strrchr(out, '.'), *open = strstr(out, ".(*");
    if (method == NULL) return false;
    *method = '\0';
    if (open == NULL) return strchr(out, '.') != NULL;
    char *close = strrchr(open, ')');
    if (close == NULL || close[1] != '\0') return false;
    *close = '\0';
    char pointer[NAME_BYTES];
    const int used = snprintf(pointer, sizeof pointer, "*%.*s.%s", (int)(open - out), out, open + 3);
    if (used < 0 || (size_t)used >= hsd_min_u64(sizeof pointer, size)) return false;
    memcpy(out, pointer, (size_t)used + 1);
    return true;
}

static hsd_status add_method_value(hsd_go_reading *r, hsd_go_function *function, uint64_t die, uint32_t receiver,
                                   hsd_error *err)
{
    char name[NAME_BYTES];
    const char *text = hsd_go_types_text(r->types, function->name);
    snprintf(name, sizeof name, "func %.*s", (int)(hsd_min_u64(strlen(text), NAME_BYTES) - (sizeof method_value - 1)),
             text);
    const hsd_die closure = {.offset = die, .name = name, .go_kind = HSD_GO_FUNC};
    const hsd_die member = {.name = "receiver", .member_offset = CODE_BYTES, .type = r->types->types[receiver].die};
    HSD_TRY(hsd_go_add_type(r, &closure, HSD_GO_IS_STRUCT, err));
    function->closure = r->types->type_count - 1;
    return hsd_go_add_member(r, &member, err);
}

/* by_name: the first type of each name. */
static hsd_status add_method_values(hsd_go_reading *r, const uint32_t *by_name, uint32_t name_count, hsd_error *err)
{
    char receiver[NAME_BYTES];
    hsd_go_types *types = r->types;
    uint64_t die = types->types[types->type_count - 1].die;
    for (uint32_t i = 0; i < types->function_count; i++) {
        hsd_go_function *function = &types->functions[i];
        if (function->closure != 0 ||
            !name_receiver(hsd_go_types_text(types, function->name), receiver, sizeof receiver))
            continue;
        const uint32_t name = hsd_names_find(&types->names, (hsd_bytes){(const uint8_t *)receiver, strlen(receiver)});
        if (name < name_count && by_name[name] != 0 && die < UINT64_MAX)
            HSD_TRY(add_method_value(r, function, ++die, by_name[name], err));
    }
    return HSD_OK;
}

hsd_status hsd_go_finish_functions(hsd_go_reading *r, hsd_error *err)
{
    hsd_go_types *types = r->types;
    HSD_TRY(name_copies(r, err));
    drop_nameless(types);
    const uint32_t name_count = types->names.count, type_count = types->type_count;
    uint32_t *by_name = calloc((size_t)name_count + 1, sizeof *by_name);
    if (by_name == NULL) return hsd_fail_nomem(err, "types");
    for (uint32_t i = type_count; i-- > 1;)
        by_name[types->types[i].name] = i;
    const hsd_status status = add_method_values(r, by_name, name_count, err);
    free(by_name);
    return status;
}

/* ---- sizes ---- */

/* Up to the end of what it captured; nothing where that would be no place in memory. */
static void measure_closure(const hsd_go_types *types, hsd_go_type *closure)
{
    closure->size = CODE_BYTES;
    for (uint32_t i = 0; i < closure->member_count; i++) {
        const hsd_go_member *member = &types->members[closure->member + i];
        uint64_t end;
        if (hsd_add_u64(member->offset, hsd_go_types_size(types, (uint32_t)member->type), &end))
            closure->size = hsd_max_u64(closure->size, end);
    }
}

void hsd_go_measure_closures(hsd_go_types *types)
{
    for (uint32_t i = 1; i < types->type_count; i++)
        if (types->types[i].kind == HSD_GO_IS_STRUCT && types->types[i].go_kind == HSD_GO_FUNC)
            measure_closure(types, &types->types[i]);
}

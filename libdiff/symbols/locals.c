/*
 * Variables of a function that lie in its frame, from the outside in: blocks and inlined calls that the code is none of
 * have none there. See locals.h.
 */
#include "symbols/locals.h"

#include "base/check.h"
#include "symbols/code.h"
#include "symbols/flow_places.h"

#ifdef HSD_HAVE_DW
#include <string.h>

enum { MOST_DEPTH = 64, MOST_STEPS = 1 << 16, FRAME_POINTER_BELOW_END = 16 };

typedef struct frame {
    const hsd_module *module;
    uint64_t code;
    int64_t below, above;
    Dwarf_Die *function;
    Dwarf_Attribute base; /* of the function */
    bool has_base, has_frame_pointer;
    unsigned steps_left; /* entries and places that are looked at */
} frame;

typedef struct found_local {
    Dwarf_Die variable, owner;
    uint64_t inside;
} found_local;

/* ---- where a variable lies ---- */

/* The expression of the attribute that holds for the code; false: none, or none of one operation. */
static bool find_operation(frame *f, Dwarf_Attribute *location, Dwarf_Op *out)
{
    Dwarf_Addr base, low, high;
    Dwarf_Op *op;
    size_t count;
    for (ptrdiff_t at = 0; (at = dwarf_getlocations(location, at, &base, &low, &high, &op, &count)) > 0;) {
        if (f->steps_left == 0) return false;
        f->steps_left--;
        if (f->code < low || f->code >= high) continue;
        if (count == 1) *out = op[0];
        return count == 1;
    }
    return false;
}

/* How far into what begins so far from a register the word lies; false: the register is none that is known. */
static bool place_in_frame(const frame *f, unsigned reg, int64_t offset, int64_t *inside)
{
    if (reg == 7) {
        *inside = hsd_flow_minus(f->above, offset);
        return true;
    }
    if (reg != 6 || !f->has_frame_pointer) return false;
    *inside = hsd_flow_minus(hsd_flow_minus(FRAME_POINTER_BELOW_END, f->below), offset);
    return true;
}

static bool place_from_base(frame *f, int64_t offset, int64_t *inside)
{
    Dwarf_Op base;
    if (!f->has_base || !find_operation(f, &f->base, &base)) return false;
    if (base.atom == DW_OP_call_frame_cfa) {
        *inside = hsd_flow_minus(hsd_flow_minus(0, f->below), offset);
        return true;
    }
    if (base.atom >= DW_OP_breg0 && base.atom <= DW_OP_breg31)
        return place_in_frame(f, base.atom - DW_OP_breg0, hsd_flow_plus((int64_t)base.number, offset), inside);
    return base.atom >= DW_OP_reg0 && base.atom <= DW_OP_reg31 &&
           place_in_frame(f, base.atom - DW_OP_reg0, offset, inside);
}

/* A lock, an iterator: it leads to what somebody else holds, who has the better name. */
static bool is_visitor(Dwarf_Die *type)
{
    static const char *const words[] = {"lock<", "lock_guard<", "iterator", "Guard<", "Iter<", "IterMut<", "Ref<"};
    const char *name = dwarf_diename(type);
    for (size_t i = 0; name != NULL && i < HSD_ARRAY_LEN(words); i++)
        if (strstr(name, words[i]) != NULL) return true;
    return false;
}

static bool holds_word(frame *f, Dwarf_Die *variable, uint64_t *inside)
{
    Dwarf_Attribute location;
    Dwarf_Op op;
    Dwarf_Die type;
    Dwarf_Word bytes;
    int64_t at;
    if (dwarf_attr(variable, DW_AT_location, &location) == NULL || !find_operation(f, &location, &op)) return false;
    if (op.atom == DW_OP_fbreg ? !place_from_base(f, (int64_t)op.number, &at)
                               : op.atom < DW_OP_breg0 || op.atom > DW_OP_breg31 ||
                                     !place_in_frame(f, op.atom - DW_OP_breg0, (int64_t)op.number, &at))
        return false;
    if (at < 0 || !hsd_type_of(variable, &type) || dwarf_aggregate_size(&type, &bytes) != 0) return false;
    *inside = (uint64_t)at;
    return *inside < bytes && !is_visitor(&type);
}

/* ---- the functions there ---- */

/* Of one function or block: the variable that holds the word, else the block inside that the code stands in. */
static bool look_in(frame *f, Dwarf_Die *around, found_local *found, Dwarf_Die *next, bool *goes_on)
{
    Dwarf_Die die;
    *goes_on = false;
    if (dwarf_child(around, &die) != 0) return false;
    do {
        const int tag = dwarf_tag(&die);
        const bool is_variable = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
        if (is_variable && dwarf_diename(&die) != NULL && holds_word(f, &die, &found->inside)) {
            found->variable = die;
            return true;
        }
        if (!*goes_on && (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
            dwarf_haspc(&die, f->code) == 1) {
            *next = die;
            *goes_on = true;
        }
    } while (f->steps_left > 0 && f->steps_left-- > 0 && hsd_die_go_on(&die));
    return false;
}

static bool find_local(frame *f, found_local *found)
{
    Dwarf_Die at = *f->function, next;
    bool goes_on = true;
    for (int depth = 0; goes_on && depth < MOST_DEPTH; depth++) {
        if (dwarf_tag(&at) != DW_TAG_lexical_block) found->owner = at;
        if (look_in(f, &at, found, &next, &goes_on)) return true;
        at = next;
    }
    return false;
}

/* The object that a function is of: as everybody reads its members, the function's name alone says whose they are. */
static bool is_own_object(Dwarf_Die *variable, const char *name)
{
    Dwarf_Die type, to;
    return (strcmp(name, "this") == 0 || strcmp(name, "self") == 0) && hsd_type_of(variable, &type) &&
           hsd_type_pointee(&type, &to);
}

static hsd_status append_local(found_local *found, hsd_buffer *out, hsd_error *err)
{
    Dwarf_Die type;
    bool is_beside;
    const char *function = hsd_die_linkage_name(&found->owner), *name = dwarf_diename(&found->variable);
    if (function == NULL || name[0] == '\0' || strnlen(name, 4096) == 4096) return HSD_OK;
    HSD_TRY(hsd_append_name(out, function, err));
    if (is_own_object(&found->variable, name)) return HSD_OK;
    HSD_TRY(hsd_buffer_append(out, ".", 1, err));
    HSD_TRY(hsd_buffer_append(out, name, strlen(name), err));
    return hsd_type_of(&found->variable, &type) ? hsd_type_append_way(out, &type, found->inside, &is_beside, err)
                                                : HSD_OK;
}

hsd_status hsd_local_append(const hsd_module *module, uint64_t code, uint64_t below, uint64_t above, hsd_buffer *out,
                            hsd_error *err)
{
    hsd_scope scope;
    found_local found = {.inside = 0};
    if (module->lines == NULL) return HSD_OK;
    HSD_TRY(hsd_lines_scope(module->lines, code, &scope, err));
    if (scope.count == 0) return HSD_OK;
    frame f = {.module = module,
               .code = code,
               .below = (int64_t)below,
               .above = (int64_t)above,
               .function = &scope.functions[0],
               .steps_left = MOST_STEPS};
    f.has_base = dwarf_attr_integrate(f.function, DW_AT_frame_base, &f.base) != NULL;
    f.has_frame_pointer = hsd_flow_has_frame_pointer(module, f.function);
    return find_local(&f, &found) ? append_local(&found, out, err) : HSD_OK;
}

#else

hsd_status hsd_local_append(const hsd_module *module, uint64_t code, uint64_t below, uint64_t above, hsd_buffer *out,
                            hsd_error *err)
{
    (void)module, (void)code, (void)below, (void)above, (void)out, (void)err;
    return HSD_OK;
}

#endif

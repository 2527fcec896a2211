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

enum { MOST_DEPTH = 64, MOST_STEPS = 1 << 16, FRAME_POINTER_BELOW_END = 16, NO_REGISTER = 255 };

typedef struct frame {
    const hsd_module *module;
    uint64_t code;
    bool is_register; /* what is looked for */
    uint8_t reg;
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

/* The expression of the attribute that holds for the code; false: none. */
static bool find_expression(frame *f, Dwarf_Attribute *location, Dwarf_Op **out, size_t *count)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_getlocations(location, at, &base, &low, &high, out, count)) > 0;) {
        if (f->steps_left == 0) return false;
        f->steps_left--;
        if (f->code >= low && f->code < high) return true;
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
    Dwarf_Op base, *op;
    size_t count;
    if (!f->has_base || !find_expression(f, &f->base, &op, &count) || count != 1) return false;
    base = op[0];
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

/* The value is in the register, or so far from what it holds: `this` of a member whose object is there. */
static bool is_in_register(const frame *f, const Dwarf_Op *op, size_t count)
{
    if (count == 1) return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 && op->atom == DW_OP_reg0 + f->reg;
    return count == 2 && op[0].atom >= DW_OP_breg0 && op[0].atom <= DW_OP_breg31 &&
           op[0].atom == DW_OP_breg0 + f->reg && op[1].atom == DW_OP_stack_value;
}

/* How far into what lies where the operations say the word is. */
static bool place_of(frame *f, const Dwarf_Op *op, size_t count, int64_t *inside)
{
    *inside = 0;
    if (f->is_register) return is_in_register(f, op, count);
    if (count != 1) return false;
    if (op->atom == DW_OP_fbreg) return place_from_base(f, (int64_t)op->number, inside);
    return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 &&
           place_in_frame(f, op->atom - DW_OP_breg0, (int64_t)op->number, inside);
}

/* The operations of each part, and how large it is: a structure may be taken apart into registers and words. */
static bool is_in_parts(frame *f, const Dwarf_Op *op, size_t count, uint64_t bytes, uint64_t *inside)
{
    int64_t at;
    uint64_t skipped = 0;
    for (size_t i = 0; i < count && f->steps_left > 0; f->steps_left--) {
        size_t end = i;
        while (end < count && op[end].atom != DW_OP_piece && op[end].atom != DW_OP_bit_piece)
            end++;
        const uint64_t size = end < count ? op[end].number : bytes - skipped;
        if (size > bytes - skipped || (end < count && op[end].atom == DW_OP_bit_piece)) return false;
        if (end > i && place_of(f, op + i, end - i, &at) && at >= 0 && (uint64_t)at < size) {
            *inside = skipped + (uint64_t)at;
            return true;
        }
        skipped += size;
        i = end + 1;
    }
    return false;
}

static bool holds_word(frame *f, Dwarf_Die *variable, uint64_t *inside)
{
    Dwarf_Attribute location;
    Dwarf_Op *op;
    Dwarf_Die type;
    Dwarf_Word bytes;
    size_t count;
    return dwarf_attr(variable, DW_AT_location, &location) != NULL && find_expression(f, &location, &op, &count) &&
           hsd_type_of(variable, &type) && dwarf_aggregate_size(&type, &bytes) == 0 &&
           is_in_parts(f, op, count, bytes, inside) && !is_visitor(&type);
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

hsd_status hsd_local_append(const hsd_module *module, uint64_t code, const hsd_frame_place *place, hsd_buffer *out,
                            hsd_error *err)
{
    hsd_scope scope;
    found_local found = {.inside = 0};
    if (module->lines == NULL) return HSD_OK;
    HSD_TRY(hsd_lines_scope(module->lines, code, &scope, err));
    if (scope.count == 0) return HSD_OK;
    frame f = {.module = module,
               .code = code,
               .is_register = place->is_register,
               .reg = place->reg < NO_REGISTER ? (uint8_t)place->reg : NO_REGISTER,
               .below = (int64_t)place->below,
               .above = (int64_t)place->above,
               .function = &scope.functions[0],
               .steps_left = MOST_STEPS};
    f.has_base = dwarf_attr_integrate(f.function, DW_AT_frame_base, &f.base) != NULL;
    f.has_frame_pointer = hsd_flow_has_frame_pointer(module, f.function);
    return find_local(&f, &found) ? append_local(&found, out, err) : HSD_OK;
}

#else

hsd_status hsd_local_append(const hsd_module *module, uint64_t code, const hsd_frame_place *place, hsd_buffer *out,
                            hsd_error *err)
{
    (void)module, (void)code, (void)place, (void)out, (void)err;
    return HSD_OK;
}

#endif

/* Where variables are, by DWARF's expressions and by what the code has done to the stack. See flow_places.h. */
#include "symbols/flow_places.h"

#ifdef HSD_HAVE_DW
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "symbols/x86.h"

enum {
    MOST_PLACES = 4096,
    MOST_ENTRIES = 1 << 16,
    MOST_BLOCK_DEPTH = 64,
    CODE_BYTES = 64,
    FRAME_POINTER_TO_CFA = 16,
    RETURN_ADDRESS = 8,
    MOST_BEFORE = 1 << 12,
    MOST_PROLOGUE = 32,
    MOST_GLOBALS = 1 << 18
};

typedef struct finding {
    const hsd_module *module;
    hsd_flow_places *out;
    uint64_t after;
    bool has_frame_pointer;
} finding;

/* ---- the frame ---- */

/* push %rbp; mov %rsp,%rbp at the beginning: then rbp leads to the frame. */
bool hsd_flow_has_frame_pointer(const hsd_module *module, Dwarf_Die *function)
{
    static const uint8_t plain[] = {0x55, 0x48, 0x89, 0xe5}, marked[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t code[8];
    Dwarf_Addr low;
    if (dwarf_lowpc(function, &low) != 0) return false;
    const size_t size = hsd_module_code(module, low, code, sizeof code);
    const size_t at = size >= sizeof marked && memcmp(code, marked, sizeof marked) == 0 ? sizeof marked : 0;
    return size >= at + sizeof plain && memcmp(code + at, plain, sizeof plain) == 0;
}

/* ---- where variables are ---- */

/* DWARF counts registers in an order of its own. */
static unsigned register_of(unsigned number)
{
    static const uint8_t order[HSD_X86_REGISTERS] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};
    return number < HSD_X86_REGISTERS ? order[number] : HSD_X86_NO_REGISTER;
}

/* A fixed address, which the expression has or the table of addresses. */
static bool read_address(Dwarf_Attribute *location, const Dwarf_Op *op, uint64_t *address)
{
    Dwarf_Attribute listed;
    Dwarf_Addr found;
    *address = op->number;
    if (op->atom == DW_OP_addr) return true;
    if (op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index) return false;
    if (dwarf_getlocation_attr(location, op, &listed) != 0 || dwarf_formaddr(&listed, &found) != 0) return false;
    *address = found;
    return true;
}

static bool read_place(Dwarf_Attribute *location, const Dwarf_Op *op, hsd_flow_place *out)
{
    uint64_t address;
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg15) {
        out->kind = HSD_FLOW_IN_REGISTER;
        out->reg = register_of(op->atom - DW_OP_reg0);
    } else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg15) {
        out->kind = HSD_FLOW_AT_REGISTER;
        out->reg = register_of(op->atom - DW_OP_breg0);
        out->offset = (int64_t)op->number;
    } else if (op->atom == DW_OP_fbreg) {
        out->kind = HSD_FLOW_IN_FRAME;
        out->offset = (int64_t)op->number;
    } else if (read_address(location, op, &address)) {
        out->kind = HSD_FLOW_AT_ADDRESS;
        out->offset = (int64_t)address;
    } else {
        return false;
    }
    return true;
}

/* `this` of a member whose object is in a register: DW_OP_breg6 40, DW_OP_stack_value. */
static bool read_sum(const Dwarf_Op *op, size_t count, hsd_flow_place *out)
{
    if (count != 2 || op[0].atom < DW_OP_breg0 || op[0].atom > DW_OP_breg15 || op[1].atom != DW_OP_stack_value)
        return false;
    out->kind = HSD_FLOW_FROM_REGISTER;
    out->reg = register_of(op[0].atom - DW_OP_breg0);
    out->offset = (int64_t)op[0].number;
    return true;
}

/* A structure in several registers: an operation and a piece, an operation and a piece. */
static void add_parts(finding *f, Dwarf_Attribute *location, const Dwarf_Op *op, size_t count, hsd_flow_place *found)
{
    for (size_t i = 0; i < count && f->out->count < MOST_PLACES; i++) {
        const bool has_place = op[i].atom != DW_OP_piece && i + 1 < count && op[i + 1].atom == DW_OP_piece;
        if (has_place && read_place(location, &op[i], found) && found->kind == HSD_FLOW_IN_REGISTER)
            f->out->list[f->out->count++] = *found;
        if (has_place) i++;
        if (op[i].atom != DW_OP_piece) return;
        found->inside += op[i].number;
    }
}

static void add_places(finding *f, Dwarf_Die *variable)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr base, low, high;
    Dwarf_Op *op;
    size_t count;
    hsd_flow_place found = {.reg = HSD_X86_NO_REGISTER};
    if (dwarf_attr(variable, DW_AT_location, &attribute) == NULL || !hsd_type_of(variable, &found.type)) return;
    for (ptrdiff_t at = 0; f->out->count < MOST_PLACES &&
                           (at = dwarf_getlocations(&attribute, at, &base, &low, &high, &op, &count)) > 0;) {
        found.low = low;
        found.high = high;
        found.inside = 0;
        found.offset = 0;
        if ((count == 1 && read_place(&attribute, op, &found)) || read_sum(op, count, &found))
            f->out->list[f->out->count++] = found;
        else if (count > 1)
            add_parts(f, &attribute, op, count, &found);
    }
}

/* How far the frame base lies above rsp at the return address: what the function has pushed until then. Only where
 * nothing was popped on the way there, by the order of the instructions, is that certain; 0 = it is not. */
static int64_t bytes_above_stack(const finding *f)
{
    uint8_t code[CODE_BYTES];
    Dwarf_Addr at;
    size_t size = 0, skipped = 0;
    int64_t bytes = RETURN_ADDRESS;
    if (dwarf_lowpc(&f->out->scope->functions[0], &at) != 0 || at > f->after || f->after - at > MOST_BEFORE) return 0;
    while (at < f->after) {
        if (skipped + 15 > size) {
            size = hsd_module_code(f->module, at, code, sizeof code);
            skipped = 0;
        }
        const hsd_x86 one = hsd_x86_decode(code + skipped, size - skipped, at);
        const bool is_stack = one.kind == HSD_X86_ADD && one.base == HSD_X86_RSP;
        if (one.kind == HSD_X86_UNKNOWN || one.kind == HSD_X86_POP || one.kind == HSD_X86_RETURN ||
            (is_stack && one.displacement > 0))
            return 0;
        if ((one.changed >> HSD_X86_RSP & 1) != 0 || (one.kind == HSD_X86_ADDRESS && one.reg == HSD_X86_RSP)) return 0;
        if (one.kind == HSD_X86_PUSH) bytes = hsd_flow_plus(bytes, 8);
        if (is_stack) bytes = hsd_flow_minus(bytes, one.displacement);
        at += one.size;
        skipped += one.size;
    }
    return at == f->after ? bytes : 0;
}

/* The frame base of a function is the address above its return address, or a register. */
static void find_frame_base(finding *f)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;
    const int64_t above = f->has_frame_pointer ? 0 : bytes_above_stack(f);
    if (dwarf_attr_integrate(&f->out->scope->functions[0], DW_AT_frame_base, &attribute) == NULL ||
        dwarf_getlocation(&attribute, &op, &count) != 0 || count != 1)
        return;
    for (size_t i = 0; i < f->out->count; i++) {
        hsd_flow_place *p = &f->out->list[i];
        if (p->kind != HSD_FLOW_IN_FRAME) continue;
        if (op->atom == DW_OP_call_frame_cfa && f->has_frame_pointer) {
            p->kind = HSD_FLOW_AT_REGISTER;
            p->reg = HSD_X86_RBP;
            p->offset = hsd_flow_plus(p->offset, FRAME_POINTER_TO_CFA);
        } else if (op->atom == DW_OP_call_frame_cfa && above > 0) {
            p->kind = HSD_FLOW_AT_REGISTER;
            p->reg = HSD_X86_RSP;
            p->offset = hsd_flow_plus(p->offset, above);
        } else if (op->atom == DW_OP_reg6) {
            p->kind = HSD_FLOW_AT_REGISTER;
            p->reg = HSD_X86_RBP;
        } else if (op->atom == DW_OP_reg7) {
            p->kind = HSD_FLOW_AT_REGISTER;
            p->reg = HSD_X86_RSP;
        }
    }
}

/* ---- parameters ---- */

/* Which register the function, at its beginning, stores `offset` from where rbp leads to. */
static unsigned stored_register(const hsd_module *module, uint64_t low, int64_t offset)
{
    uint8_t code[MOST_PROLOGUE * 16];
    const size_t size = hsd_module_code(module, low, code, sizeof code);
    size_t at = 0;
    for (int i = 0; i < MOST_PROLOGUE && at < size; i++) {
        const hsd_x86 one = hsd_x86_decode(code + at, size - at, low + at);
        if (one.kind == HSD_X86_STORE && one.is_memory && one.base == HSD_X86_RBP && !one.has_index &&
            one.displacement == offset)
            return one.is_whole ? one.reg : HSD_X86_NO_REGISTER;
        if (one.kind != HSD_X86_STORE && one.kind != HSD_X86_PUSH && one.kind != HSD_X86_ADD &&
            one.kind != HSD_X86_OTHER)
            return HSD_X86_NO_REGISTER;
        at += one.size;
    }
    return HSD_X86_NO_REGISTER;
}

unsigned hsd_flow_parameter_register(const hsd_module *module, Dwarf_Die *function, Dwarf_Die *parameter)
{
    Dwarf_Attribute attribute, base;
    Dwarf_Addr low;
    Dwarf_Op *op, *base_op;
    size_t count, base_count;
    if (dwarf_lowpc(function, &low) != 0 || dwarf_attr(parameter, DW_AT_location, &attribute) == NULL ||
        dwarf_getlocation_addr(&attribute, low, &op, &count, 1) < 1 || count != 1)
        return HSD_X86_NO_REGISTER;
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg15) return register_of(op->atom - DW_OP_reg0);
    if (op->atom != DW_OP_fbreg || !hsd_flow_has_frame_pointer(module, function) ||
        dwarf_attr_integrate(function, DW_AT_frame_base, &base) == NULL ||
        dwarf_getlocation(&base, &base_op, &base_count) != 0 || base_count != 1)
        return HSD_X86_NO_REGISTER;
    const bool is_of_frame = base_op->atom == DW_OP_call_frame_cfa;
    if (!is_of_frame && base_op->atom != DW_OP_reg6) return HSD_X86_NO_REGISTER;
    return stored_register(module, low, hsd_flow_plus((int64_t)op->number, is_of_frame ? FRAME_POINTER_TO_CFA : 0));
}

/* ---- places ---- */

static bool has_variables(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

/* All variables of the function and of what was inlined in it, the outer ones first. */
static void find_places(finding *f)
{
    Dwarf_Die way[MOST_BLOCK_DEPTH];
    size_t depth = 1;
    if (dwarf_child(&f->out->scope->functions[0], &way[0]) != 0) return;
    for (unsigned entries = 0; depth > 0 && entries < MOST_ENTRIES; entries++) {
        Dwarf_Die *die = &way[depth - 1];
        const int tag = dwarf_tag(die);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) add_places(f, die);
        if (has_variables(tag) && depth < MOST_BLOCK_DEPTH && dwarf_child(die, &way[depth]) == 0) {
            depth++;
            continue;
        }
        while (depth > 0 && !hsd_die_go_on(&way[depth - 1]))
            depth--;
    }
    find_frame_base(f);
}

hsd_status hsd_flow_places_find(hsd_flow_places *out, const hsd_module *module, hsd_scope *scope, uint64_t after,
                                hsd_error *err)
{
    *out = (hsd_flow_places){.scope = scope, .list = calloc(MOST_PLACES, sizeof *out->list)};
    if (out->list == NULL) return hsd_fail_nomem(err, "types");
    finding f = {.module = module, .out = out, .after = after};
    f.has_frame_pointer = hsd_flow_has_frame_pointer(module, &scope->functions[0]);
    find_places(&f);
    return HSD_OK;
}

void hsd_flow_places_release(hsd_flow_places *places)
{
    free(places->list);
    *places = (hsd_flow_places){.count = 0};
}

/* ---- variables of the program ---- */

bool hsd_flow_variable_address(Dwarf_Die *variable, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;
    if (dwarf_attr(variable, DW_AT_location, &attribute) == NULL || dwarf_getlocation(&attribute, &op, &count) != 0)
        return false;
    return count == 1 && read_address(&attribute, op, address);
}

/* An address and how many bytes are there, or how many are nowhere: DW_OP_piece 8, DW_OP_addrx 3, DW_OP_piece 8. */
size_t hsd_flow_variable_pieces(Dwarf_Die *variable, hsd_flow_piece *out, size_t most)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count, found = 0;
    uint64_t skipped = 0, address;
    if (dwarf_attr(variable, DW_AT_location, &attribute) == NULL || dwarf_getlocation(&attribute, &op, &count) != 0)
        return 0;
    for (size_t i = 0; i < count && found < most; i++) {
        const bool is_piece = op[i].atom == DW_OP_piece && op[i].number <= INT32_MAX;
        if (is_piece && i > 0 && read_address(&attribute, &op[i - 1], &address))
            out[found++] = (hsd_flow_piece){address, op[i].number, skipped};
        if (is_piece) skipped += op[i].number;
    }
    return found;
}

bool hsd_flow_variable_of_thread(Dwarf_Die *variable, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;
    if (dwarf_attr(variable, DW_AT_location, &attribute) == NULL || dwarf_getlocation(&attribute, &op, &count) != 0 ||
        count != 2)
        return false;
    *offset = op[0].number;
    const bool is_number = op[0].atom == DW_OP_const4u || op[0].atom == DW_OP_const8u || op[0].atom == DW_OP_addr;
    return is_number && (op[1].atom == DW_OP_form_tls_address || op[1].atom == DW_OP_GNU_push_tls_address);
}

typedef bool (*place_of_variable)(Dwarf_Die *variable, uint64_t *place);

static bool pointee_of_variable(Dwarf_Die *variable, place_of_variable place_of, uint64_t address, Dwarf_Die *pointee)
{
    Dwarf_Die type;
    Dwarf_Word bytes;
    uint64_t begin;
    if (!place_of(variable, &begin) || address < begin || !hsd_type_of(variable, &type)) return false;
    if (dwarf_aggregate_size(&type, &bytes) != 0 || address - begin >= bytes) return false;
    return hsd_type_pointee_at(&type, address - begin, pointee);
}

/* Of the unit's variables, those in namespaces too. */
static bool pointee_in_unit(hsd_flow_places *places, place_of_variable place_of, uint64_t address, Dwarf_Die *pointee)
{
    Dwarf_Die way[MOST_BLOCK_DEPTH];
    size_t depth = 1;
    if (dwarf_child(&places->scope->unit, &way[0]) != 0) return false;
    for (unsigned entries = 0; depth > 0 && entries < MOST_GLOBALS; entries++) {
        Dwarf_Die *die = &way[depth - 1];
        const int tag = dwarf_tag(die);
        if (tag == DW_TAG_variable && pointee_of_variable(die, place_of, address, pointee)) return true;
        if (tag == DW_TAG_namespace && depth < MOST_BLOCK_DEPTH && dwarf_child(die, &way[depth]) == 0) {
            depth++;
            continue;
        }
        while (depth > 0 && !hsd_die_go_on(&way[depth - 1]))
            depth--;
    }
    return false;
}

bool hsd_flow_pointee_at_address(hsd_flow_places *places, uint64_t address, Dwarf_Die *pointee)
{
    for (size_t i = 0; i < places->count; i++)
        if (places->list[i].kind == HSD_FLOW_AT_ADDRESS && (uint64_t)places->list[i].offset <= address &&
            hsd_type_pointee_at(&places->list[i].type, address - (uint64_t)places->list[i].offset, pointee))
            return true;
    return pointee_in_unit(places, hsd_flow_variable_address, address, pointee);
}

bool hsd_flow_pointee_at_thread(hsd_flow_places *places, uint64_t offset, Dwarf_Die *pointee)
{
    return pointee_in_unit(places, hsd_flow_variable_of_thread, offset, pointee);
}

#endif

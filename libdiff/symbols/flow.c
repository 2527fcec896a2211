/*
 * A few dozen instructions of one way: that on which the block is there. Of registers and of slots of the frame it is
 * known whether they hold the block, a pointer whose type is known, an address of the program, or anything else:
 *
 *      call malloc                 rax: the block
 *      mov  %rax,%rbx              rbx: the block. DWARF: here `s`, a struct session *, begins to be in rbx
 *      call strdup                 rax: another block, when that one is followed
 *      mov  %rax,0x8(%rbx)         stored at 8 of what `s` leads to: `name`, a char *
 *
 * See flow.h.
 */
#include "symbols/flow.h"

#ifdef HSD_HAVE_DW
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "symbols/x86.h"

enum {
    MOST_PLACES = 4096,
    MOST_ENTRIES = 1 << 16,
    MOST_BLOCK_DEPTH = 64,
    MOST_INSTRUCTIONS = 160,
    MOST_SLOTS = 16,
    CODE_BYTES = 64,
    MOST_SKIPPED = 4096,
    FRAME_POINTER_TO_CFA = 16,
    RETURN_ADDRESS = 8,
    MOST_BEFORE = 1 << 12,
    MOST_GLOBALS = 1 << 18
};
enum { CLOBBERED_BY_CALLS = 0x0fc7 }; /* rax, rcx, rdx, rsi, rdi, r8 to r11 */

typedef enum value_kind { NOTHING, BLOCK, POINTER, ADDRESS } value_kind;

typedef struct value {
    value_kind kind;
    hsd_flow_spot spot; /* BLOCK */
    uint64_t address;   /* ADDRESS */
    Dwarf_Die pointee;  /* POINTER */
} value;

typedef enum place_kind { IN_REGISTER, IN_FRAME, AT_REGISTER, AT_ADDRESS } place_kind;

/* Where a variable is while the next instruction is one of [low, high). */
typedef struct place {
    uint64_t low, high;
    place_kind kind;
    unsigned reg;
    int64_t offset;  /* from the frame, from the register; the address */
    uint64_t inside; /* of a variable that lies in several registers: the offset of this part */
    Dwarf_Die type;
} place;

typedef struct slot {
    unsigned base;
    int64_t offset;
    value held;
} slot;

typedef struct following {
    const hsd_module *module;
    hsd_scope *scope;
    hsd_flow *out;
    uint64_t start, most_bytes;
    place *places;
    size_t place_count;
    bool has_frame_pointer;
    value registers[HSD_X86_REGISTERS];
    slot slots[MOST_SLOTS];
    size_t slot_count;
    int64_t stack_shift; /* by how much rsp has changed */
    bool tested_block;
    hsd_type_name weak; /* says little: taken when nothing better comes */
    bool weak_is_array;
} following;

static const value nothing = {.kind = NOTHING};

/* Offsets come from the file and from its code, which may be hostile: they wrap. */
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

/* ---- code ---- */

static size_t read_code(const hsd_module *module, uint64_t address, uint8_t *out, size_t room)
{
    size_t got = 0;
    for (size_t i = 0; i < module->image_count && got == 0; i++)
        got = hsd_image_code(module->images[i], address, out, room);
    return got;
}

/* Behind an entry of a table of jumps to other files stands the word that the loader fills. */
static const char *name_of_jump(const hsd_module *module, uint64_t address)
{
    uint8_t code[24];
    const size_t size = read_code(module, address, code, sizeof code);
    size_t at = 0;
    for (int i = 0; i < 3 && at < size; i++) {
        const hsd_x86 one = hsd_x86_decode(code + at, size - at, address + at);
        if (one.kind == HSD_X86_JUMP && one.is_memory && one.base == HSD_X86_RIP)
            return hsd_module_find(module, HSD_SYMBOL_IMPORT, (uint64_t)one.displacement);
        if (one.kind != HSD_X86_OTHER) return NULL;
        at += one.size;
    }
    return NULL;
}

static const char *name_of_target(const hsd_module *module, const hsd_x86 *call)
{
    if (call->is_memory)
        return call->base == HSD_X86_RIP ? hsd_module_find(module, HSD_SYMBOL_IMPORT, (uint64_t)call->displacement)
                                         : NULL;
    if (call->target == 0) return NULL;
    const char *name = name_of_jump(module, call->target);
    return name != NULL ? name : hsd_module_find(module, HSD_SYMBOL_FUNCTION, call->target);
}

const char *hsd_flow_callee(const hsd_module *module, uint64_t after)
{
    static const unsigned sizes[] = {5, 6, 7};
    for (size_t i = 0; i < HSD_ARRAY_LEN(sizes); i++) {
        uint8_t code[8];
        if (after < sizes[i] || read_code(module, after - sizes[i], code, sizes[i]) != sizes[i]) continue;
        const hsd_x86 call = hsd_x86_decode(code, sizes[i], after - sizes[i]);
        if (call.kind == HSD_X86_CALL && call.size == sizes[i]) return name_of_target(module, &call);
    }
    return NULL;
}

/* push %rbp; mov %rsp,%rbp at the beginning: then rbp leads to the frame. */
static bool has_frame_pointer(const following *f)
{
    static const uint8_t plain[] = {0x55, 0x48, 0x89, 0xe5}, marked[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t code[8];
    Dwarf_Addr low;
    if (dwarf_lowpc(&f->scope->functions[0], &low) != 0) return false;
    const size_t size = read_code(f->module, low, code, sizeof code);
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

static bool read_place(Dwarf_Attribute *location, const Dwarf_Op *op, place *out)
{
    uint64_t address;
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg15) {
        out->kind = IN_REGISTER;
        out->reg = register_of(op->atom - DW_OP_reg0);
    } else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg15) {
        out->kind = AT_REGISTER;
        out->reg = register_of(op->atom - DW_OP_breg0);
        out->offset = (int64_t)op->number;
    } else if (op->atom == DW_OP_fbreg) {
        out->kind = IN_FRAME;
        out->offset = (int64_t)op->number;
    } else if (read_address(location, op, &address)) {
        out->kind = AT_ADDRESS;
        out->offset = (int64_t)address;
    } else {
        return false;
    }
    return true;
}

/* A structure in several registers: an operation and a piece, an operation and a piece. */
static void add_parts(following *f, Dwarf_Attribute *location, const Dwarf_Op *op, size_t count, place *found)
{
    for (size_t i = 0; i < count && f->place_count < MOST_PLACES; i++) {
        const bool has_place = op[i].atom != DW_OP_piece && i + 1 < count && op[i + 1].atom == DW_OP_piece;
        if (has_place && read_place(location, &op[i], found) && found->kind == IN_REGISTER)
            f->places[f->place_count++] = *found;
        if (has_place) i++;
        if (op[i].atom != DW_OP_piece) return;
        found->inside += op[i].number;
    }
}

static void add_places(following *f, Dwarf_Die *variable)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr base, low, high;
    Dwarf_Op *op;
    size_t count;
    place found = {.reg = HSD_X86_NO_REGISTER};
    if (dwarf_attr(variable, DW_AT_location, &attribute) == NULL || !hsd_type_of(variable, &found.type)) return;
    for (ptrdiff_t at = 0; f->place_count < MOST_PLACES &&
                           (at = dwarf_getlocations(&attribute, at, &base, &low, &high, &op, &count)) > 0;) {
        found.low = low;
        found.high = high;
        found.inside = 0;
        if (count == 1 && read_place(&attribute, op, &found)) f->places[f->place_count++] = found;
        if (count > 1) add_parts(f, &attribute, op, count, &found);
    }
}

/* How far the frame base lies above rsp at the return address: what the function has pushed until then. Only where
 * nothing was popped on the way there, by the order of the instructions, is that certain; 0 = it is not. */
static int64_t bytes_above_stack(const following *f)
{
    uint8_t code[CODE_BYTES];
    Dwarf_Addr at;
    size_t size = 0, skipped = 0;
    int64_t bytes = RETURN_ADDRESS;
    if (dwarf_lowpc(&f->scope->functions[0], &at) != 0 || at > f->start || f->start - at > MOST_BEFORE) return 0;
    while (at < f->start) {
        if (skipped + 15 > size) {
            size = read_code(f->module, at, code, sizeof code);
            skipped = 0;
        }
        const hsd_x86 one = hsd_x86_decode(code + skipped, size - skipped, at);
        const bool is_stack = one.kind == HSD_X86_ADD && one.base == HSD_X86_RSP;
        if (one.kind == HSD_X86_UNKNOWN || one.kind == HSD_X86_POP || one.kind == HSD_X86_RETURN ||
            (is_stack && one.displacement > 0))
            return 0;
        if ((one.changed >> HSD_X86_RSP & 1) != 0 || (one.kind == HSD_X86_ADDRESS && one.reg == HSD_X86_RSP)) return 0;
        if (one.kind == HSD_X86_PUSH) bytes = plus(bytes, 8);
        if (is_stack) bytes = minus(bytes, one.displacement);
        at += one.size;
        skipped += one.size;
    }
    return at == f->start ? bytes : 0;
}

/* The frame base of a function is the address above its return address, or a register. */
static void find_frame_base(following *f)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;
    const int64_t above = f->has_frame_pointer ? 0 : bytes_above_stack(f);
    if (dwarf_attr_integrate(&f->scope->functions[0], DW_AT_frame_base, &attribute) == NULL ||
        dwarf_getlocation(&attribute, &op, &count) != 0 || count != 1)
        return;
    for (size_t i = 0; i < f->place_count; i++) {
        place *p = &f->places[i];
        if (p->kind != IN_FRAME) continue;
        if (op->atom == DW_OP_call_frame_cfa && f->has_frame_pointer) {
            p->kind = AT_REGISTER;
            p->reg = HSD_X86_RBP;
            p->offset = plus(p->offset, FRAME_POINTER_TO_CFA);
        } else if (op->atom == DW_OP_call_frame_cfa && above > 0) {
            p->kind = AT_REGISTER;
            p->reg = HSD_X86_RSP;
            p->offset = plus(p->offset, above);
        } else if (op->atom == DW_OP_reg6) {
            p->kind = AT_REGISTER;
            p->reg = HSD_X86_RBP;
        } else if (op->atom == DW_OP_reg7) {
            p->kind = AT_REGISTER;
            p->reg = HSD_X86_RSP;
        }
    }
}

static bool has_variables(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

/* All variables of the function and of what was inlined in it, the outer ones first. */
static void find_places(following *f)
{
    Dwarf_Die way[MOST_BLOCK_DEPTH];
    size_t depth = 1;
    if (dwarf_child(&f->scope->functions[0], &way[0]) != 0) return;
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

/* ---- variables of the program ---- */

static bool address_of_variable(Dwarf_Die *variable, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;
    if (dwarf_attr(variable, DW_AT_location, &attribute) == NULL || dwarf_getlocation(&attribute, &op, &count) != 0)
        return false;
    return count == 1 && read_address(&attribute, op, address);
}

static bool pointee_of_variable(Dwarf_Die *variable, uint64_t address, Dwarf_Die *pointee)
{
    Dwarf_Die type;
    Dwarf_Word bytes;
    uint64_t begin;
    if (!address_of_variable(variable, &begin) || address < begin || !hsd_type_of(variable, &type)) return false;
    if (dwarf_aggregate_size(&type, &bytes) != 0 || address - begin >= bytes) return false;
    return hsd_type_pointee_at(&type, address - begin, pointee);
}

/* Of the unit's variables, those in namespaces too. */
static bool pointee_at_address(following *f, uint64_t address, Dwarf_Die *pointee)
{
    Dwarf_Die way[MOST_BLOCK_DEPTH];
    size_t depth = 1;
    for (size_t i = 0; i < f->place_count; i++)
        if (f->places[i].kind == AT_ADDRESS && (uint64_t)f->places[i].offset <= address &&
            hsd_type_pointee_at(&f->places[i].type, address - (uint64_t)f->places[i].offset, pointee))
            return true;
    if (dwarf_child(&f->scope->unit, &way[0]) != 0) return false;
    for (unsigned entries = 0; depth > 0 && entries < MOST_GLOBALS; entries++) {
        Dwarf_Die *die = &way[depth - 1];
        const int tag = dwarf_tag(die);
        if (tag == DW_TAG_variable && pointee_of_variable(die, address, pointee)) return true;
        if (tag == DW_TAG_namespace && depth < MOST_BLOCK_DEPTH && dwarf_child(die, &way[depth]) == 0) {
            depth++;
            continue;
        }
        while (depth > 0 && !hsd_die_go_on(&way[depth - 1]))
            depth--;
    }
    return false;
}

/* ---- memory ---- */

static int64_t stack_offset(const following *f, const hsd_x86 *one)
{
    return plus(one->displacement, one->base == HSD_X86_RSP ? f->stack_shift : 0);
}

static slot *find_slot(following *f, const hsd_x86 *one)
{
    if (one->has_index || (one->base != HSD_X86_RSP && one->base != HSD_X86_RBP)) return NULL;
    for (size_t i = 0; i < f->slot_count; i++)
        if (f->slots[i].base == one->base && f->slots[i].offset == stack_offset(f, one)) return &f->slots[i];
    return NULL;
}

/* What the pointer in this register leads to, by a variable that is there. */
static bool pointee_in_register(following *f, unsigned reg, uint64_t at, Dwarf_Die *pointee)
{
    for (size_t i = 0; i < f->place_count; i++) {
        place *p = &f->places[i];
        if (p->kind == IN_REGISTER && p->reg == reg && at >= p->low && at < p->high &&
            hsd_type_pointee_at(&p->type, p->inside, pointee))
            return true;
    }
    return false;
}

/* What leads to where the memory lies, and stands in the frame. */
static bool pointee_in_frame(following *f, const hsd_x86 *one, uint64_t at, Dwarf_Die *pointee)
{
    for (size_t i = 0; i < f->place_count && !one->has_index; i++) {
        place *p = &f->places[i];
        const int64_t offset = minus(stack_offset(f, one), p->offset);
        if (p->kind != AT_REGISTER || p->reg != one->base || at < p->low || at >= p->high || offset < 0) continue;
        Dwarf_Word bytes;
        if (dwarf_aggregate_size(&p->type, &bytes) != 0 || (uint64_t)offset >= bytes) continue;
        return hsd_type_pointee_at(&p->type, (uint64_t)offset, pointee);
    }
    return false;
}

/* At an offset of what a pointer leads to, which may be the first of an array. */
static bool pointee_behind(Dwarf_Die *to, const hsd_x86 *one, Dwarf_Die *pointee)
{
    Dwarf_Word bytes;
    if (one->displacement < 0 || dwarf_aggregate_size(to, &bytes) != 0 || bytes == 0) return false;
    return hsd_type_pointee_at(to, (uint64_t)one->displacement % bytes, pointee);
}

/* What the pointer leads to that the program keeps in this memory. */
static bool pointee_of_memory(following *f, const hsd_x86 *one, uint64_t at, Dwarf_Die *pointee)
{
    Dwarf_Die to;
    if (one->base == HSD_X86_RIP || one->base == HSD_X86_NO_REGISTER)
        return pointee_at_address(f, (uint64_t)one->displacement, pointee);
    if (pointee_in_frame(f, one, at, pointee)) return true;
    const value *held = &f->registers[one->base & 15],
                *index = one->index < HSD_X86_REGISTERS ? &f->registers[one->index] : &nothing;
    /* either may be the base */
    if (held->kind == NOTHING && (index->kind == ADDRESS || index->kind == POINTER)) held = index;
    if (held->kind == ADDRESS) return pointee_at_address(f, held->address + (uint64_t)one->displacement, pointee);
    if (held->kind == POINTER) return pointee_behind((Dwarf_Die *)&held->pointee, one, pointee);
    return held->kind == NOTHING && pointee_in_register(f, one->base, at, &to) && pointee_behind(&to, one, pointee);
}

/* ---- types that it may have ---- */

/* Of a block whose header is as long as only the program knows, nothing but characters and the like can be told: they
 * fit everywhere. */
static hsd_status consider(following *f, Dwarf_Die *pointee, hsd_flow_spot spot, bool *is_done, hsd_error *err)
{
    const int64_t skipped = spot.is_unknown ? 0 : spot.skipped;
    hsd_type_name name = {.bytes = 0};
    bool is_array = false;
    *is_done = false;
    if (skipped < 0 || (uint64_t)skipped >= f->most_bytes) return HSD_OK;
    hsd_status status = hsd_type_describe(&name, pointee, err);
    const bool is_fit =
        status == HSD_OK && name.text.size > 0 && hsd_type_fits(&name, f->most_bytes - (uint64_t)skipped, &is_array);
    if (is_fit && !name.says_little && !spot.is_unknown) {
        hsd_type_release(&f->out->type);
        f->out->type = name;
        f->out->is_array = is_array;
        f->out->end = HSD_FLOW_TYPED;
        *is_done = true;
        return HSD_OK;
    }
    if (is_fit && name.says_little && f->weak.text.size == 0) {
        f->weak = name;
        f->weak_is_array = is_array;
        return HSD_OK;
    }
    hsd_type_release(&name);
    return status;
}

/* Variables that have begun, since the call, to be in a register that holds the block. */
static hsd_status consider_variables(following *f, uint64_t at, bool *is_done, hsd_error *err)
{
    Dwarf_Die pointee;
    *is_done = false;
    for (size_t i = 0; i < f->place_count && !*is_done; i++) {
        place *p = &f->places[i];
        if (p->kind != IN_REGISTER || p->reg >= HSD_X86_REGISTERS || p->low < f->start || at < p->low || at >= p->high)
            continue;
        const value *held = &f->registers[p->reg];
        if (held->kind == BLOCK && hsd_type_pointee_at(&p->type, p->inside, &pointee))
            HSD_TRY(consider(f, &pointee, held->spot, is_done, err));
    }
    return HSD_OK;
}

/* ---- steps ---- */

static void forget(following *f, unsigned registers)
{
    for (unsigned i = 0; i < HSD_X86_REGISTERS; i++)
        if ((registers >> i & 1) != 0) f->registers[i] = nothing;
}

static hsd_status store(following *f, const hsd_x86 *one, uint64_t at, bool *is_done, hsd_error *err)
{
    Dwarf_Die pointee;
    const value held = one->is_whole && one->reg < HSD_X86_REGISTERS ? f->registers[one->reg] : nothing;
    if (!one->is_memory) {
        f->registers[one->base & 15] = held;
        return HSD_OK;
    }
    if (held.kind == BLOCK && pointee_of_memory(f, one, at, &pointee))
        HSD_TRY(consider(f, &pointee, held.spot, is_done, err));
    slot *known = find_slot(f, one);
    if (known == NULL && held.kind != NOTHING && !one->has_index &&
        (one->base == HSD_X86_RSP || one->base == HSD_X86_RBP) && f->slot_count < MOST_SLOTS) {
        known = &f->slots[f->slot_count++];
        *known = (slot){one->base, stack_offset(f, one), nothing};
    }
    if (known != NULL) known->held = held;
    return HSD_OK;
}

static void load(following *f, const hsd_x86 *one, uint64_t at)
{
    value got = nothing;
    if (one->reg >= HSD_X86_REGISTERS) return;
    const slot *known = one->is_memory ? find_slot(f, one) : NULL;
    if (!one->is_memory)
        got = f->registers[one->base & 15];
    else if (known != NULL && known->held.kind != NOTHING)
        got = known->held;
    else if (pointee_of_memory(f, one, at, &got.pointee))
        got.kind = POINTER;
    f->registers[one->reg] = one->is_whole ? got : nothing;
}

static const value *held_by(const following *f, unsigned reg)
{
    return reg < HSD_X86_REGISTERS ? &f->registers[reg] : &nothing;
}

/* The sum of two registers of which one leads into the block, and the other is a number that is not known. */
static value somewhere_inside(const value *one, const value *other)
{
    const bool is_one = one->kind == BLOCK && other->kind == NOTHING,
               is_other = other->kind == BLOCK && one->kind == NOTHING;
    return is_one || is_other ? (value){.kind = BLOCK, .spot = {.is_unknown = true}} : nothing;
}

static void take_address(following *f, const hsd_x86 *one)
{
    value got = nothing;
    if (one->reg >= HSD_X86_REGISTERS) return;
    if (one->has_index) {
        got = somewhere_inside(held_by(f, one->base), held_by(f, one->index));
    } else if (one->base == HSD_X86_RIP) {
        got = (value){.kind = ADDRESS, .address = (uint64_t)one->displacement};
    } else if (held_by(f, one->base)->kind == BLOCK) {
        got = f->registers[one->base];
        got.spot.skipped = plus(got.spot.skipped, one->displacement);
    }
    f->registers[one->reg] = got;
}

static void add(following *f, const hsd_x86 *one)
{
    value *held = &f->registers[one->base & 15];
    if (one->base == HSD_X86_RSP) f->stack_shift = plus(f->stack_shift, one->displacement);
    if (held->kind == BLOCK)
        held->spot.skipped = plus(held->spot.skipped, one->displacement);
    else
        *held = nothing;
}

static void add_register(following *f, const hsd_x86 *one)
{
    value *held = &f->registers[one->base & 15];
    *held = somewhere_inside(held, held_by(f, one->reg));
}

static bool returns_first_argument(const char *name)
{
    static const char *const names[] = {"memset", "memcpy",       "memmove",      "strcpy",        "strncpy",
                                        "strcat", "__memset_chk", "__memcpy_chk", "__memmove_chk", "__strcpy_chk"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        if (name != NULL && strcmp(name, names[i]) == 0) return true;
    return false;
}

/* mov %rdi,%rax; ret: a function that is there for the compiler's sake. */
static bool is_identity(const hsd_module *module, uint64_t target)
{
    uint8_t code[16];
    const size_t size = target != 0 ? read_code(module, target, code, sizeof code) : 0;
    bool is_moved = false;
    for (size_t at = 0; at < size;) {
        const hsd_x86 one = hsd_x86_decode(code + at, size - at, target + at);
        if (one.kind == HSD_X86_RETURN) return is_moved;
        if (one.kind == HSD_X86_STORE && !one.is_memory && one.is_whole && one.reg == HSD_X86_RDI &&
            one.base == HSD_X86_RAX)
            is_moved = true;
        else if (one.kind != HSD_X86_OTHER || one.changed != 0)
            return false;
        at += one.size;
    }
    return false;
}

/* The block is the first argument of a function of this file that takes a T *, a constructor above all. */
static hsd_status consider_argument(following *f, uint64_t target, hsd_flow_spot spot, bool *is_done, hsd_error *err)
{
    hsd_scope called;
    Dwarf_Die parameter, type, pointee;
    Dwarf_Addr low;
    if (target == 0) return HSD_OK;
    HSD_TRY(hsd_lines_scope(f->module->lines, target, &called, err));
    if (called.count == 0 || dwarf_lowpc(&called.functions[0], &low) != 0 || low != target ||
        dwarf_child(&called.functions[0], &parameter) != 0)
        return HSD_OK;
    while (dwarf_tag(&parameter) != DW_TAG_formal_parameter)
        if (!hsd_die_go_on(&parameter)) return HSD_OK;
    if (!hsd_type_of(&parameter, &type) || !hsd_type_pointee(&type, &pointee)) return HSD_OK;
    return consider(f, &pointee, spot, is_done, err);
}

static hsd_status call(following *f, const hsd_x86 *one, bool *is_done, hsd_error *err)
{
    const value first = f->registers[HSD_X86_RDI];
    const char *name = name_of_target(f->module, one);
    if (first.kind == BLOCK) HSD_TRY(consider_argument(f, one->is_memory ? 0 : one->target, first.spot, is_done, err));
    forget(f, CLOBBERED_BY_CALLS);
    if (returns_first_argument(name) || (first.kind == BLOCK && !one->is_memory && is_identity(f->module, one->target)))
        f->registers[HSD_X86_RAX] = first;
    return HSD_OK;
}

/* Of memory that is compared with 0, or of a register with itself. */
static bool tests_block(following *f, const hsd_x86 *one)
{
    if (one->is_memory) {
        const slot *known = find_slot(f, one);
        return known != NULL && known->held.kind == BLOCK;
    }
    return one->base < HSD_X86_REGISTERS && f->registers[one->base].kind == BLOCK;
}

static void finish(following *f, bool is_returned)
{
    const value held = f->registers[HSD_X86_RAX];
    const bool is_near = held.spot.is_unknown || (held.spot.skipped >= 0 && held.spot.skipped <= MOST_SKIPPED);
    if (!is_returned || held.kind != BLOCK || !is_near) return;
    f->out->end = HSD_FLOW_RETURNED;
    f->out->spot = held.spot;
}

static bool is_inside(following *f, uint64_t address) { return dwarf_haspc(&f->scope->functions[0], address) == 1; }

/* One instruction; *next is where the way goes on, 0 = nowhere. */
static hsd_status step(following *f, const hsd_x86 *one, uint64_t *next, hsd_error *err)
{
    const uint64_t at = *next;
    bool is_done = false;
    *next = at + one->size;
    switch (one->kind) {
    case HSD_X86_STORE: HSD_TRY(store(f, one, at, &is_done, err)); break;
    case HSD_X86_LOAD: load(f, one, at); break;
    case HSD_X86_ADDRESS: take_address(f, one); break;
    case HSD_X86_ADD: add(f, one); break;
    case HSD_X86_ADD_REGISTER: add_register(f, one); break;
    case HSD_X86_TEST: f->tested_block = tests_block(f, one); break;
    case HSD_X86_CALL: HSD_TRY(call(f, one, &is_done, err)); break;
    case HSD_X86_PUSH: f->stack_shift = minus(f->stack_shift, 8); break;
    case HSD_X86_POP:
        f->stack_shift = plus(f->stack_shift, 8);
        if (one->reg < HSD_X86_REGISTERS) f->registers[one->reg] = nothing;
        break;
    case HSD_X86_BRANCH_NOT_ZERO:
        if (f->tested_block) *next = one->target; /* the other way is that without a block */
        break;
    case HSD_X86_JUMP:
        if (one->is_memory || one->target == 0 || !is_inside(f, one->target)) {
            HSD_TRY(call(f, one, &is_done, err)); /* the last call of the function */
            if (!is_done) finish(f, true);
            *next = 0;
        } else {
            *next = one->target;
        }
        break;
    case HSD_X86_RETURN:
        finish(f, true);
        *next = 0;
        break;
    case HSD_X86_UNKNOWN: *next = 0; break;
    case HSD_X86_OTHER:
    case HSD_X86_BRANCH:
    case HSD_X86_BRANCH_ZERO: break; /* on, where the block is */
    }
    forget(f, one->changed);
    if (is_done) *next = 0;
    return HSD_OK;
}

static hsd_status follow(following *f, hsd_error *err)
{
    uint8_t code[CODE_BYTES];
    uint64_t next = f->start, begin = 0;
    size_t size = 0;
    bool is_done = false;
    for (int i = 0; i < MOST_INSTRUCTIONS && next != 0 && is_inside(f, next); i++) {
        if (next < begin || next - begin + 15 > size) {
            begin = next;
            size = read_code(f->module, next, code, sizeof code);
        }
        HSD_TRY(consider_variables(f, next, &is_done, err));
        if (is_done) return HSD_OK;
        const hsd_x86 one = hsd_x86_decode(code + (next - begin), size - (size_t)(next - begin), next);
        HSD_TRY(step(f, &one, &next, err));
    }
    return HSD_OK;
}

hsd_status hsd_flow_follow(hsd_flow *out, const hsd_module *module, hsd_scope *scope, uint64_t after,
                           hsd_flow_spot spot, uint64_t most_bytes, hsd_error *err)
{
    hsd_flow_release(out);
    if (scope->count == 0 || module->lines == NULL) return HSD_OK;
    following *f = calloc(1, sizeof *f);
    place *places = calloc(MOST_PLACES, sizeof *places);
    hsd_status status = f != NULL && places != NULL ? HSD_OK : hsd_fail_nomem(err, "types");
    if (status == HSD_OK) {
        *f = (following){
            .module = module, .scope = scope, .out = out, .start = after, .most_bytes = most_bytes, .places = places};
        f->registers[HSD_X86_RAX] = (value){.kind = BLOCK, .spot = spot};
        f->has_frame_pointer = has_frame_pointer(f);
        find_places(f);
        status = follow(f, err);
    }
    if (status == HSD_OK && out->end != HSD_FLOW_TYPED && f->weak.text.size > 0) {
        if (out->end == HSD_FLOW_LOST) out->end = HSD_FLOW_TYPED;
        out->type = f->weak;
        out->is_array = f->weak_is_array;
        f->weak = (hsd_type_name){.bytes = 0};
    }
    if (f != NULL) hsd_type_release(&f->weak);
    free(places);
    free(f);
    return status;
}

void hsd_flow_release(hsd_flow *flow)
{
    hsd_type_release(&flow->type);
    *flow = (hsd_flow){.end = HSD_FLOW_LOST};
}

#endif

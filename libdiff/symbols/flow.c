/*
 * A few dozen instructions of one way: that on which the block is there. Of registers and of slots of the frame it is
 * known whether they hold the block, a pointer whose type is known, an address of the program, or anything else:
 *
 *      call malloc                 rax: the block
 *      mov  %rax,%rbx              rbx: the block. DWARF: here `s`, a struct session *, begins to be in rbx
 *      call strdup                 rax: another block, when that one is followed
 *      mov  %rax,0x8(%rbx)         stored at 8 of what `s` leads to: `name`, a char *
 *
 *      call std::map<int, A *>::operator[]     rax: what the function returns, an A *&
 *      mov  %rbx,(%rax)            stored there: an A *
 *
 *      mov  %rax,-0x20(%rbp); lea -0x20(%rbp),%rsi; call std::vector<A *>::push_back(A *&&)      handed over by its place: an A *
 *
 * See flow.h.
 */
#include "symbols/flow.h"

#ifdef HSD_HAVE_DW
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "symbols/callees.h"
#include "symbols/demangle.h"
#include "symbols/flow_places.h"
#include "symbols/generic.h"
#include "symbols/x86.h"

enum { MOST_INSTRUCTIONS = 160, MOST_SLOTS = 16, MOST_WAYS = 4, CODE_BYTES = 64, MOST_SKIPPED = 4096 };
enum { CLOBBERED_BY_CALLS = 0x0fc7 }; /* rax, rcx, rdx, rsi, rdi, r8 to r11 */

/* What a pointer or an iterator leads to; `skipped` is where in the memory that begins. */
typedef struct led_to {
    Dwarf_Die type;
    uint64_t skipped;
} led_to;

typedef enum value_kind { NOTHING, BLOCK, POINTER, ADDRESS, IN_FRAME, RESULT } value_kind;

typedef struct value {
    value_kind kind;
    hsd_flow_spot spot; /* BLOCK */
    uint64_t address;   /* ADDRESS; of the call whose RESULT it is */
    uint64_t target;    /* RESULT: the function that was called; 0 = not known */
    unsigned base;      /* IN_FRAME: a place so far from this register */
    int64_t offset;
    led_to to; /* POINTER */
} value;

typedef struct slot {
    unsigned base;
    int64_t offset;
    value held;
} slot;

/* What is known at an instruction. */
typedef struct state {
    value registers[HSD_X86_REGISTERS];
    slot slots[MOST_SLOTS];
    size_t slot_count;
    int64_t stack_shift; /* by how much rsp has changed */
    bool tested_block;
} state;

/* A way that was not gone, because the code branched. */
typedef struct other_way {
    uint64_t next;
    state known;
} other_way;

typedef struct following {
    const hsd_module *module;
    hsd_scope *scope;
    hsd_flow *out;
    uint64_t start;
    hsd_flow_block block;
    hsd_flow_places places;
    state now;
    other_way ways[MOST_WAYS]; /* the first that were met */
    size_t way_count;
    bool is_first_way;  /* branches are kept */
    hsd_type_name weak; /* says little: taken when nothing better comes */
    bool weak_is_array;
} following;

static const value nothing = {.kind = NOTHING};

/* ---- memory ---- */

static int64_t stack_offset(const following *f, const hsd_x86 *one)
{
    return hsd_flow_plus(one->displacement, one->base == HSD_X86_RSP ? f->now.stack_shift : 0);
}

static slot *find_slot(following *f, const hsd_x86 *one)
{
    if (one->has_index || (one->base != HSD_X86_RSP && one->base != HSD_X86_RBP)) return NULL;
    for (size_t i = 0; i < f->now.slot_count; i++)
        if (f->now.slots[i].base == one->base && f->now.slots[i].offset == stack_offset(f, one))
            return &f->now.slots[i];
    return NULL;
}

/* What leads to where the memory lies, and stands in the frame. */
static bool pointee_in_frame(following *f, const hsd_x86 *one, uint64_t at, Dwarf_Die *pointee)
{
    for (size_t i = 0; i < f->places.count && !one->has_index; i++) {
        hsd_flow_place *p = &f->places.list[i];
        const int64_t offset = hsd_flow_minus(stack_offset(f, one), p->offset);
        if (p->kind != HSD_FLOW_AT_REGISTER || p->reg != one->base || at < p->low || at >= p->high || offset < 0)
            continue;
        Dwarf_Word bytes;
        if (dwarf_aggregate_size(&p->type, &bytes) != 0 || (uint64_t)offset >= bytes) continue;
        return hsd_type_pointee_at(&p->type, (uint64_t)offset, pointee);
    }
    return false;
}

static bool leads_to(Dwarf_Die *type, uint64_t inside, led_to *to)
{
    to->skipped = 0;
    return (inside == 0 && hsd_type_item(type, &to->type, &to->skipped)) ||
           hsd_type_pointee_at(type, inside, &to->type);
}

/* At an offset of what a pointer leads to, which may be the first of an array. What a library keeps inside is none, and
 * may be the beginning of something larger: a node. */
static bool pointee_behind(led_to *to, int64_t displacement, Dwarf_Die *pointee)
{
    Dwarf_Word bytes;
    if (displacement < 0 || dwarf_aggregate_size(&to->type, &bytes) != 0 || bytes == 0) return false;
    const uint64_t at = (uint64_t)displacement;
    if (at < to->skipped || (at - to->skipped >= bytes && (to->skipped > 0 || hsd_type_is_reserved(&to->type))))
        return false;
    return hsd_type_pointee_at(&to->type, (at - to->skipped) % bytes, pointee);
}

/* Of the memory that a variable in its register leads to. */
static bool pointee_by_register(following *f, const hsd_x86 *one, uint64_t at, Dwarf_Die *pointee)
{
    led_to to;
    for (size_t i = 0; i < f->places.count; i++) {
        hsd_flow_place *p = &f->places.list[i];
        const bool is_here = (p->kind == HSD_FLOW_IN_REGISTER || p->kind == HSD_FLOW_FROM_REGISTER) &&
                             p->reg == one->base && at >= p->low && at < p->high;
        if (is_here && leads_to(&p->type, p->inside, &to) &&
            pointee_behind(&to, hsd_flow_minus(one->displacement, p->offset), pointee))
            return true;
    }
    return false;
}

/* Of a variable that each thread has: so far in front of their end. */
static bool pointee_of_thread(following *f, const hsd_x86 *one, Dwarf_Die *pointee)
{
    const hsd_image *image = f->module->image_count > 0 ? f->module->images[0] : NULL;
    if (image == NULL || one->base != HSD_X86_NO_REGISTER || one->has_index) return false;
    const uint64_t bytes = hsd_image_thread_end(image) - hsd_image_thread_begin(image),
                   before = 0 - (uint64_t)one->displacement;
    return before <= bytes && hsd_flow_pointee_at_thread(&f->places, bytes - before, pointee);
}

/* The function that begins at the address. */
static hsd_status find_called(following *f, uint64_t target, hsd_scope *called, bool *is_found, hsd_error *err)
{
    Dwarf_Addr low;
    *is_found = false;
    if (target == 0) return HSD_OK;
    HSD_TRY(hsd_lines_scope(f->module->lines, target, called, err));
    *is_found = called->count > 0 && dwarf_lowpc(&called->functions[0], &low) == 0 && low == target;
    return HSD_OK;
}

/* Where operator new was called in std::allocator<T>::allocate, which was inlined: that one returns a T *. */
static hsd_status find_allocated(const hsd_scope *around, led_to *to, bool *is_found, hsd_error *err)
{
    *is_found = false;
    for (size_t i = around->count; i > 1 && !*is_found; i--) {
        Dwarf_Die function = around->functions[i - 1], type;
        const char *linkage_name = hsd_die_linkage_name(&function);
        char *name = NULL;
        if (linkage_name == NULL) return HSD_OK;
        HSD_TRY(hsd_demangle(linkage_name, &name, err));
        const bool is_library = hsd_generic_is_library(name);
        free(name);
        if (!is_library) return HSD_OK;
        *is_found = hsd_type_of(&function, &type) && hsd_type_pointee(&type, &to->type);
    }
    return HSD_OK;
}

/* What the pointer, the reference or the iterator leads to that a call has returned. */
static hsd_status find_returned(following *f, const value *result, led_to *to, bool *is_found, hsd_error *err)
{
    hsd_scope scope;
    Dwarf_Die type;
    HSD_TRY(find_called(f, result->target, &scope, is_found, err));
    if (*is_found) {
        *is_found = hsd_type_of(&scope.functions[0], &type) &&
                    (hsd_type_target(&type, &to->type) || hsd_type_item(&type, &to->type, &to->skipped));
        return HSD_OK;
    }
    HSD_TRY(hsd_lines_scope(f->module->lines, result->address, &scope, err));
    return find_allocated(&scope, to, is_found, err);
}

/* What a call has returned is looked up when something is stored there. */
static hsd_status know_result(following *f, const hsd_x86 *one, hsd_error *err)
{
    value *held = one->is_memory && one->base < HSD_X86_REGISTERS ? &f->now.registers[one->base] : NULL;
    bool is_found;
    if (held == NULL || held->kind != RESULT) return HSD_OK;
    value known = {.kind = POINTER};
    HSD_TRY(find_returned(f, held, &known.to, &is_found, err));
    *held = is_found ? known : nothing;
    return HSD_OK;
}

/* What the pointer leads to that the program keeps in this memory. */
static bool pointee_of_memory(following *f, const hsd_x86 *one, uint64_t at, Dwarf_Die *pointee)
{
    if (one->is_of_thread) return pointee_of_thread(f, one, pointee);
    if (one->base == HSD_X86_RIP || one->base == HSD_X86_NO_REGISTER)
        return hsd_flow_pointee_at_address(&f->places, (uint64_t)one->displacement, pointee);
    if (pointee_in_frame(f, one, at, pointee)) return true;
    const value *held = &f->now.registers[one->base & 15],
                *index = one->index < HSD_X86_REGISTERS ? &f->now.registers[one->index] : &nothing;
    /* either may be the base */
    if (held->kind == NOTHING && (index->kind == ADDRESS || index->kind == POINTER)) held = index;
    if (held->kind == ADDRESS)
        return hsd_flow_pointee_at_address(&f->places, held->address + (uint64_t)one->displacement, pointee);
    if (held->kind == POINTER) return pointee_behind((led_to *)&held->to, one->displacement, pointee);
    return (held->kind == NOTHING || held->kind == RESULT) && pointee_by_register(f, one, at, pointee);
}

/* ---- types that it may have ---- */

static bool is_part(const hsd_type_name *name)
{
    return hsd_generic_is_part((const char *)name->text.data, name->text.size);
}

/* Of a block whose header is as long as only the program knows, nothing but characters and the like can be told: they
 * fit everywhere. */
static hsd_status consider(following *f, Dwarf_Die *pointee, hsd_flow_spot spot, bool *is_done, hsd_error *err)
{
    const int64_t skipped = spot.is_unknown ? 0 : spot.skipped;
    const uint64_t exact = f->block.exact_bytes;
    hsd_type_name name = {.bytes = 0};
    bool is_array = false;
    *is_done = false;
    if (skipped < 0 || (uint64_t)skipped >= f->block.most_bytes) return HSD_OK;
    hsd_status status = hsd_type_describe(&name, pointee, err);
    const bool is_fit = status == HSD_OK && name.text.size > 0 && !is_part(&name) &&
                        hsd_type_fits(&name, f->block.most_bytes - (uint64_t)skipped, exact, &is_array);
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
    for (size_t i = 0; i < f->places.count && !*is_done; i++) {
        hsd_flow_place *p = &f->places.list[i];
        if (p->kind != HSD_FLOW_IN_REGISTER || p->reg >= HSD_X86_REGISTERS || p->low < f->start || at < p->low ||
            at >= p->high)
            continue;
        const value *held = &f->now.registers[p->reg];
        if (held->kind == BLOCK && hsd_type_pointee_at(&p->type, p->inside, &pointee))
            HSD_TRY(consider(f, &pointee, held->spot, is_done, err));
    }
    return HSD_OK;
}

/* ---- steps ---- */

static void forget(following *f, unsigned registers)
{
    for (unsigned i = 0; i < HSD_X86_REGISTERS; i++)
        if ((registers >> i & 1) != 0) f->now.registers[i] = nothing;
}

static hsd_status store(following *f, const hsd_x86 *one, uint64_t at, bool *is_done, hsd_error *err)
{
    Dwarf_Die pointee;
    const value held = one->is_whole && one->reg < HSD_X86_REGISTERS ? f->now.registers[one->reg] : nothing;
    if (!one->is_memory) {
        f->now.registers[one->base & 15] = held;
        return HSD_OK;
    }
    if (held.kind == BLOCK) HSD_TRY(know_result(f, one, err));
    if (held.kind == BLOCK && pointee_of_memory(f, one, at, &pointee))
        HSD_TRY(consider(f, &pointee, held.spot, is_done, err));
    slot *known = find_slot(f, one);
    if (known == NULL && held.kind != NOTHING && !one->has_index &&
        (one->base == HSD_X86_RSP || one->base == HSD_X86_RBP) && f->now.slot_count < MOST_SLOTS) {
        known = &f->now.slots[f->now.slot_count++];
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
        got = f->now.registers[one->base & 15];
    else if (known != NULL && known->held.kind != NOTHING)
        got = known->held;
    else if (pointee_of_memory(f, one, at, &got.to.type))
        got.kind = POINTER;
    f->now.registers[one->reg] = one->is_whole ? got : nothing;
}

static const value *held_by(const following *f, unsigned reg)
{
    return reg < HSD_X86_REGISTERS ? &f->now.registers[reg] : &nothing;
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
    } else if (one->base == HSD_X86_RSP || (one->base == HSD_X86_RBP && held_by(f, one->base)->kind == NOTHING)) {
        got = (value){.kind = IN_FRAME, .base = one->base, .offset = stack_offset(f, one)};
    } else if (held_by(f, one->base)->kind == BLOCK) {
        got = f->now.registers[one->base];
        got.spot.skipped = hsd_flow_plus(got.spot.skipped, one->displacement);
    }
    f->now.registers[one->reg] = got;
}

static void add_flow(following *f, const hsd_x86 *one)
{
    value *held = &f->now.registers[one->base & 15];
    if (one->base == HSD_X86_RSP) f->now.stack_shift = hsd_flow_plus(f->now.stack_shift, one->displacement);
    if (held->kind == BLOCK)
        held->spot.skipped = hsd_flow_plus(held->spot.skipped, one->displacement);
    else
        *held = nothing;
}

static void add_register(following *f, const hsd_x86 *one)
{
    value *held = &f->now.registers[one->base & 15];
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
    const size_t size = target != 0 ? hsd_module_code(module, target, code, sizeof code) : 0;
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

/* The block itself, or by where it stands in the frame: of what is handed over so, the parameter says it. */
static hsd_status consider_parameter(following *f, const value *given, Dwarf_Die *type, bool *is_done, hsd_error *err)
{
    Dwarf_Die pointee, whole;
    if (given->kind == BLOCK && hsd_type_pointee(type, &pointee))
        return consider(f, &pointee, given->spot, is_done, err);
    if (given->kind != IN_FRAME || !hsd_type_target(type, &whole)) return HSD_OK;
    for (size_t i = 0; i < f->now.slot_count && !*is_done; i++) {
        const slot *s = &f->now.slots[i];
        const int64_t inside = hsd_flow_minus(s->offset, given->offset);
        if (s->held.kind == BLOCK && s->base == given->base && inside >= 0 &&
            hsd_type_pointee_at(&whole, (uint64_t)inside, &pointee))
            HSD_TRY(consider(f, &pointee, s->held.spot, is_done, err));
    }
    return HSD_OK;
}

static const uint8_t arguments[] = {HSD_X86_RDI, HSD_X86_RSI, HSD_X86_RDX, HSD_X86_RCX, 8, 9};

/* Where one of the arguments may be the block, or lead to where it stands. */
static bool hands_block_over(const following *f)
{
    bool has_block = false, has_place = false, is_in_slot = false;
    for (size_t i = 0; i < HSD_ARRAY_LEN(arguments); i++) {
        has_block |= f->now.registers[arguments[i]].kind == BLOCK;
        has_place |= f->now.registers[arguments[i]].kind == IN_FRAME;
    }
    for (size_t i = 0; i < f->now.slot_count; i++)
        is_in_slot |= f->now.slots[i].held.kind == BLOCK;
    return has_block || (has_place && is_in_slot);
}

/* What the register held when the call was made. The first parameter of a function that returns nothing, or what a
 * register holds, is in the first register, whether DWARF says so or not. */
static const value *given_for(following *f, Dwarf_Die *function, Dwarf_Die *parameter, bool is_first)
{
    Dwarf_Die type;
    const unsigned reg = hsd_flow_parameter_register(f->module, function, parameter);
    if (reg < HSD_X86_REGISTERS) return &f->now.registers[reg];
    const bool is_known = !hsd_type_of(function, &type) || !hsd_type_is_aggregate(&type);
    return is_first && is_known ? &f->now.registers[HSD_X86_RDI] : &nothing;
}

/* The next parameter behind `at`, also of those that stand together for "Args &&...". */
static bool to_parameter(Dwarf_Die *at)
{
    for (;;) {
        Dwarf_Die inner;
        const int tag = dwarf_tag(at);
        if (tag == DW_TAG_formal_parameter) return true;
        if (tag == DW_TAG_GNU_formal_parameter_pack && dwarf_child(at, &inner) == 0)
            *at = inner;
        else if (!hsd_die_go_on(at))
            return false;
    }
}

/* The block is an argument of a function of this file that takes a T *, a constructor above all, or a T *&. */
static hsd_status consider_arguments(following *f, uint64_t target, bool *is_done, hsd_error *err)
{
    hsd_scope called;
    Dwarf_Die at, type;
    bool is_found;
    if (!hands_block_over(f)) return HSD_OK;
    HSD_TRY(find_called(f, target, &called, &is_found, err));
    if (!is_found || dwarf_child(&called.functions[0], &at) != 0) return HSD_OK;
    for (size_t i = 0; i < HSD_ARRAY_LEN(arguments) && !*is_done && to_parameter(&at); i++) {
        const value *given = given_for(f, &called.functions[0], &at, i == 0);
        if (hsd_type_of(&at, &type)) HSD_TRY(consider_parameter(f, given, &type, is_done, err));
        if (!hsd_die_go_on(&at)) return HSD_OK;
    }
    return HSD_OK;
}

static hsd_status call(following *f, const hsd_x86 *one, uint64_t at, bool *is_done, hsd_error *err)
{
    const value first = f->now.registers[HSD_X86_RDI];
    const char *name = hsd_callee_name(f->module, one);
    const uint64_t target = one->is_memory ? 0 : one->target;
    HSD_TRY(consider_arguments(f, target, is_done, err));
    forget(f, CLOBBERED_BY_CALLS);
    if (returns_first_argument(name) || (first.kind == BLOCK && is_identity(f->module, target)))
        f->now.registers[HSD_X86_RAX] = first;
    else
        f->now.registers[HSD_X86_RAX] = (value){.kind = RESULT, .address = at, .target = target};
    return HSD_OK;
}

/* Of memory that is compared with 0, or of a register with itself. */
static bool tests_block(following *f, const hsd_x86 *one)
{
    if (one->is_memory) {
        const slot *known = find_slot(f, one);
        return known != NULL && known->held.kind == BLOCK;
    }
    return one->base < HSD_X86_REGISTERS && f->now.registers[one->base].kind == BLOCK;
}

static void finish(following *f, bool is_returned)
{
    const value held = f->now.registers[HSD_X86_RAX];
    const bool is_near = held.spot.is_unknown || (held.spot.skipped >= 0 && held.spot.skipped <= MOST_SKIPPED);
    if (!is_returned || held.kind != BLOCK || !is_near) return;
    f->out->end = HSD_FLOW_RETURNED;
    f->out->spot = held.spot;
}

static bool is_inside(following *f, uint64_t address) { return dwarf_haspc(&f->scope->functions[0], address) == 1; }

/* The code goes on here or there, and the block may be stored on either way. Those back are loops. */
static void keep_way(following *f, uint64_t at, uint64_t target)
{
    if (f->is_first_way && target > at && f->way_count < MOST_WAYS)
        f->ways[f->way_count++] = (other_way){target, f->now};
}

/* One instruction; *next is where the way goes on, 0 = nowhere. */
static hsd_status step_flow(following *f, const hsd_x86 *one, uint64_t *next, hsd_error *err)
{
    const uint64_t at = *next;
    bool is_done = false;
    *next = at + one->size;
    switch (one->kind) {
    case HSD_X86_STORE: HSD_TRY(store(f, one, at, &is_done, err)); break;
    case HSD_X86_LOAD: load(f, one, at); break;
    case HSD_X86_ADDRESS: take_address(f, one); break;
    case HSD_X86_ADD: add_flow(f, one); break;
    case HSD_X86_ADD_REGISTER: add_register(f, one); break;
    case HSD_X86_TEST: f->now.tested_block = tests_block(f, one); break;
    case HSD_X86_CALL: HSD_TRY(call(f, one, at, &is_done, err)); break;
    case HSD_X86_PUSH: f->now.stack_shift = hsd_flow_minus(f->now.stack_shift, 8); break;
    case HSD_X86_POP:
        f->now.stack_shift = hsd_flow_plus(f->now.stack_shift, 8);
        if (one->reg < HSD_X86_REGISTERS) f->now.registers[one->reg] = nothing;
        break;
    case HSD_X86_BRANCH_NOT_ZERO:
        if (f->now.tested_block)
            *next = one->target; /* the other way is that without a block */
        else
            keep_way(f, at, one->target);
        break;
    case HSD_X86_BRANCH_ZERO: /* on, where the block is */
        if (!f->now.tested_block) keep_way(f, at, one->target);
        break;
    case HSD_X86_JUMP:
        if (one->is_memory || one->target == 0 || !is_inside(f, one->target)) {
            HSD_TRY(call(f, one, at, &is_done, err)); /* the last call of the function */
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
    case HSD_X86_BRANCH: keep_way(f, at, one->target); break;
    case HSD_X86_OTHER: break;
    }
    forget(f, one->changed);
    if (is_done) *next = 0;
    return HSD_OK;
}

static hsd_status follow_way(following *f, uint64_t next, bool *is_done, hsd_error *err)
{
    uint8_t code[CODE_BYTES];
    uint64_t begin = 0;
    size_t size = 0;
    *is_done = false;
    for (int i = 0; i < MOST_INSTRUCTIONS && next != 0 && is_inside(f, next); i++) {
        if (next < begin || next - begin + 15 > size) {
            begin = next;
            size = hsd_module_code(f->module, next, code, sizeof code);
        }
        HSD_TRY(consider_variables(f, next, is_done, err));
        if (*is_done) return HSD_OK;
        const hsd_x86 one = hsd_x86_decode(code + (next - begin), size - (size_t)(next - begin), next);
        HSD_TRY(step_flow(f, &one, &next, err));
    }
    *is_done = f->out->end != HSD_FLOW_LOST || f->weak.text.size > 0;
    return HSD_OK;
}

/* Where the first way says nothing, those that branched off from it are gone, without more of them. */
static hsd_status follow(following *f, hsd_error *err)
{
    bool is_done;
    f->is_first_way = true;
    HSD_TRY(follow_way(f, f->start, &is_done, err));
    f->is_first_way = false;
    for (size_t i = 0; i < f->way_count && !is_done; i++) {
        f->now = f->ways[i].known;
        HSD_TRY(follow_way(f, f->ways[i].next, &is_done, err));
    }
    return HSD_OK;
}

hsd_status hsd_flow_follow(hsd_flow *out, const hsd_module *module, hsd_scope *scope, uint64_t after,
                           const hsd_flow_block *block, hsd_error *err)
{
    hsd_flow_release(out);
    if (scope->count == 0 || module->lines == NULL) return HSD_OK;
    following *f = calloc(1, sizeof *f);
    if (f == NULL) return hsd_fail_nomem(err, "types");
    *f = (following){.module = module, .scope = scope, .out = out, .start = after, .block = *block};
    f->now.registers[HSD_X86_RAX] = (value){.kind = BLOCK, .spot = block->spot};
    hsd_status status = hsd_flow_places_find(&f->places, module, scope, after, err);
    if (status == HSD_OK) status = follow(f, err);
    if (status == HSD_OK && out->end != HSD_FLOW_TYPED && f->weak.text.size > 0) {
        if (out->end == HSD_FLOW_LOST) out->end = HSD_FLOW_TYPED;
        out->type = f->weak;
        out->is_array = f->weak_is_array;
        f->weak = (hsd_type_name){.bytes = 0};
    }
    hsd_type_release(&f->weak);
    hsd_flow_places_release(&f->places);
    free(f);
    return status;
}

void hsd_flow_release(hsd_flow *flow)
{
    hsd_type_release(&flow->type);
    *flow = (hsd_flow){.end = HSD_FLOW_LOST};
}

#endif

/*
 * Prefixes, operation, ModRM, displacement, constant: the length of an instruction follows from tables, its meaning
 * matters for few of them. See x86.h.
 */
#include "symbols/x86.h"

#include <string.h>

enum { REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };
enum { MAP_ONE = 0, MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };

typedef struct reading {
    const uint8_t *bytes;
    size_t size, at;
    uint64_t address;
    bool is_cut, has_16_bits, is_vector; /* VEX or EVEX in front */
    unsigned rex, map, operation;
    unsigned mode, middle, low; /* of ModRM */
    int64_t constant;
    hsd_x86 out;
} reading;

static uint8_t next(reading *r)
{
    if (r->at < r->size) return r->bytes[r->at++];
    r->is_cut = true;
    return 0;
}

static int64_t number(reading *r, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)next(r) << (8 * i);
    if (bytes == 0 || bytes >= 8) return (int64_t)value;
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((value ^ sign) - sign);
}

static void change(reading *r, unsigned reg) { r->out.changed |= (uint16_t)(1u << (reg & 15)); }

/* ---- prefixes and the operation ---- */

static bool is_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};
    return memchr(prefixes, byte, sizeof prefixes) != NULL;
}

static void read_vector_prefix(reading *r, uint8_t first)
{
    r->is_vector = true;
    const uint8_t second = next(r);
    r->rex = (second & 0x80) == 0 ? REX_R : 0;
    r->map = MAP_0F;
    if (first != 0xc5) {
        if ((second & 0x20) == 0) r->rex |= REX_B;
        if ((second & 0x40) == 0) r->rex |= REX_X;
        r->map = first == 0x62 ? second & 7 : second & 31;
        next(r);
        if (first == 0x62) next(r);
    }
    r->operation = next(r);
}

static void read_operation(reading *r)
{
    uint8_t byte = next(r);
    while (is_prefix(byte) && !r->is_cut && r->at < 15) {
        r->has_16_bits |= byte == 0x66;
        r->out.is_of_thread |= byte == 0x64;
        byte = next(r);
    }
    if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
        read_vector_prefix(r, byte);
        return;
    }
    if ((byte & 0xf0) == 0x40) {
        r->rex = byte & 15;
        byte = next(r);
    }
    if (byte == 0x0f) {
        r->map = MAP_0F;
        byte = next(r);
        if (byte == 0x38 || byte == 0x3a) {
            r->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
            byte = next(r);
        }
    }
    r->operation = byte;
}

/* ---- operands ---- */

/* One bit an operation, from the left: does a ModRM byte follow? */
static const uint16_t one_has_modrm[16] = {0xf0f0, 0xf0f0, 0xf0f0, 0xf0f0, 0,      0,      0x1050, 0,
                                           0xffff, 0,      0,      0,      0xc300, 0xf0ff, 0,      0x0303};
static const uint16_t two_has_modrm[16] = {0xf004, 0xffff, 0xffff, 0x0000, 0xffff, 0xffff, 0xffff, 0xfeff,
                                           0,      0xffff, 0x1c1f, 0xffff, 0xff00, 0xffff, 0xffff, 0xffff};

static bool has_modrm(const reading *r)
{
    if (r->map >= MAP_0F38) return true;
    if (r->is_vector) return r->operation != 0x77;
    const uint16_t *table = r->map == MAP_ONE ? one_has_modrm : two_has_modrm;
    return (table[r->operation >> 4] >> (15 - (r->operation & 15)) & 1) != 0;
}

static void read_sib(reading *r)
{
    const uint8_t sib = next(r);
    const unsigned index = (unsigned)(sib >> 3 & 7) | ((r->rex & REX_X) != 0 ? 8u : 0);
    r->out.has_index = index != 4;
    if (r->out.has_index && sib >> 6 == 0) r->out.index = (uint8_t)index;
    r->out.base = (uint8_t)((sib & 7) | ((r->rex & REX_B) != 0 ? 8 : 0));
    if ((sib & 7) == 5 && r->mode == 0) {
        r->out.base = HSD_X86_NO_REGISTER;
        r->out.displacement = number(r, 4);
    }
}

static void read_modrm(reading *r)
{
    const uint8_t modrm = next(r);
    r->mode = modrm >> 6;
    r->middle = modrm >> 3 & 7;
    r->low = modrm & 7;
    r->out.reg = (uint8_t)(r->middle | ((r->rex & REX_R) != 0 ? 8 : 0));
    r->out.base = (uint8_t)(r->low | ((r->rex & REX_B) != 0 ? 8 : 0));
    r->out.is_memory = r->mode != 3;
    if (r->mode == 3) return;
    if (r->low == 4) {
        read_sib(r);
    } else if (r->low == 5 && r->mode == 0) {
        r->out.base = HSD_X86_RIP; /* the address is known once the length is */
        r->out.displacement = number(r, 4);
    }
    if (r->mode == 1) r->out.displacement = number(r, 1);
    if (r->mode == 2) r->out.displacement = number(r, 4);
}

static unsigned constant_bytes_of_one(const reading *r)
{
    const unsigned op = r->operation, wide = r->has_16_bits ? 2 : 4;
    if (op < 0x40) return (op & 7) == 4 ? 1 : (op & 7) == 5 ? wide : 0;
    if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe7)) return 1;
    if (op >= 0xb8 && op <= 0xbf) return (r->rex & REX_W) != 0 ? 8 : wide;
    if (op >= 0xa0 && op <= 0xa3) return 8;
    switch (op) {
    case 0x6a:
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xa8:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xcd:
    case 0xeb: return 1;
    case 0x68:
    case 0x69:
    case 0x81:
    case 0xa9:
    case 0xc7: return wide;
    case 0xe8:
    case 0xe9: return 4;
    case 0xc2:
    case 0xca: return 2;
    case 0xc8: return 3;
    case 0xf6: return r->middle < 2 ? 1 : 0;
    case 0xf7: return r->middle < 2 ? wide : 0;
    default: return 0;
    }
}

static unsigned constant_bytes(const reading *r)
{
    const unsigned op = r->operation;
    if (r->map == MAP_ONE) return constant_bytes_of_one(r);
    if (r->map == MAP_0F3A) return 1;
    if (r->map != MAP_0F) return 0;
    if (!r->is_vector && (op & 0xf0) == 0x80) return 4;
    if ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6)) return 1;
    return !r->is_vector && (op == 0xa4 || op == 0xac || op == 0xba) ? 1 : 0;
}

/* ---- what it means ---- */

static void be(reading *r, hsd_x86_kind kind)
{
    r->out.kind = kind;
    r->out.is_whole = (r->rex & REX_W) != 0;
}

static void be_jump(reading *r, hsd_x86_kind kind)
{
    r->out.kind = kind;
    r->out.target = r->address + r->at + (uint64_t)r->constant;
}

/* Both operands may change: what is right for all operations that are not known better. */
static void change_both(reading *r)
{
    change(r, r->out.reg);
    if (!r->out.is_memory) change(r, r->out.base);
}

/* 00 to 3f: eight operations of arithmetic in six forms each. */
static void decode_arithmetic(reading *r)
{
    const unsigned form = r->operation & 7, which = r->operation >> 3;
    enum { ADD = 0, COMPARE = 7, TO_BASE = 1, TO_REGISTER = 3 };
    if (form >= 6) {
        be(r, HSD_X86_UNKNOWN);
    } else if (which == ADD && (r->rex & REX_W) != 0 &&
               (form == TO_REGISTER || (form == TO_BASE && !r->out.is_memory))) {
        const uint8_t reg = r->out.reg;
        be(r, HSD_X86_ADD_REGISTER);
        if (form == TO_REGISTER) {
            r->out.reg = r->out.is_memory ? HSD_X86_NO_REGISTER : r->out.base;
            r->out.base = reg;
            r->out.is_memory = r->out.has_index = false;
        }
    } else if (which == COMPARE) {
        be(r, HSD_X86_TEST);
    } else if (form >= 4) {
        change(r, HSD_X86_RAX);
    } else if (form < 2) {
        if (!r->out.is_memory) change(r, r->out.base);
    } else {
        change(r, r->out.reg);
    }
}

static void decode_group_ff(reading *r)
{
    if (r->middle == 2)
        be(r, HSD_X86_CALL);
    else if (r->middle == 4)
        be(r, HSD_X86_JUMP);
    else if (r->middle == 6) {
        be(r, HSD_X86_PUSH);
        r->out.reg = HSD_X86_NO_REGISTER;
    } else if (r->middle < 2) {
        if (!r->out.is_memory) change(r, r->out.base);
    } else {
        be(r, HSD_X86_UNKNOWN);
    }
}

/* 80 to 83, with a constant: an addition or subtraction of one is known. */
static void decode_group_80(reading *r)
{
    enum { ADD = 0, SUB = 5, COMPARE = 7 };
    if (r->middle == COMPARE) {
        be(r, HSD_X86_TEST);
    } else if (r->operation != 0x80 && !r->out.is_memory && (r->middle == ADD || r->middle == SUB) &&
               (r->rex & REX_W) != 0) {
        be(r, HSD_X86_ADD);
        r->out.displacement = r->middle == ADD ? r->constant : -r->constant;
    } else if (!r->out.is_memory) {
        change(r, r->out.base);
    }
}

static void decode_rest(reading *r)
{
    const unsigned op = r->operation;
    if (op >= 0x50 && op <= 0x5f) {
        be(r, op < 0x58 ? HSD_X86_PUSH : HSD_X86_POP);
        r->out.reg = (uint8_t)((op & 7) | ((r->rex & REX_B) != 0 ? 8 : 0));
    } else if (op >= 0xb0 && op <= 0xbf) {
        change(r, (op & 7) | ((r->rex & REX_B) != 0 ? 8 : 0));
    } else if (op > 0x90 && op <= 0x97) {
        change(r, HSD_X86_RAX);
        change(r, (op & 7) | ((r->rex & REX_B) != 0 ? 8 : 0));
    } else if (op >= 0xa4 && op <= 0xaf && op != 0xa8 && op != 0xa9) {
        r->out.changed |= 0xc3; /* rax, rcx, rsi, rdi: strings */
    } else if (op == 0xa0 || op == 0xa1) {
        change(r, HSD_X86_RAX);
    } else if (op == 0xa2 || op == 0xa3) {
        be(r, HSD_X86_STORE);
        r->out.is_whole &= op == 0xa3;
        r->out.is_memory = true;
        r->out.base = HSD_X86_NO_REGISTER;
        r->out.displacement = r->constant;
    } else if (op == 0x98 || op == 0x99) {
        r->out.changed |= 0x05; /* rax, rdx */
    } else if (op == 0xf6 || op == 0xf7) {
        if (r->middle < 2)
            be(r, HSD_X86_TEST);
        else if (r->middle >= 4)
            r->out.changed |= 0x05;
        else if (!r->out.is_memory)
            change(r, r->out.base);
    } else if (op == 0xc0 || op == 0xc1 || (op >= 0xd0 && op <= 0xd3) || op == 0xfe) {
        if (!r->out.is_memory) change(r, r->out.base); /* shifts and counts: the other field says which */
    } else if (op >= 0xd8 && op <= 0xdf) {
        change(r, HSD_X86_RAX); /* of the x87: fnstsw %ax */
    } else if (op != 0x90 && op != 0xa8 && op != 0xa9 && op != 0x68 && op != 0x6a) {
        if (has_modrm(r))
            change_both(r);
        else
            be(r, HSD_X86_UNKNOWN);
    }
    if (op == 0x68 || op == 0x6a) {
        be(r, HSD_X86_PUSH);
        r->out.reg = HSD_X86_NO_REGISTER;
    }
}

static void decode_one(reading *r)
{
    const unsigned op = r->operation;
    if (op < 0x40)
        decode_arithmetic(r);
    else if (op == 0x89)
        be(r, HSD_X86_STORE);
    else if (op == 0x8b)
        be(r, HSD_X86_LOAD);
    else if (op == 0x8d)
        be(r, HSD_X86_ADDRESS);
    else if (op == 0x84 || op == 0x85)
        be(r, HSD_X86_TEST);
    else if (op == 0x88 || op == 0xc6 || op == 0xc7) {
        if (!r->out.is_memory) change(r, r->out.base);
    } else if (op >= 0x80 && op <= 0x83)
        decode_group_80(r);
    else if (op == 0xe8)
        be_jump(r, HSD_X86_CALL);
    else if (op == 0xe9 || op == 0xeb)
        be_jump(r, HSD_X86_JUMP);
    else if (op >= 0x70 && op <= 0x7f)
        be_jump(r, op == 0x74 ? HSD_X86_BRANCH_ZERO : op == 0x75 ? HSD_X86_BRANCH_NOT_ZERO : HSD_X86_BRANCH);
    else if (op == 0xc2 || op == 0xc3)
        be(r, HSD_X86_RETURN);
    else if (op == 0xff)
        decode_group_ff(r);
    else if (op == 0xc9)
        r->out.changed |= 1u << HSD_X86_RSP | 1u << HSD_X86_RBP; /* leave */
    else if (op == 0x6b || op == 0x69 || op == 0x63 || op == 0x8a)
        change(r, r->out.reg);
    else
        decode_rest(r);
}

/* Operations of vectors name vector registers; those that write a general one are taken to write both. */
static void decode_two(reading *r)
{
    const unsigned op = r->operation;
    if (op == 0x80 + 4)
        be_jump(r, HSD_X86_BRANCH_ZERO);
    else if (op == 0x80 + 5)
        be_jump(r, HSD_X86_BRANCH_NOT_ZERO);
    else if ((op & 0xf0) == 0x80)
        be_jump(r, HSD_X86_BRANCH);
    else if (op == 0x0b)
        be(r, HSD_X86_UNKNOWN); /* ud2 */
    else if (op == 0x18 || op == 0x1e || op == 0x1f || op == 0x0d)
        return; /* hints, endbr64, nop */
    else if (op == 0x05 || op == 0x31 || op == 0xa2)
        r->out.changed |= 0x80f; /* syscall, rdtsc, cpuid */
    else if (op == 0x2c || op == 0x2d || op == 0x50 || op == 0xd7 || op == 0xc5)
        change(r, r->out.reg);
    else if (op == 0x7e)
        change_both(r);
    else if ((op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2f) || (op >= 0x51 && op <= 0x7f) ||
             (op >= 0xd0 && op <= 0xfe) || op == 0xc2 || op == 0xc4 || op == 0xc6)
        return;
    else if ((op & 0xf0) == 0x90) {
        if (!r->out.is_memory) change(r, r->out.base);
    } else if (op == 0xb0 || op == 0xb1) {
        change(r, HSD_X86_RAX);
        change_both(r);
    } else if (has_modrm(r))
        change_both(r);
    else
        be(r, HSD_X86_UNKNOWN);
}

hsd_x86 hsd_x86_decode(const uint8_t *bytes, size_t size, uint64_t address)
{
    reading r = {.bytes = bytes,
                 .size = size < 15 ? size : 15,
                 .address = address,
                 .out = {.reg = HSD_X86_NO_REGISTER, .base = HSD_X86_NO_REGISTER, .index = HSD_X86_NO_REGISTER}};
    read_operation(&r);
    if (has_modrm(&r)) read_modrm(&r);
    const unsigned constants = constant_bytes(&r);
    r.constant = number(&r, constants);
    r.out.size = (uint8_t)r.at;
    if (r.out.base == HSD_X86_RIP) r.out.displacement += (int64_t)(address + r.at);
    if (r.is_vector) {
        if (r.map != MAP_0F) change_both(&r);
    } else if (r.map == MAP_ONE) {
        decode_one(&r);
    } else if (r.map == MAP_0F) {
        decode_two(&r);
    } else {
        change_both(&r);
    }
    if (r.is_cut) r.out.kind = HSD_X86_UNKNOWN;
    return r.out;
}

/* ---- a number in a register ---- */

/* False where the way may not go on behind it, or comes from elsewhere. */
static bool leaves_register(const hsd_x86 *one, unsigned reg)
{
    const hsd_x86_kind kind = one->kind;
    if (one->size == 0 || (one->changed >> reg & 1) != 0) return false;
    if (kind == HSD_X86_LOAD || kind == HSD_X86_ADDRESS || kind == HSD_X86_POP) return one->reg != reg;
    if (kind == HSD_X86_STORE) return one->is_memory || one->base != reg;
    if (kind == HSD_X86_ADD || kind == HSD_X86_ADD_REGISTER) return one->base != reg;
    return kind == HSD_X86_OTHER || kind == HSD_X86_TEST || kind == HSD_X86_PUSH;
}

static bool leads_to_end(const uint8_t *bytes, size_t size, unsigned reg)
{
    size_t at = 0;
    while (at < size) {
        const hsd_x86 one = hsd_x86_decode(bytes + at, size - at, 0);
        if (!leaves_register(&one, reg)) return false;
        at += one.size;
    }
    return at == size;
}

uint32_t hsd_x86_number_in(const uint8_t *bytes, size_t size, unsigned reg)
{
    enum { MOVE = 5, MOVE_NUMBER = 0xb8 };
    for (size_t at = size >= MOVE ? size - MOVE + 1 : 0; at > 0; at--) {
        const uint8_t *move = bytes + at - 1;
        const size_t behind = size - (at - 1) - MOVE;
        if (move[0] == MOVE_NUMBER + reg && leads_to_end(move + MOVE, behind, reg))
            return (uint32_t)move[1] | (uint32_t)move[2] << 8 | (uint32_t)move[3] << 16 | (uint32_t)move[4] << 24;
    }
    return 0;
}

/*
 * Instructions of two bytes: conditional moves, tests of bits, extensions, and the vectors that compilers copy and
 * clear memory with. See machine.h.
 */
#include <string.h>

#include "import/pycore/machine.h"

enum { VECTOR = 16 };

static pyoperand reg_of(const pyinstruction *i) { return (pyoperand){.is_register = true, .number = i->reg}; }

static bool move_if(pymachine *m, pyinstruction *i, bool holds)
{
    const unsigned bytes = hsd_pydecode_width(i);
    uint64_t from, before;
    if (!hsd_pydecode_modrm(m, i, 0) || !hsd_pyaccess_get(m, i, &i->rm, bytes, &from)) return false;
    const pyoperand to = reg_of(i);
    return hsd_pyaccess_get(m, i, &to, bytes, &before) && hsd_pyaccess_set(m, i, &to, bytes, holds ? from : before);
}

static bool set_if(pymachine *m, pyinstruction *i, bool holds)
{
    return hsd_pydecode_modrm(m, i, 0) && hsd_pyaccess_set(m, i, &i->rm, 1, holds);
}

static bool extend(pymachine *m, pyinstruction *i, unsigned bytes, bool is_signed)
{
    uint64_t value;
    if (!hsd_pydecode_modrm(m, i, 0) || !hsd_pyaccess_get(m, i, &i->rm, bytes, &value)) return false;
    const pyoperand to = reg_of(i);
    return hsd_pyaccess_set(m, i, &to, hsd_pydecode_width(i), is_signed ? hsd_pyextend(value, bytes) : value);
}

static bool multiply(pymachine *m, pyinstruction *i)
{
    const unsigned bytes = hsd_pydecode_width(i);
    uint64_t a, b;
    if (!hsd_pydecode_modrm(m, i, 0) || !hsd_pyaccess_get(m, i, &i->rm, bytes, &a)) return false;
    const pyoperand to = reg_of(i);
    return hsd_pyaccess_get(m, i, &to, bytes, &b) &&
           hsd_pyaccess_set(m, i, &to, bytes, hsd_pyextend(a, bytes) * hsd_pyextend(b, bytes));
}

/* a3, ba: bt, and with bts, btr, btc what they make of it. */
static bool test_bit(pymachine *m, pyinstruction *i, bool has_number)
{
    const unsigned bytes = hsd_pydecode_width(i);
    uint64_t value, bit;
    if (!hsd_pydecode_modrm(m, i, has_number ? 1 : 0) || !hsd_pyaccess_get(m, i, &i->rm, bytes, &value)) return false;
    if (!has_number && !i->rm.is_register) return false;
    if (has_number ? !hsd_pydecode_immediate(i, 1, &bit) : (bit = m->registers[i->reg], false)) return false;
    bit &= 8 * bytes - 1;
    m->carry = (value >> bit & 1) != 0;
    const unsigned what = has_number ? i->modrm >> 3 & 7 : 4;
    const uint64_t mask = UINT64_C(1) << bit;
    if (what < 4) return false;
    if (what == 4) return true;
    return hsd_pyaccess_set(m, i, &i->rm, bytes, what == 5 ? value | mask : what == 6 ? value & ~mask : value ^ mask);
}

/* bc, bd: the first and the last bit that is set; with F3 counts of zeros. */
static bool find_bit(pymachine *m, pyinstruction *i, bool is_last)
{
    const unsigned bytes = hsd_pydecode_width(i), bits = 8 * bytes;
    uint64_t value;
    if (!hsd_pydecode_modrm(m, i, 0) || !hsd_pyaccess_get(m, i, &i->rm, bytes, &value)) return false;
    const pyoperand to = reg_of(i);
    const bool is_count = i->repeat == 0xf3;
    m->zero = value == 0;
    m->carry = value == 0;
    if (value == 0) return !is_count || hsd_pyaccess_set(m, i, &to, bytes, bits);
    const unsigned last = 63 - (unsigned)__builtin_clzll(value), first = (unsigned)__builtin_ctzll(value);
    const unsigned found = !is_last ? first : is_count ? bits - 1 - last : last;
    if (is_count) m->zero = found == 0;
    return hsd_pyaccess_set(m, i, &to, bytes, found);
}

/* ---- vectors ---- */

static bool get_vector(pymachine *m, const pyinstruction *i, uint8_t out[VECTOR], size_t bytes)
{
    if (!i->rm.is_register) return !i->is_fs && hsd_pyaccess_load(m, i->rm.address, out, bytes);
    memcpy(out, m->vectors[i->rm.number], bytes);
    return true;
}

static bool set_vector(pymachine *m, const pyinstruction *i, const uint8_t *data, size_t bytes)
{
    if (!i->rm.is_register) return !i->is_fs && hsd_pyaccess_store(m, i->rm.address, data, bytes);
    memcpy(m->vectors[i->rm.number], data, bytes);
    return true;
}

/* Loads of less than a whole vector clear the rest. */
static bool load_vector(pymachine *m, pyinstruction *i, size_t bytes)
{
    uint8_t data[VECTOR] = {0};
    if (!hsd_pydecode_modrm(m, i, 0) || !get_vector(m, i, data, bytes)) return false;
    memcpy(m->vectors[i->reg], data, VECTOR);
    return true;
}

static bool store_vector(pymachine *m, pyinstruction *i, size_t bytes)
{
    return hsd_pydecode_modrm(m, i, 0) && set_vector(m, i, m->vectors[i->reg], bytes);
}

/* 16, 17: the upper half. */
static bool upper_half(pymachine *m, pyinstruction *i, bool is_store)
{
    if (!hsd_pydecode_modrm(m, i, 0)) return false;
    if (!is_store && i->rm.is_register) { /* movlhps */
        memcpy(m->vectors[i->reg] + 8, m->vectors[i->rm.number], 8);
        return true;
    }
    if (i->rm.is_register || i->is_fs) return false;
    return is_store ? hsd_pyaccess_store(m, i->rm.address, m->vectors[i->reg] + 8, 8)
                    : hsd_pyaccess_load(m, i->rm.address, m->vectors[i->reg] + 8, 8);
}

static bool between(pymachine *m, pyinstruction *i, bool is_to_vector)
{
    const unsigned bytes = (i->rex & 8) != 0 ? 8 : 4;
    uint64_t value;
    if (!hsd_pydecode_modrm(m, i, 0)) return false;
    if (!is_to_vector) {
        memcpy(&value, m->vectors[i->reg], sizeof value);
        return hsd_pyaccess_set(m, i, &i->rm, bytes, value & hsd_pymask(bytes));
    }
    if (!hsd_pyaccess_get(m, i, &i->rm, bytes, &value)) return false;
    memset(m->vectors[i->reg], 0, VECTOR);
    memcpy(m->vectors[i->reg], &value, sizeof value);
    return true;
}

/* xor, and, or of whole vectors; lower halves side by side. */
static bool combine(pymachine *m, pyinstruction *i, uint8_t opcode)
{
    uint8_t other[VECTOR], *own;
    if (!hsd_pydecode_modrm(m, i, 0) || !get_vector(m, i, other, VECTOR)) return false;
    own = m->vectors[i->reg];
    if (opcode == 0x6c) {
        memcpy(own + 8, other, 8);
        return true;
    }
    for (int k = 0; k < VECTOR; k++)
        own[k] = opcode == 0x57 || opcode == 0xef ? own[k] ^ other[k]
                 : opcode == 0xeb                 ? own[k] | other[k]
                                                  : own[k] & other[k];
    return true;
}

static bool vectors(pymachine *m, pyinstruction *i, uint8_t opcode)
{
    switch (opcode) {
    case 0x10: return load_vector(m, i, i->repeat == 0xf2 ? 8 : i->repeat == 0xf3 ? 4 : VECTOR);
    case 0x11: return store_vector(m, i, i->repeat == 0xf2 ? 8 : i->repeat == 0xf3 ? 4 : VECTOR);
    case 0x16: return i->repeat == 0 && upper_half(m, i, false);
    case 0x17: return i->repeat == 0 && upper_half(m, i, true);
    case 0x28:
    case 0x6f: return load_vector(m, i, VECTOR);
    case 0x29:
    case 0x7f: return store_vector(m, i, VECTOR);
    case 0x6e: return between(m, i, true);
    case 0x7e: return i->repeat == 0xf3 ? load_vector(m, i, 8) : between(m, i, false);
    case 0xd6: return i->is_16 && store_vector(m, i, 8);
    case 0x54:
    case 0xdb:
    case 0xeb:
    case 0x57:
    case 0xef:
    case 0x6c: return combine(m, i, opcode);
    default: return false;
    }
}

bool hsd_pyexecute_extended(pymachine *m, pyinstruction *i)
{
    uint8_t opcode;
    if (!hsd_pydecode_byte(i, &opcode)) return false;
    const bool holds = hsd_pyexecute_condition(m, opcode & 15);
    if (opcode >= 0x40 && opcode < 0x50) return move_if(m, i, holds);
    if (opcode >= 0x90 && opcode < 0xa0) return set_if(m, i, holds);
    switch (opcode) {
    case 0x18: /* prefetch */
    case 0x1e: /* endbr64 */
    case 0x1f: return hsd_pydecode_modrm(m, i, 0);
    case 0xa3: return test_bit(m, i, false);
    case 0xba: return test_bit(m, i, true);
    case 0xaf: return multiply(m, i);
    case 0xb6: return extend(m, i, 1, false);
    case 0xb7: return extend(m, i, 2, false);
    case 0xbe: return extend(m, i, 1, true);
    case 0xbf: return extend(m, i, 2, true);
    case 0xbc: return find_bit(m, i, false);
    case 0xbd: return find_bit(m, i, true);
    default: return vectors(m, i, opcode);
    }
}

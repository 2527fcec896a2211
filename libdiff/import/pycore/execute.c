/*
 * Instructions of one byte, as compilers make them for functions that look at objects. See machine.h.
 */
#include "import/pycore/machine.h"

enum { ADD, OR, ADC, SBB, AND, SUB, XOR, CMP };
enum { SHL = 4, SHR = 5, SAL = 6, SAR = 7 };

/* ---- flags ---- */

void hsd_pyexecute_result(pymachine *m, uint64_t value, unsigned bytes)
{
    value &= hsd_pymask(bytes);
    m->zero = value == 0;
    m->sign = hsd_pytop(value, bytes);
    m->parity = __builtin_parity((unsigned)(value & 0xff)) == 0;
}

bool hsd_pyexecute_condition(const pymachine *m, unsigned number)
{
    bool holds = false;
    switch (number >> 1) {
    case 0: holds = m->overflow; break;
    case 1: holds = m->carry; break;
    case 2: holds = m->zero; break;
    case 3: holds = m->carry || m->zero; break;
    case 4: holds = m->sign; break;
    case 5: holds = m->parity; break;
    case 6: holds = m->sign != m->overflow; break;
    default: holds = m->zero || m->sign != m->overflow; break;
    }
    return (number & 1) != 0 ? !holds : holds;
}

static uint64_t add_operand(pymachine *m, uint64_t a, uint64_t b, bool carry, unsigned bytes)
{
    const uint64_t mask = hsd_pymask(bytes), sum = (a + b + carry) & mask;
    m->carry = sum < (a & mask) || (carry && sum == (a & mask));
    m->overflow = hsd_pytop(~(a ^ b) & (a ^ sum), bytes);
    hsd_pyexecute_result(m, sum, bytes);
    return sum;
}

static uint64_t subtract(pymachine *m, uint64_t a, uint64_t b, bool borrow, unsigned bytes)
{
    const uint64_t mask = hsd_pymask(bytes), left = (a - b - borrow) & mask;
    m->carry = (a & mask) < (b & mask) || (borrow && (a & mask) == (b & mask));
    m->overflow = hsd_pytop((a ^ b) & (a ^ left), bytes);
    hsd_pyexecute_result(m, left, bytes);
    return left;
}

static uint64_t logic(pymachine *m, uint64_t value, unsigned bytes)
{
    m->carry = m->overflow = false;
    hsd_pyexecute_result(m, value, bytes);
    return value;
}

static uint64_t compute(pymachine *m, unsigned what, uint64_t a, uint64_t b, unsigned bytes)
{
    switch (what) {
    case ADD: return add_operand(m, a, b, false, bytes);
    case OR: return logic(m, a | b, bytes);
    case ADC: return add_operand(m, a, b, m->carry, bytes);
    case SBB: return subtract(m, a, b, m->carry, bytes);
    case AND: return logic(m, a & b, bytes);
    case XOR: return logic(m, a ^ b, bytes);
    default: return subtract(m, a, b, false, bytes);
    }
}

/* ---- two operands ---- */

static pyoperand reg_of(const pyinstruction *i) { return (pyoperand){.is_register = true, .number = i->reg}; }

static bool compute_into(pymachine *m, const pyinstruction *i, unsigned what, const pyoperand *to,
                         const pyoperand *from, unsigned bytes)
{
    uint64_t a, b;
    if (!hsd_pyaccess_get(m, i, to, bytes, &a) || !hsd_pyaccess_get(m, i, from, bytes, &b)) return false;
    const uint64_t value = compute(m, what, a, b, bytes);
    return what == CMP || hsd_pyaccess_set(m, i, to, bytes, value);
}

/* 00 to 3d: six forms of each of the eight. */
static bool arithmetic(pymachine *m, pyinstruction *i, uint8_t opcode)
{
    const unsigned what = opcode >> 3, form = opcode & 7, bytes = (form & 1) == 0 ? 1 : hsd_pydecode_width(i);
    const pyoperand accumulator = {.is_register = true};
    uint64_t number, a;
    if (form >= 4) {
        if (!hsd_pydecode_immediate(i, bytes == 8 ? 4 : bytes, &number) ||
            !hsd_pyaccess_get(m, i, &accumulator, bytes, &a))
            return false;
        number = compute(m, what, a, number & hsd_pymask(bytes), bytes);
        return what == CMP || hsd_pyaccess_set(m, i, &accumulator, bytes, number);
    }
    if (!hsd_pydecode_modrm(m, i, 0)) return false;
    const pyoperand reg = reg_of(i);
    return form < 2 ? compute_into(m, i, what, &i->rm, &reg, bytes) : compute_into(m, i, what, &reg, &i->rm, bytes);
}

/* 80, 81, 83: with a number. */
static bool arithmetic_number(pymachine *m, pyinstruction *i, uint8_t opcode)
{
    const unsigned bytes = opcode == 0x80 ? 1 : hsd_pydecode_width(i), size = opcode != 0x81 ? 1
                                                                              : bytes == 8   ? 4
                                                                                             : bytes;
    uint64_t number, a;
    if (!hsd_pydecode_modrm(m, i, size) || !hsd_pydecode_immediate(i, size, &number) ||
        !hsd_pyaccess_get(m, i, &i->rm, bytes, &a))
        return false;
    const unsigned what = i->modrm >> 3 & 7;
    const uint64_t value = compute(m, what, a, number & hsd_pymask(bytes), bytes);
    return what == CMP || hsd_pyaccess_set(m, i, &i->rm, bytes, value);
}

static bool test(pymachine *m, pyinstruction *i, unsigned bytes)
{
    uint64_t a, b;
    const bool is_there = hsd_pydecode_modrm(m, i, 0) && hsd_pyaccess_get(m, i, &i->rm, bytes, &a);
    const pyoperand reg = reg_of(i);
    if (!is_there || !hsd_pyaccess_get(m, i, &reg, bytes, &b)) return false;
    (void)logic(m, a & b, bytes);
    return true;
}

static bool exchange(pymachine *m, pyinstruction *i, unsigned bytes)
{
    uint64_t a, b;
    const bool is_there = hsd_pydecode_modrm(m, i, 0) && hsd_pyaccess_get(m, i, &i->rm, bytes, &a);
    const pyoperand reg = reg_of(i);
    return is_there && hsd_pyaccess_get(m, i, &reg, bytes, &b) && hsd_pyaccess_set(m, i, &i->rm, bytes, b) &&
           hsd_pyaccess_set(m, i, &reg, bytes, a);
}

static bool move(pymachine *m, pyinstruction *i, uint8_t opcode)
{
    const unsigned bytes = (opcode & 1) == 0 ? 1 : hsd_pydecode_width(i);
    uint64_t value;
    if (!hsd_pydecode_modrm(m, i, 0)) return false;
    const pyoperand reg = reg_of(i), *from = (opcode & 2) == 0 ? &reg : &i->rm, *to = (opcode & 2) == 0 ? &i->rm : &reg;
    return hsd_pyaccess_get(m, i, from, bytes, &value) && hsd_pyaccess_set(m, i, to, bytes, value);
}

static bool move_number(pymachine *m, pyinstruction *i, unsigned bytes)
{
    uint64_t number;
    const unsigned size = bytes == 8 ? 4 : bytes;
    return hsd_pydecode_modrm(m, i, size) && hsd_pydecode_immediate(i, size, &number) &&
           hsd_pyaccess_set(m, i, &i->rm, bytes, number);
}

static bool move_to_register(pymachine *m, pyinstruction *i, uint8_t opcode)
{
    const unsigned bytes = (opcode & 8) == 0 ? 1 : hsd_pydecode_width(i);
    const pyoperand to = {.is_register = true, .number = (uint8_t)((opcode & 7) | (i->rex & 1) << 3)};
    uint64_t number;
    return hsd_pydecode_immediate(i, bytes, &number) && hsd_pyaccess_set(m, i, &to, bytes, number);
}

static bool load_address(pymachine *m, pyinstruction *i)
{
    if (!hsd_pydecode_modrm(m, i, 0) || i->rm.is_register) return false;
    const pyoperand reg = reg_of(i);
    return hsd_pyaccess_set(m, i, &reg, hsd_pydecode_width(i), i->rm.address);
}

static bool extend_half(pymachine *m, pyinstruction *i)
{
    uint64_t value;
    if (!hsd_pydecode_modrm(m, i, 0) || !hsd_pyaccess_get(m, i, &i->rm, 4, &value)) return false;
    const pyoperand reg = reg_of(i);
    return hsd_pyaccess_set(m, i, &reg, hsd_pydecode_width(i), hsd_pyextend(value, 4));
}

/* ---- shifts, products ---- */

static bool shift_value(pymachine *m, unsigned what, uint64_t *value, uint64_t by, unsigned bytes)
{
    const unsigned bits = 8 * bytes, count = (unsigned)by & (bytes == 8 ? 63 : 31);
    if (count == 0) return true;
    const uint64_t before = *value;
    switch (what) {
    case 0:
    case 1: {
        const unsigned turn = what == 0 ? count % bits : (bits - count % bits) % bits;
        *value = turn == 0 ? before : (before << turn | before >> (bits - turn)) & hsd_pymask(bytes);
        m->carry = what == 0 ? (*value & 1) != 0 : hsd_pytop(*value, bytes);
        return true;
    }
    case SHL:
    case SAL:
        m->carry = count <= bits && (before >> (bits - count) & 1) != 0;
        *value = count < bits ? before << count & hsd_pymask(bytes) : 0;
        break;
    case SHR:
        m->carry = count <= bits && (before >> (count - 1) & 1) != 0;
        *value = count < bits ? before >> count : 0;
        break;
    case SAR: {
        const int64_t whole = (int64_t)hsd_pyextend(before, bytes);
        m->carry = (whole >> (count - 1) & 1) != 0;
        *value = (uint64_t)(whole >> count) & hsd_pymask(bytes);
        break;
    }
    default: return false;
    }
    m->overflow = hsd_pytop(before ^ *value, bytes);
    hsd_pyexecute_result(m, *value, bytes);
    return true;
}

/* c0, c1: by a number; d0, d1: by 1; d2, d3: by cl. */
static bool shift(pymachine *m, pyinstruction *i, uint8_t opcode)
{
    const unsigned bytes = (opcode & 1) == 0 ? 1 : hsd_pydecode_width(i);
    const bool has_number = opcode < 0xd0;
    uint64_t value, by = (opcode & 2) == 0 ? 1 : m->registers[RCX] & 0xff;
    if (!hsd_pydecode_modrm(m, i, has_number ? 1 : 0) || (has_number && !hsd_pydecode_immediate(i, 1, &by)) ||
        !hsd_pyaccess_get(m, i, &i->rm, bytes, &value) || !shift_value(m, i->modrm >> 3 & 7, &value, by, bytes))
        return false;
    return hsd_pyaccess_set(m, i, &i->rm, bytes, value);
}

static bool multiply_number(pymachine *m, pyinstruction *i, unsigned size)
{
    const unsigned bytes = hsd_pydecode_width(i);
    uint64_t value, number;
    if (!hsd_pydecode_modrm(m, i, size) || !hsd_pydecode_immediate(i, size, &number) ||
        !hsd_pyaccess_get(m, i, &i->rm, bytes, &value))
        return false;
    const pyoperand reg = reg_of(i);
    return hsd_pyaccess_set(m, i, &reg, bytes, hsd_pyextend(value, bytes) * number);
}

static bool divide_operand(pymachine *m, uint64_t by, bool is_signed, unsigned bytes)
{
    uint64_t *low = &m->registers[RAX], *high = &m->registers[RDX];
    if (bytes < 4 || by == 0) return false;
    const unsigned __int128 whole =
        bytes == 8 ? (unsigned __int128)*high << 64 | *low : (*high & hsd_pymask(4)) << 32 | (*low & hsd_pymask(4));
    if (!is_signed) {
        const unsigned __int128 quotient = whole / by;
        if (quotient > hsd_pymask(bytes)) return false;
        *high = (uint64_t)(whole % by);
        *low = (uint64_t)quotient;
        return true;
    }
    const __int128 number = bytes == 8 ? (__int128)whole : (__int128)(int64_t)whole;
    const int64_t divisor = (int64_t)hsd_pyextend(by, bytes);
    if (divisor == -1) return false;
    const __int128 quotient = number / divisor;
    if (quotient != (int64_t)hsd_pyextend((uint64_t)quotient, bytes)) return false;
    *high = (uint64_t)(number % divisor) & hsd_pymask(bytes);
    *low = (uint64_t)quotient & hsd_pymask(bytes);
    return true;
}

static bool multiply(pymachine *m, uint64_t value, bool is_signed, unsigned bytes)
{
    if (bytes != 8 && bytes != 4) return false;
    const uint64_t a = m->registers[RAX] & hsd_pymask(bytes);
    const unsigned __int128 product =
        is_signed ? (unsigned __int128)((__int128)(int64_t)hsd_pyextend(a, bytes) * (int64_t)hsd_pyextend(value, bytes))
                  : (unsigned __int128)a * value;
    m->registers[RAX] = (uint64_t)product & hsd_pymask(bytes);
    m->registers[RDX] = (uint64_t)(product >> 8 * bytes) & hsd_pymask(bytes);
    m->carry = m->overflow = m->registers[RDX] != 0;
    return true;
}

/* f6, f7: test with a number, not, neg, mul, imul, div, idiv. */
static bool unary(pymachine *m, pyinstruction *i, uint8_t opcode)
{
    const unsigned bytes = opcode == 0xf6 ? 1 : hsd_pydecode_width(i), size = bytes == 8 ? 4 : bytes;
    const bool is_test = i->at < i->size && (i->bytes[i->at] >> 3 & 7) < 2;
    uint64_t value, number = 0;
    if (!hsd_pydecode_modrm(m, i, is_test ? size : 0) || (is_test && !hsd_pydecode_immediate(i, size, &number)) ||
        !hsd_pyaccess_get(m, i, &i->rm, bytes, &value))
        return false;
    switch (i->modrm >> 3 & 7) {
    case 0:
    case 1: (void)logic(m, value & number, bytes); return true;
    case 2: return hsd_pyaccess_set(m, i, &i->rm, bytes, ~value);
    case 3: return hsd_pyaccess_set(m, i, &i->rm, bytes, subtract(m, 0, value, false, bytes));
    case 4: return multiply(m, value, false, bytes);
    case 5: return multiply(m, value, true, bytes);
    case 6: return divide_operand(m, value, false, bytes);
    default: return divide_operand(m, value, true, bytes);
    }
}

/* ---- jumps ---- */

static bool step_operand(pymachine *m, pyinstruction *i, unsigned what, unsigned bytes)
{
    const bool carry = m->carry;
    uint64_t value;
    if (!hsd_pyaccess_get(m, i, &i->rm, bytes, &value)) return false;
    value = what == 0 ? add_operand(m, value, 1, false, bytes) : subtract(m, value, 1, false, bytes);
    m->carry = carry;
    return hsd_pyaccess_set(m, i, &i->rm, bytes, value);
}

/* fe, ff: inc, dec, call, jmp, push. */
static bool indirect(pymachine *m, pyinstruction *i, uint8_t opcode, uint64_t *next)
{
    uint64_t value;
    if (!hsd_pydecode_modrm(m, i, 0)) return false;
    const unsigned what = i->modrm >> 3 & 7;
    if (what < 2) return step_operand(m, i, what, opcode == 0xfe ? 1 : hsd_pydecode_width(i));
    if (opcode == 0xfe || !hsd_pyaccess_get(m, i, &i->rm, 8, &value)) return false;
    if (what == 6) return hsd_pyaccess_push(m, value);
    if ((what != 2 && what != 4) || value == 0) return false;
    *next = value;
    m->has_called = true;
    return what == 4 || hsd_pyaccess_push(m, m->pc + i->at);
}

/* A function is called by a jump as well, when that is the last thing that another does. */
static bool jump(pymachine *m, pyinstruction *i, unsigned size, bool is_taken, uint64_t *next)
{
    uint64_t by;
    if (!hsd_pydecode_immediate(i, size, &by)) return false;
    if (!is_taken) return true;
    *next = m->pc + i->at + by;
    m->has_called = true;
    return true;
}

static bool call(pymachine *m, pyinstruction *i, uint64_t *next)
{
    return jump(m, i, 4, true, next) && hsd_pyaccess_push(m, m->pc + i->at);
}

static bool leave(pymachine *m)
{
    m->registers[RSP] = m->registers[RBP];
    return hsd_pyaccess_pop(m, &m->registers[RBP]);
}

static bool widen(pymachine *m, const pyinstruction *i, bool is_into_rdx)
{
    const unsigned bytes = hsd_pydecode_width(i);
    const pyoperand a = {.is_register = true, .number = RAX}, d = {.is_register = true, .number = RDX};
    const uint64_t value = m->registers[RAX];
    if (is_into_rdx) return hsd_pyaccess_set(m, i, &d, bytes, hsd_pytop(value, bytes) ? UINT64_MAX : 0);
    return hsd_pyaccess_set(m, i, &a, bytes, hsd_pyextend(value & hsd_pymask(bytes / 2), bytes / 2));
}

static bool push_number(pymachine *m, pyinstruction *i, unsigned size)
{
    uint64_t number;
    return hsd_pydecode_immediate(i, size, &number) && hsd_pyaccess_push(m, number);
}

static bool test_number(pymachine *m, pyinstruction *i, unsigned bytes)
{
    uint64_t number;
    if (!hsd_pydecode_immediate(i, bytes == 8 ? 4 : bytes, &number)) return false;
    (void)logic(m, m->registers[RAX] & number & hsd_pymask(bytes), bytes);
    return true;
}

static bool single(pymachine *m, pyinstruction *i, uint8_t opcode, uint64_t *next)
{
    switch (opcode) {
    case 0x63: return extend_half(m, i);
    case 0x68: return push_number(m, i, 4);
    case 0x6a: return push_number(m, i, 1);
    case 0x69: return multiply_number(m, i, hsd_pydecode_width(i) == 8 ? 4 : hsd_pydecode_width(i));
    case 0x6b: return multiply_number(m, i, 1);
    case 0x80:
    case 0x81:
    case 0x83: return arithmetic_number(m, i, opcode);
    case 0x84: return test(m, i, 1);
    case 0x85: return test(m, i, hsd_pydecode_width(i));
    case 0x86: return exchange(m, i, 1);
    case 0x87: return exchange(m, i, hsd_pydecode_width(i));
    case 0x88:
    case 0x89:
    case 0x8a:
    case 0x8b: return move(m, i, opcode);
    case 0x8d: return load_address(m, i);
    case 0x90: return i->rex == 0;
    case 0x98: return widen(m, i, false);
    case 0x99: return widen(m, i, true);
    case 0xa8: return test_number(m, i, 1);
    case 0xa9: return test_number(m, i, hsd_pydecode_width(i));
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return shift(m, i, opcode);
    case 0xc3: return hsd_pyaccess_pop(m, next) && *next != 0;
    case 0xc6: return move_number(m, i, 1);
    case 0xc7: return move_number(m, i, hsd_pydecode_width(i));
    case 0xc9: return leave(m);
    case 0xe8: return call(m, i, next);
    case 0xe9: return jump(m, i, 4, true, next);
    case 0xeb: return jump(m, i, 1, true, next);
    case 0xf6:
    case 0xf7: return unary(m, i, opcode);
    case 0xfe:
    case 0xff: return indirect(m, i, opcode, next);
    default: return false;
    }
}

static bool by_opcode(pymachine *m, pyinstruction *i, uint8_t opcode, uint64_t *next)
{
    const unsigned number = (opcode & 7) | (unsigned)(i->rex & 1) << 3;
    uint8_t second;
    if (opcode == 0x0f) {
        if (i->at < i->size && (second = i->bytes[i->at]) >= 0x80 && second < 0x90) {
            i->at++;
            return jump(m, i, 4, hsd_pyexecute_condition(m, second & 15), next);
        }
        return hsd_pyexecute_extended(m, i);
    }
    if (opcode < 0x40 && (opcode & 7) < 6) return arithmetic(m, i, opcode);
    if (opcode >= 0x50 && opcode < 0x58) return hsd_pyaccess_push(m, m->registers[number]);
    if (opcode >= 0x58 && opcode < 0x60) return hsd_pyaccess_pop(m, &m->registers[number]);
    if (opcode >= 0x70 && opcode < 0x80) return jump(m, i, 1, hsd_pyexecute_condition(m, opcode & 15), next);
    if (opcode >= 0xb0 && opcode < 0xc0) return move_to_register(m, i, opcode);
    return single(m, i, opcode, next);
}

bool hsd_pyexecute_one(pymachine *m)
{
    pyinstruction i;
    uint8_t opcode;
    uint64_t next = 0;
    if (!hsd_pydecode_begin(m, &i, &opcode) || !by_opcode(m, &i, opcode, &next)) return false;
    m->pc = next != 0 ? next : m->pc + i.at;
    return true;
}

/*
 * Instructions of x86-64: prefixes, the byte that names register and place, numbers. See machine.h.
 */
#include <string.h>

#include "import/pycore/machine.h"

enum { PREFIX_16 = 0x66, PREFIX_FS = 0x64, PREFIX_CS = 0x2e, PREFIX_DS = 0x3e, PREFIX_REPNE = 0xf2, PREFIX_REP = 0xf3 };
enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8, HAS_SIB = 4, NO_BASE = 5 };

static const pyline *line_at(pymachine *m, uint64_t at)
{
    pyline *line = &m->lines[(at ^ at >> 10) & (MACHINE_LINES - 1)];
    if (line->at == at && line->size > 0) return line;
    const uint64_t size = hsd_pymemory_extent(&m->core->memory, at, INSTRUCTION_MAX);
    *line = (pyline){.at = at, .size = (uint8_t)size};
    if (!hsd_pymemory_read(&m->core->memory, at, line->bytes, (size_t)size)) line->size = 0;
    return line;
}

bool hsd_pydecode_byte(pyinstruction *i, uint8_t *out)
{
    if (i->at >= i->size) return false;
    *out = i->bytes[i->at++];
    return true;
}

bool hsd_pydecode_begin(pymachine *m, pyinstruction *i, uint8_t *opcode)
{
    const pyline *line = line_at(m, m->pc);
    *i = (pyinstruction){.size = line->size};
    memcpy(i->bytes, line->bytes, sizeof i->bytes);
    while (hsd_pydecode_byte(i, opcode)) {
        switch (*opcode) {
        case PREFIX_16: i->is_16 = true; continue;
        case PREFIX_FS: i->is_fs = true; continue;
        case PREFIX_CS:
        case PREFIX_DS: continue;
        case PREFIX_REPNE:
        case PREFIX_REP: i->repeat = *opcode; continue;
        default: break;
        }
        if ((*opcode & 0xf0) != 0x40) return true;
        i->has_rex = true;
        i->rex = *opcode & 0xf;
        return hsd_pydecode_byte(i, opcode);
    }
    return false;
}

bool hsd_pydecode_immediate(pyinstruction *i, unsigned bytes, uint64_t *out)
{
    uint64_t value = 0;
    if (bytes > (unsigned)(i->size - i->at)) return false;
    for (unsigned k = 0; k < bytes; k++)
        value |= (uint64_t)i->bytes[i->at++] << 8 * k;
    *out = hsd_pyextend(value, bytes);
    return true;
}

unsigned hsd_pydecode_width(const pyinstruction *i) { return (i->rex & REX_W) != 0 ? 8 : i->is_16 ? 2 : 4; }

/* base + index * scale; *base_is_none: a number of four bytes follows in place of the base. */
static bool decode_sib(const pymachine *m, pyinstruction *i, unsigned mod, uint64_t *address, bool *is_bare)
{
    uint8_t sib;
    if (!hsd_pydecode_byte(i, &sib)) return false;
    const unsigned index = (sib >> 3 & 7) | (unsigned)((i->rex & REX_X) != 0) << 3,
                   base = (sib & 7) | (unsigned)((i->rex & REX_B) != 0) << 3;
    *is_bare = (sib & 7) == NO_BASE && mod == 0;
    *address = *is_bare ? 0 : m->registers[base];
    if (index != HAS_SIB) *address += m->registers[index] << (sib >> 6);
    return true;
}

bool hsd_pydecode_modrm(pymachine *m, pyinstruction *i, unsigned behind)
{
    uint64_t offset = 0;
    if (!hsd_pydecode_byte(i, &i->modrm)) return false;
    const unsigned mod = i->modrm >> 6, low = i->modrm & 7;
    i->reg = (uint8_t)((i->modrm >> 3 & 7) | ((i->rex & REX_R) != 0) << 3);
    const uint8_t number = (uint8_t)((i->modrm & 7) | ((i->rex & REX_B) != 0) << 3);
    if (mod == 3) {
        i->rm = (pyoperand){.is_register = true, .number = number};
        return true;
    }
    bool is_bare = false;
    uint64_t address = m->registers[number];
    if (low == HAS_SIB && !decode_sib(m, i, mod, &address, &is_bare)) return false;
    const bool is_relative = mod == 0 && low == NO_BASE;
    const unsigned bytes = mod == 1 ? 1 : mod == 2 || is_relative || is_bare ? 4 : 0;
    if (bytes > 0 && !hsd_pydecode_immediate(i, bytes, &offset)) return false;
    if (is_relative) address = m->pc + i->at + behind;
    i->rm = (pyoperand){.address = address + offset};
    return true;
}

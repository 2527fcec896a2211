/*
 * What instructions read and write: registers and their parts, the stack, and, to read alone, the memory of the core.
 */
#include <string.h>

#include "import/pycore/machine.h"

enum { GUARD_AT = 0x28 }; /* of the thread's block: what guards stacks */

static bool is_on_stack(uint64_t address, size_t bytes)
{
    return address >= MACHINE_STACK_AT && address - MACHINE_STACK_AT <= MACHINE_STACK - bytes;
}

bool hsd_pyaccess_load(pymachine *m, uint64_t address, void *out, size_t bytes)
{
    if (!is_on_stack(address, bytes)) return hsd_pymemory_read(&m->core->memory, address, out, bytes);
    memcpy(out, m->stack + (address - MACHINE_STACK_AT), bytes);
    return true;
}

bool hsd_pyaccess_store(pymachine *m, uint64_t address, const void *data, size_t bytes)
{
    if (!is_on_stack(address, bytes)) return false;
    memcpy(m->stack + (address - MACHINE_STACK_AT), data, bytes);
    return true;
}

/* Without REX, 4 to 7 are the second bytes of the first four registers. */
static bool is_second_byte(const pyinstruction *i, unsigned number, unsigned bytes)
{
    return bytes == 1 && !i->has_rex && number >= 4 && number < 8;
}

bool hsd_pyaccess_get(pymachine *m, const pyinstruction *i, const pyoperand *from, unsigned bytes, uint64_t *out)
{
    uint8_t data[8] = {0};
    if (from->is_register) {
        const bool is_second = is_second_byte(i, from->number, bytes);
        const uint64_t whole = m->registers[is_second ? from->number - 4 : from->number];
        *out = (is_second ? whole >> 8 : whole) & hsd_pymask(bytes);
        return true;
    }
    if (i->is_fs) { /* the guard is 0 wherever it is looked at */
        *out = 0;
        return from->address == GUARD_AT;
    }
    if (!hsd_pyaccess_load(m, from->address, data, bytes)) return false;
    *out = 0;
    for (unsigned k = 0; k < bytes; k++)
        *out |= (uint64_t)data[k] << 8 * k;
    return true;
}

bool hsd_pyaccess_set(pymachine *m, const pyinstruction *i, const pyoperand *to, unsigned bytes, uint64_t value)
{
    uint8_t data[8];
    if (!to->is_register) {
        for (unsigned k = 0; k < bytes; k++)
            data[k] = (uint8_t)(value >> 8 * k);
        return !i->is_fs && hsd_pyaccess_store(m, to->address, data, bytes);
    }
    const bool is_second = is_second_byte(i, to->number, bytes);
    uint64_t *whole = &m->registers[is_second ? to->number - 4 : to->number];
    const unsigned shift = is_second ? 8 : 0;
    const uint64_t mask = hsd_pymask(bytes) << shift;
    /* four bytes clear what is above them */
    *whole = bytes == 4 ? value & hsd_pymask(4) : (*whole & ~mask) | (value << shift & mask);
    return true;
}

bool hsd_pyaccess_push(pymachine *m, uint64_t value)
{
    m->registers[RSP] -= 8;
    return hsd_pyaccess_store(m, m->registers[RSP], &value, sizeof value);
}

bool hsd_pyaccess_pop(pymachine *m, uint64_t *value)
{
    if (!hsd_pyaccess_load(m, m->registers[RSP], value, sizeof *value)) return false;
    m->registers[RSP] += 8;
    return true;
}

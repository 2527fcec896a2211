/*
 * A processor as far as functions of C need one that look at an object and change nothing: registers, flags, a stack of
 * its own, and the memory of a core. It can write to its stack alone. What it does not know ends the call.
 */
#ifndef HSD_IMPORT_PYCORE_MACHINE_H
#define HSD_IMPORT_PYCORE_MACHINE_H

#include "import/pycore/pycore.h"

enum { MACHINE_STACK = 1 << 14, MACHINE_LINES = 1 << 10, MACHINE_LINE = 16, INSTRUCTION_MAX = 15 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

/* No process has memory there: these addresses have no meaning for the hardware. */
#define MACHINE_STACK_AT UINT64_C(0x7ff0000000000000)
#define MACHINE_END_AT   UINT64_C(0x7fe0000000000000)
#define MACHINE_VISIT_AT UINT64_C(0x7fe0000000001000)

typedef struct pyline { /* code, as it was read */
    uint64_t at;
    uint8_t size, bytes[INSTRUCTION_MAX];
} pyline;

typedef struct pymachine {
    pycore *core;
    uint64_t registers[16], pc;
    uint8_t vectors[16][16];
    bool carry, zero, sign, overflow, parity;
    bool has_called; /* the last instruction may have led into a function */
    uint8_t stack[MACHINE_STACK];
    pyline *lines;
} pymachine;

typedef struct pyoperand { /* a register, or a place in memory */
    bool is_register;
    uint8_t number;
    uint64_t address;
} pyoperand;

typedef struct pyinstruction {
    uint8_t bytes[INSTRUCTION_MAX];
    uint8_t size, at; /* bytes that were read; those that were decoded */
    uint8_t rex, repeat;
    bool has_rex, is_16, is_fs, is_vex;
    uint8_t modrm, reg; /* reg: of the byte behind the opcode, with its bit of REX */
    pyoperand rm;
} pyinstruction;

/* ---- decode.c ---- */

/* The prefixes; *opcode: the byte behind them. False: no code there. */
bool hsd_pydecode_begin(pymachine *m, pyinstruction *i, uint8_t *opcode);
bool hsd_pydecode_byte(pyinstruction *i, uint8_t *out);
/* A signed number of 1, 2, 4 or 8 bytes. */
bool hsd_pydecode_immediate(pyinstruction *i, unsigned bytes, uint64_t *out);
/* The byte that says which register and which place; `behind`: how many bytes of the instruction follow. */
bool hsd_pydecode_modrm(pymachine *m, pyinstruction *i, unsigned behind);
/* How many bytes a whole operand has. */
unsigned hsd_pydecode_width(const pyinstruction *i);

/* ---- access.c ---- */

bool hsd_pyaccess_load(pymachine *m, uint64_t address, void *out, size_t bytes);
bool hsd_pyaccess_store(pymachine *m, uint64_t address, const void *data, size_t bytes);
bool hsd_pyaccess_get(pymachine *m, const pyinstruction *i, const pyoperand *from, unsigned bytes, uint64_t *out);
bool hsd_pyaccess_set(pymachine *m, const pyinstruction *i, const pyoperand *to, unsigned bytes, uint64_t value);
bool hsd_pyaccess_push(pymachine *m, uint64_t value);
bool hsd_pyaccess_pop(pymachine *m, uint64_t *value);

/* ---- execute.c, extended.c ---- */

/* One instruction. False: it is none that is known, or it does what may not be done. */
bool hsd_pyexecute_one(pymachine *m);
/* Those of two bytes. */
bool hsd_pyexecute_extended(pymachine *m, pyinstruction *i);
bool hsd_pyexecute_condition(const pymachine *m, unsigned number);
/* Flags of a result of so many bytes. */
void hsd_pyexecute_result(pymachine *m, uint64_t value, unsigned bytes);

static inline uint64_t hsd_pymask(unsigned bytes) { return bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1; }
static inline bool hsd_pytop(uint64_t value, unsigned bytes) { return (value >> (8 * bytes - 1) & 1) != 0; }
static inline uint64_t hsd_pyextend(uint64_t value, unsigned bytes)
{
    const unsigned unused = 64 - 8 * bytes;
    return (uint64_t)((int64_t)(value << unused) >> unused);
}

#endif

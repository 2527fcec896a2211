/*
 * Registers of stopped threads on aarch64 (registers.h), of a signal's frame: x0 to x30, sp and pc, then the vectors,
 * which the kernel writes behind them as a list of records.
 */
#include <stdint.h>
#include <string.h>

#include "native/registers.h"

enum { GENERAL = 33, BP = 29, SP = 31, PC = 32, VECTOR_WORDS = 64 };
_Static_assert(GENERAL + VECTOR_WORDS <= HSN_REGISTERS, "room for all");

static void take_vectors(hsn_thread *t, const mcontext_t *m)
{
    const unsigned char *at = m->__reserved, *end = at + sizeof m->__reserved;
    struct fpsimd_context context;
    while ((size_t)(end - at) >= sizeof context) {
        memcpy(&context, at, sizeof context);
        if (context.head.magic == FPSIMD_MAGIC) {
            memcpy(t->registers + GENERAL, context.vregs, VECTOR_WORDS * sizeof *t->registers);
            t->register_count += VECTOR_WORDS;
            return;
        }
        if (context.head.magic == 0 || context.head.size == 0 || context.head.size > (size_t)(end - at)) return;
        at += context.head.size;
    }
}

void hsn_registers_of_signal(hsn_thread *t, const ucontext_t *context)
{
    const mcontext_t *m = &context->uc_mcontext;
    for (size_t i = 0; i < SP; i++)
        t->registers[i] = (uintptr_t)m->regs[i];
    t->registers[SP] = (uintptr_t)m->sp;
    t->registers[PC] = (uintptr_t)m->pc;
    t->register_count = GENERAL;
    t->stack_pointer = (uintptr_t)m->sp;
    take_vectors(t, m);
}

uintptr_t hsn_registers_pc(const hsn_thread *t) { return t->registers[PC]; }
uintptr_t hsn_registers_bp(const hsn_thread *t) { return t->registers[BP]; }

/* Whoever makes names of them does not know those of this machine. */
unsigned hsn_registers_number(size_t place)
{
    (void)place;
    return HSN_NO_REGISTER;
}

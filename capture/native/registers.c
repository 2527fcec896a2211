/*
 * Registers of stopped threads (registers.h). General ones first, in the order of ucontext, so that the unwinder finds
 * its own; then the vectors, since what a thread is just copying may stand nowhere else.
 */
#include "native/registers.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    GENERAL = 17,
    VECTOR_WORDS = 32,
    LEGACY_BYTES = 512,
    XMM_AT = 160,
    FEATURES_AT = 512,
    AVX_AT = 576,
    MAGIC_AT = 464
};
enum { AVX_FEATURE = 4, HEADER_BYTES = 64 };
/* FP_XSTATE_MAGIC1: a signal's frame has more than the 512 bytes of old */
static const uint32_t EXTENDED_MAGIC = 0x46505853;

/* The low halves of 16 vectors, and the high ones where the machine has any in use. */
static void take_vectors(hsn_thread *t, const unsigned char *area, size_t size)
{
    if (size < LEGACY_BYTES) return;
    memcpy(t->registers + GENERAL, area + XMM_AT, VECTOR_WORDS * sizeof *t->registers);
    t->register_count += VECTOR_WORDS;
    uint64_t features = 0;
    if (size >= AVX_AT + VECTOR_WORDS * sizeof *t->registers) memcpy(&features, area + FEATURES_AT, sizeof features);
    if ((features & AVX_FEATURE) == 0) return;
    memcpy(t->registers + GENERAL + VECTOR_WORDS, area + AVX_AT, VECTOR_WORDS * sizeof *t->registers);
    t->register_count += VECTOR_WORDS;
}

void hsn_registers_of_signal(hsn_thread *t, const ucontext_t *context)
{
    const mcontext_t *m = &context->uc_mcontext;
    for (size_t i = 0; i < GENERAL; i++)
        t->registers[i] = (uintptr_t)m->gregs[i];
    t->register_count = GENERAL;
    t->stack_pointer = (uintptr_t)m->gregs[REG_RSP];
    if (m->fpregs == NULL) return;
    const unsigned char *area = (const unsigned char *)m->fpregs;
    uint32_t magic;
    memcpy(&magic, area + MAGIC_AT, sizeof magic);
    take_vectors(t, area, magic == EXTENDED_MAGIC ? AVX_AT + VECTOR_WORDS * sizeof *t->registers : LEGACY_BYTES);
}

uintptr_t hsn_registers_pc(const hsn_thread *t) { return t->registers[REG_RIP]; }
uintptr_t hsn_registers_bp(const hsn_thread *t) { return t->registers[REG_RBP]; }

unsigned hsn_registers_number(size_t place)
{
    static const uint8_t places[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (unsigned number = 0; number < sizeof places; number++)
        if (places[number] == place) return number;
    return HSN_NO_REGISTER;
}

void hsn_registers_of_trace(hsn_thread *t, const struct user_regs_struct *r, const unsigned char *area, size_t size)
{
    const unsigned long long general[GENERAL] = {
        [REG_R8] = r->r8,   [REG_R9] = r->r9,   [REG_R10] = r->r10, [REG_R11] = r->r11, [REG_R12] = r->r12,
        [REG_R13] = r->r13, [REG_R14] = r->r14, [REG_R15] = r->r15, [REG_RDI] = r->rdi, [REG_RSI] = r->rsi,
        [REG_RBP] = r->rbp, [REG_RBX] = r->rbx, [REG_RDX] = r->rdx, [REG_RAX] = r->rax, [REG_RCX] = r->rcx,
        [REG_RSP] = r->rsp, [REG_RIP] = r->rip};
    for (size_t i = 0; i < GENERAL; i++)
        t->registers[i] = (uintptr_t)general[i];
    t->register_count = GENERAL;
    t->stack_pointer = (uintptr_t)r->rsp;
    take_vectors(t, area, size);
}

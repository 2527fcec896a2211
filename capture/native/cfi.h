/*
 * Call frame information: what .eh_frame says of one instruction, made into a rule of 8 bytes. Reads the sections as
 * the loader has mapped them, found by glibc's _dl_find_object, which neither locks nor allocates: so this may be used
 * in a hook, in a handler and in the child of a fork. x86-64; elsewhere no rule is known.
 */
#ifndef HSN_CFI_H
#define HSN_CFI_H

#include <stdbool.h>
#include <stdint.h>

typedef enum hsn_rule_kind {
    /* nothing is known here: code that was made at run time, or an expression that nobody writes */
    HSN_RULE_NONE,
    HSN_RULE_SP,       /* the caller's frame begins at sp + cfa_offset … */
    HSN_RULE_BP,       /* … at bp + cfa_offset … */
    HSN_RULE_BP_DEREF, /* … where the word at bp + cfa_offset says */
    HSN_RULE_SIGNAL,   /* the kernel put this frame there: sp points to a ucontext_t */
    HSN_RULE_END       /* the outermost function of a thread */
} hsn_rule_kind;

enum { HSN_BP_KEPT = INT16_MIN }; /* bp still has the caller's value */

typedef struct hsn_rule {
    int32_t cfa_offset;
    int16_t bp_at; /* the caller's bp is stored at CFA + 8 * this, or HSN_BP_KEPT */
    uint16_t kind; /* hsn_rule_kind */
} hsn_rule;

/* Asks ld.so for _dl_find_object. Before that, and with a glibc before 2.35, no rule is known and frame pointers are
 * left. By name, because a library that links it is not loaded by an older glibc at all. */
void hsn_cfi_open(void);

/* The rule at `pc`, an address inside the instruction. The return address is always the word below the caller's frame.
 */
hsn_rule hsn_cfi_rule(uintptr_t pc);

/* The registers that a function gives back as it got them, by DWARF's numbers: rbx, rbp, r12 to r15. */
enum { HSN_KEPT = 6 };
extern const uint8_t hsn_kept_numbers[HSN_KEPT];

/* Where the function has put what its caller had in them: at CFA + 8 * at[i], 0 = it has not touched it so far. False:
 * nothing is known. */
bool hsn_cfi_saved(uintptr_t pc, int32_t at[HSN_KEPT]);

#endif

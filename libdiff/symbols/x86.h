/*
 * Instructions of x86-64, as far as it takes to follow a pointer through registers: how long each is, what it moves
 * where, what it may change. The bytes are hostile: nothing past their end is read, and what is not known is said to be
 * so.
 */
#ifndef HSD_SYMBOLS_X86_H
#define HSD_SYMBOLS_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HSD_X86_RAX = 0,
    HSD_X86_RCX = 1,
    HSD_X86_RDX = 2,
    HSD_X86_RSP = 4,
    HSD_X86_RBP = 5,
    HSD_X86_RSI = 6,
    HSD_X86_RDI = 7,
    HSD_X86_REGISTERS = 16,
    HSD_X86_NO_REGISTER = 255,
    HSD_X86_RIP = 254
};

typedef enum hsd_x86_kind {
    HSD_X86_OTHER,   /* changes the registers in `changed`, and nothing that is followed */
    HSD_X86_STORE,   /* of `reg` to memory or to the register `base` */
    HSD_X86_LOAD,    /* of `reg` from memory or from the register `base` */
    HSD_X86_ADDRESS, /* `reg` becomes the address of the memory (lea) */
    HSD_X86_ADD,     /* `displacement` is added to the register `base` */
    /* the register `reg` is added to the register `base`; NO_REGISTER: what stands in memory */
    HSD_X86_ADD_REGISTER,
    HSD_X86_TEST, /* of registers with themselves or others, or of memory: nothing changes but flags */
    HSD_X86_CALL,
    HSD_X86_JUMP, /* `target`, 0 = not known; or through memory (`is_memory`) */
    HSD_X86_BRANCH_ZERO,
    HSD_X86_BRANCH_NOT_ZERO,
    HSD_X86_BRANCH, /* `target` */
    HSD_X86_PUSH,
    HSD_X86_POP, /* of `reg` */
    HSD_X86_RETURN,
    HSD_X86_UNKNOWN /* ends what can be followed */
} hsd_x86_kind;

typedef struct hsd_x86 {
    hsd_x86_kind kind;
    uint8_t size;  /* in bytes */
    bool is_whole; /* all 64 bits of a register are meant */
    /* an operand is memory: base + displacement, with an index that is not known where has_index */
    bool is_memory;
    bool has_index;
    bool is_of_thread; /* from the register of the thread on: fs */
    uint8_t index;     /* HSD_X86_NO_REGISTER: none, or one that is multiplied */
    /* HSD_X86_NO_REGISTER: absolute; HSD_X86_RIP: `displacement` is the address itself */
    uint8_t reg, base;
    int64_t displacement;
    uint64_t target;
    uint16_t changed; /* registers, by bit, that it may change besides what its kind says */
} hsd_x86;

/* The instruction at `bytes`, which stands at `address`. HSD_X86_UNKNOWN where it is cut off or not known. */
hsd_x86 hsd_x86_decode(const uint8_t *bytes, size_t size, uint64_t address);

/*
 * The number in `reg`, rax to rdi, that was moved there by an instruction of these bytes, which are followed by the one
 * that wants it; 0 = it is not known. Code is not read backwards: of all places at which such a move may stand the last
 * one counts from which on whole instructions lead to the end, in a row, and none of them changes the register.
 */
uint32_t hsd_x86_number_in(const uint8_t *bytes, size_t size, unsigned reg);

#endif

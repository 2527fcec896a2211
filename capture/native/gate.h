/* Where threads stand that have been asked to stop and wait by themselves: a word of memory that says which stop is
 * under way. */
#ifndef HSN_GATE_H
#define HSN_GATE_H

#include <stddef.h>
#include <stdint.h>

/* The stop under way, 0 = none. */
uint32_t hsn_gate(void);

void hsn_gate_close(uint32_t generation);
void hsn_gate_open(void);

/* Returns when this stop is over. Async-signal-safe; changes errno. */
void hsn_gate_wait(uint32_t generation);

/* A ticket says to a thread which stop it is asked for, and its index in hsn_list. */
static inline uint64_t hsn_ticket(uint32_t generation, size_t index)
{
    return (uint64_t)generation << 32 | (uint32_t)index;
}
static inline uint32_t hsn_ticket_generation(uint64_t ticket) { return (uint32_t)(ticket >> 32); }

#endif

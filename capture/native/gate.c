/* The gate (gate.h). */
#include "native/gate.h"

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>

#include "native/futex.h"

static _Atomic uint32_t gate;

uint32_t hsn_gate(void) { return atomic_load(&gate); }

void hsn_gate_close(uint32_t generation) { atomic_store(&gate, generation); }

void hsn_gate_open(void)
{
    atomic_store(&gate, 0);
    hsn_futex(&gate, HSN_FUTEX_WAKE, INT_MAX, NULL);
}

void hsn_gate_wait(uint32_t generation)
{
    while (atomic_load(&gate) == generation)
        hsn_futex(&gate, HSN_FUTEX_WAIT, generation, NULL);
}

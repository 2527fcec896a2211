/*
 * The table and the stacks of the native agent (capture/native/table.h, stacks.h) as a test lays them down: what the
 * walk reads, without the hooks that write it. All its memory is one mapping, which a world leaves out like the agent's
 * own.
 */
#ifndef HSD_TESTS_FAKE_TABLE_H
#define HSD_TESTS_FAKE_TABLE_H

#include "native/gone.h"
#include "native/stacks.h"
#include "native/table.h"
#include "native/world.h"

enum { FAKE_GONE = 0x12340000 }; /* where gone.so was, of one page: an address that nothing is mapped at */

/* Empty, with room for so many blocks. */
void fake_open(size_t blocks);
void fake_close(void);
hsn_range fake_memory(void);

/* Sequence numbers are given from 1 on. Returns that of this block. */
uint64_t fake_add(uintptr_t address, uint64_t size, uint32_t stack);

/* The id of these frames. */
uint32_t fake_stack(const uintptr_t *frames, size_t count);

/* What the walk should say: the block that holds an address, by a look at each; NULL = none. */
const hsn_block *fake_holder(uintptr_t address);
const hsn_block *fake_block(size_t i); /* in the order in which they were added */

#endif

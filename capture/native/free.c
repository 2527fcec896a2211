/*
 * The end of a block. A file of its own: this hook reads no frame of its caller, so it may jump to the allocator behind, which hooks.c is built not
 * to do; and most blocks of the sampled mode, which the table does not have, go through it in some twenty instructions.
 */
#include "native/hooks.h"

#define HOOK __attribute__((visibility("default")))

HOOK void free(void *block)
{
    if (block == NULL || hsn_is_early(block) || !hsn_is_ready()) return;
    if (hsn_may_forget(block)) hsn_forget(block);
    hsn_real.free(block);
}

HOOK void cfree(void *block) { free(block); }

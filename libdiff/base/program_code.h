/* What a runtime makes of a program: compiled code and what belongs to it. Reports fold it, and it is nobody's leak. */
#ifndef HSD_BASE_PROGRAM_CODE_H
#define HSD_BASE_PROGRAM_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include <hscapture/hscapture.h>

/* By the flags of a type. Code alone is a function somewhere: closures of Lua are. */
static inline bool hsd_is_program_code(uint32_t type_flags)
{
    const uint32_t own = HSC_TYPE_CODE | HSC_TYPE_INTERNAL;
    return (type_flags & own) == own;
}

#endif

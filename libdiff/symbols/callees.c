/* By the instructions of a call, and by how the function that it calls ends. See callees.h. */
#include "symbols/callees.h"

#ifdef HSD_HAVE_DW
#include <stdlib.h>

#include "base/allocators.h"
#include "base/check.h"
#include "symbols/demangle.h"

enum { MOST_TAILS = 4, MOST_STEPS = 4096, CODE_BYTES = 16 };

/* Behind an entry of a table of jumps to other files stands the word that the loader fills. */
static const char *name_of_jump(const hsd_module *module, uint64_t address)
{
    uint8_t code[24];
    const size_t size = hsd_module_code(module, address, code, sizeof code);
    size_t at = 0;
    for (int i = 0; i < 3 && at < size; i++) {
        const hsd_x86 one = hsd_x86_decode(code + at, size - at, address + at);
        if (one.kind == HSD_X86_JUMP && one.is_memory && one.base == HSD_X86_RIP)
            return hsd_module_find(module, HSD_SYMBOL_IMPORT, (uint64_t)one.displacement);
        if (one.kind != HSD_X86_OTHER) return NULL;
        at += one.size;
    }
    return NULL;
}

const char *hsd_callee_name(const hsd_module *module, const hsd_x86 *call)
{
    if (call->is_memory)
        return call->base == HSD_X86_RIP ? hsd_module_find(module, HSD_SYMBOL_IMPORT, (uint64_t)call->displacement)
                                         : NULL;
    if (call->target == 0) return NULL;
    const char *name = name_of_jump(module, call->target);
    return name != NULL ? name : hsd_module_find(module, HSD_SYMBOL_FUNCTION, call->target);
}

const char *hsd_callee_before(const hsd_module *module, uint64_t after, uint64_t *target)
{
    static const unsigned sizes[] = {5, 6, 7};
    *target = 0;
    for (size_t i = 0; i < HSD_ARRAY_LEN(sizes); i++) {
        uint8_t code[8];
        if (after < sizes[i] || hsd_module_code(module, after - sizes[i], code, sizes[i]) != sizes[i]) continue;
        const hsd_x86 call = hsd_x86_decode(code, sizes[i], after - sizes[i]);
        if (call.kind != HSD_X86_CALL || call.size != sizes[i]) continue;
        *target = call.is_memory ? 0 : call.target;
        return hsd_callee_name(module, &call);
    }
    return NULL;
}

uint64_t hsd_callee_wanted_bytes(const hsd_module *module, uint64_t after)
{
    enum { CALL = 5, LOOKED_AT = 160 };
    uint8_t code[LOOKED_AT];
    size_t size = sizeof code; /* less where the code begins */
    while (size > CALL && (after < size || hsd_module_code(module, after - size, code, size) != size))
        size /= 2;
    if (size <= CALL || hsd_x86_decode(code + size - CALL, CALL, after - CALL).kind != HSD_X86_CALL) return 0;
    return hsd_x86_number_in(code, size - CALL, HSD_X86_RDI);
}

/* ---- functions that end in another one ---- */

typedef struct tails {
    const hsd_module *module;
    uint64_t functions[MOST_TAILS]; /* those that are gone through, by where they begin */
    size_t count;
    unsigned steps_left; /* instructions */
} tails;

static bool allocates(const char *symbol, bool *does, hsd_status *status, hsd_error *err)
{
    char *name = NULL;
    if (symbol == NULL) return false;
    *status = hsd_demangle(symbol, &name, err);
    *does = *status == HSD_OK && hsd_function_allocates(name);
    free(name);
    return *does || *status != HSD_OK;
}

static void add_tail(tails *t, uint64_t target)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->functions[i] == target) return;
    if (t->count < MOST_TAILS) t->functions[t->count++] = target;
}

/* Goes through the code of a function, for jumps that leave it. */
static hsd_status look_through(tails *t, Dwarf_Die *function, uint64_t at, bool *does, hsd_error *err)
{
    uint8_t code[CODE_BYTES];
    hsd_status status = HSD_OK;
    while (!*does && t->steps_left > 0 && dwarf_haspc(function, at) == 1) {
        const size_t size = hsd_module_code(t->module, at, code, sizeof code);
        const hsd_x86 one = hsd_x86_decode(code, size, at);
        const bool is_out =
            one.kind == HSD_X86_JUMP && (one.is_memory || (one.target != 0 && dwarf_haspc(function, one.target) != 1));
        if (one.kind == HSD_X86_UNKNOWN) return HSD_OK;
        if (is_out && allocates(hsd_callee_name(t->module, &one), does, &status, err)) return status;
        if (is_out && !one.is_memory) add_tail(t, one.target);
        at += one.size;
        t->steps_left--;
    }
    return HSD_OK;
}

hsd_status hsd_callee_ends_in_allocator(const hsd_module *module, uint64_t target, hsd_scope *scope, bool *does,
                                        hsd_error *err)
{
    tails t = {.module = module, .functions = {target}, .count = 1, .steps_left = MOST_STEPS};
    *does = false;
    if (target == 0 || module->lines == NULL) return HSD_OK;
    for (size_t i = 0; i < t.count && !*does; i++) {
        hsd_scope inner;
        Dwarf_Addr low;
        HSD_TRY(hsd_lines_scope(module->lines, t.functions[i], &inner, err));
        if (inner.count == 0 || dwarf_lowpc(&inner.functions[0], &low) != 0 || low != t.functions[i]) continue;
        if (i == 0) *scope = inner;
        HSD_TRY(look_through(&t, &inner.functions[0], low, does, err));
    }
    return HSD_OK;
}

#endif

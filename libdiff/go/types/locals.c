/*
 * A sorted list: see locals.h.
 */
#include "go/types/locals.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/search.h"

#define MOST_LOCALS 65536u
#define MOST_WITHIN 64u /* parts that one variable has before an address */

hsd_status hsd_golocals_add(golocals *locals, const golocal *local, const char *name, hsd_error *err)
{
    if (locals->count == MOST_LOCALS) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(locals->at, locals->room, locals->count + 1, 64, "variables", err));
    locals->at[locals->count] = *local;
    locals->at[locals->count++].name = locals->names.size;
    return hsd_buffer_append(&locals->names, name, strlen(name) + 1, err);
}

static int by_address(const void *a, const void *b)
{
    const golocal *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

void hsd_golocals_sort(golocals *locals)
{
    if (locals->count > 1) qsort(locals->at, locals->count, sizeof *locals->at, by_address);
}

/* A variable that points into itself has a part within: behind its end the whole is looked for. */
const golocal *hsd_golocals_find(const golocals *locals, uint64_t address)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, locals->count, locals->at[low].address, address + 1);
    for (uint32_t left = MOST_WITHIN; low > 0 && left > 0; left--) {
        const golocal *local = &locals->at[--low];
        if (address - local->address < local->bytes) return local;
    }
    return NULL;
}

void hsd_golocals_release(golocals *locals)
{
    free(locals->at);
    hsd_buffer_release(&locals->names);
    *locals = (golocals){0};
}

/* What a closure is by its entry in DWARF, and what it is called. See closures.h. */
#include "symbols/closures.h"

#ifdef HSD_HAVE_DW
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "symbols/types.h"

enum { MOST_MEMBERS = 4096, MOST_NAME = 4096 };

/* GCC has newer versions that call it <lambda()>. */
bool hsd_closure_is(Dwarf_Die *type)
{
    Dwarf_Die child;
    unsigned steps = 0;
    const char *name = dwarf_diename(type);
    if (!hsd_type_is_aggregate(type) || (name != NULL && name[0] != '<') || dwarf_child(type, &child) != 0)
        return false;
    do {
        const char *function = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
        if (function != NULL && strcmp(function, "operator()") == 0) return true;
    } while (++steps < MOST_MEMBERS && hsd_die_go_on(&child));
    return false;
}

const char *hsd_closure_member(Dwarf_Die *around, const char *name)
{
    const bool is_marked = name[0] == '_' && name[1] == '_' && name[2] != '\0';
    return is_marked && hsd_closure_is(around) ? name + 2 : name;
}

hsd_status hsd_closure_append(hsd_buffer *out, Dwarf_Die *type, hsd_error *err)
{
    const char *path = dwarf_decl_file(type);
    int line = 0;
    char number[24];
    if (path == NULL || strnlen(path, MOST_NAME) == MOST_NAME || dwarf_decl_line(type, &line) != 0 || line <= 0)
        return HSD_OK;
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    const int size = snprintf(number, sizeof number, ":%d)", line);
    HSD_TRY(hsd_buffer_append(out, "lambda (", 8, err));
    HSD_TRY(hsd_buffer_append(out, file, strlen(file), err));
    return hsd_buffer_append(out, number, (size_t)size, err);
}
#endif

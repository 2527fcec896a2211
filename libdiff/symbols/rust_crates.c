/* One pass over the heads of all units. See rust_crates.h. */
#include "symbols/rust_crates.h"

#ifdef HSD_HAVE_DW
#include <string.h>

#include "base/check.h"

enum { MOST_UNITS = 1 << 16 };

/* "shop" of "shop::orders::Order"; 0 where there is no crate in front, as of "&str". */
static size_t crate_size(const char *path)
{
    size_t size = 0;
    while ((path[size] >= 'a' && path[size] <= 'z') || (path[size] >= 'A' && path[size] <= 'Z') ||
           (path[size] >= '0' && path[size] <= '9') || path[size] == '_')
        size++;
    return size > 0 && strncmp(path + size, "::", 2) == 0 ? size : 0;
}

/* Where cargo, and who builds the standard library, keep sources that are not the program's. */
static bool is_place_of_libraries(const char *path)
{
    static const char *const inside[] = {"/registry/src/", "/git/checkouts/", "/vendor/"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(inside); i++)
        if (strstr(path, inside[i]) != NULL) return true;
    return strncmp(path, "/rustc/", 7) == 0 || strncmp(path, "/rust/", 6) == 0 || strncmp(path, "vendor/", 7) == 0;
}

typedef enum unit_kind { NOT_OF_RUST, OF_LIBRARY, OF_PROGRAM } unit_kind;

static unit_kind look_at_unit(Dwarf_Die *unit, const char *crate, size_t size, bool *is_crate)
{
    static const char mark[] = "/@/";
    Dwarf_Attribute attribute;
    const char *name = dwarf_diename(unit), *of = name != NULL ? strstr(name, mark) : NULL;
    if (of == NULL) return NOT_OF_RUST;
    of += sizeof mark - 1;
    *is_crate = strncmp(of, crate, size) == 0 && of[size] == '.';
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    return is_place_of_libraries(name) || (name[0] != '/' && folder != NULL && is_place_of_libraries(folder))
               ? OF_LIBRARY
               : OF_PROGRAM;
}

bool hsd_crate_is_of_library(Dwarf_Die *type, const char *path)
{
    Dwarf *dwarf = dwarf_cu_getdwarf(type->cu);
    const size_t size = crate_size(path);
    Dwarf_Off at = 0, next;
    size_t head;
    bool has_own = false;
    if (size == 0) return false;
    for (unsigned count = 0;
         count < MOST_UNITS && dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL) == 0 && next > at; count++) {
        Dwarf_Die unit;
        bool is_crate = false;
        const unit_kind kind =
            dwarf_offdie(dwarf, at + head, &unit) != NULL ? look_at_unit(&unit, path, size, &is_crate) : NOT_OF_RUST;
        at = next;
        if (kind != NOT_OF_RUST && is_crate) return kind == OF_LIBRARY;
        has_own |= kind == OF_PROGRAM;
    }
    return has_own;
}

#endif

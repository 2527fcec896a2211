/* A walk over the entries of an image. See dies.h. */
#include "symbols/dies.h"

#include <string.h>

#include "base/check.h"

#ifdef HSD_HAVE_DW

enum { WAY_MOST = 64, STEPS_MOST = 1 << 24 };

typedef struct die_walk {
    bool (*is_around)(Dwarf_Die *die);
    hsd_die_fn visit;
    void *context;
    unsigned steps_left;
} die_walk;

static hsd_status walk_unit(die_walk *w, Dwarf_Die *unit, hsd_error *err)
{
    Dwarf_Die way[WAY_MOST];
    size_t depth = 1;
    if (dwarf_child(unit, &way[0]) != 0) return HSD_OK;
    for (; depth > 0 && w->steps_left > 0; w->steps_left--) {
        Dwarf_Die *die = &way[depth - 1];
        HSD_TRY(w->visit(w->context, die, err));
        if (depth < WAY_MOST && w->is_around(die) && dwarf_child(die, &way[depth]) == 0) {
            depth++;
            continue;
        }
        while (depth > 0 && !hsd_die_go_on(&way[depth - 1]))
            depth--;
    }
    return HSD_OK;
}

hsd_status hsd_dies_walk(hsd_lines *lines, bool (*is_around)(Dwarf_Die *die), hsd_die_fn visit, void *context,
                         hsd_error *err)
{
    die_walk w = {is_around, visit, context, STEPS_MOST};
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    uint8_t type = 0;
    while (dwarf_get_units(hsd_lines_dwarf(lines), cu, &cu, NULL, &type, &unit, NULL) == 0)
        if (type == DW_UT_compile) HSD_TRY(walk_unit(&w, &unit, err));
    return HSD_OK;
}

/* /usr/src is where images of containers build the program itself. */
bool hsd_die_file_is_of_system(const char *path)
{
    static const char *const begins[] = {"/usr/include/", "/usr/local/include/", "/usr/lib", "/nix/store/",
                                         "/opt/homebrew/"};
    /* Rust's own, and crates that cargo has brought */
    static const char *const crates[] = {"/.cargo/registry/src/", "/.cargo/git/checkouts/", "/cargo/registry/src/"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(begins); i++)
        if (strncmp(path, begins[i], strlen(begins[i])) == 0) return strstr(path, "/include/") != NULL;
    for (size_t i = 0; i < HSD_ARRAY_LEN(crates); i++)
        if (strstr(path, crates[i]) != NULL) return true;
    return strncmp(path, "/rustc/", 7) == 0;
}

#endif

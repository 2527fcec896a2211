/* A walk over the entries of an image. See dies.h. */
#include "symbols/dies.h"

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

#endif

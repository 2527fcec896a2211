/*
 * What waits where memory is little. From the end of crowds on two bits an object of each side, who is kept and who
 * holds nothing, are asked for while the tree of that side is walked, and by nobody else; and what sorters hold to
 * serve from by nobody who does not walk. The bits go to a file, once, and come back by one read; the sorters are read
 * from their beginning anyhow.
 *
 *      step                          bits of before   of after   tree of before   of after   censuses
 *      together: marking                                                          ====
 *      together: numbering                            ====                        ====
 *      together: all else
 *      together: what was freed      ====                        ====
 *      paths
 *      within                        ====             ====       ====             ====
 */
#include "base/check.h"
#include "base/fail.h"
#include "holders/growth.h"

#include <stdlib.h>

static size_t size_of_bits(const hsd_growth *growth, int side)
{
    return (size_t)growth->pair->sides[side].object_count / 8 + 1;
}

static hsd_status write_bits(hsd_growth *growth, int side, hsd_error *err)
{
    hsd_growth_aside *aside = &growth->aside[side];
    const size_t size = size_of_bits(growth, side);
    const uint8_t *nothing = growth->holds_nothing[side];
    if (aside->is_written) return HSD_OK;
    HSD_TRY(hsd_temp_open(&aside->file, &growth->pair->space, err));
    HSD_TRY(hsd_temp_write(&aside->file, 0, growth->pair->is_kept[side], size, err));
    if (nothing != NULL) HSD_TRY(hsd_temp_write(&aside->file, size, nothing, size, err));
    aside->has_nothing = nothing != NULL;
    aside->is_written = true;
    return HSD_OK;
}

hsd_status hsd_growth_put_aside(hsd_growth *growth, int side, hsd_error *err)
{
    if (!growth->is_tight) return HSD_OK;
    (void)hsd_sorter_rest(growth->pair->sides[side].tree);
    if (growth->aside[side].is_away) return HSD_OK;
    HSD_TRY(write_bits(growth, side, err));
    free(growth->pair->is_kept[side]);
    free(growth->holds_nothing[side]);
    growth->pair->is_kept[side] = growth->holds_nothing[side] = NULL;
    growth->aside[side].is_away = true;
    return HSD_OK;
}

static hsd_status read_bits(const hsd_growth *growth, int side, uint64_t offset, uint8_t **out, hsd_error *err)
{
    const size_t size = size_of_bits(growth, side);
    *out = malloc(size);
    if (*out == NULL) return hsd_fail_nomem(err, "one bit an object");
    return hsd_temp_read(&growth->aside[side].file, offset, *out, size, err);
}

hsd_status hsd_growth_take_back(hsd_growth *growth, int side, hsd_error *err)
{
    hsd_growth_aside *aside = &growth->aside[side];
    if (!aside->is_away) return HSD_OK;
    aside->is_away = false;
    HSD_TRY(read_bits(growth, side, 0, &growth->pair->is_kept[side], err));
    return aside->has_nothing ? read_bits(growth, side, size_of_bits(growth, side), &growth->holds_nothing[side], err)
                              : HSD_OK;
}

hsd_status hsd_growth_clear(hsd_growth *growth, hsd_error *err)
{
    for (int side = 0; side < SIDE_COUNT && growth->is_tight; side++) {
        hsd_side_walk *walk = &growth->pair->sides[side];
        growth->rested_bytes += hsd_sorter_rest(walk->census);
        const uint64_t of_tree = hsd_sorter_rest(walk->tree);
        if (side == BEFORE) growth->rested_bytes += of_tree; /* that of after is walked by who gets the memory */
        HSD_TRY(hsd_growth_put_aside(growth, side, err));
    }
    return HSD_OK;
}

void hsd_growth_release_aside(hsd_growth *growth)
{
    for (int side = 0; side < SIDE_COUNT; side++)
        hsd_temp_close(&growth->aside[side].file);
}

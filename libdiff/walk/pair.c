/* What two captures share, released. */
#include "walk/pair.h"

#include <stdlib.h>

void hsd_pair_release(hsd_pair *pair)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        hsd_side_release(&pair->sides[side]);
        free(pair->root_number[side]);
        free(pair->is_kept[side]);
        free(pair->is_resized[side]);
    }
    hsd_type_names_release(&pair->types);
    hsd_edge_names_release(&pair->edges);
    hsd_names_release(&pair->roots);
    free(pair->root_kinds);
    pair->space.pool = NULL;
    hsd_page_pool_release(&pair->pool);
}

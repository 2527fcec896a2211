/*
 * Names of their own (a class object is java.lang.Class, and which one says its name alone). The index has none; those
 * of the first lines of an answer are read from the capture, in its order: what people see at once. A node costs one
 * block of the capture at most.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "browse/browse.h"
#include "paths/path_names.h"

static hsd_status find_browse_name(hsd_index *index, hsd_browse_node *nodes, size_t count, hsd_step *steps,
                                   hsd_path_names *names, hsd_arena *arena, hsd_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (nodes[i].ref.node < index->walk->object_count)
            HSD_TRY(hsd_path_names_want(names, nodes[i].ref.node, &steps[i], err));
    HSD_TRY(hsd_path_names_fill(names, index->walk->request->capture, arena, err));
    for (size_t i = 0; i < count; i++)
        nodes[i].name = steps[i].name;
    return HSD_OK;
}

hsd_status hsd_browse_names(hsd_browse *browse, size_t side, hsd_browse_node *nodes, size_t count, hsd_arena *arena,
                            hsd_error *err)
{
    hsd_path_names names = {.wishes = NULL};
    const size_t named = hsd_min_u64(count, HSD_BROWSE_NAMED);
    hsd_step *steps = calloc(named + 1, sizeof *steps);
    if (steps == NULL) return hsd_fail_nomem(err, "an answer");
    for (size_t i = 0; i < named; i++)
        steps[i].name = (hsd_text){"", 0};
    const hsd_status status = find_browse_name(&browse->indexes[side], nodes, named, steps, &names, arena, err);
    hsd_path_names_release(&names);
    free(steps);
    return status;
}

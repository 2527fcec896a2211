/*
 * What owns a result. Texts are copied once, when a row is kept.
 */
#include "diff/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

void hsd_store_free(hsd_diff_store *store)
{
    if (store == NULL) return;
    hsd_arena_release(&store->arena);
    free(store);
}

hsd_status hsd_store_text(hsd_diff_store *store, hsd_bytes name, hsd_text *out, hsd_error *err)
{
    out->data = hsd_arena_copy(&store->arena, name.data, name.size);
    out->size = name.size;
    return out->data == NULL ? hsd_fail_nomem(err, "the result") : HSD_OK;
}

static hsd_status copy_string(hsd_diff_store *store, const char **string, hsd_error *err)
{
    if (*string == NULL) return HSD_OK;
    *string = hsd_arena_copy(&store->arena, *string, strlen(*string));
    return *string == NULL ? hsd_fail_nomem(err, "the result") : HSD_OK;
}

hsd_status hsd_store_info(hsd_diff_store *store, const hsd_capture_info *info, hsd_capture_info *out, hsd_error *err)
{
    *out = *info;
    HSD_TRY(copy_string(store, &out->path, err));
    HSD_TRY(copy_string(store, &out->producer, err));
    HSD_TRY(copy_string(store, &out->runtime, err));
    HSD_TRY(copy_string(store, &out->process_name, err));
    HSD_TRY(copy_string(store, &out->source_format, err));
    HSD_TRY(copy_string(store, &out->why_no_places, err));
    return copy_string(store, &out->incomplete_reason, err);
}

void hsd_store_side(hsd_side *out, const hsd_side_walk *walk, hsd_amount live, hsd_amount unreached)
{
    out->live = live;
    out->unreached = unreached;
    out->has_roots = hsd_side_has_graph(walk);
    out->has_references = walk->has_references;
    out->dangling = walk->dangling;
    out->soft = walk->soft;
}

int hsd_store_compare(hsd_text a, hsd_text b)
{
    const int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

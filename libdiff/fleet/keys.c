/*
 * Keys of rows: a key is made of the parent's, so it stands for the whole path.
 */
#include "fleet/keys.h"

#include <string.h>

#include "io/checksum.h"

const char *hsd_fleet_kind_name(hsd_fleet_kind kind)
{
    return kind == HSD_FLEET_TYPE ? "type" : kind == HSD_FLEET_ROOT ? "root" : "place";
}

hsd_fleet_kind hsd_fleet_kind_of(const char *name)
{
    return strcmp(name, "type") == 0 ? HSD_FLEET_TYPE : strcmp(name, "root") == 0 ? HSD_FLEET_ROOT : HSD_FLEET_PLACE;
}

hsd_status hsd_fleet_key(uint64_t *key, const hsd_fleet_path *path, hsd_buffer *scratch, hsd_error *err)
{
    uint8_t head[14] = {(uint8_t)path->kind, (uint8_t)path->step};
    for (unsigned i = 0; i < 8; i++)
        head[2 + i] = (uint8_t)(path->parent >> 8 * i);
    for (unsigned i = 0; i < 4; i++)
        head[10 + i] = (uint8_t)(path->edge.size >> 8 * i);
    hsd_buffer_clear(scratch);
    HSD_TRY(hsd_buffer_append(scratch, head, sizeof head, err));
    HSD_TRY(hsd_buffer_append(scratch, path->edge.data, path->edge.size, err));
    HSD_TRY(hsd_buffer_append(scratch, path->name.data, path->name.size, err));
    *key = hsd_checksum(scratch->data, scratch->size, 0);
    if (*key == 0) *key = 1;
    return HSD_OK;
}

/*
 * An object is named by where it lay when a heap shot saw it first, and by the number of that shot: id = address |
 * (shot - 1) << 48. It keeps that name when it moves, and what comes to lie at its place gets another. Places are bytes
 * in chunks: 1/16 of the heap, and 24 to 48 bytes for each object that was seen and moved. Without the memory for that,
 * ids are addresses.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/mlpd/mlpd.h"

enum { PLACES = 4096, SHOTS_MOST = 254, MOVED = 255, ADDRESS_BITS = 48 };

static uint64_t make_id(uint64_t address, unsigned shot)
{
    return (address & ((UINT64_C(1) << ADDRESS_BITS) - 1)) | (uint64_t)(shot - 1) << ADDRESS_BITS;
}

static unsigned epoch_of(unsigned shot) { return shot < SHOTS_MOST ? shot : SHOTS_MOST; }

/* The byte of a place; NULL where no object was seen yet. */
static uint8_t *find_place(const mlpd_ids *ids, uint64_t address)
{
    const uint64_t place = address >> ids->shift;
    const uint32_t row = hsd_id_table_find(&ids->chunks, place / PLACES);
    return row == 0 ? NULL : &ids->rows[row - 1][place % PLACES];
}

static void release_mlpd_id(mlpd_ids *ids)
{
    for (uint32_t i = 0; i < ids->chunks.count; i++)
        free(ids->rows[i]);
    hsd_id_table_release(&ids->chunks);
    hsd_id_table_release(&ids->moved);
    free(ids->rows);
    free(ids->moved_ids);
    ids->rows = NULL;
    ids->moved_ids = NULL;
    ids->room = ids->moved_room = 0;
}

static bool has_room(mlpd_ids *ids)
{
    const uint64_t taken = (uint64_t)ids->chunks.count * PLACES + ids->room * sizeof *ids->rows +
                           hsd_id_table_memory(&ids->chunks) + hsd_id_table_memory(&ids->moved) +
                           ids->moved_room * sizeof *ids->moved_ids;
    if (taken <= ids->most_bytes) return true;
    release_mlpd_id(ids);
    ids->is_given_up = true;
    return false;
}

/* The same, made if there is none: NULL when all is given up. */
static hsd_status make_place(mlpd_ids *ids, uint64_t address, uint8_t **out, hsd_error *err)
{
    uint32_t row;
    *out = find_place(ids, address);
    if (*out != NULL) return HSD_OK;
    const uint32_t before = ids->chunks.count;
    uint8_t *places = calloc(PLACES, 1);
    if (places == NULL) return hsd_fail_nomem(err, "the ids of objects");
    hsd_status status = hsd_import_grow((void **)&ids->rows, &ids->room, before, sizeof *ids->rows, err);
    if (status == HSD_OK) status = hsd_id_table_put(&ids->chunks, (address >> ids->shift) / PLACES, &row, err);
    if (status != HSD_OK) {
        free(places);
        return status;
    }
    ids->rows[before] = places;
    if (has_room(ids)) *out = find_place(ids, address);
    return HSD_OK;
}

hsd_status hsd_mlpd_ids_see(mlpd_ids *ids, uint64_t address, unsigned shot, hsd_error *err)
{
    uint8_t *place;
    if (ids->is_given_up) return HSD_OK;
    HSD_TRY(make_place(ids, address, &place, err));
    if (place != NULL && *place == 0) *place = (uint8_t)epoch_of(shot);
    return HSD_OK;
}

static uint64_t moved_id(const mlpd_ids *ids, uint64_t address)
{
    const uint32_t row = hsd_id_table_find(&ids->moved, address);
    return row == 0 ? address : ids->moved_ids[row - 1];
}

hsd_status hsd_mlpd_ids_move(mlpd_ids *ids, uint64_t from, uint64_t to, hsd_error *err)
{
    uint32_t row;
    if (ids->is_given_up || from == to || ids->chunks.count == 0) return HSD_OK;
    uint8_t *place = find_place(ids, from);
    const uint8_t epoch = place == NULL ? 0 : *place;
    if (epoch == 0) { /* nobody has seen it, and it is not what was here */
        place = find_place(ids, to);
        if (place != NULL) *place = 0;
        return HSD_OK;
    }
    const uint64_t id = epoch == MOVED ? moved_id(ids, from) : make_id(from, epoch);
    *place = 0;
    HSD_TRY(make_place(ids, to, &place, err));
    if (place == NULL) return HSD_OK;
    *place = MOVED;
    HSD_TRY(hsd_id_table_put(&ids->moved, to, &row, err));
    HSD_TRY(hsd_import_grow((void **)&ids->moved_ids, &ids->moved_room, row - 1, sizeof *ids->moved_ids, err));
    ids->moved_ids[row - 1] = id;
    has_room(ids);
    return HSD_OK;
}

uint64_t hsd_mlpd_find_id(const mlpd_ids *ids, uint64_t address, unsigned shot)
{
    if (ids->is_given_up) return address;
    const uint8_t *place = find_place(ids, address);
    if (place != NULL && *place == MOVED) return moved_id(ids, address);
    return make_id(address, place == NULL || *place == 0 ? epoch_of(shot) : *place);
}

void hsd_mlpd_ids_release(mlpd_ids *ids) { release_mlpd_id(ids); }

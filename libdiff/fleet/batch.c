/*
 * A batch while it is collected.
 */
#include "fleet/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

static hsd_status copy_text(hsd_fleet_batch *batch, hsd_text *text, hsd_error *err)
{
    const char *copy = hsd_arena_copy(&batch->arena, text->data, text->size);
    if (copy == NULL) return hsd_fail_nomem(err, "the names of a batch");
    text->data = copy;
    return HSD_OK;
}

hsd_status hsd_fleet_batch_capture(hsd_fleet_batch *batch, const hsd_fleet_capture *capture, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(batch->captures, batch->capture_capacity, batch->capture_count + 1, 16,
                           "the captures of a batch", err));
    hsd_fleet_capture *own = &batch->captures[batch->capture_count];
    *own = *capture;
    hsd_text *texts[] = {&own->service, &own->version, &own->host,   &own->pod,
                         &own->runtime, &own->domain,  &own->digest, &own->labels};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        HSD_TRY(copy_text(batch, texts[i], err));
    batch->capture_count++;
    return HSD_OK;
}

hsd_status hsd_fleet_batch_row(hsd_fleet_batch *batch, const hsd_fleet_row *row, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(batch->rows, batch->row_capacity, (uint64_t)batch->row_count + 1, 256, "the rows of a batch",
                           err));
    batch->rows[batch->row_count] = *row;
    batch->rows[batch->row_count++].capture = batch->capture_count - 1;
    return HSD_OK;
}

/* ---- names by key */

/* Keys are hashes: their bits are as good as any. */
static uint32_t slot_of(const hsd_fleet_batch *batch, uint64_t key)
{
    uint32_t slot = (uint32_t)key & (batch->slot_count - 1);
    while (batch->slots[slot] != 0 && batch->names[batch->slots[slot] - 1].key != key)
        slot = (slot + 1) & (batch->slot_count - 1);
    return slot;
}

const hsd_fleet_name *hsd_fleet_batch_find(const hsd_fleet_batch *batch, uint64_t key)
{
    if (batch->slot_count == 0) return NULL;
    const uint32_t number = batch->slots[slot_of(batch, key)];
    return number == 0 ? NULL : &batch->names[number - 1];
}

static hsd_status grow_slots(hsd_fleet_batch *batch, hsd_error *err)
{
    if (batch->name_count < batch->slot_count / 2) return HSD_OK;
    const uint32_t count = batch->slot_count == 0 ? 1024 : batch->slot_count * 2;
    uint32_t *slots = count == 0 ? NULL : calloc(count, sizeof *slots);
    if (slots == NULL) return hsd_fail_nomem(err, "the names of a batch");
    free(batch->slots);
    batch->slots = slots;
    batch->slot_count = count;
    for (uint32_t i = 0; i < batch->name_count; i++)
        batch->slots[slot_of(batch, batch->names[i].key)] = i + 1;
    return HSD_OK;
}

static bool is_inside(const char *at) { return ((uint8_t)*at & 0xc0) == 0x80; }

/* The beginning and the end of a text that is too long, with dots between. */
static hsd_status cut_text(hsd_fleet_batch *batch, hsd_text *text, hsd_error *err)
{
    static const char dots[] = " ... ";
    const size_t most = HSD_FLEET_TEXT_BYTES;
    if (text->size <= most) return copy_text(batch, text, err);
    size_t head = most / 2, tail = text->size - (most / 2 - (sizeof dots - 1));
    for (unsigned i = 0; i < 3 && is_inside(text->data + head); i++)
        head--;
    for (unsigned i = 0; i < 3 && tail < text->size && is_inside(text->data + tail); i++)
        tail++;
    hsd_buffer cut = {0};
    hsd_status status = hsd_buffer_append(&cut, text->data, head, err);
    if (status == HSD_OK) status = hsd_buffer_append(&cut, dots, sizeof dots - 1, err);
    if (status == HSD_OK) status = hsd_buffer_append(&cut, text->data + tail, text->size - tail, err);
    *text = (hsd_text){(const char *)cut.data, cut.size};
    if (status == HSD_OK) status = copy_text(batch, text, err);
    hsd_buffer_release(&cut);
    return status;
}

hsd_status hsd_fleet_batch_name(hsd_fleet_batch *batch, const hsd_fleet_name *name, hsd_error *err)
{
    HSD_TRY(grow_slots(batch, err));
    HSD_TRY(HSD_ARRAY_GROW(batch->names, batch->name_capacity, (uint64_t)batch->name_count + 1, 256,
                           "the names of a batch", err));
    hsd_fleet_name *own = &batch->names[batch->name_count];
    *own = *name;
    HSD_TRY(cut_text(batch, &own->text, err));
    HSD_TRY(cut_text(batch, &own->edge, err));
    HSD_TRY(cut_text(batch, &own->type, err));
    batch->slots[slot_of(batch, name->key)] = ++batch->name_count;
    return HSD_OK;
}

bool hsd_fleet_batch_is_full(const hsd_fleet_batch *batch)
{
    return batch->row_count >= HSD_FLEET_BATCH_ROWS || batch->capture_count >= HSD_FLEET_BATCH_CAPTURES ||
           batch->arena.total_bytes >= HSD_FLEET_BATCH_TEXTS;
}

void hsd_fleet_batch_release(hsd_fleet_batch *batch)
{
    free(batch->captures);
    free(batch->rows);
    free(batch->names);
    free(batch->slots);
    hsd_buffer_release(&batch->scratch);
    hsd_arena_release(&batch->arena);
    *batch = (hsd_fleet_batch){.captures = NULL};
}

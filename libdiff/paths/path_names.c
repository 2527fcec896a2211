/*
 * Looking up names: wishes by ordinal, their strings, one pass over the texts.
 */
#include "paths/path_names.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/fail.h"
#include "format/tables.h"

/* Objects that are passed over sooner than the block is looked for. */
#define NEAR_OBJECTS 16384u

hsd_status hsd_path_names_want(hsd_path_names *names, uint64_t ordinal, hsd_step *step, hsd_error *err)
{
    HSD_ASSERT(step != NULL);
    HSD_TRY(HSD_ARRAY_GROW(names->wishes, names->capacity, names->count + 1, 64, "the names of objects on paths", err));
    names->wishes[names->count++] = (hsd_path_wish){ordinal, step};
    return HSD_OK;
}

static int by_ordinal(const void *a, const void *b)
{
    const uint64_t x = ((const hsd_path_wish *)a)->ordinal, y = ((const hsd_path_wish *)b)->ordinal;
    return (x > y) - (x < y);
}

/* ---- strings ---- */

/* Moves on to the object with this ordinal, or to one behind it where it is lost. */
static hsd_status move_to(hsd_object_reader *reader, uint64_t ordinal, hsd_object *at, bool *is_there, hsd_error *err)
{
    hsd_status status = HSD_OK;
    if (*is_there && at->ordinal <= ordinal && ordinal - at->ordinal < NEAR_OBJECTS) {
        while (status == HSD_OK && at->ordinal < ordinal)
            status = hsd_object_reader_next(reader, at, err);
    } else {
        status = hsd_object_reader_seek(reader, ordinal, err);
        if (status == HSD_OK) status = hsd_object_reader_next(reader, at, err);
    }
    *is_there = status == HSD_OK;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status find_strings(hsd_path_names *names, hsd_object_reader *reader, hsd_error *err)
{
    hsd_object at = {0};
    bool is_there = false;
    for (uint32_t i = 0; i < names->count; i++) {
        const uint64_t ordinal = names->wishes[i].ordinal;
        HSD_TRY(move_to(reader, ordinal, &at, &is_there, err));
        names->wishes[i].ordinal = is_there && at.ordinal == ordinal && !at.is_continuation ? at.name : 0;
    }
    return HSD_OK;
}

/* ---- texts ---- */

static hsd_status put_texts(hsd_path_names *names, const hsd_texts *texts, hsd_arena *arena, hsd_error *err)
{
    for (uint32_t i = 0; i < names->count; i++) {
        const hsd_bytes text = hsd_texts_get(texts, (uint32_t)names->wishes[i].ordinal);
        if (text.size == 0) continue;
        const char *copy = hsd_arena_copy(arena, text.data, text.size);
        if (copy == NULL) return hsd_fail_nomem(err, "the names of objects on paths");
        names->wishes[i].step->name = (hsd_text){copy, text.size};
    }
    return HSD_OK;
}

static hsd_status load_texts(hsd_path_names *names, hsd_capture *capture, hsd_arena *arena, hsd_error *err)
{
    hsd_texts texts = {0};
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < names->count && status == HSD_OK; i++)
        status = hsd_texts_want(&texts, (uint32_t)names->wishes[i].ordinal, err);
    if (status == HSD_OK && texts.wanted > 0) status = hsd_texts_load(&texts, capture, err);
    if (status == HSD_OK && texts.wanted > 0) status = put_texts(names, &texts, arena, err);
    hsd_texts_release(&texts);
    return status;
}

hsd_status hsd_path_names_fill(hsd_path_names *names, hsd_capture *capture, hsd_arena *arena, hsd_error *err)
{
    hsd_object_reader *reader;
    if (names->count == 0) return HSD_OK;
    qsort(names->wishes, names->count, sizeof *names->wishes, by_ordinal);
    HSD_TRY(hsd_object_reader_open(&reader, capture, HSD_WANT_DETAILS, err));
    const hsd_status status = find_strings(names, reader, err);
    hsd_object_reader_close(reader);
    HSD_TRY(status);
    HSD_TRY(load_texts(names, capture, arena, err));
    names->count = 0;
    return HSD_OK;
}

void hsd_path_names_release(hsd_path_names *names)
{
    free(names->wishes);
    *names = (hsd_path_names){0};
}

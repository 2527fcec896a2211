/*
 * Reading ids into pages. See places.h.
 */
#include "export/places.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/check.h"
#include "base/fail.h"

#define FIRST_LOG2     6u
#define OBJECTS_A_PAGE 16u /* of usual heaps: the first guess of how many pages there are */
#define HELD_SHARE     4u  /* of the memory, for ids that are looked at more than once */
#define PROGRESS_EVERY 0x10000u

typedef struct placing {
    hsd_places *places;
    hsd_capture *capture;
    hsd_reporter *reporter;
    uint64_t memory_bytes;
    uint64_t unlike, last; /* bits in which ids differ; the id before */
    bool is_descending;    /* somewhere */
} placing;

typedef hsd_status (*take_fn)(placing *p, uint64_t ordinal, uint64_t id, hsd_error *err);

/* ---- memory ---- */

static uint64_t page_bytes(unsigned log2_pages) { return sizeof(hsd_place_page) << log2_pages; }

/* False: it would be more than there is. */
static bool takes(placing *p, uint64_t bytes)
{
    if (bytes > p->memory_bytes) return false;
    p->memory_bytes -= bytes;
    return true;
}

static void draw_factor(hsd_places *places)
{
    uint64_t factor = 0;
    if (getrandom(&factor, sizeof factor, GRND_NONBLOCK) != (ssize_t)sizeof factor)
        factor = UINT64_C(0x9e3779b97f4a7c15) ^ hsd_now_ns() ^ (uint64_t)(uintptr_t)places;
    places->factor = factor | 1;
}

/* Twice as many pages as there are, or the first ones. */
static hsd_status grow_place(placing *p, unsigned log2_pages, hsd_error *err)
{
    hsd_places *places = p->places;
    hsd_place_page *old = places->pages;
    const uint64_t old_count = old == NULL ? 0 : UINT64_C(1) << places->log2_pages;
    if (!takes(p, page_bytes(log2_pages))) return HSD_END;
    hsd_place_page *pages = calloc((size_t)1 << log2_pages, sizeof *pages);
    if (pages == NULL) return hsd_fail_nomem(err, "the ids of objects");
    places->pages = pages;
    places->log2_pages = log2_pages;
    for (uint64_t i = 0; i < old_count; i++)
        if (old[i].bits != 0) *hsd_places_page(places, old[i].number) = old[i];
    free(old);
    p->memory_bytes += old_count * sizeof *old;
    return HSD_OK;
}

/* ---- every id ---- */

static hsd_status take_object(placing *p, const hsd_object *object, take_fn take, hsd_error *err)
{
    if (object->is_continuation) return HSD_OK;
    if (object->ordinal >= p->places->count)
        return hsd_fail(err, HSD_E_CORRUPT, "the capture has more objects than it says");
    if (object->ordinal % PROGRESS_EVERY == 0)
        HSD_TRY(hsd_progress(p->reporter, "reading ids", object->ordinal, p->places->count, err));
    return take(p, object->ordinal, object->id, err);
}

static hsd_status read_ids(placing *p, take_fn take, hsd_error *err)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_status status = HSD_OK, read = HSD_OK;
    HSD_TRY(hsd_object_reader_open(&reader, p->capture, HSD_WANT_IDS, err));
    while (status == HSD_OK && (read = hsd_object_reader_next(reader, &object, err)) == HSD_OK)
        status = take_object(p, &object, take, err);
    hsd_object_reader_close(reader);
    return status != HSD_OK || read == HSD_END ? status : read;
}

/* From memory, where they are there. */
static hsd_status each_id(placing *p, take_fn take, hsd_error *err)
{
    const hsd_places *places = p->places;
    if (places->ids == NULL) return read_ids(p, take, err);
    for (uint64_t ordinal = 0; ordinal < places->count; ordinal++)
        HSD_TRY(take(p, ordinal, places->ids[ordinal], err));
    return HSD_OK;
}

/* ---- passes ---- */

static hsd_status look_place(placing *p, uint64_t ordinal, uint64_t id, hsd_error *err)
{
    hsd_places *places = p->places;
    (void)err;
    if (ordinal == 0) places->first = id;
    p->is_descending |= ordinal > 0 && id <= p->last;
    p->unlike |= id ^ places->first;
    p->last = id;
    if (places->ids != NULL) places->ids[ordinal] = id;
    return HSD_OK;
}

/* Ids that ascend have all of a page one behind the other. */
static hsd_status put_place(placing *p, uint64_t ordinal, uint64_t id, hsd_error *err)
{
    hsd_places *places = p->places;
    const uint64_t place = id >> places->shift, number = place / 64, bit = UINT64_C(1) << place % 64;
    hsd_place_page *page = hsd_places_page(places, number);
    if (page->bits == 0) {
        if (++p->last > UINT64_C(1) << (places->log2_pages - 1)) { /* pages in use */
            HSD_TRY(grow_place(p, places->log2_pages + 1, err));
            page = hsd_places_page(places, number);
        }
        *page = (hsd_place_page){.number = number, .before = ordinal};
    }
    if ((page->bits & bit) != 0) return HSD_END; /* two objects of one id */
    page->bits |= bit;
    return HSD_OK;
}

static hsd_status set_ordinal(placing *p, uint64_t ordinal, uint64_t id, hsd_error *err)
{
    const hsd_places *places = p->places;
    const uint64_t place = id >> places->shift;
    const hsd_place_page *page = hsd_places_page(places, place / 64);
    const uint64_t below = page->bits & ((UINT64_C(1) << place % 64) - 1);
    (void)err;
    places->ordinals[page->before + (unsigned)__builtin_popcountll(below)] = (uint32_t)ordinal;
    return HSD_OK;
}

/* Ranks go by the order of pages in their table. */
static hsd_status rank(placing *p, hsd_error *err)
{
    hsd_places *places = p->places;
    uint64_t before = 0;
    if (places->count > UINT32_MAX || !takes(p, (places->count + 1) * sizeof *places->ordinals)) return HSD_END;
    places->ordinals = calloc((size_t)places->count + 1, sizeof *places->ordinals);
    if (places->ordinals == NULL) return hsd_fail_nomem(err, "the ordinals of objects");
    for (uint64_t i = 0; i < UINT64_C(1) << places->log2_pages; i++) {
        places->pages[i].before = before;
        before += (unsigned)__builtin_popcountll(places->pages[i].bits);
    }
    return each_id(p, set_ordinal, err);
}

static hsd_status put_all(placing *p, hsd_error *err)
{
    hsd_places *places = p->places;
    unsigned log2_pages = FIRST_LOG2;
    while (log2_pages < 40 && (UINT64_C(1) << log2_pages) < places->count / OBJECTS_A_PAGE * 2)
        log2_pages++;
    draw_factor(places);
    places->shift = p->unlike == 0 ? 0 : (unsigned)__builtin_ctzll(p->unlike);
    p->last = 0;
    HSD_TRY(grow_place(p, log2_pages, err));
    HSD_TRY(each_id(p, put_place, err));
    return p->is_descending ? rank(p, err) : HSD_OK;
}

hsd_status hsd_places_open(hsd_places *places, hsd_capture *capture, bool want_ids, uint64_t memory_bytes,
                           hsd_reporter *reporter, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    placing p = {.places = places, .capture = capture, .reporter = reporter, .memory_bytes = memory_bytes};
    *places = (hsd_places){.by_ordinal = info->targets_are_ordinals, .count = info->objects};
    const uint64_t bytes = (places->count + 1) * sizeof *places->ids;
    if (want_ids && bytes > memory_bytes) return HSD_END;
    /* so that they need not be read again */
    const bool holds_ids = want_ids || (!places->by_ordinal && bytes <= memory_bytes / HELD_SHARE);
    if (holds_ids) {
        takes(&p, bytes);
        places->ids = calloc((size_t)places->count + 1, sizeof *places->ids);
        if (places->ids == NULL) return hsd_fail_nomem(err, "the ids of objects");
    }
    if (want_ids || !places->by_ordinal) HSD_TRY(read_ids(&p, look_place, err));
    if (places->by_ordinal) return HSD_OK;
    const hsd_status status = put_all(&p, err);
    free(places->ids);
    places->ids = NULL;
    return status;
}

void hsd_places_release(hsd_places *places)
{
    free(places->pages);
    free(places->ordinals);
    free(places->ids);
    *places = (hsd_places){0};
}

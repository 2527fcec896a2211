/*
 * Spans by address, slots by number. See slots.h.
 */
#include "go/types/slots.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"

enum { PAGE_BITS = 13, MOST_PAGES_A_SPAN = 64 };

uint64_t hsd_goslots_memory(const goslots *slots)
{
    uint64_t taken = slots->span_room * sizeof *slots->spans + slots->page_count * sizeof *slots->pages;
    if (slots->types != NULL)
        taken += (uint64_t)slots->slot_count * sizeof *slots->types + (uint64_t)slots->slot_count / 4;
    return taken;
}

static hsd_status over_budget(const goslots *slots, uint64_t wanted, hsd_error *err)
{
    hsd_fail(err, HSD_E_OVER_BUDGET,
             "what is known of this heap's objects takes %" PRIu64 " MiB, and %" PRIu64 " MiB are left for it",
             (wanted >> 20) + 1, slots->most_bytes >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so",
                       (hsd_min_u64(wanted, UINT64_C(1) << 50) * 4 >> 20) + 64);
    return HSD_E_OVER_BUDGET;
}

hsd_status hsd_goslots_add(goslots *slots, const gospan *span, hsd_error *err)
{
    uint64_t bytes, end;
    if (span->count == 0) return HSD_OK;
    if (span->slot_bytes == 0 || !hsd_mul_u64(span->slot_bytes, span->count, &bytes) ||
        !hsd_add_u64(span->begin, bytes, &end))
        return hsd_fail(err, HSD_E_CORRUPT, "%" PRIu32 " objects of %" PRIu64 " bytes at 0x%" PRIx64, span->count,
                        span->slot_bytes, span->begin);
    if (slots->span_count == slots->span_room) {
        const uint64_t room = hsd_array_next(slots->span_room, (uint64_t)slots->span_room + 1, 1024);
        if (room * sizeof(gospan) > slots->most_bytes || room > UINT32_MAX / 4)
            return over_budget(slots, room * sizeof(gospan), err);
        HSD_TRY(HSD_ARRAY_GROW(slots->spans, slots->span_room, room, 0, "spans", err));
    }
    slots->spans[slots->span_count++] = *span;
    return HSD_OK;
}

static int by_address(const void *a, const void *b)
{
    const gospan *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static uint64_t end_of(const gospan *span) { return span->begin + span->slot_bytes * span->count; }

static hsd_status number_slots(goslots *slots, hsd_error *err)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < slots->span_count; i++) {
        gospan *span = &slots->spans[i];
        if (i > 0 && span->begin < end_of(span - 1))
            return hsd_fail(err, HSD_E_CORRUPT, "objects at 0x%" PRIx64 " lie over others", span->begin);
        span->first = (uint32_t)count;
        count += span->count;
        if (count >= UINT32_MAX) return hsd_fail(err, HSD_E_OVER_BUDGET, "more than 4,294,967,294 objects");
    }
    slots->slot_count = (uint32_t)count;
    const uint64_t wanted = count * sizeof *slots->types + count / 4 + slots->span_room * sizeof *slots->spans;
    return wanted > slots->most_bytes ? over_budget(slots, wanted, err) : HSD_OK;
}

/* Where spans are close together, as Go's are, a table by page spares the search. */
static void index_pages(goslots *slots)
{
    if (slots->span_count == 0) return;
    const uint64_t first = slots->spans[0].begin >> PAGE_BITS;
    const uint64_t last = (end_of(&slots->spans[slots->span_count - 1]) - 1) >> PAGE_BITS;
    const uint64_t count = last - first + 1;
    if (count / MOST_PAGES_A_SPAN > slots->span_count ||
        hsd_goslots_memory(slots) + count * sizeof *slots->pages > slots->most_bytes)
        return;
    slots->pages = calloc(count, sizeof *slots->pages);
    if (slots->pages == NULL) return;
    slots->first_page = first;
    slots->page_count = count;
    for (uint32_t i = 0; i < slots->span_count; i++)
        slots->pages[(slots->spans[i].begin >> PAGE_BITS) - first] = i + 1;
    for (uint64_t page = 1; page < count; page++)
        if (slots->pages[page] == 0) slots->pages[page] = slots->pages[page - 1];
}

hsd_status hsd_goslots_finish(goslots *slots, hsd_error *err)
{
    if (slots->span_count > 1) qsort(slots->spans, slots->span_count, sizeof *slots->spans, by_address);
    HSD_TRY(number_slots(slots, err));
    const size_t words = slots->slot_count / 64 + 1;
    slots->types = calloc((size_t)slots->slot_count + 1, sizeof *slots->types);
    slots->live = calloc(words, sizeof *slots->live);
    slots->pending = calloc(words, sizeof *slots->pending);
    if (slots->types == NULL || slots->live == NULL || slots->pending == NULL) return hsd_fail_nomem(err, "objects");
    index_pages(slots);
    return HSD_OK;
}

/* The last span that begins at the address or before: its place + 1. */
static uint32_t span_before(const goslots *slots, uint64_t address)
{
    uint32_t at;
    if (slots->pages != NULL) {
        const uint64_t page = address >> PAGE_BITS;
        if (page < slots->first_page || page - slots->first_page >= slots->page_count) return 0;
        /* Several may begin in one page: the table has the last of them. */
        at = slots->pages[page - slots->first_page];
        while (at > 0 && slots->spans[at - 1].begin > address && slots->spans[at - 1].begin >> PAGE_BITS == page)
            at--;
        return at;
    }
    HSD_UPPER_BOUND(at, 0, slots->span_count, slots->spans[at].begin, address);
    return at;
}

bool hsd_goslots_find(const goslots *slots, uint64_t address, goslot *out)
{
    const uint32_t at = span_before(slots, address);
    if (at == 0) return false;
    const gospan *span = &slots->spans[at - 1];
    const uint64_t inside = (address - span->begin) / span->slot_bytes;
    if (address < span->begin || inside >= span->count) return false;
    *out = (goslot){
        .span = span, .number = span->first + (uint32_t)inside, .begin = span->begin + inside * span->slot_bytes};
    return true;
}

goslot hsd_goslots_get(const goslots *slots, uint32_t number)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, slots->span_count, slots->spans[low].first, number);
    const gospan *span = &slots->spans[low - 1];
    return (goslot){
        .span = span, .number = number, .begin = span->begin + (uint64_t)(number - span->first) * span->slot_bytes};
}

void hsd_goslots_release(goslots *slots)
{
    free(slots->spans);
    free(slots->types);
    free(slots->live);
    free(slots->pending);
    free(slots->pages);
    *slots = (goslots){0};
}

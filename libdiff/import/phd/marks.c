/*
 * Two bits for each 8 bytes of the heap: whether an object refers to what lies there, and whether it can be reached
 * from a root. See phd.h.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "import/phd/phd.h"

enum { CHECK_EVERY = 1 << 12 };

static uint64_t *page_of(phd_marks *marks, uint64_t key)
{
    if (marks->last_page != NULL && marks->last_key == key) return marks->last_page;
    const uint32_t number = hsd_id_table_find(&marks->table, key);
    if (number == 0) return NULL;
    marks->last_key = key;
    marks->last_page = marks->pages[number - 1];
    return marks->last_page;
}

/* The bits of a page: those of what is referred to, then those of what is reached. */
static hsd_status add_page(phd *p, uint64_t key, uint64_t **page, hsd_error *err)
{
    phd_marks *marks = &p->marks;
    uint32_t number;
    HSD_TRY(hsd_import_grow((void **)&marks->pages, &marks->page_room, marks->table.count, sizeof *marks->pages, err));
    *page = calloc((size_t)2 * PHD_PAGE_WORDS, sizeof **page);
    if (*page == NULL) return hsd_fail_nomem(err, "what is referred to");
    marks->pages[marks->table.count] = *page;
    const hsd_status status = hsd_id_table_put(&marks->table, key, &number, err);
    if (status != HSD_OK) free(*page);
    HSD_TRY(status);
    return hsd_phd_check_memory(p, err);
}

static inline uint64_t bit_of(uint64_t address) { return address >> 3 & ((1u << (PHD_PAGE_SHIFT - 3)) - 1); }

static inline hsd_status want_page(phd *p, uint64_t address, uint64_t **page, hsd_error *err)
{
    *page = page_of(&p->marks, address >> PHD_PAGE_SHIFT);
    return *page != NULL ? HSD_OK : add_page(p, address >> PHD_PAGE_SHIFT, page, err);
}

hsd_status hsd_phd_mark(phd *p, uint64_t address, hsd_error *err)
{
    const uint64_t bit = bit_of(address);
    uint64_t *page;
    HSD_TRY(want_page(p, address, &page, err));
    page[bit / 64] |= UINT64_C(1) << bit % 64;
    return HSD_OK;
}

hsd_status hsd_phd_reach(phd *p, uint64_t address, hsd_error *err)
{
    const uint64_t bit = bit_of(address), mask = UINT64_C(1) << bit % 64;
    uint64_t *page;
    HSD_TRY(want_page(p, address, &page, err));
    uint64_t *word = &page[PHD_PAGE_WORDS + bit / 64];
    p->marks.reached += (*word & mask) == 0;
    *word |= mask;
    return HSD_OK;
}

bool hsd_phd_is_referred_to(phd *p, uint64_t address)
{
    const uint64_t bit = bit_of(address);
    const uint64_t *page = page_of(&p->marks, address >> PHD_PAGE_SHIFT);
    return page != NULL && (page[bit / 64] >> bit % 64 & 1) != 0;
}

bool hsd_phd_is_reached(phd *p, uint64_t address)
{
    const uint64_t bit = bit_of(address);
    const uint64_t *page = page_of(&p->marks, address >> PHD_PAGE_SHIFT);
    if (page == NULL || (page[bit / 64] >> bit % 64 & 1) == 0) return true;
    return (page[PHD_PAGE_WORDS + bit / 64] >> bit % 64 & 1) != 0;
}

/* ---- passes ---- */

static hsd_status spread_record(phd *p, phd_record *record, uint64_t *left, hsd_error *err)
{
    size_t count = record->kind == PHD_CLASS ? 0 : 1; /* those of classes are reached */
    if (record->kind != PHD_CLASS && !hsd_phd_is_reached(p, record->address)) {
        ++*left;
        count = 0;
    }
    while (count > 0) {
        HSD_TRY(hsd_phd_targets(p, record, &count, err));
        for (size_t i = 0; i < count; i++)
            HSD_TRY(hsd_phd_reach(p, p->targets[i], err));
    }
    return hsd_phd_finish_record(p, record, err);
}

/* *left: objects that were not reached when they were read, of *all. */
static hsd_status spread_once(phd *p, uint64_t *left, uint64_t *all, hsd_error *err)
{
    phd_record record;
    *left = *all = 0;
    HSD_TRY(hsd_source_rewind(p->source, err));
    HSD_TRY(hsd_phd_header(p, err));
    for (; hsd_source_offset(p->source) < p->end_offset; ++*all) {
        const hsd_status status = hsd_phd_next(p, &record, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        HSD_TRY(spread_record(p, &record, left, err));
        if (*all % CHECK_EVERY == 0)
            HSD_TRY(hsd_progress(p->import->reporter, "looking for roots", hsd_source_offset(p->source),
                                 p->source->total_bytes, err));
    }
    return HSD_OK;
}

static hsd_status reach_rooted(phd *p, hsd_error *err)
{
    const hsd_id_table *table = &p->rooted;
    const uint64_t slots = table->slots == NULL ? 0 : UINT64_C(1) << (64 - table->shift);
    for (uint64_t i = 0; i < slots; i++)
        if (table->slots[i].number != 0) HSD_TRY(hsd_phd_reach(p, table->slots[i].key, err));
    return HSD_OK;
}

hsd_status hsd_phd_spread(phd *p, hsd_error *err)
{
    uint64_t left = 1, all = 1;
    HSD_TRY(reach_rooted(p, err));
    for (unsigned i = 0; left > all / PHD_REACH_SHARE && i < PHD_MOST_REACHES; i++)
        HSD_TRY(spread_once(p, &left, &all, err));
    p->marks.is_all = left == 0;
    return HSD_OK;
}

void hsd_phd_release_marks(phd_marks *marks)
{
    for (uint32_t i = 0; i < marks->table.count; i++)
        free(marks->pages[i]);
    free(marks->pages);
    hsd_id_table_release(&marks->table);
    *marks = (phd_marks){0};
}

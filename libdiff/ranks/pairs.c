/*
 * Rank 0 has both trees and credits what holds something. Which of these are one object lies in the censuses: it tells
 * all ranks one bit an object, and each merges its part once more and sends the pairs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "holders/holders.h"
#include "ranks/ranked.h"

enum { ASK_END, ASK_PAIRS };

static hsd_status send_pair(void *context, const uint64_t *pair, hsd_error *err)
{
    return hsd_scatter_put(context, 0, pair, err);
}

static hsd_status keep_pair(void *sorter, unsigned from, const uint64_t *pair, hsd_error *err)
{
    (void)from;
    return hsd_sorter_put(sorter, pair, err);
}

/* What rank 0 wants next. */
static hsd_status ask(hsd_ranked *r, uint64_t *what, hsd_error *err)
{
    HSD_TRY(hsd_together_agree(&r->together, HSD_OK, err));
    return hsd_together_tell_bytes(&r->together, 0, what, sizeof *what, err);
}

/* The bits of rank 0 in all ranks. */
static hsd_status tell_bits(hsd_ranked *r, uint8_t *const is_part[SIDE_COUNT], hsd_error *err)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        const uint64_t bytes = (uint64_t)r->c->pair.sides[side].object_count / 8 + 1;
        HSD_TRY(hsd_together_tell_bytes(&r->together, 0, r->c->pair.is_kept[side], bytes, err));
        if (is_part[side] != NULL) HSD_TRY(hsd_together_tell_bytes(&r->together, 0, is_part[side], bytes, err));
    }
    return HSD_OK;
}

static hsd_status exchange(hsd_ranked *r, uint8_t *const is_part[SIDE_COUNT], hsd_sorter *out, hsd_error *err)
{
    hsd_scatter scatter;
    HSD_TRY(tell_bits(r, is_part, err));
    hsd_status status = hsd_scatter_open(&scatter, &r->together, HSD_GROWTH_PAIR_WORDS, keep_pair, out, err);
    if (status == HSD_OK) status = hsd_growth_pairs(&r->c->pair, is_part, send_pair, &scatter, err);
    return hsd_scatter_finish(&scatter, status, err);
}

hsd_status hsd_ranked_find_pairs(void *context, uint8_t *const is_part[2], hsd_sorter *pairs, hsd_error *err)
{
    hsd_ranked *r = context;
    uint64_t what = ASK_PAIRS, has_parts = is_part[BEFORE] != NULL;
    HSD_TRY(ask(r, &what, err));
    HSD_TRY(hsd_together_tell_bytes(&r->together, 0, &has_parts, sizeof has_parts, err));
    HSD_TRY(hsd_together_agree(&r->together, HSD_OK, err));
    return exchange(r, is_part, pairs, err);
}

hsd_status hsd_ranked_end(hsd_ranked *r, hsd_error *err)
{
    uint64_t what = ASK_END;
    return ask(r, &what, err);
}

/* Both have them, or neither. */
static hsd_status make_parts(const hsd_ranked *r, uint8_t *is_part[SIDE_COUNT], hsd_error *err)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        is_part[side] = calloc((size_t)r->c->pair.sides[side].object_count / 8 + 1, 1);
        if (is_part[side] == NULL) return hsd_fail_nomem(err, "one bit an object");
    }
    return HSD_OK;
}

static hsd_status answer_pairs(hsd_ranked *r, hsd_error *err)
{
    uint8_t *is_part[SIDE_COUNT] = {NULL, NULL};
    uint64_t has_parts = 0;
    HSD_TRY(hsd_together_tell_bytes(&r->together, 0, &has_parts, sizeof has_parts, err));
    hsd_status status = has_parts != 0 ? make_parts(r, is_part, err) : HSD_OK;
    status = hsd_together_agree(&r->together, status, err);
    if (status == HSD_OK) status = exchange(r, is_part, NULL, err);
    for (int side = 0; side < SIDE_COUNT; side++)
        free(is_part[side]);
    return status;
}

hsd_status hsd_ranked_serve(hsd_ranked *r, hsd_error *err)
{
    for (;;) {
        uint64_t what = ASK_END;
        HSD_TRY(ask(r, &what, err));
        if (what == ASK_END) return HSD_OK;
        HSD_TRY(answer_pairs(r, err));
    }
}

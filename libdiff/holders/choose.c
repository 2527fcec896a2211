/*
 * The first HSD_MAX_HOLDERS of any number of holders: a heap with the last of them on top, which goes to the others
 * when a better one comes. The order is by what the numbers and names say, so equals are alike in all that is
 * shown but their paths.
 */
#include "holders/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/fail.h"
#include "base/heap.h"

static hsd_bytes name_of(const hsd_growth *growth, const hsd_choice *choice)
{
    const hsd_pair *pair = growth->pair;
    switch (choice->by) {
    case HSD_HELD_BY_OBJECT: return hsd_names_get(&pair->types.names, choice->type);
    case HSD_HELD_BY_ROOT: return hsd_names_get(&pair->roots, choice->root);
    case HSD_HELD_BY_ALL:
    case HSD_HELD_BY_CODE: break;
    }
    return (hsd_bytes){(const uint8_t *)"", 0};
}

static int compare_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }
static int compare_i64(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_names(hsd_bytes a, hsd_bytes b)
{
    return hsd_store_compare((hsd_text){(const char *)a.data, a.size}, (hsd_text){(const char *)b.data, b.size});
}

int hsd_choice_compare(const hsd_growth *growth, const hsd_choice *a, const hsd_choice *b)
{
    int order = compare_i64(hsd_choice_growth(b), hsd_choice_growth(a));
    if (order == 0) order = compare_u64(b->new_.bytes, a->new_.bytes);
    if (order == 0) order = (a->by > b->by) - (a->by < b->by);
    if (order == 0) order = compare_names(name_of(growth, a), name_of(growth, b));
    if (order == 0) order = compare_u64(a->id, b->id);
    if (order == 0) order = compare_u64(b->new_.objects, a->new_.objects);
    if (order == 0) order = compare_u64(b->freed.bytes, a->freed.bytes);
    return order != 0 ? order : compare_u64(b->freed.objects, a->freed.objects);
}

/* ---- the heap ---- */

static bool chosen_holder_comes_later(const void *context, const void *a, const void *b)
{
    return hsd_choice_compare(context, a, b) > 0;
}

static inline hsd_heap heap_of(const hsd_growth *growth)
{
    return (hsd_heap){growth->choices, sizeof *growth->choices, chosen_holder_comes_later, growth};
}

static void add_to_others(hsd_growth *growth, const hsd_choice *choice)
{
    hsd_choice *others = &growth->others;
    others->new_.objects += choice->new_.objects;
    others->new_.bytes += choice->new_.bytes;
    others->freed.objects += choice->freed.objects;
    others->freed.bytes += choice->freed.bytes;
    others->resized_bytes += choice->resized_bytes;
    growth->other_count++;
}

/* Code holds nothing: what it grew by itself is all there is. */
static bool is_code(const hsd_growth *growth, const hsd_choice *choice)
{
    return choice->by == HSD_HELD_BY_OBJECT && choice->new_.objects == 0 && choice->freed.objects == 0 &&
           hsd_growth_is_code(growth, choice->type);
}

void hsd_growth_offer(hsd_growth *growth, const hsd_choice *choice)
{
    HSD_ASSERT(growth->choices != NULL && growth->choice_count <= HSD_MAX_HOLDERS);
    if (is_code(growth, choice)) {
        growth->code_resized += choice->resized_bytes;
        return;
    }
    if (choice->new_.objects == 0 && choice->freed.objects == 0 && choice->resized_bytes == 0) return;
    if (growth->choice_count < HSD_MAX_HOLDERS) {
        growth->choices[growth->choice_count] = *choice;
        hsd_heap_up(heap_of(growth), growth->choice_count++);
        return;
    }
    if (hsd_choice_compare(growth, choice, &growth->choices[0]) > 0) {
        add_to_others(growth, choice);
        return;
    }
    add_to_others(growth, &growth->choices[0]);
    growth->choices[0] = *choice;
    hsd_heap_down(heap_of(growth), 0, growth->choice_count);
}

hsd_status hsd_growth_choose_begin(hsd_growth *growth, hsd_error *err)
{
    HSD_ASSERT(growth->choices == NULL);
    growth->choices = calloc(HSD_MAX_HOLDERS + HSD_MAX_SETS + 1, sizeof *growth->choices);
    return growth->choices == NULL ? hsd_fail_nomem(err, "the holders") : HSD_OK;
}

static void offer_roots(hsd_growth *growth)
{
    for (uint32_t root = 0; root < growth->pair->roots.count; root++) {
        const hsd_credit *before = &growth->credit_of_root[BEFORE][root], *after = &growth->credit_of_root[AFTER][root];
        hsd_growth_offer(growth,
                         &(hsd_choice){.by = HSD_HELD_BY_ROOT,
                                       .root = root,
                                       .joined = growth->joined_of_root != NULL ? growth->joined_of_root[root] : 0,
                                       .pool_place = hsd_growth_pool_place(
                                           growth->pool_of_root != NULL ? growth->pool_of_root[root] : 0, 0),
                                       .new_ = after->amount,
                                       .freed = before->amount,
                                       .resized_bytes = after->parts_bytes - before->parts_bytes});
    }
    hsd_growth_offer(growth, &(hsd_choice){.by = HSD_HELD_BY_ALL,
                                           .new_ = growth->credit_of_all[AFTER].amount,
                                           .freed = growth->credit_of_all[BEFORE].amount,
                                           .resized_bytes = growth->credit_of_all[AFTER].parts_bytes -
                                                            growth->credit_of_all[BEFORE].parts_bytes});
}

static void order(hsd_growth *growth)
{
    hsd_heap_sort(heap_of(growth), growth->choice_count);
    growth->edged_count = 0;
    while (growth->edged_count < growth->choice_count && growth->edged_count < HSD_MAX_EDGED_HOLDERS &&
           hsd_choice_growth(&growth->choices[growth->edged_count]) > 0)
        growth->edged_count++;
}

void hsd_growth_choose_order(hsd_growth *growth)
{
    hsd_heap_make(heap_of(growth), growth->choice_count);
    order(growth);
    while (growth->choice_count > HSD_MAX_HOLDERS)
        add_to_others(growth, &growth->choices[--growth->choice_count]);
}

hsd_status hsd_growth_choose_finish(hsd_growth *growth, hsd_error *err)
{
    HSD_TRY(hsd_growth_join_roots(growth, err));
    offer_roots(growth);
    order(growth);
    return HSD_OK;
}

void hsd_growth_choose_code(hsd_growth *growth)
{
    const hsd_choice code = {.by = HSD_HELD_BY_CODE,
                             .new_ = growth->credit_of_code[AFTER],
                             .freed = growth->credit_of_code[BEFORE],
                             .resized_bytes =
                                 growth->code_resized + growth->code_parts[AFTER] - growth->code_parts[BEFORE]};
    if (code.new_.objects > 0 || code.freed.objects > 0 || code.resized_bytes != 0)
        growth->choices[growth->choice_count++] = code;
}

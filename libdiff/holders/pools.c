/*
 * Threads of a pool: which of them did the work is chance, so what hangs from each in the same way is one holder. Ways
 * are the same when they go by the same references to the same types from threads whose names differ in their numbers
 * alone. One thread that has most of the growth stays what it is: there the number says something.
 *
 * Threads come and go, so those of a pool hold also what they have when one capture alone knows them: a thread for each
 * upload that never ends is one holder. There can be many of them: they are added up before holders are chosen.
 */
#include "holders/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pool_name.h"

#define MOST_OF_FIVE 4u

/* ---- roots ---- */

typedef struct pools {
    hsd_growth *growth;
    hsd_names names;  /* of pools */
    uint32_t *counts; /* of threads, by pool */
    uint32_t capacity;
} pools;

static hsd_status reach_pool(pools *p, uint32_t pool, hsd_error *err)
{
    return HSD_ARRAY_GROW_ZEROED(p->counts, p->capacity, pool + 1, 64, "the threads of pools", err);
}

static hsd_status see_root(pools *p, uint32_t root, hsd_error *err)
{
    char buffer[HSD_POOL_NAME_BYTES];
    uint32_t pool;
    const hsd_bytes own = hsd_names_get(&p->growth->pair->roots, root);
    const hsd_text name = hsd_pool_name((hsd_text){(const char *)own.data, own.size}, buffer);
    if (name.data == (const char *)own.data || memchr(name.data, '*', name.size) == NULL) return HSD_OK;
    HSD_TRY(hsd_names_put(&p->names, (hsd_bytes){(const uint8_t *)name.data, name.size}, &pool, err));
    HSD_TRY(reach_pool(p, pool, err));
    p->counts[pool]++;
    p->growth->pool_of_root[root] = pool + 1;
    return HSD_OK;
}

/* A thread alone is no pool. Those of a pool can hold. */
static bool keep_pools(pools *p)
{
    bool is_any = false;
    for (uint32_t root = 0; root < p->growth->pair->roots.count; root++) {
        uint32_t *pool = &p->growth->pool_of_root[root];
        if (*pool != 0 && p->counts[*pool - 1] < 2) *pool = 0;
        if (*pool == 0) continue;
        p->growth->is_common_root[root] = 1;
        is_any = true;
    }
    return is_any;
}

hsd_status hsd_growth_find_pools(hsd_growth *growth, hsd_error *err)
{
    HSD_ASSERT(growth->pool_of_root == NULL);
    pools p = {.growth = growth};
    hsd_status status = HSD_OK;
    growth->pool_of_root = calloc((size_t)growth->pair->roots.count + 1, sizeof *growth->pool_of_root);
    if (growth->pool_of_root == NULL) return hsd_fail_nomem(err, "the threads of pools");
    for (uint32_t root = 0; root < growth->pair->roots.count && status == HSD_OK; root++)
        status = see_root(&p, root, err);
    if (status == HSD_OK && !keep_pools(&p)) {
        free(growth->pool_of_root);
        growth->pool_of_root = NULL;
    }
    hsd_names_release(&p.names);
    free(p.counts);
    return status;
}

/* ---- what roots are credited with ---- */

typedef struct pool_sum {  /* of the roots of a pool that are credited with something */
    uint64_t sum, largest; /* bytes of changes, either way */
    uint32_t count, first;
} pool_sum;

static bool are_several(uint32_t count, uint64_t largest, uint64_t sum)
{
    return count > 1 && largest < sum / 5 * MOST_OF_FIVE;
}

static void sum_up_pools(const hsd_growth *growth, pool_sum *sums)
{
    for (uint32_t root = 0; root < growth->pair->roots.count; root++) {
        const hsd_credit *before = &growth->credit_of_root[BEFORE][root], *after = &growth->credit_of_root[AFTER][root];
        const uint64_t more = after->amount.bytes + after->parts_bytes,
                       less = before->amount.bytes + before->parts_bytes;
        const uint64_t change = more > less ? more - less : less - more;
        pool_sum *pool = &sums[growth->pool_of_root[root]];
        if (after->amount.objects == 0 && before->amount.objects == 0 && change == 0) continue;
        if (pool->count++ == 0) pool->first = root;
        pool->sum = hsd_add_saturating(pool->sum, change);
        pool->largest = hsd_max_u64(pool->largest, change);
    }
}

static void move_credit(hsd_growth *growth, uint32_t from, uint32_t to)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        hsd_credit *source = &growth->credit_of_root[side][from], *target = &growth->credit_of_root[side][to];
        target->amount.objects += source->amount.objects;
        target->amount.bytes += source->amount.bytes;
        target->parts_bytes += source->parts_bytes;
        *source = (hsd_credit){.parts_bytes = 0};
    }
}

hsd_status hsd_growth_join_roots(hsd_growth *growth, hsd_error *err)
{
    const uint32_t count = growth->pair->roots.count;
    if (growth->pool_of_root == NULL) return HSD_OK;
    pool_sum *sums = calloc((size_t)count + 1, sizeof *sums); /* there are no more pools than roots */
    free(growth->joined_of_root);
    growth->joined_of_root = calloc((size_t)count + 1, sizeof *growth->joined_of_root);
    if (sums != NULL && growth->joined_of_root != NULL) {
        sum_up_pools(growth, sums);
        for (uint32_t root = 0; root < count; root++) {
            const pool_sum *pool = &sums[growth->pool_of_root[root]];
            if (growth->pool_of_root[root] == 0 || !are_several(pool->count, pool->largest, pool->sum)) continue;
            if (root == pool->first)
                growth->joined_of_root[root] = pool->count;
            else
                move_credit(growth, root, pool->first);
        }
    }
    free(sums);
    return sums != NULL && growth->joined_of_root != NULL ? HSD_OK : hsd_fail_nomem(err, "the threads of pools");
}

/* ---- choices ---- */

/* True if those that are like the one at `first` are several and none has most. */
static bool are_alike(const hsd_growth *growth, uint32_t first)
{
    uint64_t sum = 0, largest = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < growth->choice_count; i++) {
        if (growth->choices[i].pool_place != growth->choices[first].pool_place) continue;
        const uint64_t change = hsd_choice_change(&growth->choices[i]);
        sum = hsd_add_saturating(sum, change);
        if (change > largest) largest = change;
        count++;
    }
    return are_several(count, largest, sum);
}

static void add_to(hsd_choice *to, const hsd_choice *one)
{
    to->new_.objects += one->new_.objects;
    to->new_.bytes += one->new_.bytes;
    to->freed.objects += one->freed.objects;
    to->freed.bytes += one->freed.bytes;
    to->resized_bytes += one->resized_bytes;
    to->joined++;
}

/* Takes out all that are like the one at `first`, which stands for them. */
static void join_pool(hsd_growth *growth, uint32_t first)
{
    hsd_choice *to = &growth->choices[first];
    uint32_t kept = first + 1;
    to->joined = 1;
    for (uint32_t i = first + 1; i < growth->choice_count; i++) {
        const hsd_choice *one = &growth->choices[i];
        if (one->pool_place != to->pool_place) {
            growth->choices[kept++] = *one;
            continue;
        }
        growth->pooled[growth->pooled_count++] =
            (hsd_pooled){one->by, one->root, {one->node[BEFORE], one->node[AFTER]}, one->pool_place, 0};
        add_to(to, one);
    }
    growth->choice_count = kept;
}

hsd_status hsd_growth_join_pools(hsd_growth *growth, hsd_error *err)
{
    if (growth->pool_of_root == NULL) return HSD_OK;
    growth->pooled = calloc((size_t)growth->choice_count + 1, sizeof *growth->pooled);
    if (growth->pooled == NULL) return hsd_fail_nomem(err, "the threads of pools");
    for (uint32_t i = 0; i < growth->choice_count; i++) {
        if (growth->choices[i].pool_place != 0 && are_alike(growth, i)) join_pool(growth, i);
    }
    hsd_growth_choose_order(growth);
    return HSD_OK;
}

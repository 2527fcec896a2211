/*
 * Counting: kinds in a hash table, by (class, type, site), and two square tables by class of sizes: seen reuses and
 * pairs. Estimating: classes are joined to pools, kinds of a pool brought together and sorted, and the fixed point of
 * each pool found by itself.
 *
 * All of one side is in arrays [FREED] and [NEW], and whatever is done to one is done to the other by the same
 * function: that is what makes the answer symmetric. Sums are doubles; counts below 2^53 are exact in them.
 */
#include "diff/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "walk/marks.h"

enum { FREED, NEW, SIDES };
enum { UNAGED, AGED, AGES }; /* is the generation known? */

#define CLASSES     240u
#define FIRST_KINDS UINT32_C(64)
#define MIXES       32u /* classes mix where this part of what came or went crossed their border */
#define BONDS       64u /* with another one, where this part of that did so between the two */
#define MOST_ROUNDS 200
#define IS_STANDING 1e-5 /* relative change of a round at which a sum stands */

typedef struct kind {
    uint64_t key;               /* class or pool, type, site */
    uint64_t first;             /* the id with which it came */
    double seen[SIDES][AGES];   /* objects that were freed, that are new */
    double unseen[SIDES][AGES]; /* those to be added, by the last round */
} kind;

struct hsd_reuse {
    kind *kinds;
    uint32_t *slots; /* hash table of place + 1; 0 = empty; twice kind_capacity */
    uint32_t kind_count, kind_capacity, kind_most;
    uint64_t totals[SIDES][CLASSES]; /* objects, those of further kinds too */
    uint64_t (*reuses)[CLASSES];     /* seen, by class before and class after */
    uint64_t (*pairs)[CLASSES];
    uint64_t id; /* of the step, and of those that wait for each other */
    hsd_reuse_object waiting[SIDES];
    bool waits[SIDES];
    uint64_t told; /* of the pairs: known to be two objects */
    hsd_reuse_sums sums;
};

hsd_status hsd_reuse_new(hsd_reuse **out, hsd_error *err)
{
    hsd_reuse *r = calloc(1, sizeof *r);
    *out = r;
    if (r == NULL) return hsd_fail_nomem(err, "the kinds of objects");
    r->reuses = calloc(CLASSES, sizeof *r->reuses);
    r->pairs = calloc(CLASSES, sizeof *r->pairs);
    r->kind_most = HSD_REUSE_KINDS;
    if (r->reuses != NULL && r->pairs != NULL) return HSD_OK;
    hsd_reuse_free(r);
    *out = NULL;
    return hsd_fail_nomem(err, "the kinds of objects");
}

void hsd_reuse_free(hsd_reuse *r)
{
    if (r == NULL) return;
    free(r->kinds);
    free(r->slots);
    free(r->reuses);
    free(r->pairs);
    free(r);
}

/* ---- kinds ---- */

/* Eight bytes wide up to 64, then four to a doubling; upper bounds belong to the class: 33 … 40, 41 … 48, …, 65 … 80 */
static uint32_t class_of(uint64_t bytes)
{
    const uint64_t last = bytes == 0 ? 0 : bytes - 1;
    if (last < 32) return (uint32_t)(last / 8);
    const unsigned doubling = 63 - (unsigned)__builtin_clzll(last);
    return 4 * (doubling - 4) + (uint32_t)(last >> (doubling - 2) & 3);
}

static uint64_t key_of(uint32_t class, uint32_t type, uint32_t site)
{
    return (uint64_t) class << 48 | (uint64_t)type << 16 | site;
}

static uint32_t class_in(uint64_t key) { return (uint32_t)(key >> 48); }
static uint32_t site_in(uint64_t key) { return (uint32_t)(key & 0xffff); }

/* The slot that holds `key`, or the empty one where it belongs. */
static uint32_t *find_slot(const hsd_reuse *r, uint64_t key)
{
    const uint32_t mask = 2 * r->kind_capacity - 1;
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (r->slots[at] != 0 && r->kinds[r->slots[at] - 1].key != key)
        at = (at + 1) & mask;
    return &r->slots[at];
}

static hsd_status grow_kinds(hsd_reuse *r, hsd_error *err)
{
    uint32_t wanted = r->kind_capacity;
    HSD_TRY(HSD_ARRAY_GROW(r->kinds, wanted, (uint64_t)wanted + 1, FIRST_KINDS, "the kinds of objects", err));
    uint32_t *slots = calloc(2 * (size_t)wanted, sizeof *slots);
    if (slots == NULL) return hsd_fail_nomem(err, "the kinds of objects");
    free(r->slots);
    r->slots = slots;
    r->kind_capacity = wanted;
    for (uint32_t i = 0; i < r->kind_count; i++)
        *find_slot(r, r->kinds[i].key) = i + 1;
    return HSD_OK;
}

/* NULL in *out: there are too many. */
static hsd_status find_kind(hsd_reuse *r, uint64_t key, kind **out, hsd_error *err)
{
    uint32_t *slot = r->kind_capacity == 0 ? NULL : find_slot(r, key);
    *out = NULL;
    if (slot == NULL || *slot == 0) {
        if (r->kind_count == r->kind_most) return HSD_OK;
        if (r->kind_count == r->kind_capacity) HSD_TRY(grow_kinds(r, err));
        slot = find_slot(r, key);
        r->kinds[r->kind_count] = (kind){.key = key, .first = r->id};
        *slot = ++r->kind_count;
    }
    *out = &r->kinds[*slot - 1];
    return HSD_OK;
}

/* ---- counting ---- */

bool hsd_reuse_is_alike(const hsd_reuse_object *before, const hsd_reuse_object *after)
{
    return before->type == after->type && !hsd_marks_differ(before->mark, after->mark);
}

static hsd_status count_one(hsd_reuse *r, int side, const hsd_reuse_object *object, hsd_error *err)
{
    kind *found;
    const uint32_t class = class_of(object->bytes);
    r->totals[side][class]++;
    HSD_TRY(find_kind(r, key_of(class, object->type, object->mark >> 16), &found, err));
    if (found != NULL) found->seen[side][(object->mark & 0xffff) != 0 ? AGED : UNAGED]++;
    return HSD_OK;
}

static hsd_status count_reuse(hsd_reuse *r, const hsd_reuse_object *before, const hsd_reuse_object *after,
                              hsd_error *err)
{
    r->sums.seen++;
    r->reuses[class_of(before->bytes)][class_of(after->bytes)]++;
    HSD_TRY(count_one(r, FREED, before, err));
    return count_one(r, NEW, after, err);
}

/* Counts what waited. */
hsd_status hsd_reuse_settle(hsd_reuse *r, hsd_error *err)
{
    const bool both = r->waits[FREED] && r->waits[NEW];
    if (both) HSD_TRY(count_reuse(r, &r->waiting[FREED], &r->waiting[NEW], err));
    for (int side = 0; side < SIDES && !both; side++) {
        if (r->waits[side]) HSD_TRY(count_one(r, side, &r->waiting[side], err));
    }
    r->waits[FREED] = r->waits[NEW] = false;
    return HSD_OK;
}

static hsd_status wait_for_other(hsd_reuse *r, int side, const hsd_reuse_object *object, hsd_error *err)
{
    if (r->waits[side]) HSD_TRY(hsd_reuse_settle(r, err));
    r->waiting[side] = *object;
    r->waits[side] = true;
    return HSD_OK;
}

hsd_status hsd_reuse_take(hsd_reuse *r, uint64_t id, const hsd_reuse_object *before, const hsd_reuse_object *after,
                          hsd_error *err)
{
    HSD_ASSERT(r != NULL);
    if (r->id != id) HSD_TRY(hsd_reuse_settle(r, err)); /* nothing of that comes any more: kinds come in order */
    r->id = id;
    if (before != NULL && after != NULL) {
        if (!hsd_reuse_is_alike(before, after)) return count_reuse(r, before, after, err);
        r->sums.pairs++;
        r->pairs[class_of(before->bytes)][class_of(after->bytes)]++;
        return HSD_OK;
    }
    if (before != NULL) return wait_for_other(r, FREED, before, err);
    return after != NULL ? wait_for_other(r, NEW, after, err) : HSD_OK;
}

void hsd_reuse_tell(hsd_reuse *r) { r->told++; }

/* ---- parts ---- */

void hsd_reuse_is_part(hsd_reuse *r) { r->kind_most = UINT32_MAX; }

void hsd_reuse_tables(hsd_reuse *r, hsd_reuse_table tables[HSD_REUSE_TABLES])
{
    tables[0] = (hsd_reuse_table){r->totals[0], SIDES * CLASSES};
    tables[1] = (hsd_reuse_table){r->reuses[0], CLASSES * CLASSES};
    tables[2] = (hsd_reuse_table){r->pairs[0], CLASSES * CLASSES};
    tables[3] = (hsd_reuse_table){&r->told, 1};
    tables[4] = (hsd_reuse_table){&r->sums.pairs, 2}; /* and what was seen */
}

_Static_assert(offsetof(hsd_reuse_sums, seen) == sizeof(uint64_t), "pairs and seen are one table");

uint32_t hsd_reuse_kind_count(const hsd_reuse *r) { return r->kind_count; }

hsd_reuse_kind hsd_reuse_kind_get(const hsd_reuse *r, uint32_t i)
{
    hsd_reuse_kind out = {.key = r->kinds[i].key, .first = r->kinds[i].first, .order = i};
    for (int n = 0; n < SIDES * AGES; n++)
        out.seen[n] = (uint64_t)r->kinds[i].seen[n / AGES][n % AGES];
    return out;
}

/* Those of one id are of one part. */
static bool came_before(const hsd_reuse_kind *a, const hsd_reuse_kind *b)
{
    return a->first != b->first ? a->first < b->first : a->order < b->order;
}

static int compare_keys_of_kinds(const void *a, const void *b)
{
    const uint64_t x = ((const hsd_reuse_kind *)a)->key, y = ((const hsd_reuse_kind *)b)->key;
    return x < y ? -1 : x > y;
}

static int compare_coming_of_kinds(const void *a, const void *b) { return came_before(a, b) ? -1 : came_before(b, a); }

/* Each once, with what all parts saw of it. */
static uint32_t join_equal_kinds(hsd_reuse_kind *kinds, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        hsd_reuse_kind *last = kept > 0 ? &kinds[kept - 1] : NULL;
        if (last == NULL || last->key != kinds[i].key) {
            kinds[kept++] = kinds[i];
            continue;
        }
        for (int n = 0; n < SIDES * AGES; n++)
            last->seen[n] += kinds[i].seen[n];
        if (!came_before(&kinds[i], last)) continue;
        last->first = kinds[i].first;
        last->order = kinds[i].order;
    }
    return kept;
}

hsd_status hsd_reuse_join_kinds(hsd_reuse *r, hsd_reuse_kind *kinds, uint32_t count, hsd_error *err)
{
    if (count > 0) qsort(kinds, count, sizeof *kinds, compare_keys_of_kinds);
    const uint32_t all = join_equal_kinds(kinds, count);
    if (all > 0) qsort(kinds, all, sizeof *kinds, compare_coming_of_kinds);
    const uint32_t kept = (uint32_t)hsd_min_u64(all, HSD_REUSE_KINDS);
    kind *joined = calloc((size_t)kept + 1, sizeof *joined);
    if (joined == NULL) return hsd_fail_nomem(err, "the kinds of objects");
    for (uint32_t i = 0; i < kept; i++) {
        joined[i] = (kind){.key = kinds[i].key, .first = kinds[i].first};
        for (int n = 0; n < SIDES * AGES; n++)
            joined[i].seen[n / AGES][n % AGES] = (double)kinds[i].seen[n];
    }
    free(r->kinds);
    free(r->slots);
    r->kinds = joined;
    r->slots = NULL; /* nothing is looked for any more */
    r->kind_count = r->kind_capacity = kept;
    return HSD_OK;
}

/* ---- pools ---- */

typedef struct pools {
    uint32_t of[CLASSES];                                             /* the least class of its pool */
    uint64_t crossed[CLASSES];                                        /* seen reuses from or to other classes */
    uint64_t totals[SIDES][CLASSES], reuses[CLASSES], pairs[CLASSES]; /* by pool */
} pools;

static bool is_mixing(const hsd_reuse *r, const pools *p, uint32_t class)
{
    const uint64_t all = r->totals[FREED][class] + r->totals[NEW][class];
    return p->crossed[class] > 0 && p->crossed[class] >= all / MIXES;
}

static void join_reuse(pools *p, uint32_t a, uint32_t b)
{
    const uint32_t x = p->of[a], y = p->of[b], to = x < y ? x : y, from = x < y ? y : x;
    for (uint32_t i = 0; i < CLASSES; i++) {
        if (p->of[i] == from) p->of[i] = to;
    }
}

static void find_pools(const hsd_reuse *r, pools *p)
{
    for (uint32_t i = 0; i < CLASSES; i++) {
        p->of[i] = i;
        for (uint32_t j = 0; j < CLASSES; j++) {
            if (i != j) p->crossed[i] += r->reuses[i][j] + r->reuses[j][i];
        }
    }
    for (uint32_t i = 0; i < CLASSES; i++) {
        for (uint32_t j = i + 1; j < CLASSES && is_mixing(r, p, i); j++) {
            const uint64_t between = r->reuses[i][j] + r->reuses[j][i];
            const uint64_t least = hsd_min_u64(p->crossed[i], p->crossed[j]) / BONDS;
            if (between > 0 && between >= least && is_mixing(r, p, j)) join_reuse(p, i, j);
        }
    }
}

/* What crosses the border of a pool belongs to none. */
static void sum_pools(const hsd_reuse *r, pools *p)
{
    for (uint32_t i = 0; i < CLASSES; i++) {
        for (int side = 0; side < SIDES; side++)
            p->totals[side][p->of[i]] += r->totals[side][i];
        for (uint32_t j = 0; j < CLASSES; j++) {
            if (p->of[i] != p->of[j]) continue;
            p->reuses[p->of[i]] += r->reuses[i][j];
            p->pairs[p->of[i]] += r->pairs[i][j];
        }
    }
}

static int compare_kinds(const void *a, const void *b)
{
    const uint64_t x = ((const kind *)a)->key, y = ((const kind *)b)->key;
    return x < y ? -1 : x > y;
}

/* Brings the kinds of each pool together, equal ones added up. The hash table is void afterwards. */
static void pool_kinds(hsd_reuse *r, const pools *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->kind_count; i++) {
        kind *k = &r->kinds[i];
        k->key = (uint64_t)p->of[class_in(k->key)] << 48 | (k->key & ((UINT64_C(1) << 48) - 1));
    }
    if (r->kind_count > 0) qsort(r->kinds, r->kind_count, sizeof *r->kinds, compare_kinds);
    for (uint32_t i = 0; i < r->kind_count; i++) {
        const kind *k = &r->kinds[i];
        if (kept == 0 || r->kinds[kept - 1].key != k->key) {
            r->kinds[kept++] = *k;
            continue;
        }
        for (int n = 0; n < SIDES * AGES; n++) {
            r->kinds[kept - 1].seen[n / AGES][n % AGES] += k->seen[n / AGES][n % AGES];
        }
    }
    r->kind_count = kept;
}

/* ---- one pool ---- */

/* Kinds of one pool and type: a run of the sorted kinds, its sums, and the kind without a site. */
typedef struct group {
    kind *kinds;
    uint32_t count;
    double all[SIDES][AGES], siteless[SIDES][AGES];
} group;

static double amount(const kind *k, int side, int age) { return k->seen[side][age] + k->unseen[side][age]; }

static group group_at(kind *kinds, uint32_t count)
{
    group g = {.kinds = kinds};
    while (g.count < count && kinds[g.count].key >> 16 == kinds[0].key >> 16) {
        const kind *k = &kinds[g.count++];
        for (int n = 0; n < SIDES * AGES; n++) {
            const double objects = amount(k, n / AGES, n % AGES);
            g.all[n / AGES][n % AGES] += objects;
            if (site_in(k->key) == 0) g.siteless[n / AGES][n % AGES] = objects;
        }
    }
    return g;
}

/* How many of the other side a kind agrees with. */
static double partners(const group *g, const kind *k, int side, int age)
{
    const int other = side == FREED ? NEW : FREED;
    double sum = 0;
    for (int a = UNAGED; a <= (age == AGED ? UNAGED : AGED); a++) {
        sum += site_in(k->key) == 0 ? g->all[other][a] : amount(k, other, a) + g->siteless[other][a];
    }
    return sum;
}

/* Of all combinations of what was freed and what is new: those that agree, seen from either side. */
static double agreeing(kind *kinds, uint32_t count, int side)
{
    double sum = 0;
    for (uint32_t at = 0; at < count;) {
        const group g = group_at(kinds + at, count - at);
        for (uint32_t i = 0; i < g.count; i++) {
            for (int age = 0; age < AGES; age++) {
                sum += amount(&g.kinds[i], side, age) * partners(&g, &g.kinds[i], side, age);
            }
        }
        at += g.count;
    }
    return sum;
}

/* Gives each kind its part of what is unseen. */
static void share_out(kind *kinds, uint32_t count, double scale)
{
    for (uint32_t at = 0; at < count;) {
        const group g = group_at(kinds + at, count - at);
        for (uint32_t i = 0; i < g.count; i++) {
            kind next = g.kinds[i];
            for (int n = 0; n < SIDES * AGES; n++) {
                const int side = n / AGES, age = n % AGES;
                const double objects = amount(&g.kinds[i], side, age);
                next.unseen[side][age] = scale * objects * partners(&g, &g.kinds[i], side, age);
            }
            g.kinds[i] = next;
        }
        at += g.count;
    }
}

typedef struct pool {
    kind *kinds;
    uint32_t count;
    double totals[SIDES]; /* seen */
    double reuses, pairs;
} pool;

/* The unseen reuses of a pool, and the chance that one is not seen. */
static double estimate_pool(const pool *p, double *chance)
{
    double unseen = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const double all = (p->totals[FREED] + unseen) * (p->totals[NEW] + unseen);
        const double agree = (agreeing(p->kinds, p->count, FREED) + agreeing(p->kinds, p->count, NEW)) / 2;
        const double before = unseen;
        *chance = all > 0 ? agree / all : 0;
        const double q = *chance < HSD_REUSE_MOST ? *chance : HSD_REUSE_MOST;
        unseen = p->reuses * q / (1 - q);
        if (unseen > p->pairs) unseen = p->pairs;
        share_out(p->kinds, p->count, agree > 0 ? unseen / agree : 0);
        const double change = unseen > before ? unseen - before : before - unseen;
        if (change <= unseen * IS_STANDING) break;
    }
    return unseen;
}

static uint32_t kinds_of_pool(const hsd_reuse *r, uint32_t from, uint32_t which)
{
    uint32_t count = 0;
    while (from + count < r->kind_count && class_in(r->kinds[from + count].key) == which)
        count++;
    return count;
}

static void estimate(hsd_reuse *r, const pools *by)
{
    double unseen = 0;
    uint32_t from = 0;
    for (uint32_t i = 0; i < CLASSES; i++) {
        const uint64_t freed = by->totals[FREED][i], new_ = by->totals[NEW][i];
        pool p = {.kinds = r->kinds + from,
                  .count = kinds_of_pool(r, from, i),
                  .totals = {(double)freed, (double)new_},
                  .reuses = (double)by->reuses[i],
                  .pairs = (double)by->pairs[i]};
        double chance = 0;
        from += p.count;
        if (freed == 0 || new_ == 0) continue;
        unseen += estimate_pool(&p, &chance);
        if (chance > HSD_REUSE_MOST) r->sums.untold += by->pairs[i];
    }
    r->sums.unseen = (uint64_t)(unseen + 0.5);
}

/* They are among those that the marks did not show, and were seen all the same. */
static void count_told(hsd_reuse *r)
{
    r->sums.pairs -= r->told;
    r->sums.seen += r->told;
    r->sums.unseen -= hsd_min_u64(r->told, r->sums.unseen);
}

hsd_status hsd_reuse_estimate(hsd_reuse *r, hsd_reuse_sums *out, hsd_error *err)
{
    pools p = {0};
    HSD_TRY(hsd_reuse_settle(r, err));
    find_pools(r, &p);
    sum_pools(r, &p);
    pool_kinds(r, &p);
    estimate(r, &p);
    count_told(r);
    r->sums.is_told = r->sums.untold * 100 <= r->sums.pairs * HSD_REUSE_UNTOLD_PERCENT;
    *out = r->sums;
    return HSD_OK;
}

/*
 * Series of random heaps that evolve, against definitions: values by type, by root and by holder, sums, ages. Written
 * in random forms, run with random memory and threads. HSD_PAIRS sets how many series, HSD_SEED where they start.
 */
#include "series_kit.h"

#include "oracle.h"
#include "oracle_view.h"
#include "support/sizes.h"
#include "told.h"

enum { SERIES = 250, MOST_KEYS = 4096 };

static kit_story story;
static oracle_view view;
static oracle_diff captures[KIT_CAPTURES];

TestSuite(series, .init = kit_setup, .fini = kit_teardown);

static uint64_t series_count(void)
{
    const char *given = getenv("HSD_PAIRS");
    return given != NULL ? strtoull(given, NULL, 0) : test_cases(SERIES);
}

static hsd_run random_run(test_random *random)
{
    return (hsd_run){.memory_bytes = (UINT64_C(20) << 20) << test_below(random, 4),
                     .threads = 1 + (unsigned)test_below(random, 2)};
}

static const hsd_series_row *row_of(const hsd_series_table *table, const char *name)
{
    for (size_t i = 0; i < table->row_count; i++) {
        if (strcmp(table->rows[i].name.data, name) == 0) return &table->rows[i];
    }
    return NULL;
}

/* ---- sums ---- */

static void check_sums(const hsd_series *series, const hsd_series_table *table, size_t from, unsigned long seed)
{
    cr_assert(table->is_known, "seed %lu: %s", seed, table->why_not.data);
    for (size_t k = from; k < series->point_count; k++) {
        hsd_amount sum = table->others.values[k];
        for (size_t i = 0; i < table->row_count; i++)
            kit_add(&sum, table->rows[i].values[k]);
        cr_assert(kit_same(sum, series->total.values[k]), "seed %lu capture %zu", seed, k);
    }
    for (size_t i = 1; i < table->row_count; i++) {
        const hsd_series_row *a = &table->rows[i - 1], *b = &table->rows[i];
        cr_assert(a->trend.growth > b->trend.growth ||
                      (a->trend.growth == b->trend.growth && strcmp(a->name.data, b->name.data) <= 0),
                  "seed %lu", seed);
    }
}

static void check_trend(const hsd_series *series, const hsd_series_row *row)
{
    uint64_t bytes[KIT_CAPTURES], times[KIT_CAPTURES];
    const size_t first = series->warmup;
    for (size_t k = 0; k < series->point_count; k++) {
        bytes[k] = row->values[k].bytes;
        times[k] = 1 + k;
    }
    const hsd_trend wanted =
        hsd_trend_of(bytes + first, times + first, series->point_count - first, series->noise_bytes);
    cr_assert_eq(memcmp(&wanted, &row->trend, sizeof wanted), 0);
}

/* ---- types and roots ---- */

static void check_types(const hsd_series *series, unsigned long seed)
{
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        char name[8];
        bool is_there = false;
        snprintf(name, sizeof name, "T%u", t);
        const hsd_series_row *row = row_of(&series->types, name);
        for (size_t k = 0; k < story.count; k++) {
            const hsd_amount wanted = captures[k].types[t].live.before;
            is_there |= wanted.objects > 0;
            cr_assert(kit_same(row != NULL ? row->values[k] : (hsd_amount){0, 0}, wanted),
                      "seed %lu type %s capture %zu", seed, name, k);
        }
        cr_assert_eq(row != NULL, is_there, "seed %lu type %s", seed, name);
        if (row != NULL) check_trend(series, row);
    }
}

static hsd_amount root_of(size_t capture, const char *name)
{
    for (uint32_t i = 0; i < captures[capture].root_count; i++) {
        if (strcmp(captures[capture].roots[i].name, name) == 0) return captures[capture].roots[i].live.before;
    }
    return (hsd_amount){0, 0};
}

static void check_roots(const hsd_series *series, unsigned long seed)
{
    for (size_t i = 0; i < series->roots.row_count; i++) {
        const hsd_series_row *row = &series->roots.rows[i];
        cr_assert_eq(row->is_shared, strcmp(row->name.data, "(shared)") == 0);
        for (size_t k = 0; k < story.count; k++)
            cr_assert(kit_same(row->values[k], root_of(k, row->name.data)), "seed %lu root %s capture %zu", seed,
                      row->name.data, k);
    }
}

/* ---- holders: by texts of paths, over profiles, which have tests of their own ---- */

typedef struct key {
    char path[ORACLE_PATH]; /* from the nearest root; "" = the heap */
    char above[ORACLE_PATH];
    bool is_root, holds;
    uint64_t objects; /* in one capture */
    size_t confirmed;
    hsd_amount values[KIT_CAPTURES];
} key;

static key keys[MOST_KEYS];
static size_t key_count;

static key *find_key(const char *path)
{
    for (size_t i = 0; i < key_count; i++) {
        if (strcmp(keys[i].path, path) == 0) return &keys[i];
    }
    return NULL;
}

static void path_of(const hsd_profile *profile, uint32_t row, char *out)
{
    uint32_t way[256];
    size_t length = 0, used = 0;
    for (; row != 0; row = profile->places[row].parent) {
        way[length++] = row;
        if (profile->places[row].is_root) break;
    }
    for (out[0] = 0; length > 0;) {
        const hsd_place *place = &profile->places[way[--length]];
        used += (size_t)snprintf(out + used, ORACLE_PATH - used, place->is_root ? "(%s%s)" : " %s %s",
                                 place->is_root ? "" : place->edge.data, place->type.data);
    }
}

static void add_keys(const hsd_profile *profile)
{
    char path[ORACLE_PATH];
    for (uint32_t i = 0; i < profile->place_count; i++) {
        path_of(profile, i, path);
        if (find_key(path) != NULL) continue;
        key *fresh = &keys[key_count++];
        *fresh = (key){.is_root = profile->places[i].is_root};
        snprintf(fresh->path, sizeof fresh->path, "%s", path);
        path_of(profile, profile->places[i].parent, fresh->above);
    }
}

static void confirm_keys(const hsd_profile *profile)
{
    char path[ORACLE_PATH];
    bool is_there[MOST_KEYS] = {false}, can_hold[MOST_KEYS] = {false};
    for (size_t i = 0; i < key_count; i++)
        keys[i].objects = 0;
    for (uint32_t i = 1; i < profile->place_count; i++) {
        path_of(profile, i, path);
        key *at = find_key(path);
        if (at == NULL) continue;
        at->objects += profile->places[i].own.objects;
        is_there[at - keys] = true;
        can_hold[at - keys] = profile->places[i].can_hold;
    }
    for (size_t i = 1; i < key_count; i++)
        keys[i].confirmed += is_there[i] && (keys[i].is_root || (can_hold[i] && keys[i].objects == 1));
}

static void credit_keys(const hsd_profile *profile, size_t k)
{
    char path[ORACLE_PATH];
    for (uint32_t i = 0; i < profile->place_count; i++) {
        uint32_t row = i;
        key *at;
        path_of(profile, row, path);
        while ((at = find_key(path)) == NULL) { /* not there in time */
            row = profile->places[row].parent;
            path_of(profile, row, path);
        }
        while (!at->holds)
            at = find_key(at->above);
        kit_add(&at->values[k], profile->places[i].own);
    }
}

static int compare_values(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(hsd_amount) * KIT_CAPTURES);
}

/* The rows of a root or type and their values, in an order that both sides agree on. */
static void check_holders(const hsd_series *series, hsd_profile **profiles, unsigned long seed)
{
    static hsd_amount wanted[MOST_KEYS][KIT_CAPTURES], got[MOST_KEYS][KIT_CAPTURES];
    const size_t first = series->warmup;
    size_t count = 0;
    key_count = 0;
    for (size_t k = 0; k <= first; k++)
        add_keys(profiles[k]);
    for (size_t k = first; k < story.count; k++)
        confirm_keys(profiles[k]);
    for (size_t i = 0; i < key_count; i++)
        keys[i].holds = i == 0 || keys[i].confirmed == story.count - first;
    for (size_t k = 0; k < story.count; k++)
        credit_keys(profiles[k], k);
    memset(wanted, 0, sizeof wanted);
    memset(got, 0, sizeof got);
    for (size_t i = 0; i < key_count; i++) {
        hsd_amount all = {0, 0};
        for (size_t k = 0; k < story.count; k++)
            kit_add(&all, keys[i].values[k]);
        if (!keys[i].holds || (all.objects == 0 && all.bytes == 0)) continue;
        memcpy(wanted[count++], keys[i].values, sizeof wanted[0]);
    }
    cr_assert_eq(series->holders.row_count, count, "seed %lu: %zu rows, not %zu", seed, series->holders.row_count,
                 count);
    for (size_t i = 0; i < count; i++)
        memcpy(got[i], series->holders.rows[i].values, story.count * sizeof(hsd_amount));
    qsort(wanted, count, sizeof wanted[0], compare_values);
    qsort(got, count, sizeof got[0], compare_values);
    cr_assert_eq(memcmp(wanted, got, sizeof wanted), 0, "seed %lu", seed);
    for (size_t i = 0; i < count; i++) {
        const hsd_series_row *row = &series->holders.rows[i];
        char root[ORACLE_PATH];
        snprintf(root, sizeof root, "(%s)", row->root.data);
        const key *at = strcmp(row->root.data, "(roots)") == 0 ? &keys[0] : find_key(root);
        cr_assert_not_null(at, "seed %lu: %s", seed, root);
        if (row->path_count == 0)
            cr_assert(row->name.size == 0 && compare_values(at->values, (hsd_amount[KIT_CAPTURES]){{0, 0}}) != 0);
        else
            cr_assert_str_eq(row->name.data, row->path[row->path_count - 1].type.data);
    }
}

static hsd_profile *profile_of(size_t k)
{
    hsd_capture *capture;
    hsd_profile *profile;
    cr_assert_eq(hsd_capture_open(&capture, kit_file(k), HSD_DAMAGE_REFUSE, NULL, &kit_err), HSD_OK);
    cr_assert_eq(hsd_profile_make(&profile, capture, NULL, NULL, &kit_err), HSD_OK, "%s", kit_err.text);
    hsd_capture_close(capture);
    return profile;
}

/* ---- ages ---- */

typedef struct aged {
    uint64_t id, bytes;
    uint32_t type;
    size_t born;
} aged;

typedef struct living {
    aged objects[MODEL_MAX_OBJECTS];
    size_t count;
} living;

static living alive[KIT_CAPTURES];

/* Which object of capture k - 1 an object of capture k is; NULL = none. */
static const aged *same_before(size_t k, uint64_t id, uint32_t type)
{
    for (size_t i = 0; k > 0 && i < alive[k - 1].count; i++) {
        const aged *object = &alive[k - 1].objects[i];
        if (object->id == id && object->type == type) return object;
    }
    return NULL;
}

static void age(size_t k)
{
    const model_heap *heap = &story.heaps[k];
    alive[k].count = 0;
    for (uint32_t i = 0; i < heap->object_count; i++) {
        if (!view.live[i] || !view.counts[i]) continue;
        const aged *before = same_before(k, heap->objects[i].id, heap->objects[i].type);
        alive[k].objects[alive[k].count++] =
            (aged){heap->objects[i].id, view.bytes[i], heap->objects[i].type, before != NULL ? before->born : k};
    }
}

static hsd_amount of_age(size_t k, size_t first, size_t last, int type)
{
    hsd_amount sum = {0, 0};
    for (size_t i = 0; i < alive[k].count; i++) {
        const aged *object = &alive[k].objects[i];
        if (object->born < first || object->born > last || (type >= 0 && object->type != (uint32_t)type)) continue;
        kit_add(&sum, (hsd_amount){1, object->bytes});
    }
    return sum;
}

static void check_row(const hsd_cohorts *c, const hsd_cohort_row *row, int type, unsigned long seed)
{
    for (size_t at = 0; at < c->cohort_count; at++) {
        for (size_t born = 0; born <= at; born++) {
            const hsd_amount wanted = of_age(c->cohorts[at].last, c->cohorts[born].first, c->cohorts[born].last, type);
            cr_assert(kit_same(row->alive[at * c->cohort_count + born], wanted), "seed %lu type %d at %zu born %zu",
                      seed, type, at, born);
        }
    }
}

static void check_cohorts(const hsd_series *series, unsigned long seed)
{
    const hsd_cohorts *c = &series->cohorts;
    const size_t last = story.count - 1;
    size_t shown = 0;
    cr_assert(c->are_known, "seed %lu: %s", seed, c->why_not.data);
    cr_assert_eq(c->cohort_count, story.count < HSD_COHORTS_MOST ? story.count : HSD_COHORTS_MOST);
    cr_assert(c->cohorts[0].first == 0 && c->cohorts[0].last == 0 && c->cohorts[c->cohort_count - 1].last == last);
    for (size_t i = 1; i < c->cohort_count; i++) {
        const uint32_t size = c->cohorts[i].last - c->cohorts[i].first + 1,
                       even = (uint32_t)last / (uint32_t)(c->cohort_count - 1);
        cr_assert(c->cohorts[i].first == c->cohorts[i - 1].last + 1 && (size == even || size == even + 1));
    }
    check_row(c, &c->all, -1, seed);
    for (int type = 0; type < MODEL_TYPES; type++) {
        char name[16];
        const hsd_cohort_row *row = NULL;
        snprintf(name, sizeof name, "T%d", type);
        for (size_t i = 0; i < c->type_count; i++) {
            if (strcmp(c->types[i].name.data, name) == 0) row = &c->types[i];
        }
        cr_assert_eq(row != NULL, of_age(last, 1, last, type).objects > 0, "seed %lu type %s", seed, name);
        if (row == NULL) continue;
        shown++;
        check_row(c, row, type, seed);
    }
    cr_assert_eq(c->type_count, shown);
    for (size_t k = 0; k < story.count; k++)
        cr_assert(kit_same(c->retained_since[k], of_age(last, k + 1, last, -1)), "seed %lu since %zu", seed, k);
}

/* ---- the whole ---- */

static void look(size_t k)
{
    const oracle_heaps heaps = {&story.heaps[k], &story.heaps[k], story.forms[k], story.forms[k]};
    oracle_look(&view, &story.heaps[k], !story.forms[k].by_ordinal);
    age(k);
    memset(&captures[k], 0, sizeof captures[k]);
    oracle_compare(&captures[k], &heaps);
}

static void check_points(const hsd_series *series)
{
    for (size_t k = 0; k < story.count; k++) {
        char label[32];
        snprintf(label, sizeof label, "%02zu.hs", k);
        cr_assert_str_eq(series->points[k].label.data, label);
        cr_assert_str_eq(series->points[k].side.info.path, kit_file(k));
        cr_assert(kit_same(series->points[k].side.unreached, series->unreached.values[k]));
    }
    cr_assert(series->has_times && series->is_one_process);
}

Test(series, equals_the_oracle_on_random_heaps, .timeout = 3600)
{
    const uint64_t first = test_seed(1), wanted = series_count();
    uint64_t compared = 0;
    for (uint64_t i = 0; compared < wanted; i++) {
        const unsigned long seed = (unsigned long)(first + i);
        test_random random = {first + i};
        const size_t count = 2 + (size_t)test_below(&random, KIT_CAPTURES - 1);
        const hsd_series_options options = {.warmup = (uint32_t)test_below(&random, count - 1), .noise_bytes = 1};
        const hsd_run run = random_run(&random);
        hsd_profile *profiles[KIT_CAPTURES];
        if (!kit_make(&story, &random, count)) continue;
        kit_write(&story);
        for (size_t k = 0; k < count; k++) {
            look(k);
            profiles[k] = profile_of(k);
        }
        hsd_series *series = kit_run(count, &options, &run);
        check_points(series);
        check_sums(series, &series->types, 0, seed);
        check_sums(series, &series->roots, 0, seed);
        check_sums(series, &series->holders, 0, seed);
        check_types(series, seed);
        check_roots(series, seed);
        check_holders(series, profiles, seed);
        check_cohorts(series, seed);
        for (size_t k = 0; k < count; k++)
            hsd_profile_free(profiles[k]);
        hsd_series_free(series);
        compared++;
    }
    cr_log_info("%lu series compared with the oracle, 0 differ", (unsigned long)compared);
}

/* Without a domain ids are not trusted; a diff of each pair trusts them, and must come to the same. */
Test(series, ages_by_pairs_are_those_by_ids, .timeout = 3600)
{
    for (uint64_t i = 0, pairs = test_cases(60); i < pairs; i++) {
        const unsigned long seed = (unsigned long)(test_seed(70000) + i);
        test_random random = {seed};
        const size_t count = 2 + (size_t)test_below(&random, 7);
        const hsd_series_options options = {.cohorts = HSD_COHORTS_ALWAYS};
        const hsd_run run = random_run(&random);
        if (!kit_make(&story, &random, count)) continue;
        for (size_t k = 0; k < count; k++)
            story.forms[k].domain = 0;
        kit_write(&story);
        for (size_t k = 0; k < count; k++)
            look(k);
        hsd_series *series = kit_run(count, &options, &run);
        cr_assert_eq(kit_open_most, 2);
        cr_assert_not(series->cohorts.is_by_structure);
        check_cohorts(series, seed);
        hsd_series_free(series);
    }
}

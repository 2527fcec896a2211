/*
 * Objects recognised by structure, against definitions: whoever is taken for whom, the numbers are those of captures in
 * which ids say exactly that. Random pairs of heaps that moved in four ways; which objects are right is printed, and
 * held against the truth where nothing can be mistaken. HSD_PAIRS sets how many (tests/support/sizes.h), HSD_SEED
 * where they start.
 */
#include "structure_kit.h"

#include "check_growth.h"
#include "check_rows.h"
#include "moved.h"
#include "oracle.h"
#include "support/sizes.h"

enum { PAIRS = 5000, MIRRORED = 250, GROVES = 40 };

static oracle_diff wanted;

TestSuite(structure, .init = setup, .fini = teardown);

static uint64_t pair_count(uint64_t built_in)
{
    const char *given = getenv("HSD_PAIRS");
    return given != NULL ? strtoull(given, NULL, 0) * built_in / PAIRS : test_cases(built_in);
}

/* ---- small heaps against the oracle ---- */

static model_form moving_form(uint64_t moment, test_random *random)
{
    model_form form = model_random_form(random);
    form.identity = HSC_IDENTITY_MOVING;
    form.moment = moment;
    return form;
}

static hsd_diff *compare_heaps(const oracle_heaps *heaps, test_random *random, told *all)
{
    const hsd_run run = random_run(random);
    cr_assert(model_write(heaps->before, &heaps->before_form, before_path));
    cr_assert(model_write(heaps->after, &heaps->after_form, after_path));
    return compare(&run, all);
}

static void check_match(const hsd_diff *diff, const told *all, unsigned long seed)
{
    cr_assert(diff->identity_is_known && diff->is_by_structure, "seed %lu", seed);
    cr_assert_eq(diff->match.structure, all->count, "seed %lu", seed);
    cr_assert_eq(diff->match.structure, wanted.matched, "seed %lu: %lu pairs, not %lu", seed, diff->match.structure,
                 wanted.matched);
    cr_assert_eq(diff->match.unmatched_before, wanted.unmatched_before, "seed %lu", seed);
    cr_assert_eq(diff->match.unmatched_after, wanted.unmatched_after, "seed %lu", seed);
}

/* The pairs that were told become the truth of the oracle. */
static void check_pair(const moved_pair *pair, test_random *random, moved_score *score, unsigned long seed)
{
    told all = {0};
    oracle_heaps heaps = {&pair->before, &pair->after, moving_form(0, random),
                          moving_form(test_below(random, 2), random)};
    hsd_diff *diff = compare_heaps(&heaps, random, &all);
    told_sort_by_before(&all);
    const model_heap renamed = moved_renamed(&pair->before, &all);
    heaps.before = &renamed;
    heaps.before_form.identity = heaps.after_form.identity = HSC_IDENTITY_EXACT;
    oracle_compare(&wanted, &heaps);
    check_match(diff, &all, seed);
    check_rows(diff, &wanted, seed);
    check_growth(diff, &wanted, seed);
    told_sort_by_after(&all);
    moved_add_score(score, pair, &all);
    told_free(&all);
    hsd_diff_free(diff);
}

Test(structure, numbers_are_those_of_the_pairs_that_were_told)
{
    const uint64_t first = test_seed(1), pairs = pair_count(PAIRS);
    moved_score scores[MOVED_WAYS] = {0};
    for (uint64_t i = 0; i < pairs; i++) {
        test_random random = {first + i};
        const moved_way way = (moved_way)(i % MOVED_WAYS);
        const moved_pair pair = moved_random(&random, way);
        check_pair(&pair, &random, &scores[way], (unsigned long)(first + i));
    }
    cr_log_info("%lu pairs of heaps compared with the oracle, 0 differ", (unsigned long)pairs);
    for (int way = 0; way < MOVED_WAYS; way++)
        print_score(moved_way_name((moved_way)way), &scores[way]);
}

/* ---- there and back ---- */

static bool same_amount(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

static bool is_mirrored(const hsd_change *there, const hsd_change *back)
{
    return same_amount(there->before, back->after) && same_amount(there->after, back->before) &&
           same_amount(there->undecided, back->undecided) && same_amount(there->new_, back->freed) &&
           same_amount(there->freed, back->new_) && there->kept.objects == back->kept.objects &&
           there->resized_bytes == -back->resized_bytes && there->resized_objects == back->resized_objects;
}

static void check_mirrored_rows(const hsd_diff *there, const hsd_diff *back, unsigned long seed)
{
    cr_assert(is_mirrored(&there->total, &back->total), "seed %lu", seed);
    cr_assert_eq(there->type_count, back->type_count, "seed %lu", seed);
    cr_assert_eq(there->root_count, back->root_count, "seed %lu", seed);
    for (size_t i = 0; i < there->type_count; i++) {
        const hsd_type_row *row = &there->types[i];
        size_t at = 0;
        while (at + 1 < back->type_count && strcmp(back->types[at].name.data, row->name.data) != 0)
            at++;
        cr_assert(is_mirrored(&row->live, &back->types[at].live), "seed %lu type %s", seed, row->name.data);
        cr_assert(same_amount(row->revived, back->types[at].dropped), "seed %lu type %s", seed, row->name.data);
        cr_assert_eq(row->retained_before, back->types[at].retained_after, "seed %lu type %s", seed, row->name.data);
    }
    for (size_t i = 0; i < there->root_count; i++) {
        const hsd_root_row *row = &there->roots[i];
        size_t at = 0;
        while (at + 1 < back->root_count && strcmp(back->roots[at].name.data, row->name.data) != 0)
            at++;
        cr_assert(is_mirrored(&row->live, &back->roots[at].live), "seed %lu root %s", seed, row->name.data);
        cr_assert(same_amount(row->moved_in, back->roots[at].moved_out), "seed %lu root %s", seed, row->name.data);
    }
}

/* The same holder, whose object has the address of the other capture. */
static const hsd_holder *holder_back(const hsd_diff *back, const hsd_holder *holder, const told *all)
{
    const told_pair *pair = holder->has_id ? told_of_after(all, holder->id) : NULL;
    for (size_t i = 0; i < back->holder_count; i++) {
        const hsd_holder *row = &back->holders[i];
        if (row->has_id != holder->has_id) continue;
        if (pair != NULL ? row->id == pair->before : strcmp(row->root.data, holder->root.data) == 0) return row;
    }
    return NULL;
}

/* What several hold together is asked of after alone: of what was freed there is no graph. */
static bool has_sets(const hsd_diff *diff)
{
    for (size_t i = 0; i < diff->holder_count; i++)
        if (diff->holders[i].by_count > 0) return true;
    return false;
}

static void check_mirrored_holders(const hsd_diff *there, const hsd_diff *back, const told *all, unsigned long seed)
{
    cr_assert_eq(there->holder_count + there->other_holder_count, back->holder_count + back->other_holder_count,
                 "seed %lu", seed);
    cr_assert_eq(there->tree_count, back->tree_count, "seed %lu", seed);
    for (size_t i = 0; i < there->holder_count && there->other_holder_count == 0; i++) {
        const hsd_holder *row = &there->holders[i], *mirror = holder_back(back, row, all);
        cr_assert_not_null(mirror, "seed %lu: no holder %s %lx", seed, row->type.data, (unsigned long)row->id);
        cr_assert(same_amount(row->new_, mirror->freed) && same_amount(row->freed, mirror->new_), "seed %lu", seed);
        cr_assert_eq(row->growth_bytes, -mirror->growth_bytes, "seed %lu", seed);
        cr_assert_eq(row->resized_bytes, -mirror->resized_bytes, "seed %lu", seed);
    }
}

static void check_mirrored_pairs(told *there, told *back, unsigned long seed)
{
    cr_assert_eq(there->count, back->count, "seed %lu: %zu pairs there, %zu back", seed, there->count, back->count);
    told_sort_by_after(there);
    told_sort_by_before(back);
    for (size_t i = 0; i < there->count; i++) {
        const told_pair *a = &there->pairs[i], *b = &back->pairs[i];
        cr_assert(a->after == b->before && a->before == b->after, "seed %lu: %lx is %lx there, %lx back", seed,
                  (unsigned long)a->after, (unsigned long)a->before, (unsigned long)b->after);
        cr_assert_eq(a->rung, b->rung, "seed %lu: %lx by %d there, by %d back", seed, (unsigned long)a->after, a->rung,
                     b->rung);
    }
}

static void check_mirrored(const hsd_diff *there, told *told_there, const hsd_diff *back, told *told_back,
                           unsigned long seed)
{
    check_mirrored_pairs(told_there, told_back, seed);
    check_mirrored_rows(there, back, seed);
    if (!has_sets(there) && !has_sets(back)) check_mirrored_holders(there, back, told_there, seed);
    cr_assert_eq(there->match.ambiguous, back->match.ambiguous, "seed %lu", seed);
}

static void check_there_and_back(const char *one, const char *other, const hsd_run *run, unsigned long seed)
{
    told told_there = {0}, told_back = {0};
    hsd_diff *there = compare_files(one, other, (hsd_diff_options){0}, run, &told_there);
    hsd_diff *back = compare_files(other, one, (hsd_diff_options){0}, run, &told_back);
    check_mirrored(there, &told_there, back, &told_back, seed);
    hsd_diff_free(there);
    hsd_diff_free(back);
    told_free(&told_there);
    told_free(&told_back);
}

Test(structure, backwards_is_the_mirror_image)
{
    const uint64_t first = test_seed(200000), pairs = pair_count(MIRRORED);
    for (uint64_t i = 0; i < pairs; i++) {
        test_random random = {first + i};
        const moved_pair pair = moved_random(&random, (moved_way)(i % MOVED_WAYS));
        const model_form one = moving_form(test_below(&random, 2), &random),
                         other = moving_form(test_below(&random, 2), &random);
        const hsd_run run = random_run(&random);
        cr_assert(model_write(&pair.before, &one, before_path));
        cr_assert(model_write(&pair.after, &other, after_path));
        check_there_and_back(before_path, after_path, &run, (unsigned long)(first + i));
    }
}

static void check_empty(const hsd_diff *diff, unsigned long seed)
{
    cr_assert_eq(diff->total.new_.objects + diff->total.freed.objects + diff->total.resized_objects, 0,
                 "seed %lu: %lu new", seed, diff->total.new_.objects);
    cr_assert_eq(diff->match.unmatched_before + diff->match.unmatched_after + diff->match.ambiguous, 0, "seed %lu",
                 seed);
    cr_assert_eq(diff->holder_count + diff->other_holder_count, 0, "seed %lu", seed);
    for (size_t i = 0; i < diff->root_count; i++)
        cr_assert_eq(diff->roots[i].moved_in.objects, 0, "seed %lu", seed);
}

/* The same heap at the same addresses, and at other ones in the same order; records in any order. */
Test(structure, with_itself_is_empty)
{
    const uint64_t first = test_seed(300000), pairs = pair_count(MIRRORED);
    for (uint64_t i = 0; i < pairs; i++) {
        test_random random = {first + i};
        const moved_pair pair = moved_random(&random, MOVED_COMPACTED);
        const model_heap again = moved_elsewhere(&pair.after, i % 2 == 0 ? MOVED_NOT : MOVED_COMPACTED, &random);
        const oracle_heaps heaps = {&pair.after, &again, moving_form(0, &random),
                                    moving_form(test_below(&random, 2), &random)};
        told all = {0};
        hsd_diff *diff = compare_heaps(&heaps, &random, &all);
        check_empty(diff, (unsigned long)(first + i));
        told_free(&all);
        hsd_diff_free(diff);
    }
}

/* ---- larger heaps: windows, gaps, long runs ---- */

typedef struct grove_pair {
    grove before, after;
} grove_pair;

static grove_pair grow_pair(const grove_plan *plan, moved_way way, test_random *random)
{
    grove_pair pair = {grove_grow(plan, 0), grove_grow(plan, 1)};
    grove_place(&pair.before);
    grove_move(&pair.after, &pair.before, way, random);
    return pair;
}

static void free_pair(grove_pair *pair)
{
    grove_free(&pair->before);
    grove_free(&pair->after);
}

static grove_form random_grove_form(hsc_identity identity, uint64_t moment, bool has_parts, test_random *random)
{
    return (grove_form){.identity = identity, .order = test_next(random), .moment = moment, .has_parts = has_parts};
}

/* Which ids the captures have for the same objects must not matter: all rows, in their order. */
static void check_against_ids(const grove_pair *pair, const hsd_diff *diff, told *all, bool has_parts,
                              test_random *random, unsigned long seed)
{
    grove renamed = grove_renamed(&pair->before, all);
    const grove_form before = random_grove_form(HSC_IDENTITY_EXACT, 0, has_parts, random);
    const grove_form after = random_grove_form(HSC_IDENTITY_EXACT, 1, has_parts, random);
    const hsd_run run = random_run(random);
    told exact = {0};
    cr_assert(grove_write(&renamed, &before, before_path));
    cr_assert(grove_write(&pair->after, &after, after_path));
    hsd_diff *by_ids = compare(&run, &exact);
    cr_assert_eq(by_ids->match.exact, all->count, "seed %lu", seed);
    text json = json_of(diff), json_by_ids = json_of(by_ids);
    cr_assert_str_eq(numbers_of(&json), numbers_of(&json_by_ids), "seed %lu", seed);
    free(json.bytes);
    free(json_by_ids.bytes);
    told_free(&exact);
    hsd_diff_free(by_ids);
    grove_free(&renamed);
}

/* With what keeps objects alive: where the memory is too little for that a diff says how much suffices, and it does. */
static hsd_diff *compare_with_holders(const hsd_run *run, told *all, unsigned long seed)
{
    hsd_diff *diff = compare(run, all);
    if (diff->has_holders) return diff;
    char why[128] = "";
    cr_assert_lt(diff->why_no_holders.size, sizeof why, "seed %lu", seed);
    memcpy(why, diff->why_no_holders.data, diff->why_no_holders.size);
    const char *enough = strstr(why, "too few for them, ");
    cr_assert_not_null(enough, "seed %lu: %s", seed, why);
    hsd_run more = *run;
    more.memory_bytes = (uint64_t)strtoull(enough + strlen("too few for them, "), NULL, 10) << 20;
    hsd_diff_free(diff);
    told_free(all);
    *all = (told){0};
    diff = compare(&more, all);
    cr_assert(diff->has_holders, "seed %lu: %s", seed, why);
    return diff;
}

static grove_plan random_plan(uint64_t seed, test_random *random)
{
    return (grove_plan){.seed = seed,
                        .groups = 1 + (unsigned)test_below(random, 6),
                        .entries = 5 + (unsigned)test_below(random, 120),
                        .churn = (unsigned)test_below(random, 30),
                        .mutation = (unsigned)test_below(random, 30),
                        .growth = (unsigned)test_below(random, 40)};
}

static void check_grove(uint64_t seed, moved_way way, moved_score *score)
{
    test_random random = {seed};
    const grove_plan plan = random_plan(seed, &random);
    const bool has_parts = test_below(&random, 4) == 0;
    grove_pair pair = grow_pair(&plan, way, &random);
    const grove_form before = random_grove_form(HSC_IDENTITY_MOVING, 0, has_parts, &random);
    const grove_form after = random_grove_form(HSC_IDENTITY_MOVING, 1, has_parts, &random);
    const hsd_run run = random_run(&random);
    told all = {0};
    cr_assert(grove_write(&pair.before, &before, before_path));
    cr_assert(grove_write(&pair.after, &after, after_path));
    hsd_diff *diff = compare_with_holders(&run, &all, (unsigned long)seed);
    check_there_and_back(before_path, after_path, &run, (unsigned long)seed);
    check_against_ids(&pair, diff, &all, has_parts, &random, (unsigned long)seed);
    if (!has_parts) grove_add_score(score, &pair.before, &pair.after, &all);
    told_free(&all);
    hsd_diff_free(diff);
    free_pair(&pair);
}

Test(structure, numbers_of_larger_heaps_are_those_of_ids)
{
    const uint64_t first = test_seed(400000), pairs = pair_count(GROVES);
    moved_score scores[MOVED_WAYS] = {0};
    for (uint64_t i = 0; i < pairs; i++)
        check_grove(first + i, (moved_way)(i % MOVED_WAYS), &scores[i % MOVED_WAYS]);
    for (int way = 0; way < MOVED_WAYS; way++)
        print_score(moved_way_name((moved_way)way), &scores[way]);
}

/* Where every object has a content of its own and the order is kept, nothing can be mistaken: what is new lies behind
 * all others. */
Test(structure, what_cannot_be_mistaken_is_not)
{
    moved_score score = {0};
    for (uint64_t seed = 0; seed < 8; seed++) {
        test_random random = {test_seed(500000) + seed};
        grove_plan plan = {.seed = seed,
                           .groups = 3,
                           .entries = 100,
                           .churn = (unsigned)(5 * seed),
                           .growth = (unsigned)(5 * seed),
                           .has_unique_points = true};
        grove_pair pair = grow_pair(&plan, MOVED_COMPACTED, &random);
        const grove_form before = random_grove_form(HSC_IDENTITY_MOVING, 0, false, &random);
        const grove_form after = random_grove_form(HSC_IDENTITY_MOVING, 1, false, &random);
        const hsd_run run = random_run(&random);
        told all = {0};
        cr_assert(grove_write(&pair.before, &before, before_path));
        cr_assert(grove_write(&pair.after, &after, after_path));
        hsd_diff_free(compare(&run, &all));
        grove_add_score(&score, &pair.before, &pair.after, &all);
        told_free(&all);
        free_pair(&pair);
    }
    print_score("unique contents", &score);
    cr_assert_eq(score.right, score.told, "%lu of %lu", score.right, score.told);
    cr_assert_eq(score.right, score.there, "%lu of %lu", score.right, score.there);
}

/* ---- churn of equals ---- */

/* What holders seem to have gained from each other, in bytes. */
static uint64_t misplaced(const hsd_diff *diff)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < diff->holder_count; i++)
        bytes += diff->holders[i].growth_bytes > 0 ? (uint64_t)diff->holders[i].growth_bytes : 0;
    return bytes;
}

static void check_nothing_grew(const hsd_diff *diff, unsigned long seed)
{
    for (size_t i = 0; i < diff->type_count; i++)
        cr_assert_eq(hsd_change_bytes(&diff->types[i].live), 0, "seed %lu", seed);
    for (size_t i = 0; i < diff->root_count; i++)
        cr_assert_eq(hsd_change_bytes(&diff->roots[i].live), 0, "seed %lu", seed);
}

/* Every object is another one that looks as the old one did. Where their order says which is which nobody holds more;
 * where it does not, a few twins are taken for those of other holders. */
Test(structure, equals_that_replaced_equals_are_no_growth)
{
    static const uint64_t percent[MOVED_WAYS] = {[MOVED_REGIONS] = 1, [MOVED_SHUFFLED] = 15};
    for (uint64_t seed = 0; seed < 16; seed++) {
        test_random random = {test_seed(600000) + seed};
        const moved_way way = (moved_way)(seed % MOVED_WAYS);
        grove_plan plan = random_plan(seed, &random);
        plan.churn = plan.mutation = plan.growth = 0;
        grove_pair pair = grow_pair(&plan, way, &random);
        const grove_form before = random_grove_form(HSC_IDENTITY_MOVING, 0, false, &random);
        const grove_form after = random_grove_form(HSC_IDENTITY_MOVING, 1, false, &random);
        const hsd_run run = random_run(&random);
        told all = {0};
        cr_assert(grove_write(&pair.before, &before, before_path));
        cr_assert(grove_write(&pair.after, &after, after_path));
        hsd_diff *diff = compare(&run, &all);
        check_nothing_grew(diff, (unsigned long)seed);
        if (percent[way] == 0) check_empty(diff, (unsigned long)seed);
        cr_assert_leq(misplaced(diff) * 100, diff->total.after.bytes * percent[way], "seed %lu: %lu bytes",
                      (unsigned long)seed, misplaced(diff));
        told_free(&all);
        hsd_diff_free(diff);
        free_pair(&pair);
    }
}

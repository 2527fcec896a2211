/*
 * Baselines of random heaps, written in random forms: what is read from one is what was added up, a baseline of it is
 * the same file, and neither memory nor threads, nor where it is written, changes a byte. HSD_PAIRS sets how many
 * heaps, HSD_SEED where they start.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support/capture_file.h"
#include "support/heap_model.h"
#include "support/memfile.h"
#include "support/sizes.h"
#include "unit/diff/test_profile_kit.h"

enum { HEAPS = 600 };

TestSuite(baseline, .init = setup, .fini = teardown);

static char first[120], second[120];

static uint64_t heap_count(void)
{
    const char *given = getenv("HSD_PAIRS");
    return given != NULL ? strtoull(given, NULL, 0) : test_cases(HEAPS);
}

static hsd_capture *open_file(const char *file)
{
    hsd_capture *capture;
    cr_assert_eq(hsd_capture_open(&capture, file, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    return capture;
}

static hsd_profile *add_up(const char *file, size_t places, kit_list *list)
{
    hsd_profile *profile;
    hsd_capture *capture = open_file(file);
    const hsd_profile_options options = {
        .places = places, .each = list != NULL ? kit_take : NULL, .each_context = list};
    cr_assert_eq(hsd_profile_make(&profile, capture, &options, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    return profile;
}

static void keep(const char *from, const char *to, const hsd_baseline_options *options, const hsd_run *run)
{
    uint64_t bytes = 0;
    struct stat there;
    hsd_capture *capture = open_file(from);
    cr_assert_eq(hsd_baseline_write(capture, to, options, run, &bytes, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    cr_assert(stat(to, &there) == 0 && (uint64_t)there.st_size == bytes);
}

static void expect_same_file(const char *a, const char *b, unsigned long seed)
{
    size_t size, other_size;
    uint8_t *bytes = memfile_read_all(a, &size), *others = memfile_read_all(b, &other_size);
    cr_assert(size == other_size && memcmp(bytes, others, size) == 0, "seed %lu: %zu and %zu bytes", seed, size,
              other_size);
    free(bytes);
    free(others);
}

static void tell(void *context, const char *rule, uint64_t offset, uint64_t block, const char *text)
{
    (void)context, (void)offset, (void)block;
    cr_log_error("rule %s: %s", rule, text);
}

static void expect_legal(const char *file, unsigned long seed)
{
    hsd_verify_result result;
    cr_assert_eq(hsd_capture_verify(file, NULL, tell, NULL, &result, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(result.faults, 0, "seed %lu", seed);
}

static void write_heap(test_random *random, bool has_identities)
{
    const model_heap heap = model_random(random);
    model_form form = model_random_form(random);
    if (has_identities) {
        form.identity = HSC_IDENTITY_ADDRESS;
        form.domain = 7;
    }
    cr_assert(model_write(&heap, &form, path));
}

static void expect_same_objects(const kit_list *a, const kit_list *b, unsigned long seed)
{
    cr_assert_eq(a->count, b->count, "seed %lu", seed);
    for (size_t i = 0; i < a->count; i++) {
        cr_assert(a->rows[i].type == b->rows[i].type && a->rows[i].id == b->rows[i].id &&
                      a->rows[i].bytes == b->rows[i].bytes,
                  "seed %lu object %zu", seed, i);
    }
}

/* Heap, baseline, and baseline of that: the same sums, the last two the same bytes. */
static void check_heap(uint64_t seed)
{
    test_random random = {seed};
    kit_list of_heap = {0}, of_first = {0};
    const bool has_identities = test_below(&random, 2) == 0;
    const size_t places = test_below(&random, 3) == 0 ? 1 + (size_t)test_below(&random, 20) : 0;
    const hsd_baseline_options options = {.places = places, .identities = has_identities, .force = true};
    write_heap(&random, has_identities);
    keep(path, first, &options, NULL);
    keep(first, second, &options, NULL);
    hsd_profile *heap = add_up(path, places != 0 ? places : HSD_BASELINE_PLACES, has_identities ? &of_heap : NULL);
    hsd_profile *kept = add_up(first, 0, has_identities ? &of_first : NULL), *again = add_up(second, 0, NULL);
    cr_assert(kept->is_baseline && !heap->is_baseline);
    kit_assert_same(heap, kept, seed);
    kit_assert_same(kept, again, seed);
    expect_same_objects(&of_heap, &of_first, seed);
    expect_same_file(first, second, seed);
    expect_legal(first, seed);
    hsd_profile_free(heap);
    hsd_profile_free(kept);
    hsd_profile_free(again);
    free(of_heap.rows);
    free(of_first.rows);
}

Test(baseline, has_the_sums_of_its_capture_and_so_has_a_baseline_of_it, .timeout = 1200)
{
    const uint64_t count = heap_count(), start = test_seed(1);
    snprintf(first, sizeof first, "%s/first.hs", folder);
    snprintf(second, sizeof second, "%s/second.hs", folder);
    for (uint64_t i = 0; i < count; i++)
        check_heap(start + i);
    cr_log_info("%lu heaps, written and read again, 0 differ", (unsigned long)count);
    remove(first);
    remove(second);
}

static void check_bytes(uint64_t seed, const char *temp_dir)
{
    test_random random = {seed};
    const bool has_identities = test_below(&random, 2) == 0;
    const hsd_baseline_options options = {.identities = has_identities, .force = true};
    write_heap(&random, has_identities);
    keep(path, first, &options, NULL);
    for (unsigned way = 0; way < 3; way++) {
        const hsd_run run = {.memory_bytes = HSD_MEMORY_MIN_BYTES << test_below(&random, 7),
                             .threads = 1 + (unsigned)test_below(&random, 4),
                             .temp_dir = way == 1 ? temp_dir : NULL};
        keep(path, second, &options, &run);
        expect_same_file(first, second, seed);
    }
}

Test(baseline, is_the_same_bytes_for_any_memory_threads_and_place, .timeout = 1200)
{
    const uint64_t count = heap_count() / 4, start = test_seed(2);
    char below[80];
    snprintf(below, sizeof below, "%s/below", folder);
    cr_assert_eq(mkdir(below, 0700), 0);
    snprintf(first, sizeof first, "%s/first.hs", folder);
    snprintf(second, sizeof second, "%s/second.hs", below);
    for (uint64_t i = 0; i < count; i++)
        check_bytes(start + i, below);
    remove(first);
    remove(second);
    rmdir(below);
}

/*
 * The same bytes come out whatever the order of records, the memory, the threads, the locale and the
 * temporary folder. The heap is large enough that the smaller budgets spill, page and walk in turn.
 */
#include <criterion/criterion.h>

#include <locale.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"
#include "support/random.h"
#include "support/sizes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>
#include <hsdiff/report.h>

enum { OBJECTS = 60000, TYPES = 40, ORDERS = 3, MEMORIES = 4, THREADS = 4, RUNS = MEMORIES * THREADS };

static char folder[] = "/tmp/hsdiff-same-XXXXXX";
static char before_path[64], after_path[64], temp_path[64];
static hsd_error err;

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(before_path, sizeof before_path, "%s/before.hs", folder);
    snprintf(after_path, sizeof after_path, "%s/after.hs", folder);
    snprintf(temp_path, sizeof temp_path, "%s/temp", folder);
    cr_assert_eq(mkdir(temp_path, 0700), 0);
    hsd_error_init(&err);
}

static void teardown(void)
{
    remove(before_path);
    remove(after_path);
    rmdir(temp_path);
    rmdir(folder);
}

TestSuite(same_bytes, .init = setup, .fini = teardown);

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK); }

static void write_tables(hsc_writer *w)
{
    for (uint32_t t = 1; t <= TYPES; t++) {
        char name[32];
        snprintf(name, sizeof name, "com.example.Type%u", t % 31);
        good(hsc_define_type(w, t, name, strlen(name), t == 7 ? HSC_TYPE_PART : 0));
        snprintf(name, sizeof name, "thread \"worker-%u\"", t);
        good(hsc_define_string(w, t, name, strlen(name)));
    }
    good(hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 1));
    good(hsc_define_label(w, 2, HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT, 2));
    good(hsc_define_label(w, 3, HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, 3));
}

/* Object i of side 0 or 1: the same whatever the order it is written in. */
static void write_object(hsc_writer *w, uint64_t i, uint64_t side)
{
    test_random random = {i * 2 + (i % 50 == 0 ? side : 0)};
    const hsc_object object = {.id = i * 16 + 4096,
                               .type = 1 + (uint32_t)test_below(&random, TYPES),
                               .size_bytes = 16 + 8 * test_below(&random, 40),
                               .name = 1 + (uint32_t)(i % TYPES)};
    good(hsc_begin_object(w, &object));
    for (uint64_t n = test_below(&random, 6); n > 0; n--) {
        const uint64_t target =
            test_below(&random, 4) == 0 ? test_below(&random, OBJECTS) : i + test_below(&random, 200);
        const uint32_t label = test_below(&random, 500) == 0 ? 2 : 1 + 2 * (uint32_t)(test_below(&random, 20) == 0);
        good(hsc_reference(w, target * 16 + 4096, label, 0));
    }
    good(hsc_end_object(w));
}

static void write_capture(const char *path, uint64_t side, int order)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_ADDRESS;
    options.taken_unix_ns = UINT64_C(1700000000000000000);
    memset(options.capture_id, 1 + (int)side, sizeof options.capture_id);
    remove(path);
    good(hsc_open_file(&w, path, &options));
    if (order != 1) write_tables(w);
    for (uint64_t i = 0; i < OBJECTS; i++) {
        const uint64_t at = order == 0 ? i : order == 1 ? OBJECTS - 1 - i : i * 7919 % OBJECTS;
        if (at % 97 != side) write_object(w, at, side);
    }
    for (uint32_t r = 0; r < 300; r++) {
        const uint32_t at = order == 0 ? r : 299 - r;
        good(hsc_root(w, &(hsc_root_record){
                             .kind = HSC_ROOT_STACK, .label = 1 + at % TYPES, .target = (uint64_t)at * 160 + 4096}));
    }
    if (order == 1) write_tables(w);
    good(hsc_finish(w));
    hsc_close(w);
}

static hsd_status hash_bytes(void *context, const void *data, size_t size, hsd_error *error)
{
    uint64_t *hash = context;
    (void)error;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    return HSD_OK;
}

/* Hash of all reports of one run. Of what changes with the order of records they print the digests of the files alone,
 * which are left out. */
static uint64_t run_once(const hsd_run *run)
{
    hsd_capture *before, *after;
    hsd_diff *diff;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    cr_assert_eq(hsd_capture_open(&before, before_path, HSD_DAMAGE_REFUSE, run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_open(&after, after_path, HSD_DAMAGE_REFUSE, run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_diff_run(&diff, before, after, NULL, run, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(before);
    hsd_capture_close(after);
    cr_assert_gt(diff->total.new_.objects, 100);
    cr_assert_gt(diff->root_count, 50);
    cr_assert(diff->has_holders && diff->holder_count > 1 && diff->tree_count > 50);
    cr_assert(diff->before.info.has_digest && diff->after.info.has_digest);
    diff->before.info.has_digest = diff->after.info.has_digest = false;
    for (size_t i = 0; hsd_report_format_get(i) != NULL; i++) {
        const hsd_report_format *format = hsd_report_format_get(i);
        const hsd_report_options options = {.top = SIZE_MAX, .tree = true};
        if (format->write_diff == NULL) continue; /* of checks alone */
        cr_assert_eq(format->write_diff(diff, &options, hash_bytes, &hash, &err), HSD_OK, "%s", format->name);
    }
    hsd_diff_free(diff);
    return hash;
}

/* Every memory with every number of threads, and each such run with every order, or under sanitizers with one of them.
 */
Test(same_bytes, for_any_order_memory_threads_locale_and_folder, .timeout = 600)
{
    static const uint64_t memory[MEMORIES] = {UINT64_C(16) << 20, UINT64_C(24) << 20, UINT64_C(64) << 20,
                                              UINT64_C(1) << 30};
    static const unsigned threads[THREADS] = {1, 2, 3, 16};
    static const char *const locales[] = {"C", "C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8"};
    const bool is_share = test_size(RUNS, RUNS / ORDERS) < RUNS;
    uint64_t wanted = 0, runs = 0;
    for (int order = 0; order < ORDERS; order++) {
        write_capture(before_path, 0, order);
        write_capture(after_path, 1, order);
        for (unsigned i = 0; i < RUNS; i++) {
            if (is_share && (i + i / ORDERS) % ORDERS != (unsigned)order)
                continue; /* not the same ones have the folder */
            const hsd_run run = {.memory_bytes = memory[i % MEMORIES],
                                 .threads = threads[(i + i / MEMORIES) % THREADS],
                                 .temp_dir = i % 3 == 0 ? temp_path : NULL};
            setlocale(LC_ALL, locales[i % 3 == 0 ? 0 : i % 4]);
            const uint64_t hash = run_once(&run);
            if (runs++ == 0) wanted = hash;
            cr_assert_eq(hash, wanted, "order %d, memory %lu, threads %u", order, (unsigned long)run.memory_bytes,
                         run.threads);
        }
    }
    setlocale(LC_ALL, "C");
    cr_log_info("%lu runs, 1 distinct hash", (unsigned long)runs);
}

/*
 * Several ranks say what one process says, byte for byte, whatever objects are recognised by; and what one of them
 * fails at is the failure of all, with one error, and nobody waits for anybody.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "property/moved.h"
#include "support/heap_model.h"
#include "support/random.h"
#include "support/sizes.h"
#include "thread_ranks.h"
#include <hsdiff/report.h>

enum { PAIRS = 300, SOME = 120, SHARE = 40, DOMAIN_OF_ALL = 7 }; /* all with HSD_LONG=1 */

static char folder[] = "/tmp/hsdiff-ranks-XXXXXX";
static char paths[2][64], others[2][64]; /* rank 1 reads the others where a test says so */
static hsd_error err;

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d.hs", folder, i);
        snprintf(others[i], sizeof others[i], "%s/other-%d.hs", folder, i);
    }
    hsd_error_init(&err);
}

static void teardown(void)
{
    for (int i = 0; i < 2; i++) {
        remove(paths[i]);
        remove(others[i]);
    }
    rmdir(folder);
}

TestSuite(ranks, .init = setup, .fini = teardown);

/* ---- one process, and several ranks ---- */

static hsd_status append(void *context, const void *data, size_t size, hsd_error *error)
{
    return hsd_buffer_append(context, data, size, error);
}

static hsd_buffer report_of(const hsd_diff *diff)
{
    hsd_buffer out = {0};
    const hsd_report_options options = {.top = SIZE_MAX, .tree = true};
    const hsd_report_format *format = hsd_report_format_find("json");
    cr_assert_not_null(format);
    cr_assert_eq(format->write_diff(diff, &options, append, &out, &err), HSD_OK, "%s", err.text);
    return out;
}

static hsd_buffer ask_one(const hsd_diff_options *options)
{
    hsd_capture *before, *after;
    hsd_diff *diff;
    cr_assert_eq(hsd_capture_open(&before, paths[0], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_open(&after, paths[1], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_diff_run(&diff, before, after, options, NULL, &err), HSD_OK, "%s", err.text);
    const hsd_buffer out = report_of(diff);
    hsd_diff_free(diff);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return out;
}

typedef struct all_ranks {
    const hsd_diff_options *options;
    bool has_others;
    const char *temp_of_first; /* rank 0's folder for temporary files */
    hsd_buffer report;
    hsd_status status[THREAD_RANKS_MOST];
    hsd_error errors[THREAD_RANKS_MOST];
    hsd_ranks_stats stats[THREAD_RANKS_MOST];
} all_ranks;

static void run_rank(void *context, const hsd_ranks *ranks)
{
    all_ranks *all = context;
    hsd_error *error = &all->errors[ranks->rank];
    const bool is_other = all->has_others && ranks->rank == 1;
    const hsd_run run = {.threads = 1, .temp_dir = ranks->rank == 0 ? all->temp_of_first : NULL};
    hsd_capture *captures[2] = {NULL, NULL};
    hsd_diff *diff = NULL;
    hsd_status status = HSD_OK;
    hsd_error_init(error);
    for (int i = 0; i < 2 && status == HSD_OK; i++)
        status = hsd_capture_open(&captures[i], is_other ? others[i] : paths[i], HSD_DAMAGE_REFUSE, &run, error);
    status = hsd_ranks_agree(ranks, status, error);
    if (status == HSD_OK)
        status =
            hsd_ranks_diff(&diff, captures[0], captures[1], all->options, &run, ranks, &all->stats[ranks->rank], error);
    all->status[ranks->rank] = status;
    if (status == HSD_OK && ranks->rank == 0) all->report = report_of(diff);
    cr_assert((diff != NULL) == (status == HSD_OK && ranks->rank == 0));
    hsd_diff_free(diff);
    for (int i = 0; i < 2; i++)
        hsd_capture_close(captures[i]);
}

static void check_same(const hsd_diff_options *options, unsigned long seed)
{
    hsd_buffer one = ask_one(options);
    for (unsigned count = 2; count <= THREAD_RANKS_MOST - 1; count++) {
        all_ranks all = {.options = options};
        thread_ranks_run(count, run_rank, &all);
        cr_assert_eq(all.status[0], HSD_OK, "seed %lu ranks %u: %s", seed, count, all.errors[0].text);
        cr_assert(all.stats[0].is_parted, "seed %lu ranks %u", seed, count);
        cr_assert(one.size == all.report.size && memcmp(one.data, all.report.data, one.size) == 0,
                  "seed %lu ranks %u\n%.*s\n%.*s", seed, count, (int)one.size, (const char *)one.data,
                  (int)all.report.size, (const char *)all.report.data);
        hsd_buffer_release(&all.report);
    }
    hsd_buffer_release(&one);
}

static void write_pair(const model_heap *before, const model_heap *after, test_random *random, hsc_identity identity)
{
    for (int i = 0; i < 2; i++) {
        model_form form = model_random_form(random);
        form.identity = identity;
        form.domain = DOMAIN_OF_ALL;
        form.moment = (uint64_t)i + 1;
        cr_assert(model_write(i == 0 ? before : after, &form, paths[i]));
    }
}

static unsigned long pairs_of_a_kind(void)
{
    return (unsigned long)test_size(test_is_long() ? PAIRS : SOME, SHARE) / 4;
}

static void check_evolving(hsc_identity identity, unsigned long first_seed, const hsd_diff_options *options)
{
    const unsigned long count = pairs_of_a_kind();
    for (unsigned long seed = first_seed; seed < first_seed + count; seed++) {
        test_random random = {test_seed(seed)};
        const model_heap before = model_random(&random), after = model_later(&before, &random);
        write_pair(&before, &after, &random, identity);
        check_same(options, seed);
    }
}

Test(ranks, say_what_one_process_says_by_exact_ids, .timeout = 600) { check_evolving(HSC_IDENTITY_EXACT, 1000, NULL); }

Test(ranks, say_what_one_process_says_by_address, .timeout = 600) { check_evolving(HSC_IDENTITY_ADDRESS, 2000, NULL); }

Test(ranks, say_what_one_process_says_of_growth_alone, .timeout = 600)
{
    const hsd_diff_options counts = {.match_by = HSD_MATCH_BY_COUNTS}, bare = {.no_holders = true};
    check_evolving(HSC_IDENTITY_EXACT, 3000, &counts);
    check_evolving(HSC_IDENTITY_ADDRESS, 3500, &bare);
}

Test(ranks, say_what_one_process_says_by_structure, .timeout = 600)
{
    const unsigned long count = pairs_of_a_kind();
    for (unsigned long seed = 4000; seed < 4000 + count; seed++) {
        test_random random = {test_seed(seed)};
        const moved_pair pair = moved_random(&random, (moved_way)(seed % MOVED_WAYS));
        write_pair(&pair.before, &pair.after, &random, HSC_IDENTITY_MOVING);
        check_same(NULL, seed);
    }
}

/* ---- failures ---- */

static void write_exact(unsigned long seed)
{
    test_random random = {seed};
    model_heap before, after;
    do {
        before = model_random(&random);
        after = model_later(&before, &random);
    } while (!model_has_graph(&before) || !model_has_graph(&after));
    write_pair(&before, &after, &random, HSC_IDENTITY_EXACT);
}

/* The file as it is, with one byte changed; at its end where `from_end`. */
static void copy_changed(const char *from, const char *to, long at, bool cuts)
{
    uint8_t bytes[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    cr_assert(in != NULL && out != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    cr_assert(size < sizeof bytes && (size_t)at < size);
    if (at > 0) bytes[at] ^= 0x55;
    cr_assert_eq(fwrite(bytes, 1, cuts ? size / 2 : size, out), cuts ? size / 2 : size);
    fclose(in);
    fclose(out);
}

/* All ranks fail alike, and the error names the file that failed. */
static hsd_status fail_together(all_ranks *all, unsigned count)
{
    thread_ranks_run(count, run_rank, all);
    for (unsigned i = 1; i < count; i++) {
        cr_assert_eq(all->status[i], all->status[0]);
        cr_assert_str_eq(all->errors[i].text, all->errors[0].text);
        cr_assert_str_eq(all->errors[i].file, all->errors[0].file);
    }
    return all->status[0];
}

Test(ranks, fail_where_one_finds_a_file_cut_off)
{
    write_exact(1);
    for (int side = 0; side < 2; side++) {
        copy_changed(paths[0], others[0], 0, side == 0);
        copy_changed(paths[1], others[1], 0, side == 1);
        for (unsigned count = 2; count <= 4; count++) {
            all_ranks all = {.has_others = true};
            cr_assert_eq(fail_together(&all, count), HSD_E_TRUNCATED);
            cr_assert_str_eq(all.errors[0].file, others[side]);
        }
    }
}

/* Blocks are checked when they are read: whatever byte it is, all say the same, and mostly that it is damaged. */
Test(ranks, fail_where_one_reads_damage)
{
    unsigned damaged = 0, whole = 0;
    write_exact(2);
    for (long at = 16; at < 2000; at += (long)test_size(37, 131)) {
        FILE *file = fopen(paths[0], "rb");
        cr_assert_not_null(file);
        fseek(file, 0, SEEK_END);
        const long size = ftell(file);
        fclose(file);
        if (at >= size) break;
        copy_changed(paths[0], others[0], at, false);
        copy_changed(paths[1], others[1], 0, false);
        all_ranks all = {.has_others = true};
        const hsd_status status = fail_together(&all, 3);
        hsd_buffer_release(&all.report);
        damaged += status == HSD_E_CORRUPT;
        whole += status == HSD_OK;
    }
    cr_assert_gt(damaged, 5);
    cr_assert_lt(whole, damaged);
}

Test(ranks, fail_where_one_reads_another_capture)
{
    write_exact(3);
    copy_changed(paths[0], others[1], 0, false);
    copy_changed(paths[1], others[0], 0, false);
    all_ranks all = {.has_others = true};
    cr_assert_eq(fail_together(&all, 4), HSD_E_NOT_FOUND);
    cr_assert_not_null(strstr(all.errors[0].text, "rank 1 finds another capture here than rank 0"));
    cr_assert_not_null(strstr(all.errors[0].hint, "the same files"));
}

/* Rank 0 looks for holders, and the others wait for what it asks. */
Test(ranks, fail_where_rank_0_has_no_room_for_temporary_files)
{
    write_exact(4);
    all_ranks all = {.temp_of_first = "/nowhere/at/all"};
    cr_assert_eq(fail_together(&all, 3), HSD_E_IO);
    cr_assert_not_null(strstr(all.errors[0].text, "cannot create a temporary file"), "%s", all.errors[0].text);
}

static hsd_status take_changed(void *context, const hsd_changed_object *object, hsd_error *error)
{
    (void)context;
    (void)object;
    (void)error;
    return HSD_OK;
}

Test(ranks, refuse_what_lists_objects)
{
    const char *key = "T1:id";
    const hsd_diff_options lists = {.changed = take_changed}, keyed = {.keys = &key, .key_count = 1};
    const hsd_diff_options *const refused[] = {&lists, &keyed};
    write_exact(5);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        all_ranks all = {.options = refused[i]};
        cr_assert_eq(fail_together(&all, 2), HSD_E_UNSUPPORTED);
        cr_assert_not_null(strstr(all.errors[0].text, "of one process"));
    }
}

/* One rank is one process, and says so. */
Test(ranks, of_which_there_is_one_do_all)
{
    write_exact(6);
    hsd_buffer one = ask_one(NULL);
    all_ranks all = {0};
    thread_ranks_run(1, run_rank, &all);
    cr_assert_eq(all.status[0], HSD_OK);
    cr_assert_not(all.stats[0].is_parted);
    cr_assert_str_eq(all.stats[0].why_alone, "there is one rank");
    cr_assert(one.size == all.report.size && memcmp(one.data, all.report.data, one.size) == 0);
    hsd_buffer_release(&one);
    hsd_buffer_release(&all.report);
}

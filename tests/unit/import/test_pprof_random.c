/*
 * Random profiles against a naive count: sums by stack, by type and in all, whatever the order, the packing and the
 * memory.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/capture_view.h"
#include "support/pprof_writer.h"
#include "support/random.h"
#include <hsdiff/import.h>

enum { FUNCTIONS = 12, LOCATIONS = 20, SAMPLES = 120, DEPTH = 9, SPELLING = 512 };

typedef struct truth {
    char stack[SPELLING]; /* names, innermost first */
    uint64_t size;
    int64_t objects, bytes;
} truth;

typedef struct made {
    pprof_writer w;
    uint64_t functions[FUNCTIONS], locations[LOCATIONS];
    char names[LOCATIONS][64]; /* the frames of a location, innermost first */
    truth rows[SAMPLES];
    size_t row_count;
} made;

static void make_location(made *m, size_t i, test_random *random)
{
    pprof_code_line lines[3];
    const size_t count = 1 + test_below(random, 3);
    m->names[i][0] = '\0';
    for (size_t k = 0; k < count; k++) {
        const size_t f = test_below(random, FUNCTIONS);
        lines[k] = (pprof_code_line){m->functions[f], 1 + test_below(random, 3)};
        const size_t used = strlen(m->names[i]);
        snprintf(m->names[i] + used, sizeof m->names[i] - used, "f%zu:%" PRIu64 " ", f, lines[k].line);
    }
    m->locations[i] = pprof_put_location(&m->w, 0, 0x1000 + i, lines, count);
}

static void count(made *m, const char *stack, uint64_t size, int64_t objects, int64_t bytes)
{
    size_t i = 0;
    while (i < m->row_count && (strcmp(m->rows[i].stack, stack) != 0 || m->rows[i].size != size))
        i++;
    if (i == m->row_count) {
        m->row_count++;
        m->rows[i].size = size;
        snprintf(m->rows[i].stack, sizeof m->rows[i].stack, "%s", stack);
    }
    m->rows[i].objects += objects;
    m->rows[i].bytes += bytes;
}

static void make_sample(made *m, test_random *random)
{
    uint64_t stack[DEPTH];
    char spelling[SPELLING] = "";
    const size_t depth = test_below(random, DEPTH + 1);
    for (size_t i = 0; i < depth; i++) {
        const size_t at = test_below(random, test_below(random, 2) == 0 ? 3 : LOCATIONS);
        stack[i] = m->locations[at];
        const size_t used = strlen(spelling);
        snprintf(spelling + used, sizeof spelling - used, "%s", m->names[at]);
    }
    const uint64_t size = 8 * (1 + test_below(random, 3));
    const int64_t sign = test_below(random, 12) == 0 ? -1 : 1, objects = sign * (int64_t)test_below(random, 50),
                  bytes = objects * (int64_t)size;
    const int64_t values[] = {777, bytes, objects};
    const pprof_label labels[] = {{.key = "request", .text = "GET /"}, {.key = "bytes", .number = (int64_t)size}};
    pprof_put_sample(&m->w, stack, depth, values, 3, labels, 2);
    count(m, spelling, size, objects, bytes);
}

static pprof_bytes make(made *m, test_random *random, pprof_order order)
{
    memset(m, 0, sizeof *m);
    m->w.packing = (int)test_below(random, 3);
    pprof_put_sample_type(&m->w, "alloc_space", "bytes");
    pprof_put_sample_type(&m->w, "inuse_space", "bytes");
    pprof_put_sample_type(&m->w, "inuse_objects", "count");
    for (size_t i = 0; i < FUNCTIONS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%zu", i);
        m->functions[i] = pprof_put_function(&m->w, name, "");
    }
    for (size_t i = 0; i < LOCATIONS; i++)
        make_location(m, i, random);
    for (size_t i = 0; i < 20 + test_below(random, SAMPLES - 20); i++)
        make_sample(m, random);
    return pprof_finish(&m->w, order);
}

static void open_profile(pprof_bytes bytes, uint64_t memory_bytes, capture_view *view)
{
    char path[] = "/tmp/pprof-XXXXXX";
    const hsd_import_options options = {.compression = 1};
    const hsd_run run = {.memory_bytes = memory_bytes};
    hsd_import_result result;
    hsd_error err;
    int out = -1;
    const int in = mkstemp(path);
    cr_assert(in >= 0 && write(in, bytes.data, bytes.size) == (ssize_t)bytes.size);
    close(in);
    hsd_error_init(&err);
    cr_assert(hsd_import_temp(path, &options, &run, &out, &result, &err) == HSD_OK, "%s", err.text);
    unlink(path);
    cr_assert(view_open_fd(view, out));
}

static void spell(const capture_view *view, uint32_t site, char out[SPELLING * 2])
{
    size_t used = 0;
    out[0] = '\0';
    for (; site != 0; site = view->sites[site].parent)
        used += (size_t)snprintf(out + used, SPELLING * 2 - used, "%s:%u ",
                                 view_string(view, view->sites[site].function), view->sites[site].line);
}

static uint64_t size_of_type(const char *name) { return strtoull(name, NULL, 10); }

static void expect_sums(const made *m, const capture_view *view, uint64_t seed)
{
    uint64_t objects = 0, without_stack = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        const truth *row = &m->rows[i];
        const uint64_t wanted = row->objects > 0 ? (uint64_t)row->objects : 0,
                       bytes = row->bytes > 0 ? (uint64_t)row->bytes : 0;
        hsd_site_total found = {0};
        objects += wanted;
        if (row->stack[0] == '\0') without_stack += wanted;
        if (row->stack[0] == '\0') continue;
        for (size_t k = 0; k < view->site_total_count; k++) {
            char spelling[SPELLING * 2];
            spell(view, view->site_totals[k].site, spelling);
            if (strcmp(spelling, row->stack) != 0 ||
                size_of_type(view_type(view, view->site_totals[k].type)) != row->size)
                continue;
            found.objects += view->site_totals[k].objects;
            found.bytes += view->site_totals[k].bytes;
        }
        cr_assert(found.objects == wanted && found.bytes == bytes, "seed %" PRIu64 ": %s: %" PRIu64 ", not %" PRIu64,
                  seed, row->stack, found.objects, wanted);
    }
    cr_assert_eq(view->info->summary_objects, objects, "seed %" PRIu64, seed);
    uint64_t at_sites = 0;
    for (size_t k = 0; k < view->site_total_count; k++)
        at_sites += view->site_totals[k].objects;
    cr_assert_eq(at_sites + without_stack, objects, "seed %" PRIu64, seed);
}

Test(pprof_random, sums_are_those_of_a_naive_count)
{
    static made m;
    const uint64_t first = test_seed(1);
    for (uint64_t seed = first; seed < first + 60; seed++) {
        test_random random = {seed};
        capture_view view;
        const pprof_bytes bytes = make(&m, &random, (pprof_order)(seed % PPROF_ORDERS));
        open_profile(bytes, seed % 2 == 0 ? UINT64_C(1) << 20 : UINT64_C(64) << 20, &view);
        free(bytes.data);
        expect_sums(&m, &view, seed);
        view_close(&view);
    }
}

/* More stacks than are known again by their hash, each twice, so that most have been forgotten when they come again. */
Test(pprof_random, stacks_that_were_forgotten_are_the_same_again)
{
    enum { MANY = 90000, CALLERS = 300 };
    static uint64_t locations[CALLERS];
    pprof_writer w = {.packing = 1, .has_dense_ids = 1};
    capture_view view;
    pprof_put_sample_type(&w, "inuse_objects", "count");
    pprof_put_sample_type(&w, "inuse_space", "bytes");
    for (uint64_t i = 0; i < CALLERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%" PRIu64, i);
        locations[i] =
            pprof_put_location(&w, 0, 0x1000 + i, &(pprof_code_line){pprof_put_function(&w, name, ""), i}, 1);
    }
    for (uint64_t i = 0; i < 2 * MANY; i++) {
        const uint64_t at = i % MANY, stack[] = {locations[at / CALLERS], locations[at % CALLERS]};
        const int64_t values[] = {1, 16};
        pprof_put_sample(&w, stack, 2, values, 2, NULL, 0);
    }
    const pprof_bytes bytes = pprof_finish(&w, PPROF_AS_NUMBERED);
    open_profile(bytes, UINT64_C(32) << 20, &view);
    free(bytes.data);
    cr_assert_eq(view.site_total_count, MANY);
    for (size_t i = 0; i < view.site_total_count; i++)
        cr_assert(view.site_totals[i].objects == 2 && view.site_totals[i].bytes == 32);
    view_close(&view);
}

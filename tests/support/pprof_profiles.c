/* Profiles that are known sample by sample. See pprof_profiles.h. */
#include "support/pprof_profiles.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE(w, values, ...)                                                                                         \
    do {                                                                                                               \
        const uint64_t stack_[] = {__VA_ARGS__};                                                                       \
        pprof_put_sample(w, stack_, sizeof stack_ / sizeof stack_[0], values, sizeof values / sizeof values[0], NULL,  \
                         0);                                                                                           \
    } while (0)

static void go_sample(pprof_writer *w, const uint64_t *stack, size_t depth, int64_t allocated, int64_t in_use,
                      int64_t size)
{
    const int64_t values[] = {allocated, allocated * size, in_use, in_use * size};
    const pprof_label label = {.key = "bytes", .number = size};
    pprof_put_sample(w, stack, depth, values, 4, &label, 1);
}

static void go(pprof_writer *w)
{
    pprof_put_period(w, "space", "bytes", 524288);
    pprof_put_sample_type(w, "alloc_objects", "count");
    pprof_put_sample_type(w, "alloc_space", "bytes");
    pprof_put_sample_type(w, "inuse_objects", "count");
    pprof_put_sample_type(w, "inuse_space", "bytes");
    const uint64_t mapping = pprof_put_mapping(w, 0x400000, 0x500000, 0, "/bin/program", "");
    const uint64_t f_main = pprof_put_function(w, "main.main", "/src/main.go"),
                   f_fill = pprof_put_function(w, "main.fill", "/src/main.go"),
                   f_new = pprof_put_function(w, "main.newSession", "/src/main.go"),
                   f_grow = pprof_put_function(w, "runtime.growslice", "/go/slice.go");
    const uint64_t l_main = pprof_put_location(w, mapping, 0x400100, &(pprof_code_line){f_main, 12}, 1),
                   l_fill = pprof_put_location(w, mapping, 0x400200, &(pprof_code_line){f_fill, 31}, 1),
                   l_inlined =
                       pprof_put_location(w, mapping, 0x400300, (pprof_code_line[]){{f_new, 7}, {f_fill, 33}}, 2),
                   l_grow = pprof_put_location(w, mapping, 0x400400, &(pprof_code_line){f_grow, 200}, 1);
    go_sample(w, (uint64_t[]){l_fill, l_main}, 2, 1500, 600, 48);
    go_sample(w, (uint64_t[]){l_grow, l_fill, l_main}, 3, 3, 3, 1024);
    go_sample(w, (uint64_t[]){l_inlined, l_main}, 2, 10, 10, 48);
    go_sample(w, (uint64_t[]){l_main}, 1, 7, 0, 64);
    go_sample(w, NULL, 0, 2, 2, 16);
    go_sample(w, (uint64_t[]){l_fill, l_main}, 2, 400, 400, 48);
    pprof_put_time(w, INT64_C(1700000000000000000));
}

static void node(pprof_writer *w)
{
    pprof_put_sample_type(w, "objects", "count");
    pprof_put_sample_type(w, "space", "bytes");
    pprof_put_period(w, "space", "bytes", 524288);
    const uint64_t f_root = pprof_put_function(w, "(root)", ""),
                   f_leak = pprof_put_function(w, "leak", "file:///app.js");
    const uint64_t l_root = pprof_put_location(w, 0, 0, &(pprof_code_line){f_root, 0}, 1),
                   l_leak = pprof_put_location(w, 0, 0, &(pprof_code_line){f_leak, 14}, 1);
    const int64_t values[] = {120, 960000};
    SAMPLE(w, values, l_leak, l_root);
}

static void native(pprof_writer *w)
{
    pprof_put_sample_type(w, "inuse_space", "bytes");
    pprof_put_sample_type(w, "inuse_objects", "count");
    const uint64_t program = pprof_put_mapping(w, 0x400000, 0x401000, 0x2000, "/opt/a+b{c", "ABCDEF01");
    pprof_put_mapping(w, 0x7f0000000000, 0x7f0000001000, 0, "/lib/libshop.so", "0011aaff");
    const uint64_t code = pprof_put_mapping(w, 0x7f0000002000, 0x7f0000009000, 0x1000, "/lib/libshop.so", "0011aaff");
    const uint64_t l_leaf = pprof_put_location(w, code, 0x7f0000002345, NULL, 0),
                   l_middle = pprof_put_location(w, program, 0x400010, NULL, 0),
                   l_nowhere = pprof_put_location(w, 0, 0x1234, NULL, 0);
    const int64_t values[] = {4096, 4};
    SAMPLE(w, values, l_leaf, l_middle, l_nowhere);
}

static void fuchsia_head(pprof_writer *w, bool has_counts, uint64_t locations[2])
{
    if (has_counts) pprof_put_sample_type(w, "objects", "count");
    pprof_put_sample_type(w, "allocated", "bytes");
    const uint64_t mapping = pprof_put_mapping(w, 0x10000, 0x20000, 0, "bin/shell", "c0ffee");
    const uint64_t f_make = pprof_put_function(w, "shell::make", "shell.cc"),
                   f_malloc = pprof_put_function(w, "malloc", "scudo.cc");
    locations[0] = pprof_put_location(w, mapping, 0x10100, &(pprof_code_line){f_malloc, 3}, 1);
    locations[1] = pprof_put_location(w, mapping, 0x10200, &(pprof_code_line){f_make, 9}, 1);
}

static void fuchsia(pprof_writer *w)
{
    uint64_t stack[2];
    fuchsia_head(w, true, stack);
    for (int64_t process = 0; process < 2; process++) {
        const pprof_label labels[] = {{.key = "process_name",
                                       .text = process == 0 ? "shell"
                                                            : "cob\x1b"
                                                              "alt"},
                                      {.key = "process_koid", .number = 1170 + process}};
        pprof_put_sample(w, stack, 2, (int64_t[]){5 + process, 400}, 2, labels, 2);
    }
}

static void put_tagged(pprof_writer *w, bool has_counts)
{
    static const struct {
        const char *address;
        int64_t size, timestamp;
    } blocks[] = {{"0x1000", 64, 1000000000},
                  {"0x1040", 64, 2000000000},
                  {"0x2000", 4096, 3000000000},
                  {"0x2000", 32, 4000000000},
                  {"odd", 8, 0}};
    uint64_t stack[2];
    fuchsia_head(w, has_counts, stack);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        const pprof_label labels[] = {{.key = "process_name", .text = "shell"},
                                      {.key = "process_koid", .number = 1170},
                                      {.key = "address", .text = blocks[i].address},
                                      {.key = "bytes", .number = blocks[i].size, .unit = "bytes"},
                                      {.key = "timestamp", .number = blocks[i].timestamp, .unit = "nanoseconds"},
                                      {.key = "thread", .text = "main[1171]"}};
        const int64_t values[] = {1, blocks[i].size};
        pprof_put_sample(w, stack, 2, has_counts ? values : values + 1, has_counts ? 2 : 1, labels, 6);
    }
}

static void tags(pprof_writer *w) { put_tagged(w, true); }

static void uncounted(pprof_writer *w) { put_tagged(w, false); }

static void difference(pprof_writer *w)
{
    pprof_put_sample_type(w, "inuse_objects", "count");
    pprof_put_sample_type(w, "inuse_space", "kilobytes");
    const uint64_t f = pprof_put_function(w, "grow", ""), g = pprof_put_function(w, "shrink", "");
    const uint64_t l = pprof_put_location(w, 0, 0, &(pprof_code_line){f, 1}, 1),
                   k = pprof_put_location(w, 0, 0, &(pprof_code_line){g, 1}, 1);
    const int64_t more[] = {10, 100}, less[] = {-4, -40};
    SAMPLE(w, more, l);
    SAMPLE(w, less, l);
    SAMPLE(w, less, k);
}

static void allocs(pprof_writer *w)
{
    pprof_put_sample_type(w, "alloc_space", "bytes");
    pprof_put_sample_type(w, "alloc_objects", "count");
    const uint64_t f = pprof_put_function(w, "busy", "");
    const uint64_t l = pprof_put_location(w, 0, 0, &(pprof_code_line){f, 1}, 1);
    const int64_t values[] = {640, 10};
    SAMPLE(w, values, l);
}

static void cpu(pprof_writer *w)
{
    pprof_put_sample_type(w, "samples", "count");
    pprof_put_sample_type(w, "cpu", "nanoseconds");
    pprof_put_period(w, "cpu", "nanoseconds", 10000000);
    const int64_t values[] = {1, 10000000};
    SAMPLE(w, values, 11);
}

static void odd(pprof_writer *w)
{
    pprof_put_sample_type(w, "inuse_objects", "count");
    pprof_put_sample_type(w, "inuse_space", "bytes");
    const uint64_t no_function = pprof_put_location(w, 99, 0, &(pprof_code_line){12345, 1}, 1);
    const int64_t values[] = {1, 8}, few[] = {1}, many[] = {1, 2, 3}, most[] = {INT64_MAX, INT64_MAX};
    /* strings that are not there */
    pprof_append_bytes(&w->of_kind[5], 5, "\x08\x07\x10\xff\xff\x03\x20\xff\xff\x03", 10);
    pprof_append_bytes(&w->of_kind[4], 4, "\x08\xc8\x01\x22\x02\x08\x07", 7); /* location 200 */
    /* one without an id */
    pprof_append_bytes(&w->of_kind[4], 4, "\x10\x01", 2);
    SAMPLE(w, values, no_function, 200, 424242);
    SAMPLE(w, few, no_function);
    SAMPLE(w, many, no_function);
    SAMPLE(w, most, 200);
    SAMPLE(w, most, 200);
}

const pprof_profile pprof_profiles[] = {
    {"go", go, PPROF_AS_GO, 1},
    {"node", node, PPROF_AS_NUMBERED, 0},
    {"native", native, PPROF_AS_NUMBERED, 2},
    {"fuchsia", fuchsia, PPROF_AS_NUMBERED, 1},
    {"tags", tags, PPROF_AS_NUMBERED, 1},
    {"uncounted", uncounted, PPROF_AS_NUMBERED, 1},
    {"difference", difference, PPROF_TABLES_FIRST, 1},
    {"allocs", allocs, PPROF_AS_GO, 0},
    {"cpu", cpu, PPROF_AS_GO, 1},
    {"odd", odd, PPROF_AS_NUMBERED, 2},
};

const size_t pprof_profile_count = sizeof pprof_profiles / sizeof pprof_profiles[0];

static const pprof_profile *find(const char *name)
{
    for (size_t i = 0; i < pprof_profile_count; i++)
        if (strcmp(pprof_profiles[i].name, name) == 0) return &pprof_profiles[i];
    abort();
}

pprof_bytes pprof_profile_in(const char *name, pprof_order order, int packing)
{
    pprof_writer w = {.packing = packing};
    find(name)->fill(&w);
    return pprof_finish(&w, order);
}

pprof_bytes pprof_profile_named(const char *name)
{
    const pprof_profile *profile = find(name);
    return pprof_profile_in(name, profile->order, profile->packing);
}

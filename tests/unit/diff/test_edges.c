/*
 * Names of references: one numbering for all captures, in the order of the texts, whatever the order of the
 * labels.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "support/random.h"
#include "walk/edges.h"
#include <hscapture/hscapture.h>

static char folder[] = "/tmp/hsdiff-edges-XXXXXX";
static hsd_error err;

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    hsd_error_init(&err);
}

static const char *path_of(int side)
{
    static char path[2][64];
    snprintf(path[side], sizeof path[side], "%s/%d.hs", folder, side);
    return path[side];
}

static void teardown(void)
{
    remove(path_of(0));
    remove(path_of(1));
    rmdir(folder);
}

TestSuite(edges, .init = setup, .fini = teardown);

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK); }

typedef struct label {
    hsc_label_kind kind;
    uint32_t flags;
    const char *name; /* NULL: none */
} label;

static void write_labels(int side, const label *labels, uint32_t count)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    good(hsc_open_file(&w, path_of(side), &options));
    for (uint32_t i = 0; i < count; i++) {
        const char *name = labels[i].name;
        if (name != NULL) good(hsc_define_string(w, i + 10, name, strlen(name)));
        good(hsc_define_label(w, i + 1, labels[i].kind, labels[i].flags, name != NULL ? i + 10 : 0));
    }
    good(hsc_finish(w));
    hsc_close(w);
}

typedef struct loaded {
    hsd_capture *captures[2];
    hsd_label_table tables[2];
    hsd_edge_names edges;
} loaded;

static loaded load(uint32_t count)
{
    loaded l;
    hsd_label_table *tables[2] = {&l.tables[0], &l.tables[1]};
    memset(&l, 0, sizeof l);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(hsd_capture_open(&l.captures[i], path_of((int)i), HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                     err.text);
        cr_assert_eq(hsd_label_table_load(&l.tables[i], l.captures[i], &err), HSD_OK);
    }
    cr_assert_eq(hsd_edge_names_load(&l.edges, tables, l.captures, count, &err), HSD_OK, "%s", err.text);
    return l;
}

static void release(loaded *l)
{
    hsd_edge_names_release(&l->edges);
    for (int i = 0; i < 2; i++) {
        hsd_label_table_release(&l->tables[i]);
        if (l->captures[i] != NULL) hsd_capture_close(l->captures[i]);
    }
}

/* Number of the name of label `id` on a side, with HSD_EDGE_SOFT. */
static uint32_t number_of(const loaded *l, int side, uint32_t id)
{
    const hsd_label *found = hsd_label_get(&l->tables[side], id);
    cr_assert_not_null(found);
    return l->tables[side].edges[found - l->tables[side].labels];
}

static const char *text_of(const loaded *l, uint32_t number)
{
    cr_assert_lt(HSD_EDGE_NAME(number), l->edges.count);
    return (const char *)hsd_edge_text(&l->edges, number).data;
}

static void check_order(const hsd_edge_names *edges)
{
    cr_assert_eq(edges->texts[HSD_EDGE_NAMELESS].size, 0);
    cr_assert_not(edges->is_fold[HSD_EDGE_NAMELESS]);
    for (uint32_t i = 1; i < edges->count; i++) {
        const hsd_bytes a = edges->texts[i - 1], b = edges->texts[i];
        int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
        if (order == 0) order = (a.size > b.size) - (a.size < b.size);
        cr_assert(order < 0 || (order == 0 && !edges->is_fold[i - 1] && edges->is_fold[i]), "%u", i);
        cr_assert_eq(b.data[b.size], 0);
    }
}

Test(edges, reads_as_a_person_would_write_the_step)
{
    static const struct {
        label label;
        const char *text;
    } cases[] = {
        {{HSC_LABEL_FIELD, 0, "map"}, ".map"},
        {{HSC_LABEL_VARIABLE, 0, "map"}, ".map"},
        {{HSC_LABEL_STATIC, 0, "CACHE"}, ".CACHE"},
        {{HSC_LABEL_FIELD, 0, NULL}, ""},
        {{HSC_LABEL_ELEMENT, 0, NULL}, "[*]"},
        {{HSC_LABEL_ELEMENT, 0, "ignored"}, "[*]"},
        {{HSC_LABEL_KEY, 0, "user"}, "[\"user\"]"},
        {{HSC_LABEL_VALUE, 0, "user"}, "[\"user\"]"},
        {{HSC_LABEL_KEY, 0, NULL}, "[*]"},
        {{HSC_LABEL_VALUE, 0, NULL}, "[*]"},
        {{HSC_LABEL_INTERNAL, 0, "code"}, "<code>"},
        {{HSC_LABEL_INTERNAL, 0, NULL}, "<internal>"},
        {{HSC_LABEL_CLASS, 0, "class"}, "<class>"},
        {{HSC_LABEL_CLASS, 0, NULL}, "<class>"},
        {{HSC_LABEL_FIELD, 0, ""}, ""},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    label labels[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        labels[i] = cases[i].label;
    write_labels(0, labels, COUNT);
    loaded l = load(1);
    check_order(&l.edges);
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert_str_eq(text_of(&l, number_of(&l, 0, i + 1)), cases[i].text, "label %u", i + 1);
    }
    cr_assert_eq(number_of(&l, 0, 4), HSD_EDGE_NAMELESS);
    cr_assert_eq(l.edges.count, 8); /* equal texts are one name */
    cr_assert_gt(hsd_edge_names_memory(&l.edges), 0);
    release(&l);
}

Test(edges, keeps_soft_references_behind_strong_ones_and_folded_names_apart)
{
    static const label labels[] = {
        {HSC_LABEL_FIELD, HSC_STRENGTH_SOFT, "a"}, {HSC_LABEL_FIELD, 0, "z"},
        {HSC_LABEL_FIELD, HSC_LABEL_FOLD, "a"},    {HSC_LABEL_FIELD, 0, "a"},
        {HSC_LABEL_ELEMENT, HSC_LABEL_FOLD, NULL}, {HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, "weak"},
        {HSC_LABEL_FIELD, HSC_LABEL_FOLD, NULL}};
    write_labels(0, labels, 7);
    loaded l = load(1);
    check_order(&l.edges);
    const uint32_t soft = number_of(&l, 0, 1), z = number_of(&l, 0, 2), folded = number_of(&l, 0, 3),
                   a = number_of(&l, 0, 4);
    cr_assert_gt(soft, z);
    cr_assert_eq(HSD_EDGE_NAME(soft), a);
    cr_assert_str_eq(text_of(&l, folded), ".a");
    cr_assert_eq(folded, a + 1);
    cr_assert(l.edges.is_fold[folded] && !l.edges.is_fold[a]);
    cr_assert(l.edges.is_fold[number_of(&l, 0, 5)]);
    cr_assert_eq(number_of(&l, 0, 6), HSD_EDGE_NAMELESS); /* weak ones are never asked for */
    cr_assert_eq(number_of(&l, 0, 7), 1);
    cr_assert(l.edges.is_fold[1]);
    release(&l);
}

static void random_labels(label *labels, char names[][16], uint32_t count, test_random *random)
{
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], 16, "n%lu", (unsigned long)test_below(random, 40));
        labels[i] =
            (label){(hsc_label_kind)test_below(random, 8), test_below(random, 4) == 0 ? HSC_LABEL_FOLD : 0, names[i]};
    }
}

Test(edges, numbers_both_captures_alike_whatever_the_order_of_their_labels)
{
    enum { COUNT = 60 };
    for (uint64_t round = 0; round < 40; round++) {
        test_random random = {test_seed(31) + round};
        label labels[COUNT], reversed[COUNT];
        char names[COUNT][16];
        uint32_t numbers[COUNT];
        random_labels(labels, names, COUNT, &random);
        for (uint32_t i = 0; i < COUNT; i++)
            reversed[i] = labels[COUNT - 1 - i];
        write_labels(0, labels, COUNT);
        write_labels(1, reversed, COUNT);
        loaded l = load(2);
        check_order(&l.edges);
        for (uint32_t i = 0; i < COUNT; i++) {
            numbers[i] = number_of(&l, 0, i + 1);
            cr_assert_eq(numbers[i], number_of(&l, 1, COUNT - i));
        }
        release(&l);
        l = load(1);
        for (uint32_t i = 0; i < COUNT; i++)
            cr_assert_eq(numbers[i], number_of(&l, 0, i + 1));
        release(&l);
        teardown();
        cr_assert_eq(mkdir(folder, 0700), 0);
    }
}

Test(edges, counts_names_past_the_limit_as_elements)
{
    hsc_writer *w;
    hsc_options options;
    const uint32_t count = HSD_MAX_EDGE_NAMES + 500;
    char name[32];
    hsc_options_init(&options);
    good(hsc_open_file(&w, path_of(0), &options));
    for (uint32_t i = 1; i <= count; i++) {
        snprintf(name, sizeof name, "key%u", i);
        good(hsc_define_string(w, i, name, strlen(name)));
        good(hsc_define_label(w, i, HSC_LABEL_FIELD, 0, i));
    }
    for (uint32_t i = 1; i <= 2 * HSD_MAX_EDGE_NAMES; i++) { /* so many that their texts are not even fetched */
        snprintf(name, sizeof name, "more%u", i);
        good(hsc_define_string(w, count + i, name, strlen(name)));
        good(hsc_define_label(w, count + i, HSC_LABEL_FIELD, 0, count + i));
    }
    good(hsc_finish(w));
    hsc_close(w);
    loaded l = load(1);
    check_order(&l.edges);
    cr_assert_eq(l.edges.count, HSD_MAX_EDGE_NAMES);
    const uint32_t named = HSD_MAX_EDGE_NAMES - 2; /* nameless and [*] are always there */
    for (uint32_t i = 1; i <= count + 2 * HSD_MAX_EDGE_NAMES; i += i < count ? 1 : 977) {
        snprintf(name, sizeof name, ".key%u", i);
        cr_assert_str_eq(text_of(&l, number_of(&l, 0, i)), i <= named ? name : "[*]", "label %u", i);
    }
    release(&l);
}

Test(edges, cuts_very_long_names_and_takes_strings_that_are_not_there_for_none)
{
    hsc_writer *w;
    hsc_options options;
    char name[2000];
    memset(name, 'x', sizeof name);
    hsc_options_init(&options);
    good(hsc_open_file(&w, path_of(0), &options));
    good(hsc_define_string(w, 1, name, sizeof name));
    good(hsc_define_label(w, 1, HSC_LABEL_KEY, 0, 1));
    good(hsc_define_label(w, 2, HSC_LABEL_FIELD, 0, 77));
    good(hsc_finish(w));
    hsc_close(w);
    loaded l = load(1);
    const char *text = text_of(&l, number_of(&l, 0, 1));
    cr_assert_eq(strlen(text), 255 + 4);
    cr_assert_str_eq(text + 2 + 255, "\"]");
    cr_assert_eq(number_of(&l, 0, 2), HSD_EDGE_NAMELESS);
    release(&l);
}

/* A link holds every name of a reference that there is, soft ones and none, with any node. */
Test(edges, links_hold_nodes_and_names_and_are_in_the_order_of_both)
{
    static const uint32_t names[] = {0,
                                     1,
                                     HSD_MAX_EDGE_NAMES - 1,
                                     HSD_MAX_EDGE_NAMES,
                                     HSD_EDGE_SOFT,
                                     HSD_EDGE_SOFT | 1,
                                     HSD_EDGE_SOFT | HSD_MAX_EDGE_NAMES,
                                     UINT32_MAX};
    static const hsd_node nodes[] = {
        0,
        1,
        UINT32_MAX - 1,
        UINT32_MAX,
#if HSD_NODE_BITS == 64
        UINT64_C(1) << 32,
        (UINT64_C(1) << 41) - 1,
#endif
    };
    uint64_t last = 0;
    for (size_t n = 0; n < HSD_ARRAY_LEN(nodes); n++) {
        for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++) {
            const uint64_t link = hsd_link_of(nodes[n], names[i]);
            cr_assert_eq(hsd_link_from(link), nodes[n]);
            cr_assert_eq(hsd_link_name(link), names[i], "%x, not %x", hsd_link_name(link), names[i]);
            cr_assert((n == 0 && i == 0) || last <= link);
            cr_assert_eq(hsd_link_is_less(last, link), i > 0);
            last = link;
        }
    }
}

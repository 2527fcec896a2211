/*
 * A side of a diff by itself.
 */
#include "side_kit.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/random.h"

const kit_label kit_labels[KIT_LABELS] = {
    {HSC_LABEL_FIELD, 0, "b", ".b"},
    {HSC_LABEL_FIELD, 0, "a", ".a"},
    {HSC_LABEL_ELEMENT, 0, NULL, "[*]"},
    {HSC_LABEL_VARIABLE, HSC_STRENGTH_SOFT, "c", ".c"},
    {HSC_LABEL_FIELD, HSC_STRENGTH_SOFT, "a", ".a"},
    {HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, "weak", NULL},
    {HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, "n", ".n"},
    {HSC_LABEL_INTERNAL, HSC_LABEL_FOLD, "i", "<i>"},
    {HSC_LABEL_KEY, 0, "k", "[\"k\"]"},
};

char kit_path[] = "/tmp/hsdiff-side-XXXXXX";
hsd_temp_space kit_space;
hsd_error kit_err;

void kit_setup(void)
{
    const int fd = mkstemp(kit_path);
    cr_assert_geq(fd, 0);
    close(fd);
    hsd_temp_space_init(&kit_space, NULL);
    hsd_error_init(&kit_err);
}

void kit_teardown(void) { remove(kit_path); }

/* ---- captures ---- */

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK); }

static void define_string(hsc_writer *w, uint32_t number, const char *text)
{
    good(hsc_define_string(w, number, text, strlen(text)));
}

void kit_write_tables(hsc_writer *w)
{
    char name[16];
    for (uint32_t i = 0; i < KIT_LABELS; i++) {
        const kit_label *label = &kit_labels[i];
        if (label->name != NULL) define_string(w, i + 1, label->name);
        good(hsc_define_label(w, i + 1, label->kind, label->flags, label->name != NULL ? i + 1 : 0));
    }
    for (uint32_t i = 0; i < KIT_TYPES; i++) {
        snprintf(name, sizeof name, "T%u", i);
        good(hsc_define_type(w, i + 1, name, strlen(name), i == KIT_PART_TYPE ? HSC_TYPE_PART : 0));
        snprintf(name, sizeof name, "r%u", i);
        define_string(w, KIT_ROOT_STRING + i, name);
    }
}

static void write_reference(hsc_writer *w, uint64_t i, uint64_t target, const kit_large *how, test_random *random)
{
    const uint32_t drawn = (uint32_t)test_below(random, KIT_LABELS + 1);
    const uint32_t label = drawn == KIT_NAMED + 1 && i % how->named_each != 0 ? 0 : drawn;
    good(hsc_reference(w, how->by_ordinal ? target : target * 8, label, 0));
}

static void write_object(hsc_writer *w, uint64_t i, uint64_t count, const kit_large *how, test_random *random)
{
    good(hsc_begin_object(w, &(hsc_object){.id = i * 8, .type = 1 + (uint32_t)(i % KIT_TYPES), .size_bytes = i % 100}));
    for (uint64_t r = 1; r <= 2 && how->is_tree && 2 * i + r < count; r++)
        write_reference(w, i, 2 * i + r, how, random);
    for (uint64_t r = how->is_tree && i % 32 != 0 ? 0 : test_below(random, 7); r > 0; r--) {
        const bool is_far = test_below(random, 9) == 0;
        const uint64_t target = is_far ? test_below(random, count) : (i + 1 + test_below(random, 50)) % count;
        write_reference(w, i, target, how, random);
    }
    good(hsc_end_object(w));
}

void kit_write_large(uint64_t count, bool by_ordinal)
{
    kit_write_as(count, &(kit_large){.by_ordinal = by_ordinal, .named_each = 1});
}

void kit_write_as(uint64_t count, const kit_large *how)
{
    const bool by_ordinal = how->by_ordinal;
    hsc_writer *w;
    hsc_options options;
    test_random random = {77};
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_EXACT;
    options.targets_are_ordinals = by_ordinal;
    remove(kit_path);
    good(hsc_open_file(&w, kit_path, &options));
    kit_write_tables(w);
    for (uint64_t i = 0; i < count; i++)
        write_object(w, i, count, how, &random);
    for (uint64_t i = 0; i < 50; i++) {
        good(hsc_root(w, &(hsc_root_record){.label = KIT_ROOT_STRING + (uint32_t)(i % 3),
                                            .target = by_ordinal ? i : i * 8,
                                            .flags = i % 7 == 0 ? HSC_ROOT_SECONDARY : 0}));
    }
    good(hsc_finish(w));
    hsc_close(w);
}

/* ---- the product ---- */

static hsd_plan_side plan_of(uint64_t bytes)
{
    return (hsd_plan_side){.id_sort_bytes = bytes,
                           .id_serve_bytes = bytes,
                           .reference_sort_bytes = bytes,
                           .reference_serve_bytes = bytes,
                           .source_sort_bytes = bytes,
                           .source_serve_bytes = bytes,
                           .edge_sort_bytes = bytes,
                           .edge_serve_bytes = bytes,
                           .build_bytes = bytes,
                           .adjacency_bytes = bytes,
                           .part_bytes = bytes,
                           .folded_bytes = bytes,
                           .name_bytes = bytes,
                           .dominator_bytes = 4 * bytes,
                           .place_sort_bytes = bytes,
                           .place_link_bytes = bytes,
                           .place_walk_bytes = bytes,
                           .link_walk_bytes = bytes,
                           .place_serve_bytes = bytes,
                           .link_bytes = bytes,
                           .idle_adjacency_bytes = bytes,
                           .idle_name_bytes = bytes,
                           .link_serve_bytes = bytes,
                           .type_bytes = bytes,
                           .tree_sort_bytes = bytes,
                           .tree_serve_bytes = bytes,
                           .path_bytes = bytes,
                           .owner_bytes = bytes,
                           .identity_sort_bytes = bytes,
                           .identity_serve_bytes = bytes};
}

void kit_open(kit_side *kit, uint64_t bytes, bool sorts_places)
{
    memset(kit, 0, sizeof *kit);
    hsd_reporter_init(&kit->reporter, NULL);
    cr_assert_eq(hsd_capture_open(&kit->capture, kit_path, HSD_DAMAGE_REFUSE, NULL, &kit_err), HSD_OK, "%s",
                 kit_err.text);
    kit->request = (hsd_walk_request){.capture = kit->capture,
                                      .space = &kit_space,
                                      .reporter = &kit->reporter,
                                      .type_names = &kit->types,
                                      .table_bytes = 1 << 22,
                                      .want_identity = true,
                                      .want_tree = true,
                                      .keeps = HSD_GRAPH_STAYS,
                                      .plan = plan_of(bytes)};
    if (sorts_places) kit->request.plan.place_sort_bytes = 1;
}

hsd_status kit_begin(kit_side *kit)
{
    hsd_label_table *table = &kit->side.labels;
    HSD_TRY(hsd_type_names_init(&kit->types, &kit_err));
    HSD_TRY(hsd_side_open(&kit->side, &kit->request, &kit_err));
    HSD_TRY(hsd_edge_names_load(&kit->edges, &table, &kit->capture, 1, &kit_err));
    kit->request.edge_names = &kit->edges;
    return HSD_OK;
}

hsd_status kit_walk(kit_side *kit)
{
    HSD_TRY(kit_begin(kit));
    return hsd_side_run(&kit->side, &kit_err);
}

void kit_release(kit_side *kit)
{
    hsd_side_release(&kit->side);
    hsd_edge_names_release(&kit->edges);
    hsd_type_names_release(&kit->types);
    if (kit->capture != NULL) hsd_capture_close(kit->capture);
    hsd_reporter_release(&kit->reporter);
}

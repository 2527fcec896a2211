/*
 * The importer of massif's files, on files that are known line by line: which snapshot is taken, how a tree becomes
 * stacks, what its frames are called, and what is no such file.
 */
#include "support/stack_profile.h"

#define HEAD "desc: --massif-out-file=massif.out\ncmd: /srv/my/shop --secret x\ntime_unit: i\n"

#define SNAPSHOT(number, bytes, tree)                                                                                  \
    "#-----------\nsnapshot=" number "\n#-----------\ntime=" number "000\nmem_heap_B=" bytes                           \
    "\nmem_heap_extra_B=24\nmem_stacks_B=0\nheap_tree=" tree "\n"

#define TREE                                                                                                           \
    "n4: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"                                       \
    " n2: 600 0x109236: make_order() (shop.cc:9)\n"                                                                    \
    "  n0: 400 0x109272: fill(int) (shop.cc:10)\n"                                                                     \
    "  n0: 200 in 7 places, all below massif's threshold (1.00%)\n"                                                    \
    " n1: 300 0x10977A: push_back (stl_vector.h:1294)\n"                                                               \
    "  n0: 300 0x10977A: main (shop.cc:12)\n"                                                                          \
    " n1: 90 0x48FB7B9: ??? (in /usr/lib/libstdc++.so.6.0.30)\n"                                                       \
    "  n0: 90 0x401AB9F: (below main) (in /srv/my (2)/libshop.so)\n"                                                   \
    " n0: 10 in 1 place, below massif's threshold (1.00%)\n"

static const char two[] = HEAD SNAPSHOT("0", "0", "empty") SNAPSHOT(
    "3", "500",
    "peak") "n1: 500 (heap allocation "
            "functions) malloc/new/new[], --alloc-fns, etc.\n n0: 500 0x109236: make_order() (shop.cc:9)\n" SNAPSHOT(
                "7", "1000", "detailed") TREE SNAPSHOT("8", "1010", "empty");

static const hsd_import_options plain = {.compression = 1}, whatever = {.compression = 1, .salvage = true},
                                third = {.compression = 1, .dump_number = 3},
                                ninth = {.compression = 1, .dump_number = 9},
                                named = {.compression = 1, .format = "massif"};

static void expect_stack(const capture_view *view, uint64_t bytes, const char *wanted)
{
    char got[1024];
    for (size_t i = 0; i < view->site_total_count; i++) {
        if (view->site_totals[i].bytes != bytes) continue;
        text_of_site(view, view->site_totals[i].site, got, sizeof got);
        cr_assert(strcmp(got, wanted) == 0, "%s", got);
        return;
    }
    cr_assert_fail("no stack has %llu bytes", (unsigned long long)bytes);
}

Test(massif, takes_the_last_snapshot_with_stacks)
{
    hsd_import_result result;
    capture_view view;
    open_text(two, &plain, &result, &view);
    cr_assert(result.bytes == 1000 && result.objects == 5 && result.is_complete);
    cr_assert(strcmp(view.info->process_name, "shop") == 0, "%s", view.info->process_name);
    expect_total(&view, "allocated at make_order()", 2, 600);
    expect_total(&view, "allocated at main", 1, 300); /* what a container took is its user's */
    expect_total(&view, "allocated at (below main)", 1, 90);
    expect_total(&view, "allocated at (below massif's threshold)", 1, 10);
    expect_stack(&view, 400, "make_order() shop.cc:9\nfill(int) shop.cc:10\n");
    expect_stack(&view, 200, "make_order() shop.cc:9\n(below massif's threshold) :0\n");
    expect_stack(&view, 300, "std::push_back stl_vector.h:1294\nmain shop.cc:12\n");
    expect_stack(&view, 90, "(unknown function of libstdc++.so.6.0.30) :0\n(below main) :0\n");
    view_close(&view);
}

Test(massif, takes_the_snapshot_that_is_asked_for)
{
    hsd_import_result result;
    capture_view view;
    open_text(two, &third, &result, &view);
    cr_assert(result.bytes == 500 && view.site_total_count == 1);
    expect_total(&view, "allocated at make_order()", 1, 500);
    view_close(&view);
    expect_refusal(two, sizeof two - 1, &ninth, HSD_E_UNSUPPORTED,
                   "no snapshot 9 with stacks in this file of massif: 3, 7");
}

Test(massif, says_that_no_snapshot_has_stacks)
{
    static const char text[] = HEAD SNAPSHOT("0", "0", "empty") SNAPSHOT("1", "8", "empty");
    hsd_error err;
    cr_assert(import_text(text, sizeof text - 1, &plain, NULL, NULL, &err) == HSD_E_UNSUPPORTED);
    cr_assert(strstr(err.hint, "--detailed-freq=1") != NULL, "%s", err.hint);
    expect_refusal(HEAD, sizeof HEAD - 1, &plain, HSD_E_UNSUPPORTED, "no snapshot");
}

static void expect_damage(const char *text, const char *word)
{
    expect_refusal(text, strlen(text), &named, HSD_E_CORRUPT, word);
}

Test(massif, refuses_trees_that_contradict_themselves)
{
#define ONE(tree) HEAD SNAPSHOT("1", "8", "detailed") tree
    expect_damage(ONE("n1: 8 (heap)\n  n0: 8 0x1: main (a.c:1)\n"), "depth");
    expect_damage(ONE("n1: 8 (heap)\n x\n"), "no line of it");
    expect_damage(ONE("n1: 8 (heap)\n n0: 18446744073709551616 0x1: main (a.c:1)\n"), "no line of it");
    expect_damage(ONE("n1: 8 (heap)\n n0: 7 0x1: main (a.c:1)\n"), "add up");
    expect_damage(ONE("n0: 0 (heap)\nand more\n"), "rule");
    expect_damage(HEAD SNAPSHOT("1", "8", "some"), "heap_tree");
    expect_damage(HEAD SNAPSHOT("1", "x", "empty"), "mem_heap_B=");
    expect_damage(HEAD "#-----------\nsnapshot=1\ntime=1\n", "rule");
    expect_damage(HEAD "more: 1\n#-----------\n", "head");
}

Test(massif, refuses_a_tree_that_is_too_deep)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs(HEAD SNAPSHOT("1", "8", "detailed") "n1: 8 (heap)\n", file);
    for (int depth = 1; depth < 600; depth++)
        fprintf(file, "%*sn1: 8 0x1: main (a.c:%d)\n", depth, "", depth);
    fclose(file);
    expect_damage(text, "deeper");
    free(text);
}

Test(massif, refuses_a_line_without_an_end)
{
    const size_t size = 3 << 20;
    char *text = malloc(size);
    memset(text, '1', size);
    memcpy(text, HEAD, sizeof HEAD - 1);
    expect_refusal(text, size, &plain, HSD_E_CORRUPT, "no end");
    free(text);
}

/* A cut between two snapshots cannot be seen. */
Test(massif, tells_a_cut_and_keeps_the_snapshot_before_it)
{
    hsd_error err;
    hsd_import_result result;
    const size_t end = (size_t)(strstr(two, "snapshot=7") - two);
    for (size_t size = sizeof HEAD; size < end; size++) {
        const hsd_status status = import_text(two, size, &named, &result, NULL, &err);
        cr_assert(status == HSD_E_TRUNCATED || status == HSD_E_UNSUPPORTED || status == HSD_OK, "at %zu: %s", size,
                  err.text);
    }
    const size_t inside = (size_t)(strstr(two, "  n0: 200") - two);
    cr_assert(import_text(two, inside, &plain, &result, NULL, &err) == HSD_E_TRUNCATED &&
              strstr(err.hint, "--partial") != NULL);
    cr_assert(import_text(two, inside, &whatever, &result, NULL, &err) == HSD_OK && !result.is_complete &&
                  result.bytes == 400,
              "%s: %llu", err.text, (unsigned long long)result.bytes);
    const size_t head = (size_t)(strstr(two, "time=7000") - two) + 4;
    cr_assert(import_text(two, head, &whatever, &result, NULL, &err) == HSD_OK && !result.is_complete &&
              result.bytes == 500);
}

Test(massif, has_totals_alone_when_asked_for_a_summary)
{
    const hsd_import_options options = {.compression = 1, .summary_only = true};
    hsd_import_result result;
    capture_view view;
    open_text(two, &options, &result, &view);
    expect_total(&view, "allocated at make_order()", 2, 600);
    cr_assert(view.site_total_count == 0);
    view_close(&view);
}

Test(massif, survives_every_changed_byte) { survive_changes(two, &named); }

/* ---- random trees ---- */

static bool has_prefix(const planned_stack *stack, const planned_stack *of, unsigned depth)
{
    return stack->depth >= depth && memcmp(stack->frames, of->frames, depth * sizeof of->frames[0]) == 0;
}

/* What lies below the first `depth` frames of a stack, which stand there already. */
static void write_children(FILE *file, const planned_stacks *plan, const planned_stack *of, unsigned depth)
{
    bool is_done[100] = {false};
    for (size_t i = 0; i < plan->count; i++) {
        const planned_stack *row = &plan->rows[i];
        if (!has_prefix(row, of, depth) || row->depth == depth || is_done[row->frames[depth]]) continue;
        const unsigned frame = row->frames[depth];
        uint64_t bytes = 0;
        unsigned children = 0;
        bool is_seen[100] = {false};
        is_done[frame] = true;
        for (size_t j = 0; j < plan->count; j++) {
            if (!has_prefix(&plan->rows[j], row, depth + 1)) continue;
            bytes += plan->rows[j].bytes;
            if (plan->rows[j].depth == depth + 1) continue;
            children += !is_seen[plan->rows[j].frames[depth + 1]];
            is_seen[plan->rows[j].frames[depth + 1]] = true;
        }
        fprintf(file, "%*sn%u: %" PRIu64 " 0x%X: call_%u(int) (part%u.c:%u)\n", (int)depth + 1, "", children, bytes,
                0x4000 + depth, frame, frame, frame + 1);
        write_children(file, plan, row, depth + 1);
    }
}

Test(massif, finds_the_stacks_of_random_trees)
{
    test_random random = {test_seed(20)};
    for (int round = 0; round < 25; round++) {
        planned_stacks plan;
        hsd_import_result result;
        capture_view view;
        char *text;
        size_t size;
        plan_stacks(&plan, &random, 1 + test_below(&random, 60));
        uint64_t bytes = 0;
        unsigned children = 0;
        bool is_seen[100] = {false};
        for (size_t i = 0; i < plan.count; i++) {
            bytes += plan.rows[i].bytes;
            children += !is_seen[plan.rows[i].frames[0]];
            is_seen[plan.rows[i].frames[0]] = true;
        }
        FILE *file = open_memstream(&text, &size);
        fputs(HEAD SNAPSHOT("1", "8", "detailed") TREE, file);
        fprintf(file, SNAPSHOT("2", "1", "detailed") "n%u: %" PRIu64 " (heap)\n", children, bytes);
        write_children(file, &plan, &plan.rows[0], 0);
        fclose(file);
        open_text(text, &plain, &result, &view);
        cr_assert(result.bytes == bytes);
        expect_plan(&view, &plan, false);
        view_close(&view);
        free(text);
    }
}

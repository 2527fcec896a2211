/*
 * The importer of DHAT's files, on files that are known by heart: what was in use at the end and at the peak, how
 * frames are named, members in any order, and what is no such file.
 */
#include "support/stack_profile.h"

#define HEAD                                                                                                           \
    "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,\"bkacc\":true,\"tu\":\"instrs\","  \
    "\"tuth\":500,\"cmd\":\"/srv/my/shop --secret x\",\"pid\":3707,\"te\":2630198,\"tg\":2484942"
#define POINTS                                                                                                         \
    ",\"pps\":[{\"tb\":900,\"tbk\":9,\"tl\":7,\"mb\":9,\"mbk\":1,\"gb\":600,\"gbk\":6,\"eb\":400,\"ebk\":4,\"rb\":0,"  \
    "\"wb\":0,\"acc\":[-48,0,3],\"fs\":[1,2,3]}\n,{\"tb\":1,\"tbk\":1,\"gb\":0,\"gbk\":0,\"eb\":50,\"ebk\":2,\"fs\":"  \
    "[1,4,3]},{\"gb\":8,\"gbk\":1,\"eb\":0,\"ebk\":0,\"fs\":[5]},{\"gb\":0,\"gbk\":0,\"eb\":7,\"ebk\":1,\"fs\":[0]}]"
#define TABLE                                                                                                          \
    ",\"ftbl\":[\"[root]\",\"0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)\","            \
    "\"0x109236: make_order() (shop.cc:9)\",\"0x10938A: main (shop.cc:12)\","                                          \
    "\"0x55f0: shop::cart::add (src/cart.rs:31:9)\",\"0x48FB7B9: ???\"]"

static const char known[] = HEAD POINTS TABLE "}\n", turned[] = HEAD TABLE POINTS "}";

static const hsd_import_options plain = {.compression = 1}, named = {.compression = 1, .format = "dhat"},
                                peak = {.compression = 1, .dump_number = 2},
                                third = {.compression = 1, .dump_number = 3};

static void expect_known(const char *text)
{
    hsd_import_result result;
    capture_view view;
    char stack[512];
    open_text(text, &plain, &result, &view);
    cr_assert(result.bytes == 457 && result.objects == 7 && result.is_complete);
    cr_assert(strcmp(view.info->process_name, "shop") == 0 && view.info->pid == 3707);
    expect_total(&view, "allocated at make_order()", 4, 400);
    expect_total(&view, "allocated at shop::cart::add", 2, 50);
    expect_total(&view, "(no stack)", 1, 7);
    cr_assert(view.site_total_count == 2);
    text_of_site(&view, view.site_totals[1].site, stack, sizeof stack);
    cr_assert(strcmp(stack, "malloc :0\nshop::cart::add src/cart.rs:31\nmain shop.cc:12\n") == 0, "%s", stack);
    view_close(&view);
}

Test(dhat, tells_what_was_in_use_at_the_end)
{
    expect_known(known);
    expect_known(turned);
}

Test(dhat, tells_what_was_in_use_at_the_peak)
{
    hsd_import_result result;
    capture_view view;
    open_text(known, &peak, &result, &view);
    cr_assert(result.bytes == 608 && result.objects == 7);
    expect_total(&view, "allocated at make_order()", 6, 600);
    expect_total(&view, "allocated at (unknown function)", 1, 8);
    view_close(&view);
    expect_refusal(known, sizeof known - 1, &third, HSD_E_UNSUPPORTED, "it has two");
}

Test(dhat, has_totals_alone_when_asked_for_a_summary)
{
    const hsd_import_options options = {.compression = 1, .summary_only = true};
    hsd_import_result result;
    capture_view view;
    open_text(known, &options, &result, &view);
    expect_total(&view, "allocated at make_order()", 4, 400);
    cr_assert(view.site_total_count == 0);
    view_close(&view);
}

static void expect_dhat_failure(const char *text, hsd_status status, const char *word)
{
    expect_refusal(text, strlen(text), &named, status, word);
}

Test(dhat, refuses_what_says_nothing_of_a_heap)
{
    expect_dhat_failure("{\"dhatFileVersion\":3,\"pps\":[],\"ftbl\":[]}", HSD_E_TOO_NEW, "version 3");
    expect_dhat_failure("{\"dhatFileVersion\":1,\"pps\":[],\"ftbl\":[]}", HSD_E_UNSUPPORTED, "version 1");
    expect_dhat_failure("{\"dhatFileVersion\":2,\"mode\":\"copy\",\"bklt\":false,\"pps\":[],\"ftbl\":[]}",
                        HSD_E_UNSUPPORTED, "mode copy");
    expect_dhat_failure(HEAD POINTS "}", HSD_E_CORRUPT, "no ftbl");
    expect_dhat_failure(HEAD TABLE TABLE POINTS "}", HSD_E_CORRUPT, "twice");
    expect_dhat_failure(HEAD TABLE ",\"pps\":[{\"eb\":1,\"ebk\":1,\"fs\":[6]}]}", HSD_E_CORRUPT, "not in the table");
    expect_dhat_failure(HEAD TABLE ",\"pps\":[{\"eb\":1,\"ebk\":1,\"fs\":[4294967295]}]}", HSD_E_CORRUPT,
                        "no table can have");
    expect_dhat_failure(HEAD TABLE ",\"pps\":[{\"eb\":-1}]}", HSD_E_CORRUPT, "a whole number");
    expect_dhat_failure(HEAD TABLE ",\"pps\":[{\"eb\":18446744073709551616}]}", HSD_E_CORRUPT, "2^64");
    expect_dhat_failure(HEAD ",\"pps\":7}", HSD_E_CORRUPT, "list of places");
}

/* Without its end it has no names. */
Test(dhat, refuses_every_cut)
{
    hsd_error err;
    const hsd_import_options whatever = {.compression = 1, .salvage = true};
    for (size_t size = 20; size < sizeof known - 2; size++) {
        cr_assert(import_text(known, size, &whatever, NULL, NULL, &err) == HSD_E_TRUNCATED, "at %zu: %s", size,
                  err.text);
        cr_assert(strstr(err.hint, "let the program end") != NULL);
    }
}

Test(dhat, keeps_the_innermost_frames_of_a_deep_stack)
{
    hsd_import_result result;
    capture_view view;
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs(HEAD TABLE ",\"pps\":[{\"eb\":8,\"ebk\":1,\"fs\":[2", file);
    for (int i = 0; i < 600; i++)
        fputs(",3", file);
    fputs("]}]}", file);
    fclose(file);
    open_text(text, &plain, &result, &view);
    free(text);
    cr_assert(view_loss(&view, "stacks that were cut") == 1);
    expect_total(&view, "allocated at make_order()", 1, 8);
    view_close(&view);
}

Test(dhat, survives_every_changed_byte) { survive_changes(known, &named); }

Test(dhat, finds_random_stacks)
{
    test_random random = {test_seed(21)};
    for (int round = 0; round < 25; round++) {
        planned_stacks plan;
        hsd_import_result result;
        capture_view view;
        char *text;
        size_t size;
        plan_stacks(&plan, &random, 1 + test_below(&random, 100));
        FILE *file = open_memstream(&text, &size);
        fputs(HEAD ",\"pps\":[", file);
        for (size_t i = 0; i < plan.count; i++) {
            const planned_stack *row = &plan.rows[i];
            fprintf(file, "%s{\"tb\":%" PRIu64 ",\"gb\":3,\"gbk\":1,\"eb\":%" PRIu64 ",\"ebk\":%" PRIu64 ",\"fs\":[",
                    i > 0 ? "," : "", row->bytes * 2, row->bytes, row->objects);
            for (unsigned f = 0; f < row->depth; f++)
                fprintf(file, "%s%u", f > 0 ? "," : "", 1 + row->frames[f] * 2 + (unsigned)test_below(&random, 2));
            fputs("]}", file);
        }
        fputs("],\"ftbl\":[\"[root]\"", file); /* each frame at two addresses */
        for (unsigned f = 0; f < 100; f++)
            fprintf(file, ",\"0x%X: call_%u(int) (part%u.c:%u)\",\"0x%X: call_%u(int) (part%u.c:%u)\"", f, f, f, f + 1,
                    f + 4096, f, f, f + 1);
        fputs("]}", file);
        fclose(file);
        open_text(text, &plain, &result, &view);
        expect_plan(&view, &plan, true);
        view_close(&view);
        free(text);
    }
}

Test(dhat, says_how_much_memory_it_takes)
{
    hsd_import_result result;
    hsd_error err;
    const hsd_run run = {.memory_bytes = 2 << 20};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs(HEAD ",\"pps\":[{\"eb\":1,\"ebk\":1,\"fs\":[1,2]}", file);
    for (unsigned i = 0; i < 200000; i++)
        fprintf(file, ",{\"eb\":1,\"ebk\":1,\"fs\":[1,%u]}", i);
    fputs("]}", file);
    fclose(file);
    cr_assert(import_bytes(text, size, "file", &plain, &run, &result, NULL, &err) == HSD_E_OVER_BUDGET &&
                  strstr(err.hint, "--memory") != NULL,
              "%s", err.text);
    free(text);
}

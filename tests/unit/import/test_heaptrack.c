/*
 * The importer of heaptrack's files, on files that are known line by line: what is left of each allocation, how places
 * become frames, strings with ends of lines, and what is no such file.
 */
#include "support/stack_profile.h"

#define HEAD "v 10400 3\nX /srv/my/shop --secret x\nI 1000 5e2921\n"
#define STRINGS                                                                                                        \
    "s d /srv/my/shop1\ns 12 make_order(\nlong)x\ns 7 shop.cc\ns 4 main\ns 32 void "                                   \
    "std::vector<Order*>::push_back(Order* const&)\n"                                                                  \
    "s 25 /usr/include/c++/12/bits/stl_vector.h\ns 24 /lib/x86_64-linux-gnu/libstdc++.so.6\n"
#define PLACES      "i 55aa 1 4 3 c\ni 55ab 1 2 3 9\ni 55ac 1 5 6 50e 4 3 d\ni 7f0f 7\ni 7f10 7 2\n"
#define STACKS      "t 1 0\nt 2 1\nt 3 0\nt 4 3\nt 5 0\n"
#define ALLOCATIONS "a 30 2\na 10 4\na 7 5\na 1 0\n"
#define END         "c 169\nR 478\n\n# strings: 7\n# ips: 5\n"

static const char known[] =
    HEAD STRINGS PLACES STACKS ALLOCATIONS "+ 0\n+ 0\n+ 1\nc 10\n- 0\n+ 2\n- 2\n+ 3\n+ 0\n+ 1\n" END;

static const hsd_import_options plain = {.compression = 1}, whatever = {.compression = 1, .salvage = true},
                                named = {.compression = 1, .format = "heaptrack"};

Test(heaptrack, tells_what_is_left)
{
    hsd_import_result result;
    capture_view view;
    char stack[512];
    open_text(known, &plain, &result, &view);
    cr_assert(result.objects == 5 && result.bytes == 0x30 * 2 + 0x10 * 2 + 1 && result.is_complete);
    cr_assert(strcmp(view.info->process_name, "shop") == 0, "%s", view.info->process_name);
    expect_total(&view, "allocated at make_order(", 2, 96); /* the first line of a name */
    expect_total(&view, "allocated at main", 2, 32);
    expect_total(&view, "(no stack)", 1, 1);
    cr_assert(view.site_total_count == 2);
    text_of_site(&view, view.site_totals[0].site, stack, sizeof stack);
    cr_assert(strcmp(stack, "make_order( shop.cc:9\nmain shop.cc:12\n") == 0, "%s", stack);
    text_of_site(&view, view.site_totals[1].site, stack, sizeof stack);
    cr_assert(strcmp(stack, "(unknown function of libstdc++.so.6) :0\nstd::vector<Order*>::push_back(Order* const&) "
                            "/usr/include/c++/12/bits/stl_vector.h:1294\nmain shop.cc:13\n") == 0,
              "%s", stack);
    view_close(&view);
}

/* Before form 3 a string is the rest of its line. */
Test(heaptrack, reads_older_forms)
{
    hsd_import_result result;
    capture_view view;
    open_text("v 10200\nX shop\ns a b (int)\ni 1 0 1\nt 1 0\na 8 1\n+ 0\n# ips: 1\n", &plain, &result, &view);
    expect_total(&view, "allocated at a b (int)", 1, 8);
    view_close(&view);
    open_text("v 10300 2\nX shop\ns a b (int)\ni 1 0 1\nt 1 0\na 8 1\n+ 0\n# ips: 1\n", &plain, &result, &view);
    expect_total(&view, "allocated at a b (int)", 1, 8);
    view_close(&view);
}

static void expect_damage(const char *text, hsd_status status, const char *word)
{
    expect_refusal(text, strlen(text), &named, status, word);
}

Test(heaptrack, refuses_what_it_cannot_read)
{
    expect_damage("v 10700 4\nX shop\n", HSD_E_TOO_NEW, "form 4");
    expect_damage("v 10000 0\nX shop\n", HSD_E_UNSUPPORTED, "form 0");
    expect_damage("v 10400 3\nx 5 /shop\nX shop\n+ 10 1 7f00\n", HSD_E_UNSUPPORTED, "not interpreted");
    expect_damage("v 10400 3\nX shop\nt 0 0\n+ 10 1 7f00\n", HSD_E_UNSUPPORTED, "not interpreted");
    expect_damage(HEAD "+ 0\n" END, HSD_E_CORRUPT, "made that is not there");
    expect_damage(HEAD "+ x\n" END, HSD_E_CORRUPT, "no number");
    expect_damage(HEAD "a 1 1\n" END, HSD_E_CORRUPT, "stack that is not there");
    expect_damage(HEAD "t 1 0\n" END, HSD_E_CORRUPT, "place or a caller");
    expect_damage(HEAD "t 0 1\n" END, HSD_E_CORRUPT, "place or a caller");
    expect_damage(HEAD "i 1 1\n" END, HSD_E_CORRUPT, "no module");
    expect_damage(HEAD "i 1 0 1\n" END, HSD_E_CORRUPT, "name that is not there");
    expect_damage(HEAD "s 1 a\ni 1 0 1 1\n" END, HSD_E_CORRUPT, "without a line");
    expect_damage(HEAD "s 1 a\ni 1 0 1 1 1 x\n" END, HSD_E_CORRUPT, "no number");
    expect_damage(HEAD "s x a\n" END, HSD_E_CORRUPT, "no size");
    expect_damage(HEAD "s 1 ab\n" END, HSD_E_CORRUPT, "longer than its size");
    expect_damage(HEAD "s 4 ab\ncd\n" END, HSD_E_CORRUPT, "longer than its size");
}

Test(heaptrack, counts_what_cannot_be)
{
    hsd_import_result result;
    capture_view view;
    open_text(HEAD "a 8 0\n- 0\n+ 0\n?\n" END, &plain, &result, &view);
    cr_assert(view_loss(&view, "frees of what was not allocated") == 1);
    cr_assert(view_loss(&view, "lines of the heap dump that could not be read") == 1);
    expect_total(&view, "(no stack)", 1, 8);
    view_close(&view);
}

/* The comments at its end tell that all is there. */
Test(heaptrack, tells_a_cut_and_keeps_what_is_there_when_asked)
{
    hsd_import_result result;
    hsd_error err;
    const size_t begin = sizeof HEAD - 1, end = (size_t)(strstr(known, "# ips") - known) + 6;
    for (size_t size = begin; size < end; size++) {
        cr_assert(import_text(known, size, &plain, &result, NULL, &err) == HSD_E_TRUNCATED, "at %zu: %s", size,
                  err.text);
        cr_assert(strstr(err.hint, "--partial") != NULL);
        cr_assert(import_text(known, size, &whatever, &result, NULL, &err) == HSD_OK && !result.is_complete,
                  "at %zu: %s", size, err.text);
    }
}

Test(heaptrack, survives_every_changed_byte) { survive_changes(known, &named); }

/* Random stacks, made and freed at random, each line in a place of its own. */
Test(heaptrack, finds_random_stacks)
{
    test_random random = {test_seed(22)};
    for (int round = 0; round < 25; round++) {
        planned_stacks plan, left = {.count = 0};
        hsd_import_result result;
        capture_view view;
        char *text;
        size_t size;
        unsigned stack_count = 0;
        plan_stacks(&plan, &random, 1 + test_below(&random, 100));
        FILE *file = open_memstream(&text, &size);
        fputs(HEAD "s 4 shop\n", file);
        for (unsigned f = 0; f < 100; f++) {
            char name[40];
            fprintf(file, "s %x %s\n", snprintf(name, sizeof name, "call_%u(int)", f), name);
            fprintf(file, "s %x %s\n", snprintf(name, sizeof name, "part%u.c", f), name);
            fprintf(file, "i %x 1 %x %x %x\n", f, 2 * f + 2, 2 * f + 3, f + 1);
        }
        for (size_t i = 0; i < plan.count; i++) {
            planned_stack *row = &plan.rows[i];
            for (unsigned f = row->depth; f-- > 0;)
                fprintf(file, "t %x %x\n", row->frames[f] + 1,
                        f + 1 == row->depth ? 0 : stack_count + (row->depth - f) - 1);
            stack_count += row->depth;
            const unsigned bytes = (unsigned)test_below(&random, 5000) + 1;
            fprintf(file, "a %x %x\n", bytes, stack_count);
            row->objects = 0;
            row->bytes = bytes;
        }
        for (int step = 0; step < 2000; step++) {
            planned_stack *row = &plan.rows[test_below(&random, plan.count)];
            const bool is_free = row->objects > 0 && test_below(&random, 5) < 2;
            fprintf(file, "%c %x\n", is_free ? '-' : '+', (unsigned)(row - plan.rows));
            row->objects += is_free ? UINT64_MAX : 1;
            if (step % 100 == 0) fprintf(file, "c %x\nR %x\n", step, step);
        }
        fputs(END, file);
        fclose(file);
        for (size_t i = 0; i < plan.count; i++) {
            if (plan.rows[i].objects == 0) continue;
            left.rows[left.count] = plan.rows[i];
            left.rows[left.count++].bytes *= plan.rows[i].objects;
        }
        open_text(text, &plain, &result, &view);
        expect_plan(&view, &left, true);
        view_close(&view);
        free(text);
    }
}

Test(heaptrack, says_how_much_memory_it_takes)
{
    hsd_import_result result;
    hsd_error err;
    const hsd_run run = {.memory_bytes = 2 << 20};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs(HEAD, file);
    for (unsigned i = 0; i < 200000; i++)
        fprintf(file, "a %x 0\n", i);
    fputs(END, file);
    fclose(file);
    cr_assert(import_bytes(text, size, "file", &plain, &run, &result, NULL, &err) == HSD_E_OVER_BUDGET &&
                  strstr(err.hint, "--memory") != NULL,
              "%s", err.text);
    free(text);
}

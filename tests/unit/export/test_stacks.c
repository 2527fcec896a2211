/* Heaps as stacks, shown as collapsed ones: which there are, what they add up to, what is refused. */
#include <criterion/criterion.h>

#include <errno.h>

#include <hsdiff/profile.h>

#include "support/fault.h"
#include "unit/export/stack_case.h"

TestSuite(stacks, .init = stack_begin, .fini = stack_end);

static void expect_lines(const char *before, hsd_export_stacks stacks, const char *lines)
{
    size_t size;
    cr_assert_eq(stack_export(before, path, "collapsed", stacks, 0), HSD_OK, "%s", err.text);
    char *text = stack_read(&size);
    cr_expect_str_eq(text, lines);
    free(text);
}

/* ---- sites ---- */

static const char of_sites[] = "main;serve;new Session;Session 392\n"
                               "main;load;Map 48\n"
                               "(no allocation site);Buffer 16\n";

Test(stacks, add_up_by_site_and_count_what_no_root_reaches)
{
    stack_write(path, &(stack_heap){0});
    expect_lines(NULL, HSD_STACKS_SITES, of_sites);
    expect_lines(NULL, HSD_STACKS_AUTO, of_sites);
    cr_expect_str_empty(stack_notes);
}

Test(stacks, have_the_innermost_frames_of_a_chain_without_end)
{
    hsc_writer *w;
    hsc_options options;
    size_t size;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_string(w, 1, "a", 1);
    hsc_define_string(w, 2, "b", 1);
    hsc_define_type(w, 1, "T", 1, 0);
    hsc_define_site(w, 1, 2, 1, 0, 0, 0);
    hsc_define_site(w, 2, 1, 2, 0, 0, 0);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = 1, .site = 1, .size_bytes = 8});
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = 2, .type = 1, .site = 77, .size_bytes = 9}); /* never defined */
    hsc_end_object(w);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    cr_assert_eq(stack_export(NULL, path, "collapsed", HSD_STACKS_SITES, 0), HSD_OK, "%s", err.text);
    char *text = stack_read(&size);
    cr_expect_eq(strncmp(text, "(no allocation site);T 9\n(callers left out);b;a;b;a;", 50), 0, "%.80s", text);
    cr_expect_str_eq(text + size - strlen(";b;a;T 8\n"), ";b;a;T 8\n");
    const size_t second = size - strlen("(no allocation site);T 9\n");
    cr_expect_eq(second, strlen("(callers left out);") + 512 * 2 + strlen("T 8\n"));
    free(text);
}

/* ---- paths ---- */

Test(stacks, go_from_a_root_to_what_is_live)
{
    stack_write(path, &(stack_heap){.has_no_sites = true});
    const char *lines = "sessions;Map 1048\nsessions;Map;.items: Session 392\n";
    expect_lines(NULL, HSD_STACKS_PATHS, lines);
    expect_lines(NULL, HSD_STACKS_AUTO, lines);
    cr_expect_str_eq(stack_notes, "1 object that no root reaches (16 bytes) is in no stack\n");
}

Test(stacks, are_refused_by_site_where_there_is_none)
{
    stack_write(path, &(stack_heap){.has_no_sites = true});
    cr_expect_eq(stack_export(NULL, path, "collapsed", HSD_STACKS_SITES, 0), HSD_E_UNSUPPORTED);
    cr_expect_str_eq(err.text, "it does not say where objects were allocated");
    cr_expect_str_eq(err.hint, "make stacks of what holds the objects instead: --stacks paths");
    cr_expect_neq(access(out, F_OK), 0);
}

Test(stacks, begin_with_shared_where_no_root_holds_alone)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "T", 1, 0);
    hsc_define_string(w, 1, "x", 1);
    hsc_define_string(w, 2, "y", 1);
    for (uint64_t id = 1; id <= 3; id++) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = 1, .size_bytes = 10 * id});
        if (id < 3) hsc_reference(w, 3, 0, 0);
        hsc_end_object(w);
        if (id < 3) hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = (uint32_t)id, .target = id});
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    expect_lines(NULL, HSD_STACKS_AUTO, "(shared);T 30\ny;T 20\nx;T 10\n");
}

/* ---- sums ---- */

static void write_totals(const char *file, bool has_sites, bool has_types)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.has_site_totals = has_sites;
    options.facts = HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    cr_assert_eq(hsc_open_file(&w, file, &options), HSC_OK);
    hsc_define_string(w, 1, "main", 4);
    if (has_types) hsc_define_type(w, 1, "Node", 4, 0);
    if (has_sites) hsc_define_site(w, 1, 0, 1, 0, 0, 0);
    if (has_sites) hsc_count_site(w, has_types, 1, 3, 300);
    if (has_sites) hsc_count_site(w, has_types, 1, 1, 50);
    hsc_count(w, has_types, 2, 70);
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

Test(stacks, are_made_of_totals_by_site)
{
    write_totals(path, true, true);
    expect_lines(NULL, HSD_STACKS_AUTO, "main;Node 350\n(no allocation site);Node 70\n");
}

Test(stacks, are_types_alone_where_there_are_totals_alone)
{
    write_totals(path, false, true);
    expect_lines(NULL, HSD_STACKS_AUTO, "Node 70\n");
    cr_expect(strstr(stack_notes, "stacks are types alone, without what holds them: ") != NULL, "%s", stack_notes);
}

Test(stacks, are_made_of_baselines)
{
    stack_write(other, &(stack_heap){0});
    hsd_capture *capture;
    cr_assert_eq(hsd_capture_open(&capture, other, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK);
    cr_assert_eq(hsd_baseline_write(capture, path, NULL, NULL, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    expect_lines(NULL, HSD_STACKS_AUTO, "sessions;Map 1048\nsessions;Map;.items: Session 392\n");
}

Test(stacks, of_an_empty_heap_are_none)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    expect_lines(NULL, HSD_STACKS_AUTO, "");
    expect_lines(path, HSD_STACKS_AUTO, "");
}

/* ---- growth ---- */

Test(stacks, of_a_pair_are_what_grew_by_site)
{
    stack_write(other, &(stack_heap){.has_no_large = true});
    stack_write(path, &(stack_heap){.more_sessions = 2, .is_backward = true});
    expect_lines(other, HSD_STACKS_AUTO, "main;serve;new Session;Session 328\n");
    cr_expect_str_empty(stack_notes);
}

Test(stacks, of_a_pair_are_what_grew_by_path)
{
    stack_write(other, &(stack_heap){.has_no_sites = true});
    stack_write(path, &(stack_heap){.more_sessions = 2});
    expect_lines(other, HSD_STACKS_PATHS, "sessions;Map;.items: Session 128\n");
    cr_expect(strstr(stack_notes, "matched") == NULL, "%s", stack_notes);
}

Test(stacks, that_shrank_are_told_of)
{
    stack_write(other, &(stack_heap){.more_sessions = 2});
    stack_write(path, &(stack_heap){0});
    expect_lines(other, HSD_STACKS_AUTO, "");
    cr_expect_str_eq(stack_notes, "1 stack that shrank, by 128 bytes in all, is left out: collapsed stacks hold growth "
                                  "alone (--to pprof holds both)\n");
}

/* ---- limits ---- */

Test(stacks, do_not_depend_on_how_a_capture_was_written)
{
    static const char *const formats[] = {"pprof", "collapsed", "speedscope"};
    for (size_t i = 0; i < 6; i++) {
        const hsd_export_stacks stacks = i < 3 ? HSD_STACKS_SITES : HSD_STACKS_PATHS;
        size_t first_size, second_size;
        stack_write(path, &(stack_heap){0});
        cr_assert_eq(stack_export(NULL, path, formats[i % 3], stacks, 0), HSD_OK, "%s", err.text);
        char *first = stack_read(&first_size);
        stack_write(path, &(stack_heap){.is_backward = true});
        cr_assert_eq(stack_export(NULL, path, formats[i % 3], stacks, HSD_MEMORY_MIN_BYTES), HSD_OK, "%s", err.text);
        char *second = stack_read(&second_size);
        cr_expect(first_size == second_size && memcmp(first, second, first_size) == 0, "%s", formats[i % 3]);
        free(first);
        free(second);
    }
}

static void write_many(uint32_t sites, uint32_t names)
{
    hsc_writer *w;
    hsc_options options;
    char name[32];
    hsc_options_init(&options);
    options.compression = 0;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "T", 1, 0);
    for (uint32_t i = 1; i <= names; i++)
        hsc_define_string(w, i, name, (size_t)snprintf(name, sizeof name, "function %u", i));
    for (uint32_t i = 1; i <= sites; i++)
        hsc_define_site(w, i, 0, 1 + i % names, 0, i / names, 0);
    for (uint32_t i = 1; i <= sites; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i, .type = 1, .site = i, .size_bytes = 8});
        hsc_end_object(w);
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

Test(stacks, more_than_the_memory_allows_are_refused_with_what_helps)
{
    write_many(200000, 10);
    cr_expect_eq(stack_export(NULL, path, "pprof", HSD_STACKS_AUTO, HSD_MEMORY_MIN_BYTES), HSD_E_OVER_BUDGET);
    cr_expect_str_eq(err.text, "its 200000 allocation sites do not fit");
    unsigned long long enough;
    cr_assert_eq(sscanf(err.hint, "give it more memory: --memory %lluMiB", &enough), 1, "%s", err.hint);
    cr_expect_neq(access(out, F_OK), 0);
    write_many(60000, 60000);
    cr_expect_eq(stack_export(NULL, path, "pprof", HSD_STACKS_AUTO, HSD_MEMORY_MIN_BYTES), HSD_E_OVER_BUDGET);
    cr_expect(strstr(err.text, "do not fit") != NULL && strstr(err.hint, "--memory") != NULL, "%s", err.text);
    cr_expect_eq(stack_export(NULL, path, "pprof", HSD_STACKS_AUTO, 64 << 20), HSD_OK, "%s", err.text);
}

static void fail_at_each(hsd_fault_family family, const char *before, hsd_export_stacks stacks, const char *format)
{
    hsd_fault_reset();
    cr_assert_eq(stack_export(before, path, format, stacks, 0), HSD_OK, "%s", err.text);
    const uint64_t calls = hsd_fault_calls(family), step = calls / 150 + 1;
    cr_assert_gt(calls, 0);
    for (uint64_t at = 1; at <= calls; at += step) {
        remove(out);
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, ENOSPC);
        const hsd_status status = stack_export(before, path, format, stacks, 0);
        hsd_fault_reset();
        if (status == HSD_OK) continue; /* a call whose failure does not matter */
        cr_expect(err.text[0] != '\0' && access(out, F_OK) != 0, "call %llu", (unsigned long long)at);
    }
}

Test(stacks, leave_nothing_behind_when_something_fails)
{
    stack_write(other, &(stack_heap){0});
    stack_write(path, &(stack_heap){.more_sessions = 3});
    fail_at_each(HSD_FAULT_MALLOC, NULL, HSD_STACKS_SITES, "pprof");
    fail_at_each(HSD_FAULT_MALLOC, other, HSD_STACKS_PATHS, "collapsed");
    fail_at_each(HSD_FAULT_MALLOC, NULL, HSD_STACKS_PATHS, "speedscope");
    fail_at_each(HSD_FAULT_WRITE, NULL, HSD_STACKS_SITES, "pprof");
    fail_at_each(HSD_FAULT_PREAD, NULL, HSD_STACKS_SITES, "speedscope");
}

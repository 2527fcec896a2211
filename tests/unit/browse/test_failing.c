/*
 * Browsing on a machine that fails: each allocation, each read and each write in turn, while the index is built and
 * while it is asked. What fails is an error that says so, and nothing is left behind.
 */
#include <criterion/criterion.h>

#include <dirent.h>

#include "unit/diff/single_kit.h"
#include <hsdiff/browse.h>

TestSuite(browse_failing, .init = setup, .fini = teardown);

enum { OBJECTS = 300, STRING_MAIN = 1, TYPE = 1, LABEL_WEAK = 1, SITES = 40 };

static const hsd_run run = {.memory_bytes = UINT64_C(24) << 20, .threads = 1};

static void write_heap(void)
{
    hsc_writer *w = kit_begin(HSC_IDENTITY_EXACT, true);
    hsc_define_string(w, STRING_MAIN, "main", 4);
    hsc_define_type(w, TYPE, "Node", 4, 0);
    hsc_define_label(w, LABEL_WEAK, HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, STRING_MAIN);
    for (uint32_t i = 1; i <= SITES; i++)
        hsc_define_site(w, i, i - 1, STRING_MAIN, 0, i, 0);
    for (uint64_t i = 0; i < OBJECTS; i++) {
        hsc_begin_object(w, &(hsc_object){.id = 1 + i, .type = TYPE, .size_bytes = 16, .site = SITES});
        hsc_reference(w, (i + 1) % OBJECTS, 0, 0);
        hsc_reference(w, (i + 99) % OBJECTS, LABEL_WEAK, 0);
        hsc_reference(w, (i + 17) % OBJECTS, 0, 0);
        hsc_end_object(w);
    }
    kit_put_root(w, STRING_MAIN, 0);
    kit_end(w);
}

/* Enough to walk side by side and to index graphs meanwhile. */
static const hsd_run at_once = {.memory_bytes = UINT64_C(256) << 20, .threads = 2};

typedef struct question {
    const hsd_run *run;
    hsd_capture *captures[2];
    hsd_browse *browse; /* open already; else the question is to open one */
} question;

static hsd_status open_it(const void *what, bool *is_there)
{
    const question *q = what;
    hsd_browse *browse;
    const hsd_status status = hsd_browse_open(&browse, q->captures, 2, NULL, q->run, &err);
    *is_there = browse != NULL;
    hsd_browse_close(browse);
    return status;
}

static hsd_status ask_all(const void *what, bool *is_there)
{
    const question *q = what;
    const hsd_browse_ref ref = {OBJECTS / 2};
    hsd_browse_object *object = NULL;
    hsd_browse_list *lists[4] = {NULL};
    hsd_browse_types *types = NULL;
    hsd_status status = hsd_browse_object_get(q->browse, 1, ref, &object, &err);
    if (status == HSD_OK) status = hsd_browse_referents(q->browse, 1, ref, 0, 100, &lists[0], &err);
    if (status == HSD_OK) status = hsd_browse_referrers(q->browse, 1, ref, 0, 100, &lists[1], &err);
    if (status == HSD_OK)
        status = hsd_browse_dominated(q->browse, 1, (hsd_browse_ref){HSD_BROWSE_ALL}, 0, 100, &lists[2], &err);
    if (status == HSD_OK) status = hsd_browse_path(q->browse, 1, ref, &lists[3], &err);
    if (status == HSD_OK)
        status = hsd_browse_types_get(q->browse, 1, (hsd_text){"", 0}, HSD_BROWSE_BY_NAME, 0, 10, &types, &err);
    *is_there = types != NULL;
    if (status == HSD_OK) cr_assert(object->frame_count == SITES && lists[0]->total == 3 && lists[0]->nodes[2].is_weak);
    hsd_browse_object_free(object);
    for (int i = 0; i < 4; i++)
        hsd_browse_list_free(lists[i]);
    hsd_browse_types_free(types);
    return status;
}

static question begin(bool opens)
{
    question q = {.run = &run};
    write_heap();
    for (int i = 0; i < 2; i++)
        q.captures[i] = open_capture(&run);
    if (opens) cr_assert_eq(hsd_browse_open(&q.browse, q.captures, 2, NULL, &run, &err), HSD_OK, "%s", err.text);
    return q;
}

static void end(question *q)
{
    hsd_browse_close(q->browse);
    for (int i = 0; i < 2; i++)
        hsd_capture_close(q->captures[i]);
}

Test(browse_failing, while_it_is_opened, .timeout = 900)
{
    question q = begin(false);
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, open_it, &q);
    kit_fail_each_file_call(open_it, &q);
    end(&q);
}

Test(browse_failing, while_it_is_opened_by_several_threads, .timeout = 900)
{
    question q = begin(false);
    q.run = &at_once;
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, open_it, &q);
    kit_fail_each_file_call(open_it, &q);
    end(&q);
}

Test(browse_failing, while_it_is_asked_for_memory, .timeout = 900)
{
    question q = begin(true);
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, ask_all, &q);
    end(&q);
}

static int open_files(void)
{
    int count = 0;
    DIR *entries = opendir("/proc/self/fd");
    cr_assert_not_null(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count;
}

/* Each call of the family fails in turn, of an index that was just opened: one that failed may say so from then on. */
static void fail_each_anew(hsd_fault_family family, int error, bool may_ask_again)
{
    const int files = open_files();
    for (uint64_t at = 1; at < 300; at++) {
        question q = begin(true);
        bool is_there;
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, error);
        const hsd_status status = ask_all(&q, &is_there);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert(status == HSD_OK || (has_struck && status == HSD_E_IO), "call %lu: %s", (unsigned long)at, err.text);
        cr_assert_eq(status == HSD_OK, is_there);
        if (may_ask_again)
            cr_assert_eq(ask_all(&q, &is_there), HSD_OK, "after call %lu: %s", (unsigned long)at, err.text);
        end(&q);
        cr_assert_eq(open_files(), files, "after call %lu files are left open", (unsigned long)at);
        if (!has_struck) {
            cr_assert_gt(at, 1, "nothing was called");
            return;
        }
    }
    cr_assert_fail("it never ends");
}

Test(browse_failing, while_it_reads_its_index, .timeout = 900) { fail_each_anew(HSD_FAULT_PREAD, EIO, false); }

/* Tables of stacks are made when they are asked for, and again if they could not be. */
Test(browse_failing, while_it_writes_tables, .timeout = 900)
{
    fail_each_anew(HSD_FAULT_PWRITE, ENOSPC, true);
    fail_each_anew(HSD_FAULT_OPEN, EMFILE, true);
}

/*
 * What fails, fails cleanly: the sink at its n-th call and malloc at its n-th, for every n; and what is promised of
 * memory: nothing is allocated after hsc_open but the growth of the counters and the index, and all of it stays within
 * the options.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/index.h"
#include "core/writer.h"
#include "support/fault.h"
#include "support/make_samples.h"
#include "unit/capture/memory_sink.h"

enum { ROOM = 8 << 20 };

static memory_sink sink;

static char path[64]; /* of this process alone */

static void set_up(void)
{
    sink = memory_sink_new(ROOM);
    snprintf(path, sizeof path, "/tmp/hsc-faults-%d.hs", (int)getpid());
}

static void tear_down(void)
{
    hsd_fault_reset();
    memory_sink_free(&sink);
}

TestSuite(faults, .init = set_up, .fini = tear_down);

/* A capture that uses every part of the writer. */
static hsc_status write_all_kinds(unsigned objects)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.memory_bytes = 64 << 10;
    const hsc_sink s = memory_sink_of(&sink);
    const hsc_status status = hsc_open(&w, &s, &options);
    if (status != HSC_OK) return status;
    char text[3000];
    memset(text, 'a', sizeof text);
    for (uint32_t i = 1; i <= objects; i++) {
        hsc_define_type(w, i, text, i % 9 == 0 ? 2000 : 10, 0);
        hsc_define_string(w, i, text, i % 50 == 0 ? 3000 : 20);
        hsc_define_label(w, i, HSC_LABEL_FIELD, 0, i);
        hsc_begin_object(w, &(hsc_object){.id = i, .type = i, .size_bytes = 1u << i % 12, .category = i % 5});
        for (uint32_t r = 0; r < i % 40; r++)
            hsc_reference(w, r * i, i, r);
        hsc_end_object(w);
        hsc_edge(w, i, i + 1, i, 0);
        hsc_root(w, &(hsc_root_record){.kind = (hsc_root_kind)(i % 12), .target = i});
    }
    const hsc_status end = hsc_finish(w);
    hsc_close(w);
    return end;
}

Test(faults, a_sink_may_fail_at_any_call)
{
    cr_assert_eq(write_all_kinds(300), HSC_OK);
    const unsigned calls = sink.calls;
    cr_assert_gt(calls, 50);
    for (unsigned n = 1; n <= calls; n++) {
        sink.size = sink.calls = 0;
        sink.fail_at = n;
        sink.fail_with = n % 2 == 0 ? ENOSPC : EIO;
        cr_assert_eq(write_all_kinds(300), HSC_E_IO, "call %u", n);
        cr_assert_eq(sink.calls, n, "no call after the failure");
    }
}

Test(faults, malloc_may_fail_at_any_call)
{
    hsd_fault_reset();
    cr_assert_eq(write_all_kinds(300), HSC_OK);
    const uint64_t calls = hsd_fault_calls(HSD_FAULT_MALLOC);
    cr_assert_geq(calls, 4);
    for (uint64_t n = 1; n <= calls; n++) {
        for (int forever = 0; forever < 2; forever++) {
            sink.size = 0;
            hsd_fault_reset();
            hsd_fault_arm(HSD_FAULT_MALLOC, n, forever, ENOMEM);
            const hsc_status status = write_all_kinds(300);
            cr_assert_eq(status, HSC_E_NOMEM, "malloc call %u: status %d", (unsigned)n, (int)status);
        }
    }
}

static hsc_status write_file(void)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    const hsc_status status = hsc_open_file(&w, path, &options);
    if (status != HSC_OK) return status;
    hsc_begin_object(w, &(hsc_object){.id = 1});
    hsc_end_object(w);
    const hsc_status end = hsc_finish(w);
    hsc_close(w);
    return end;
}

Test(faults, leave_no_file_behind)
{
    static const hsd_fault_family families[] = {HSD_FAULT_MALLOC, HSD_FAULT_OPEN, HSD_FAULT_WRITE, HSD_FAULT_CLOSE};
    unlink(path);
    for (size_t f = 0; f < 4; f++) {
        hsd_fault_reset();
        cr_assert_eq(write_file(), HSC_OK);
        const uint64_t calls = hsd_fault_calls(families[f]);
        cr_assert_geq(calls, 1);
        unlink(path);
        for (uint64_t n = 1; n <= calls; n++) {
            hsd_fault_reset();
            hsd_fault_arm(families[f], n, false, families[f] == HSD_FAULT_MALLOC ? ENOMEM : EIO);
            const hsc_status status = write_file();
            const bool is_there = access(path, F_OK) == 0;
            unlink(path);
            /* of the folder: the file is whole by then */
            if (families[f] == HSD_FAULT_CLOSE && n == 2) continue;
            cr_assert_neq(status, HSC_OK, "%s %u", hsd_fault_name(families[f]), (unsigned)n);
            cr_assert_not(is_there, "%s %u", hsd_fault_name(families[f]), (unsigned)n);
        }
    }
}

Test(faults, short_writes_to_a_descriptor_are_made_whole)
{
    hsd_fault_reset();
    hsd_fault_arm_short(HSD_FAULT_WRITE, 1, true);
    unlink(path);
    cr_assert_eq(write_file(), HSC_OK);
    hsd_fault_reset();
    unlink(path);
}

/* ---- memory ---- */

static hsc_writer *open_writer(size_t memory)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.memory_bytes = memory;
    options.facts = HSC_FACT_VALUES;
    const hsc_sink s = memory_sink_of(&sink);
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_OK);
    return w;
}

/* Records of one type and size: nothing to count anew. */
static void write_records(hsc_writer *w, unsigned count)
{
    static const char text[5000] = "some text";
    for (uint32_t i = 1; i <= count; i++) {
        hsc_define_string(w, i, text, i % 100 == 0 ? sizeof text : 9);
        hsc_define_type(w, i, text, 9, 0);
        hsc_define_label(w, i, HSC_LABEL_FIELD, 0, 1);
        hsc_define_site(w, i, 0, 1, 1, i, 1);
        hsc_define_thread(w, i, 1);
        hsc_frame(w, i, 0, 1, 1, i);
        hsc_metric(w, "m", "u", i);
        hsc_loss(w, "l", i);
        hsc_edge(w, i, i, 1, 0);
        hsc_root(w, &(hsc_root_record){.target = i});
        hsc_begin_object(w, &(hsc_object){.id = i, .type = 1, .size_bytes = 64});
        hsc_value(w, text, i % 70);
        for (unsigned r = 0; r < (i % 500 == 0 ? 5000u : 5u); r++)
            hsc_reference(w, i + r, 1, r);
        hsc_end_object(w);
    }
}

Test(faults, nothing_is_allocated_after_open_but_the_index_and_the_counters)
{
    hsc_writer *w = open_writer(64 << 10);
    hsd_fault_reset();
    write_records(w, 5000);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    const uint64_t blocks = w->blocks.index.count;
    cr_assert_gt(blocks, 10 * HSC_INDEX_PIECE);
    const uint64_t pieces = (blocks + HSC_INDEX_PIECE - 1) / HSC_INDEX_PIECE;
    const uint64_t calls = hsd_fault_calls(HSD_FAULT_MALLOC);
    cr_assert_eq(calls, pieces - 1, "%u allocations; the first of %u pieces belongs to open", (unsigned)calls,
                 (unsigned)pieces);
    hsc_close(w);
}

Test(faults, a_new_type_costs_growth_of_the_counters_alone)
{
    hsc_writer *w = open_writer(1 << 20);
    hsd_fault_reset();
    for (uint32_t type = 1; type <= 1000; type++)
        hsc_count(w, type, 1, 1);
    cr_assert_eq(hsd_fault_calls(HSD_FAULT_MALLOC), 5, "64 entries grow to 2,048");
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

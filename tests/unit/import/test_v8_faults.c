/*
 * Imports of heap snapshots on a machine that fails: no memory at the n-th allocation, no temporary file, no
 * reading at the n-th call, for every n. Each ends with the right status and a sentence, and the
 * sanitizer sees that nothing is left.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/importer.h"
#include "support/fault.h"
#include "support/v8_writer.h"

static char *json;
static size_t json_size;

/* More nodes than a chunk of the spool holds, so that the smallest memory sends them to disk. */
static void make_snapshot(void)
{
    v8_heap *heap = v8_heap_new();
    const v8_program p = v8_add_program(heap);
    const uint32_t div = v8_node(heap, "native", "<div>", 40), text = v8_node(heap, "native", "Text", 24);
    heap->nodes[div].state = 2;
    v8_edge(heap, p.leak, "property", "div", div);
    v8_edge(heap, div, "element", "1", text);
    for (uint32_t i = 0; i < 90000; i++)
        v8_node(heap, "object", "Leak", 4001 + i);
    json = v8_heap_write(heap, V8_FORM_NODE_26, &json_size);
    v8_heap_free(heap);
}

static void drop_snapshot(void)
{
    hsd_fault_reset();
    free(json);
}

TestSuite(v8_faults, .init = make_snapshot, .fini = drop_snapshot);

static ptrdiff_t swallow(void *context, const void *data, size_t size)
{
    (void)context, (void)data;
    return (ptrdiff_t)size;
}

/* The importer alone, with so little memory that its spools need the disk. */
static hsd_status import(bool summary_only, hsd_error *err)
{
    const hsd_import_options options = {.summary_only = summary_only};
    hsd_import_result result = {.format = "v8"};
    hsd_temp_space space;
    hsd_reporter reporter;
    hsd_source source;
    hsd_error_init(err);
    hsd_temp_space_init(&space, NULL);
    hsd_reporter_init(&reporter, NULL);
    hsd_status status = hsd_source_open_memory(&source, (hsd_bytes){(const uint8_t *)json, json_size}, "heap", err);
    hsd_import work = {.source = &source,
                       .options = &options,
                       .space = &space,
                       .reporter = &reporter,
                       .memory_bytes = 1 << 20,
                       .writer_bytes = 64 << 10,
                       .result = &result,
                       .sink = {.write = swallow}};
    if (status == HSD_OK) status = hsd_import_v8.run(&work, err);
    hsc_close(work.writer);
    hsd_source_close(&source);
    hsd_reporter_release(&reporter);
    cr_assert_eq(space.bytes_now, 0, "temporary bytes are left");
    return status;
}

static void fail_at_every_call(hsd_fault_family family, int error, hsd_status expected, bool summary_only)
{
    hsd_error err;
    hsd_fault_reset();
    cr_assert(import(summary_only, &err) == HSD_OK, "%s", err.text);
    const uint64_t calls = hsd_fault_calls(family);
    cr_assert_gt(calls, 0);
    for (uint64_t n = 1; n <= calls; n++) {
        hsd_fault_reset();
        hsd_fault_arm(family, n, n % 2 == 0, error);
        const hsd_status status = import(summary_only, &err);
        cr_expect_eq(status, expected, "call %llu of %llu: %s: %s", (unsigned long long)n, (unsigned long long)calls,
                     hsd_status_name(status), err.text);
        cr_expect(err.text[0] != '\0');
    }
    hsd_fault_reset();
}

Test(v8_faults, every_allocation_may_fail) { fail_at_every_call(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, false); }

Test(v8_faults, every_allocation_of_a_summary_may_fail)
{
    fail_at_every_call(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, true);
}

Test(v8_faults, every_temporary_file_may_fail) { fail_at_every_call(HSD_FAULT_OPEN, EACCES, HSD_E_IO, false); }

Test(v8_faults, the_disk_may_be_full_at_every_write) { fail_at_every_call(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO, false); }

Test(v8_faults, every_read_of_the_spool_may_fail) { fail_at_every_call(HSD_FAULT_PREAD, EIO, HSD_E_IO, false); }

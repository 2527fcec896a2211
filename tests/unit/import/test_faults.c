/*
 * Imports on a machine that fails: no memory at the n-th allocation, no reading or writing at the n-th
 * call, for every n. Each ends with the right status, a sentence, and nothing left behind (the sanitizer
 * watches).
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/fault.h"
#include "support/hprof_heap.h"
#include <hsdiff/import.h>

static const char *const value_types[] = {"com.x.Nobody", "com.x.Value"};
static bool has_types_of_values; /* instead of all values */
static char path[] = "/tmp/hsd-faults-XXXXXX";

static void write_dump(void)
{
    const heap_form form = {.segment_every = 10, .is_agent = true};
    hprof_writer w;
    heap_write(&w, &form);
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert(write(fd, w.data, w.size) == (ssize_t)w.size);
    close(fd);
    hw_free(&w);
}

static void remove_dump(void)
{
    hsd_fault_reset();
    unlink(path);
}

TestSuite(import_faults, .init = write_dump, .fini = remove_dump);

static hsd_status import(hsd_error *err)
{
    const hsd_import_options options = {.compression = 1,
                                        .with_values = !has_types_of_values,
                                        .value_types = value_types,
                                        .value_type_count = has_types_of_values ? 2 : 0};
    int out = -1;
    hsd_error_init(err);
    const hsd_status status = hsd_import_temp(path, &options, NULL, &out, NULL, err);
    if (status == HSD_OK)
        close(out);
    else
        cr_assert(out == -1);
    return status;
}

static void fail_at_every_call(hsd_fault_family family, int error, hsd_status expected, bool forever)
{
    hsd_error err;
    hsd_fault_reset();
    cr_assert(import(&err) == HSD_OK, "%s", err.text);
    const uint64_t calls = hsd_fault_calls(family);
    cr_assert(calls > 0);
    for (uint64_t n = 1; n <= calls; n++) {
        hsd_fault_reset();
        hsd_fault_arm(family, n, forever, error);
        const hsd_status status = import(&err);
        cr_expect(status == expected, "call %llu: %s: %s", (unsigned long long)n, hsd_status_name(status), err.text);
        cr_expect(status == HSD_OK || err.text[0] != '\0');
    }
    hsd_fault_reset();
}

Test(import_faults, every_allocation_may_fail_once)
{
    fail_at_every_call(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, false);
}

Test(import_faults, every_allocation_may_fail_for_ever)
{
    fail_at_every_call(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, true);
}

Test(import_faults, every_allocation_may_fail_for_values_of_some_types)
{
    has_types_of_values = true;
    fail_at_every_call(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, false);
}

Test(import_faults, every_read_may_fail) { fail_at_every_call(HSD_FAULT_PREAD, EIO, HSD_E_IO, false); }

Test(import_faults, every_write_may_fail)
{
    fail_at_every_call(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO, false);
    fail_at_every_call(HSD_FAULT_PWRITE, EINTR, HSD_OK, false);
}

Test(import_faults, short_reads_and_writes_change_nothing)
{
    hsd_error err;
    hsd_fault_reset();
    hsd_fault_arm_short(HSD_FAULT_PREAD, 1, true);
    cr_expect(import(&err) == HSD_OK, "%s", err.text);
    hsd_fault_reset();
    hsd_fault_arm_short(HSD_FAULT_PWRITE, 1, true);
    cr_expect(import(&err) == HSD_OK, "%s", err.text);
}

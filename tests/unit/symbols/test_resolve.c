#define _GNU_SOURCE /* dladdr */
/*
 * A whole capture resolved against this very program, and again with every allocation and every call of the system
 * failing in turn: a sentence each time, nothing left open.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/symbols.h>

#include "support/fault.h"
#include "symbols/image.h"
#include "unit/format/legal.h"
#include "unit/symbols/rewritten.h"

static int planted_variable[4] = {1, 2, 3, 4};

/* "MODULE+0x…{…}" of something in this program. */
static void name_of(char *out, size_t room, const void *address)
{
    Dl_info info;
    char build_id[HSD_BUILD_ID_DIGITS + 1];
    cr_assert(dladdr(address, &info) != 0);
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert(hsd_image_build_id(fd, build_id));
    close(fd);
    snprintf(out, room, "test+0x%zx{%s}", (size_t)((const char *)address - (const char *)info.dli_fbase), build_id);
}

/* A legal capture with four strings more: a function, a variable, a place that nobody knows, a block that a function
 * asked for. */
static forge capture_of_names(void)
{
    char function[256], variable[256], text[1024];
    forge f = forge_begin();
    name_of(function, sizeof function, (const char *)(uintptr_t)name_of + 1);
    name_of(variable, sizeof variable, &planted_variable[2]);
    const int size = snprintf(text, sizeof text, "%s{variable} %snowhere+0x10{00}{allocated} <=64 B at %s", function,
                              variable, function);
    const size_t sizes[] = {strlen(function), 11 + strlen(variable), 16};
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    FORGE(&f, HSC_COL_KEY, 1000, 1001, 1002, 1003);
    FORGE(&f, HSC_COL_TEXT_BYTES, sizes[0], sizes[1], sizes[2], (size_t)size - sizes[0] - sizes[1] - sizes[2]);
    forge_text(&f, HSC_COL_TEXT, text);
    forge_block(&f, HSC_BLOCK_STRINGS, 0, 4, 0);
    f.end[HSC_END_STRINGS] += 4;
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    return f;
}

static char warning[512];

static void keep_warning(void *context, hsd_note_level level, const char *text)
{
    (void)context;
    if (level == HSD_NOTE_WARNING) snprintf(warning, sizeof warning, "%s", text);
}

static hsd_status resolve(const memfile *in, const memfile *out, const hsd_symbol_options *options,
                          hsd_symbol_result *result, hsd_error *err)
{
    const hsd_run run = {.note = keep_warning};
    hsd_error_init(err);
    const int fd = open(out->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) return hsd_fail_errno(err, errno, "cannot open the result");
    const hsd_status status = hsd_symbols_resolve(in->fd, fd, options, &run, result, err);
    close(fd);
    return status;
}

Test(resolve, names_what_the_process_has_mapped)
{
    hsd_symbol_result result;
    hsd_error err;
    size_t size;
    forge f = capture_of_names();
    const hsd_symbol_options options = {.pid = (long)getpid()};
    memfile in = forge_file(&f), out = memfile_of("", 0);
    cr_assert_eq(resolve(&in, &out, &options, &result, &err), HSD_OK, "%s", err.text);
    uint8_t *bytes = memfile_read_all(out.path, &size);
    cr_assert_eq(faults_of_capture(bytes, size), 0);
    char *text = text_of_capture(bytes, size, HSD_DAMAGE_REFUSE);
    cr_assert(strstr(text, "\"name_of") != NULL, "%s", text);
    cr_assert(strstr(text, "\"planted_variable\"") != NULL, "%s", text);
    cr_assert(strstr(text, "nowhere+0x10{00}") != NULL, "%s", text);
    cr_assert_eq(result.names, 4);
    cr_assert_eq(result.resolved, 3);
    cr_assert_eq(result.modules, 2);
    cr_assert_eq(result.modules_found, 1);
    cr_assert(strstr(warning, "names of nowhere stay addresses") != NULL, "%s", warning);
    free(text);
    free(bytes);
    memfile_close(&in);
    memfile_close(&out);
    forge_free(&f);
}

Test(resolve, tells_of_a_folder_that_is_not_there)
{
    const char *const folders[] = {"/nowhere/at/all"};
    const hsd_symbol_options options = {.directories = folders, .directory_count = 1};
    hsd_error err;
    forge f = legal_capture();
    memfile in = forge_file(&f), out = memfile_of("", 0);
    cr_assert_eq(resolve(&in, &out, &options, NULL, &err), HSD_E_IO);
    cr_assert_str_eq(err.file, "/nowhere/at/all");
    cr_assert(strstr(err.text, "No such file") != NULL, "%s", err.text);
    memfile_close(&in);
    memfile_close(&out);
    forge_free(&f);
}

/* Every call of a family in turn fails; all the others of the machine work. */
static void fail_each(hsd_fault_family family, int error)
{
    const hsd_symbol_options options = {.pid = (long)getpid()};
    hsd_error err;
    forge f = capture_of_names();
    memfile in = forge_file(&f), out = memfile_of("", 0);
    hsd_fault_reset();
    cr_assert_eq(resolve(&in, &out, &options, NULL, &err), HSD_OK, "%s", err.text);
    const uint64_t calls = hsd_fault_calls(family);
    cr_assert_gt(calls, 0);
    for (uint64_t k = 1; k <= calls; k++) {
        hsd_fault_reset();
        hsd_fault_arm(family, k, false, error);
        const hsd_status status = resolve(&in, &out, &options, NULL, &err);
        hsd_fault_reset();
        cr_assert(status == HSD_OK || err.text[0] != '\0', "call %llu of %s", (unsigned long long)k,
                  hsd_fault_name(family));
        cr_assert(status == HSD_OK || status == HSD_E_NOMEM || status == HSD_E_IO, "call %llu of %s: %s",
                  (unsigned long long)k, hsd_fault_name(family), err.text);
    }
    memfile_close(&in);
    memfile_close(&out);
    forge_free(&f);
}

Test(resolve, survives_any_allocation_that_fails) { fail_each(HSD_FAULT_MALLOC, ENOMEM); }
Test(resolve, survives_any_file_that_cannot_be_opened) { fail_each(HSD_FAULT_OPEN, EACCES); }
Test(resolve, survives_any_read_that_fails) { fail_each(HSD_FAULT_PREAD, EIO); }
Test(resolve, survives_any_write_that_fails) { fail_each(HSD_FAULT_WRITE, ENOSPC); }

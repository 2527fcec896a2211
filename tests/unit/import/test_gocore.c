/*
 * The importer of Go's cores on a program that is known word by word, with the pointer bits of each range of versions.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/capture_view.h"
#include "support/gocore_writer.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static int file_of(const gocore_bytes *bytes)
{
    const int fd = memfd_create("file", 0);
    cr_assert(fd >= 0 && write(fd, bytes->data, bytes->size) == (ssize_t)bytes->size && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static hsd_status import(const gocore_bytes *program, const gocore_bytes *core, hsd_import_options options,
                         hsd_import_result *result, capture_view *view, hsd_error *err)
{
    char path[64];
    const int in = file_of(core), exe = file_of(program), out = memfd_create("out", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", exe);
    options.executable = path;
    options.compression = 1;
    hsd_error_init(err);
    const hsd_status status = hsd_import_descriptor(in, "core", out, &options, NULL, result, err);
    close(in);
    close(exe);
    if (status == HSD_OK && view != NULL)
        cr_assert(view_open_fd(view, out));
    else
        close(out);
    return status;
}

static void expect_type(const capture_view *view, uint64_t id, const char *type)
{
    const view_object *object = view_find(view, id);
    cr_assert(object != NULL, "no object at 0x%llx", (unsigned long long)id);
    cr_expect_str_eq(view_type(view, object->type), type, "0x%llx is %s, not %s", (unsigned long long)id,
                     view_type(view, object->type), type);
}

static void expect_reference(const capture_view *view, uint64_t from, const char *label, uint64_t index, uint64_t to)
{
    const view_reference *found = view_reference_of(view, view_find(view, from), label, index);
    cr_assert(found != NULL, "0x%llx has no %s", (unsigned long long)from, label == NULL ? "element" : label);
    cr_expect_eq(found->target, to);
}

static void expect_program(const capture_view *view)
{
    cr_expect_eq(view->object_count, 12, "%zu objects", view->object_count);
    for (int i = 0; i < 5; i++) {
        static const unsigned slots[] = {0, 1, 2, 5, 6};
        expect_type(view, GOCORE_A + 64 * slots[i], "main.session");
        expect_type(view, GOCORE_B + 32 * (unsigned)i, "string");
    }
    expect_type(view, GOCORE_C, "[]string");
    expect_type(view, GOCORE_C + 1024, "[]*main.session");
    expect_reference(view, GOCORE_A, "next", 0, GOCORE_A + 64);
    expect_reference(view, GOCORE_A, "name", 0, GOCORE_B);
    expect_reference(view, GOCORE_A, "tags", 0, GOCORE_C);
    expect_reference(view, GOCORE_A, "any", 0, GOCORE_A + 128);
    expect_reference(view, GOCORE_A + 64, "next", 0, GOCORE_A + 320);
    expect_reference(view, GOCORE_A + 320, "name", 0, GOCORE_B + 32);
    expect_reference(view, GOCORE_C, NULL, 1, GOCORE_B + 96);
    expect_reference(view, GOCORE_C + 1024, NULL, 1, GOCORE_A + 64);
    cr_expect_eq(view->reference_count, 10, "%zu references", view->reference_count);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_GLOBAL, "main.head", GOCORE_A), 1);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_GLOBAL, "main.list", GOCORE_C + 1024), 1);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_STACK, "goroutines in main.work", GOCORE_A + 128), 1);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_STACK, "goroutines in main.work", GOCORE_A + 384), 1);
    cr_expect_eq(view->root_count, 5);
    cr_expect(view->thread_count == 1 && view->frame_count == 1);
}

Test(gocore, is_read_with_the_pointer_bits_of_each_version)
{
    static const char *const versions[] = {"go1.19.8", "go1.21.6", "go1.22.1"};
    for (int form = 0; form < GOCORE_FORMS; form++) {
        gocore_bytes program, core;
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        gocore_make_program(&program, form);
        gocore_make_core(&core, form);
        cr_assert(import(&program, &core, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s: %s",
                  versions[form], err.text);
        expect_program(&view);
        cr_expect_str_eq(view.info->runtime, versions[form]);
        cr_expect(view.info->pid == 42 && view.info->identity == HSD_IDENTITY_ADDRESS && result.is_complete &&
                  result.objects == 12);
        view_close(&view);
        gocore_release(&program);
        gocore_release(&core);
    }
}

static void put_due(gocore_bytes *core, unsigned number, uint64_t object, uint64_t function)
{
    const uint64_t at = GOCORE_BLOCK + 40 + number * GOCORE_DUE_BYTES;
    gocore_set_word(core, at, object);
    gocore_set_word(core, at + 8, function);
}

/* What the collector found dead waits for a goroutine that calls its finalizer: it is alive, and held by the queue. */
Test(gocore, has_what_finalizers_wait_for)
{
    for (int form = 0; form < GOCORE_FORMS; form++) {
        gocore_bytes program, core;
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        gocore_make_program(&program, form);
        gocore_make_core(&core, form);
        gocore_set_word(&core, GOCORE_QUEUE, GOCORE_BLOCK);
        gocore_set_word(&core, GOCORE_BLOCK + 8, GOCORE_BLOCK); /* goes in circles */
        gocore_set_word(&core, GOCORE_BLOCK + 24, 2);
        put_due(&core, 0, GOCORE_B + 64, GOCORE_A + 320);
        put_due(&core, 1, 0, 0x12345678);
        put_due(&core, 2, GOCORE_B + 96, 0); /* behind the last one */
        cr_assert(import(&program, &core, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
        cr_expect_eq(view_count_roots(&view, HSC_ROOT_FINALIZER, "(finalizer queue)", GOCORE_B + 64), 1);
        cr_expect_eq(view_count_roots(&view, HSC_ROOT_FINALIZER, "(finalizer queue)", GOCORE_A + 320), 1);
        cr_expect_eq(view_count_roots(&view, HSC_ROOT_FINALIZER, "(finalizer queue)", GOCORE_B + 96), 0);
        view_close(&view);
        gocore_release(&program);
        gocore_release(&core);
    }
}

/* A goroutine sends a *session over a channel: the variable is over, and nothing else tells its type. */
Test(gocore, has_the_types_of_what_is_sent_over_channels)
{
    enum { SUDOG = 0, CHANNEL = 0x40, SENT = 0x80 };
    for (int waits = 0; waits < 2; waits++) {
        gocore_bytes program, core;
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        gocore_make_program(&program, GOCORE_1_19);
        gocore_make_core(&core, GOCORE_1_19);
        gocore_set_word(&core, GOCORE_A + 48, 0); /* the interface that knew A2 */
        if (waits) gocore_set_word(&core, GOCORE_WAITING, GOCORE_BLOCK + SUDOG);
        gocore_set_word(&core, GOCORE_BLOCK + SUDOG, GOCORE_BLOCK + SENT);
        gocore_set_word(&core, GOCORE_BLOCK + SUDOG + 8, GOCORE_BLOCK + SUDOG); /* goes in circles */
        gocore_set_word(&core, GOCORE_BLOCK + SUDOG + 16, GOCORE_BLOCK + CHANNEL);
        gocore_set_word(&core, GOCORE_BLOCK + CHANNEL + 24, GOCORE_POINTER_TO_SESSION);
        gocore_set_word(&core, GOCORE_BLOCK + SENT, GOCORE_A + 128);
        cr_assert(import(&program, &core, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
        const view_object *sent = view_find(&view, GOCORE_A + 128);
        cr_assert_not_null(sent);
        cr_expect_eq(strcmp(view_type(&view, sent->type), "main.session") == 0, waits != 0, "%s",
                     view_type(&view, sent->type));
        view_close(&view);
        gocore_release(&program);
        gocore_release(&core);
    }
}

static int refuse_at_door(void *context, const char *path)
{
    (void)path;
    ++*(size_t *)context;
    errno = EACCES;
    return -1;
}

Test(gocore, program_is_opened_by_the_caller_who_wants_to)
{
    gocore_bytes program, core;
    hsd_import_result result;
    hsd_error err;
    size_t asked = 0;
    hsd_import_options options = HSD_OPTIONS_INIT(hsd_import_options);
    options.open_file = refuse_at_door;
    options.open_context = &asked;
    gocore_make_program(&program, GOCORE_1_19);
    gocore_make_core(&core, GOCORE_1_19);
    cr_expect_eq(import(&program, &core, options, &result, NULL, &err), HSD_E_IO, "%s", err.text);
    cr_expect_eq(asked, 1);
    gocore_release(&program);
    gocore_release(&core);
}

/* A heap dump of the same program: what a dump has of its own is in test_goheap.c. */
Test(gocore, dump_has_its_types_by_the_program)
{
    gocore_bytes program, dump;
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    gocore_make_program(&program, GOCORE_1_19);
    gocore_make_dump(&dump);
    cr_assert(import(&program, &dump, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view.object_count, 8);
    for (int i = 0; i < 4; i++) {
        static const unsigned slots[] = {0, 1, 2, 6};
        expect_type(&view, GOCORE_A + 64 * slots[i], "main.session");
    }
    for (unsigned i = 0; i < 3; i++)
        expect_type(&view, GOCORE_B + 32 * i, "string");
    expect_type(&view, GOCORE_C, "[]string");
    expect_reference(&view, GOCORE_A, "any", 0, GOCORE_A + 128);
    expect_reference(&view, GOCORE_A, "tags", 0, GOCORE_C);
    expect_reference(&view, GOCORE_C, NULL, 1, GOCORE_B + 64);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_GLOBAL, "main.head", GOCORE_A), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "goroutines in main.work", GOCORE_A + 384), 1);
    view_close(&view);
    for (size_t i = 0; i + 8 < dump.size; i++) /* globals of another size */
        if (memcmp(dump.data + i, "\x0c\x80\x80\x80\x03", 5) == 0) dump.data[i + 2] = 0x82;
    cr_expect_eq(import(&program, &dump, (hsd_import_options){0}, &result, NULL, &err), HSD_E_UNSUPPORTED);
    cr_expect(strstr(err.text, "not of the program") != NULL, "%s", err.text);
    gocore_release(&program);
    gocore_release(&dump);
}

Test(gocore, has_the_same_totals_in_a_summary)
{
    gocore_bytes program, core;
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    uint64_t objects, bytes;
    gocore_make_program(&program, GOCORE_1_19);
    gocore_make_core(&core, GOCORE_1_19);
    cr_assert(import(&program, &core, (hsd_import_options){.summary_only = true}, &result, &view, &err) == HSD_OK, "%s",
              err.text);
    view_total(&view, "main.session", &objects, &bytes);
    cr_expect(objects == 5 && bytes == 320 && result.objects == 12);
    view_close(&view);
    gocore_release(&program);
    gocore_release(&core);
}

/* A word of the core's memory is spoilt: the import says what is wrong. */
static void expect_refused(uint64_t address, uint64_t value, hsd_status wanted, const char *why)
{
    gocore_bytes program, core;
    hsd_import_result result;
    hsd_error err;
    gocore_make_program(&program, GOCORE_1_19);
    gocore_make_core(&core, GOCORE_1_19);
    gocore_set_word(&core, address, value);
    cr_expect_eq(import(&program, &core, (hsd_import_options){0}, &result, NULL, &err), wanted, "%s: %s", why,
                 err.text);
    cr_expect(strstr(err.text, why) != NULL, "%s, not %s", err.text, why);
    gocore_release(&program);
    gocore_release(&core);
}

Test(gocore, is_refused_where_it_makes_no_sense)
{
    expect_refused(GOCORE_NOTE + 16, 1, HSD_E_UNSUPPORTED, "of another build");
    expect_refused(GOCORE_VERSION, 0, HSD_E_UNSUPPORTED, "of another build");
    expect_refused(GOCORE_HEAP + 48, UINT64_MAX, HSD_E_CORRUPT, "list of spans");
    expect_refused(GOCORE_SPANS + 24, 12, HSD_E_CORRUPT, "span at 0x600900");
    expect_refused(GOCORE_SPANS + 32, UINT64_MAX, HSD_E_CORRUPT, "span at 0x600900");
    expect_refused(GOCORE_SPANS + 0x48, GOCORE_A, HSD_E_CORRUPT, "lie over others");
}

Test(gocore, is_refused_when_the_program_tells_nothing)
{
    gocore_bytes program, core;
    hsd_import_result result;
    hsd_error err;
    gocore_make_program(&program, GOCORE_1_19);
    gocore_make_core(&core, GOCORE_1_19);
    cr_expect_eq(import(&core, &core, (hsd_import_options){0}, &result, NULL, &err), HSD_E_UNSUPPORTED);
    cr_expect(strstr(err.text, "of no Go program") != NULL, "%s", err.text);
    for (size_t i = 0; i + 11 < program.size; i++) /* as strip leaves it */
        if (memcmp(program.data + i, ".debug_info", 11) == 0) program.data[i + 1] = 'x';
    cr_expect_eq(import(&program, &core, (hsd_import_options){0}, &result, NULL, &err), HSD_E_NOT_FOUND);
    cr_expect(strstr(err.text, "no DWARF") != NULL && strstr(err.hint, "--exe") != NULL, "%s (%s)", err.text, err.hint);
    gocore_release(&program);
    gocore_release(&core);
}

/* Cut anywhere it is refused, or with salvage gives what is there and says that it is not all. */
Test(gocore, is_known_when_it_is_cut)
{
    gocore_bytes program, core;
    size_t salvaged = 0;
    gocore_make_program(&program, GOCORE_1_19);
    gocore_make_core(&core, GOCORE_1_19);
    const size_t whole = core.size;
    for (core.size = 300; core.size < whole; core.size += 1009) {
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        cr_expect_eq(import(&program, &core, (hsd_import_options){0}, &result, NULL, &err), HSD_E_TRUNCATED, "%zu: %s",
                     core.size, err.text);
        if (import(&program, &core, (hsd_import_options){.salvage = true}, &result, &view, &err) != HSD_OK) continue;
        cr_expect(!result.is_complete && !view.info->is_complete);
        salvaged++;
        view_close(&view);
    }
    cr_expect(salvaged > 10, "%zu", salvaged);
    core.size = whole;
    gocore_release(&program);
    gocore_release(&core);
}

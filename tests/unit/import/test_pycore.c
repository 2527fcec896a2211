/*
 * The importer of CPython's cores on one that is known word by word, whose functions of C are interpreted; and on what
 * is none, or is damaged.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/capture_view.h"
#include "support/pycore_writer.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

typedef struct made {
    pycore_bytes program, core;
    pycore_places at;
} made;

static made make(void)
{
    made m;
    pycore_make_program(&m.program);
    pycore_make_core(&m.core, &m.at);
    return m;
}

static void release(made *m)
{
    pycore_release(&m->program);
    pycore_release(&m->core);
}

static int file_of(const pycore_bytes *bytes)
{
    const int fd = memfd_create("file", 0);
    cr_assert(fd >= 0 && write(fd, bytes->data, bytes->size) == (ssize_t)bytes->size && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static hsd_status import(const made *m, hsd_import_options options, hsd_import_result *result, capture_view *view,
                         hsd_error *err)
{
    char path[64];
    const int in = file_of(&m->core), exe = file_of(&m->program), out = memfd_create("out", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", exe);
    options.executable = path;
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

static const view_object *object(const capture_view *view, uint64_t id, const char *type, uint64_t bytes)
{
    const view_object *found = view_find(view, id);
    cr_assert(found != NULL, "no %s", type);
    cr_expect_str_eq(view_type(view, found->type), type);
    cr_expect_eq(found->size_bytes, bytes, "%s of %llu bytes", type, (unsigned long long)found->size_bytes);
    return found;
}

Test(pycore, tells_what_the_interpreters_functions_tell)
{
    made m = make();
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    cr_assert(import(&m, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_str_eq(result.format, "pycore");
    cr_expect_str_eq(view.info->runtime, "CPython 3.11.2");
    const view_object *box = object(&view, m.at.box[0], "array.box", 1000 + 16);
    cr_assert_eq(box->count, 1);
    cr_expect_eq(view.references[box->first].target, m.at.box[1]);
    cr_expect_eq(object(&view, m.at.box[1], "array.box", 1000 + 16)->count, 0);
    const view_object *list = object(&view, m.at.list, "PyList_Type", 40 + 16);
    cr_expect(list->count == 3 && list->elements == 3);
    cr_expect_eq(view_reference_of(&view, list, NULL, 1)->target, m.at.box[1]);
    cr_expect_eq(object(&view, m.at.tuple, "PyTuple_Type", 24 + 16)->count, 1);
    cr_expect_eq(view.loss_count, 0);
    view_close(&view);
    release(&m);
}

Test(pycore, modules_are_roots_and_their_globals_owners)
{
    made m = make();
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    size_t globals = 0, modules = 0;
    cr_assert(import(&m, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    for (size_t i = 0; i < view.root_count; i++)
        modules += strcmp(view_string(&view, view.roots[i].label), "module app") == 0;
    for (size_t i = 0; i < view.reference_count; i++)
        globals += view.references[i].target == m.at.list &&
                   (view_label_of(&view, &view.references[i]).flags & HSC_LABEL_NAMED_ROOT) != 0;
    cr_expect(modules == 1 && globals == 1, "%zu roots, %zu globals", modules, globals);
    view_close(&view);
    release(&m);
}

/* ---- what a core names besides itself is opened by the caller ---- */

typedef struct doorman {
    size_t asked;
    bool lets_in;
} doorman;

static int open_at_door(void *context, const char *path)
{
    doorman *door = context;
    door->asked++;
    if (door->lets_in) return open(path, O_RDONLY | O_CLOEXEC);
    errno = EACCES;
    return -1;
}

Test(pycore, programs_are_opened_by_the_caller_who_wants_to)
{
    made m = make();
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    doorman door = {.lets_in = true};
    hsd_import_options options = HSD_OPTIONS_INIT(hsd_import_options);
    options.open_file = open_at_door;
    options.open_context = &door;
    cr_assert(import(&m, options, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_geq(door.asked, 1);
    view_close(&view);
    door = (doorman){0};
    cr_expect_eq(import(&m, options, &result, NULL, &err), HSD_E_UNSUPPORTED);
    cr_expect_geq(door.asked, 1);
    cr_expect(strstr(err.text, "cannot be read") != NULL, "%s", err.text);
    release(&m);
}

/* A function that cannot be interpreted is told, and the object's words are looked through. */
Test(pycore, what_cannot_be_interpreted_is_looked_through)
{
    made m = make();
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    m.program.data[PYCORE_CODE] = 0x0f; /* syscall */
    m.program.data[PYCORE_CODE + 1] = 0x05;
    cr_assert(import(&m, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    const view_object *box = object(&view, m.at.box[0], "array.box", 1000 + 16);
    cr_assert_eq(box->count, 1);
    cr_expect_eq(view.references[box->first].target, m.at.box[1]);
    cr_expect_eq(view.loss_count, 1);
    view_close(&view);
    release(&m);
}

/* It may write to its own stack alone. */
Test(pycore, code_that_writes_to_the_core_is_not_followed)
{
    static const uint8_t writes[] = {0x48, 0x89, 0x3f, 0xc3}; /* mov [rdi], rdi; ret */
    made m = make();
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    memcpy(m.program.data + PYCORE_CODE, writes, sizeof writes);
    cr_assert(import(&m, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view.loss_count, 1);
    view_close(&view);
    release(&m);
}

Test(pycore, code_without_end_is_left)
{
    static const uint8_t loop[] = {0xeb, 0xfe};
    made m = make();
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    memcpy(m.program.data + PYCORE_CODE, loop, sizeof loop);
    cr_assert(import(&m, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view.loss_count, 1);
    view_close(&view);
    release(&m);
}

static void expect_refused(made *m, hsd_status status, const char *words)
{
    hsd_import_result result;
    hsd_error err;
    const hsd_status got = import(m, (hsd_import_options){.format = "pycore"}, &result, NULL, &err);
    cr_expect_eq(got, status, "%d: %s", got, err.text);
    cr_expect(strstr(err.text, words) != NULL, "%s", err.text);
    release(m);
}

Test(pycore, other_programs_and_versions_are_refused)
{
    made m = make();
    pycore_set_word(&m.core, m.at.version, 0x03070000);
    expect_refused(&m, HSD_E_UNSUPPORTED, "CPython 3.7, whose structures are not known");
    m = make();
    memset(m.program.data + 0x1800, 'x', 512); /* names of symbols */
    expect_refused(&m, HSD_E_UNSUPPORTED, "none of its 1 files has _PyRuntime");
    m = make();
    m.program.size = 0;
    expect_refused(&m, HSD_E_UNSUPPORTED, "cannot be read here or is of another build");
}

Test(pycore, structures_that_lie_elsewhere_are_refused)
{
    made m = make();
    pycore_set_word(&m.core, m.at.runtime + 40, 0);
    expect_refused(&m, HSD_E_UNSUPPORTED, "had no interpreter yet");
    m = make();
    pycore_set_word(&m.core, m.at.interpreter + 888, m.at.list);
    expect_refused(&m, HSD_E_UNSUPPORTED, "do not lie where version 3.11 has them");
    m = make();
    pycore_set_word(&m.core, m.at.gc + 8, m.at.list);
    pycore_set_word(&m.core, m.at.gc + 24, 0);
    expect_refused(&m, HSD_E_UNSUPPORTED, "lists of this interpreter's collector do not lie");
}

/* One list of the collector may have been under way to another state. */
Test(pycore, a_torn_list_is_told)
{
    made m = make();
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    pycore_set_word(&m.core, m.at.gc + 8, m.at.list);
    cr_assert(import(&m, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(view_find(&view, m.at.tuple) != NULL && view.loss_count == 1);
    view_close(&view);
    release(&m);
}

/* A list that claims all of memory again and again ends where memory does; what is in it is no object. */
Test(pycore, sizes_are_not_believed)
{
    made m = make();
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    pycore_set_word(&m.core, m.at.list + 16, UINT64_MAX / 2);
    cr_assert(import(&m, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(view_find(&view, m.at.list) != NULL && view.loss_count == 1);
    view_close(&view);
    release(&m);
}

Test(pycore, a_cut_core_is_refused_and_partly_read)
{
    made m = make();
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    m.core.size -= 64;
    cr_expect_eq(import(&m, (hsd_import_options){.format = "pycore"}, &result, NULL, &err), HSD_E_TRUNCATED);
    cr_assert(import(&m, (hsd_import_options){.salvage = true}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(!result.is_complete);
    view_close(&view);
    release(&m);
}

Test(pycore, summary_has_the_same_sums)
{
    made m = make();
    hsd_import_result whole, summary;
    hsd_error err;
    cr_assert(import(&m, (hsd_import_options){0}, &whole, NULL, &err) == HSD_OK, "%s", err.text);
    cr_assert(import(&m, (hsd_import_options){.summary_only = true}, &summary, NULL, &err) == HSD_OK, "%s", err.text);
    cr_expect(whole.objects == summary.objects && whole.bytes == summary.bytes);
    release(&m);
}

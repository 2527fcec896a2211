/*
 * The importer of PyHeap's dumps, on one that is made here byte by byte: a module, its dict, a list of two references
 * to one object of a class, and a thread that has it in a variable.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/import_bytes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

enum { LIST = 0x100, MODULE = 0x200, DICT = 0x300, ORDER = 0x400, ROOM = 1 << 20 };

typedef struct dump {
    uint8_t data[ROOM];
    size_t size;
} dump;

static void put(dump *d, uint64_t number, unsigned bytes)
{
    cr_assert(d->size + bytes <= sizeof d->data);
    for (; bytes > 0; bytes--)
        d->data[d->size++] = (uint8_t)(number >> 8 * (bytes - 1));
}

static void text(dump *d, const char *words)
{
    put(d, strlen(words), 2);
    for (; *words != '\0'; words++)
        put(d, (uint8_t)*words, 1);
}

static void head(dump *d, uint64_t flags)
{
    put(d, 123000321, 8);
    put(d, 1, 4);
    text(d, "2026-11-27T12:00:00+00:00");
    put(d, flags, 8);
    put(d, 1, 4);
    text(d, "MainThread");
    put(d, 0x0100, 2);
    put(d, 1, 4);
    text(d, "/srv/app.py");
    put(d, 7, 4);
    text(d, "main");
    put(d, 1, 4);
    text(d, "order");
    put(d, 0x3000, 8);
    put(d, 1, 4);
    text(d, "kept");
    put(d, 1, 4);
    put(d, LIST, 8);
    put(d, 1, 4);
    put(d, 0xffff, 2); /* kept */
    put(d, 0x100, 8);
}

static void object(dump *d, uint64_t at, uint64_t type, uint64_t bytes, const uint64_t *referents, unsigned count)
{
    put(d, at, 8);
    put(d, type, 8);
    put(d, bytes, 4);
    put(d, count, 4);
    for (unsigned i = 0; i < count; i++)
        put(d, referents[i], 8);
}

static void attribute(dump *d, const char *name, uint64_t target)
{
    if (name == NULL)
        put(d, 0xffff, 2);
    else
        text(d, name);
    put(d, target, 8);
}

static void objects(dump *d, bool has_texts)
{
    put(d, 4, 4);
    object(d, 0x1000, MODULE, 72, (const uint64_t[]){0x1100}, 1);
    put(d, 2, 4);
    attribute(d, "__class__", MODULE);
    attribute(d, "SESSIONS", 0x2000);
    if (has_texts) text(d, "<module 'app.cache' from '/srv/app/cache.py'>");
    object(d, 0x1100, DICT, 232, (const uint64_t[]){0x2000}, 1);
    put(d, 0, 4);
    if (has_texts) text(d, "{'SESSIONS': [secret]}");
    object(d, 0x2000, LIST, 88, (const uint64_t[]){0x3000, 0x3000}, 2);
    if (has_texts) text(d, "[secret]");
    object(d, 0x3000, ORDER, 48, (const uint64_t[]){0x2000}, 1);
    put(d, 1, 4);
    attribute(d, NULL, 0x2000);
    if (has_texts) text(d, "secret");
}

static void tail(dump *d)
{
    static const struct {
        uint64_t at;
        const char *name;
    } types[] = {{LIST, "list"}, {MODULE, "module"}, {DICT, "dict"}, {ORDER, "Order"}};
    put(d, 4, 4);
    for (size_t i = 0; i < 4; i++) {
        put(d, types[i].at, 8);
        text(d, types[i].name);
    }
    put(d, 123000321, 8);
}

static void make(dump *d, bool has_texts)
{
    d->size = 0;
    head(d, has_texts);
    objects(d, has_texts);
    tail(d);
}

static hsd_status import(const dump *d, hsd_import_options options, hsd_import_result *result, capture_view *view,
                         hsd_error *err)
{
    return import_bytes(d->data, d->size, "dump", &options, NULL, result, view, err);
}

static dump made;

Test(pyheap, objects_have_their_types_and_references)
{
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    make(&made, true);
    cr_assert(import(&made, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_str_eq(result.format, "pyheap");
    cr_expect(result.objects == 4 && result.bytes == 440 && result.is_complete);
    const view_object *order = view_find(&view, 0x3000);
    cr_assert(order != NULL && order->size_bytes == 48);
    cr_expect_str_eq(view_type(&view, order->type), "Order");
    cr_expect_eq(view_reference_of(&view, order, "kept", 0)->target, 0x2000);
    cr_expect_eq(view_find(&view, 0x2000)->count, 2);
    view_close(&view);
}

Test(pyheap, modules_are_roots_and_their_attributes_owners)
{
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    make(&made, true);
    cr_assert(import(&made, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_GLOBAL, "module app.cache", 0x1000), 1);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_STACK, "local order of main", 0x3000), 1);
    cr_expect(view.thread_count == 1 && view.frame_count == 1);
    const view_object *module = view_find(&view, 0x1000);
    const view_reference *global = view_reference_of(&view, module, "SESSIONS", 0);
    cr_assert(global != NULL && global->target == 0x2000);
    cr_expect((view_label_of(&view, global).flags & HSC_LABEL_NAMED_ROOT) != 0);
    cr_expect_str_eq(view_string(&view, module->name), "app.cache");
    for (uint32_t i = 0; i < view.string_limit; i++)
        cr_expect(view.strings[i] == NULL || strstr(view.strings[i], "secret") == NULL, "%s", view.strings[i]);
    view_close(&view);
}

Test(pyheap, without_texts_there_are_no_modules)
{
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    make(&made, false);
    cr_assert(import(&made, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect(result.objects == 4 && view.root_count == 1);
    view_close(&view);
}

/* More references than are kept for one object are written as they come. */
Test(pyheap, a_long_list_is_whole)
{
    enum { MANY = 70000 };
    static uint64_t all[MANY];
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    made.size = 0;
    head(&made, 0);
    for (int i = 0; i < MANY; i++)
        all[i] = 0x10000 + 16 * (uint64_t)i;
    put(&made, 1, 4);
    object(&made, 0x2000, LIST, 88, all, MANY);
    tail(&made);
    cr_assert(import(&made, (hsd_import_options){0}, &result, &view, &err) == HSD_OK, "%s", err.text);
    cr_expect_eq(view_find(&view, 0x2000)->count, MANY);
    view_close(&view);
}

static void expect_refused(hsd_status wanted, const char *words)
{
    hsd_import_result result;
    hsd_error err;
    const hsd_status got = import(&made, (hsd_import_options){.format = "pyheap"}, &result, NULL, &err);
    cr_expect_eq(got, wanted, "%d: %s", got, err.text);
    cr_expect(strstr(err.text, words) != NULL, "%s", err.text);
}

Test(pyheap, damage_is_told)
{
    make(&made, true);
    made.data[11] = 2;
    expect_refused(HSD_E_UNSUPPORTED, "of version 2: hsdiff knows 1");
    make(&made, true);
    made.data[made.size - 1] ^= 1;
    expect_refused(HSD_E_CORRUPT, "does not end as one does");
    made.size = 0;
    head(&made, 0);
    put(&made, 1, 4);
    object(&made, 0x3000, ORDER, 48, NULL, 0);
    put(&made, 1, 4);
    put(&made, 0xfff0, 2);
    put(&made, 0, 8);
    expect_refused(HSD_E_CORRUPT, "there is no frequent attribute 15");
}

Test(pyheap, a_cut_dump_is_refused_and_partly_read)
{
    capture_view view;
    hsd_import_result result;
    hsd_error err;
    make(&made, true);
    for (size_t size = made.size - 1; size > 200; size -= 13) {
        made.size = size;
        expect_refused(HSD_E_TRUNCATED, "");
        cr_assert(import(&made, (hsd_import_options){.salvage = true}, &result, &view, &err) == HSD_OK, "%s", err.text);
        cr_expect(!result.is_complete);
        view_close(&view);
    }
}

Test(pyheap, summary_has_the_same_sums)
{
    hsd_import_result whole, summary;
    hsd_error err;
    make(&made, true);
    cr_assert(import(&made, (hsd_import_options){0}, &whole, NULL, &err) == HSD_OK, "%s", err.text);
    cr_assert(import(&made, (hsd_import_options){.summary_only = true}, &summary, NULL, &err) == HSD_OK, "%s",
              err.text);
    cr_expect(whole.objects == summary.objects && whole.bytes == summary.bytes);
}

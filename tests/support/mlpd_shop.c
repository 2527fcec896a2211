/*
 * The program of mlpd_writer.h, and events that nobody wants.
 */
#include <stdlib.h>

#include "support/mlpd_writer.h"

enum { MAIN_THREAD = 0x100, FINALIZER = 0x200, EVENT_EDGES = 128, STRING_BYTES = 40, SESSION_BYTES = 24 };
#define P(n)          (UINT64_C(0x7e0000000000) + (n))
#define SESSION_CLASS P(0x100)
#define ARRAY_CLASS   P(0x200)
#define STRING_CLASS  P(0x300)
#define CACHE_CLASS   P(0x400)
#define LONE          UINT64_C(0x7f0000020000)
#define STATICS       P(0x10000)
#define STACK         P(0x20000)

/* Version 14 tells classes where later ones tell vtables. */
static uint64_t vtable(const mlpd_file *file, uint64_t class_pointer)
{
    return file->version < 15 ? class_pointer : class_pointer + 0x40;
}

static void skip_backtrace(mlpd_file *file)
{
    mlpd_unsigned(file, 2);
    mlpd_signed(file, 16);
    mlpd_signed(file, -16);
}

static void put_samples(mlpd_file *file)
{
    mlpd_event(file, 7, 0, 1);
    mlpd_pointer(file, MAIN_THREAD);
    skip_backtrace(file);
    skip_backtrace(file);
    mlpd_event(file, 7, 1, 1);
    mlpd_pointer(file, P(1));
    mlpd_unsigned(file, 5);
    mlpd_text(file, "symbol");
    mlpd_event(file, 7, 3, 1);
    mlpd_unsigned(file, 2);
    for (unsigned i = 0; i < 2; i++) {
        mlpd_unsigned(file, i == 0 ? 1 << 15 : 2);
        if (i == 0) mlpd_text(file, "section");
        mlpd_text(file, "counter");
        for (unsigned k = 0; k < 4; k++)
            mlpd_unsigned(file, k + 1);
    }
    mlpd_event(file, 7, 4, 1);
    for (unsigned type = 3; type <= 6; type++) {
        mlpd_unsigned(file, type);
        mlpd_unsigned(file, type);
        if (type == 5)
            for (unsigned i = 0; i < 8; i++)
                mlpd_byte(file, 0xff);
        else
            mlpd_unsigned(file, type == 6);
        if (type == 6) mlpd_text(file, "value");
    }
    mlpd_unsigned(file, 0);
}

static void put_metadata(mlpd_file *file)
{
    mlpd_event(file, 2, 2, 1);
    mlpd_byte(file, 2);
    mlpd_pointer(file, 0x1000);
    mlpd_text(file, "shop.exe");
    if (file->version >= 16) mlpd_text(file, "mvid");
    mlpd_event(file, 2, 2, 1);
    mlpd_byte(file, 3);
    mlpd_pointer(file, 0x1100);
    mlpd_pointer(file, 0x1000);
    mlpd_text(file, "shop");
    mlpd_event(file, 2, 0, 1);
    mlpd_byte(file, 4);
    mlpd_pointer(file, 0x2000);
    mlpd_text(file, "domain");
    mlpd_event(file, 2, 2, 1);
    mlpd_byte(file, 6);
    mlpd_pointer(file, 0x2100);
    mlpd_pointer(file, 0x2000);
}

static void put_collections(mlpd_file *file)
{
    mlpd_event(file, 1, 2, 1);
    mlpd_unsigned(file, 1 << 20);
    for (unsigned extra = 4; extra <= 7; extra++) {
        mlpd_event(file, 1, extra, 1);
        mlpd_unsigned(file, 1);
        mlpd_unsigned(file, 17);
        if (extra == 4 || extra == 6) mlpd_address(file, MLPD_SHOP_ARRAY);
        if (extra >= 6) skip_backtrace(file);
    }
    for (unsigned extra = 8; extra <= 11; extra++) {
        mlpd_event(file, 1, extra, 1);
        if (extra >= 10) mlpd_address(file, MLPD_SHOP_ARRAY);
    }
}

void mlpd_noise(mlpd_file *file)
{
    for (unsigned extra = 0; extra <= 1; extra++) {
        mlpd_event(file, 0, extra, 1);
        mlpd_pointer(file, vtable(file, SESSION_CLASS));
        mlpd_address(file, MLPD_SHOP_ARRAY);
        mlpd_unsigned(file, 24);
        if (extra == 1) skip_backtrace(file);
    }
    put_metadata(file);
    put_collections(file);
    mlpd_event(file, 3, 4, 1);
    mlpd_signed(file, 8);
    mlpd_pointer(file, P(2));
    mlpd_unsigned(file, 30);
    mlpd_text(file, "Main");
    mlpd_event(file, 3, 1, 1);
    mlpd_signed(file, -8);
    mlpd_event(file, 4, 1, 1);
    mlpd_byte(file, 0);
    mlpd_unsigned(file, 1);
    mlpd_signed(file, 1);
    mlpd_address(file, MLPD_SHOP_ARRAY);
    mlpd_event(file, 4, 8, 1);
    mlpd_address(file, MLPD_SHOP_ARRAY);
    skip_backtrace(file);
    mlpd_event(file, 5, 8, 1);
    mlpd_byte(file, 1);
    mlpd_address(file, MLPD_SHOP_ARRAY);
    skip_backtrace(file);
    put_samples(file);
    mlpd_event(file, 8, 1, 1);
    mlpd_byte(file, 5);
    mlpd_pointer(file, P(3));
    mlpd_unsigned(file, 9);
    mlpd_text(file, "trampoline");
    mlpd_event(file, 10, 0, 1);
    mlpd_byte(file, 1);
    mlpd_event(file, 10, 1, 1);
    mlpd_text(file, "aot");
}

/* ---- the shop ---- */

/* In the second shot the first one is elsewhere, and its place is that of one more, behind all others. */
static uint64_t session_at(unsigned number, unsigned count, bool is_second)
{
    if (is_second && number == 0) return MLPD_SHOP_MOVED;
    return MLPD_SHOP_FIRST + (number == count ? 0 : 0x100 * (uint64_t)number);
}

static void put_array(mlpd_file *file, unsigned count, bool is_second)
{
    mlpd_edge edges[EVENT_EDGES];
    const unsigned items = count + is_second;
    for (unsigned i = 0, k = 0; i < items || i == 0; i += k) {
        for (k = 0; k < EVENT_EDGES && i + k < items; k++)
            edges[k] = (mlpd_edge){32 + 8 * (uint64_t)(i + k), session_at(i + k, count, is_second)};
        mlpd_object(file, MLPD_SHOP_ARRAY, vtable(file, ARRAY_CLASS), i == 0 ? 32 + 8 * (uint64_t)items : 0, 1, edges,
                    k);
        if (items == 0) break;
    }
}

static void put_shot(mlpd_file *file, unsigned count, bool is_second)
{
    const uint64_t roots[][2] = {
        {STATICS + 8, MLPD_SHOP_ARRAY}, {STACK + 0x40, session_at(0, count, is_second)}, {1, LONE}, {P(0x77), LONE}};
    mlpd_gc(file, 0, 1);
    mlpd_gc(file, 5, 1);
    mlpd_heap_start(file);
    mlpd_roots(file, roots, 4);
    put_array(file, count, is_second);
    mlpd_object(file, LONE, vtable(file, STRING_CLASS), STRING_BYTES, 1, NULL, 0);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t session = session_at(i, count, is_second), string = MLPD_SHOP_FIRST + 0x100 * (uint64_t)i + 0x80;
        mlpd_object(file, session, vtable(file, SESSION_CLASS), SESSION_BYTES, i == 1 ? 0 : 1, &(mlpd_edge){16, string},
                    1);
        mlpd_object(file, string, vtable(file, STRING_CLASS), STRING_BYTES, 1, NULL, 0);
    }
    if (is_second) mlpd_object(file, MLPD_SHOP_FIRST, vtable(file, SESSION_CLASS), SESSION_BYTES, 1, NULL, 0);
    mlpd_heap_end(file);
}

static void put_names(mlpd_file *file)
{
    const uint64_t classes[] = {SESSION_CLASS, ARRAY_CLASS, STRING_CLASS, CACHE_CLASS};
    const char *const names[] = {"Shop.Session", "Shop.Session[]", "System.String", "Shop.Cache"};
    for (unsigned i = 0; i < 4; i++) {
        mlpd_vtable_load(file, classes[i] + 0x40, classes[i]);
        mlpd_class_load(file, classes[i], names[i]);
    }
    mlpd_thread_name(file, MAIN_THREAD, NULL);
    mlpd_thread_name(file, MAIN_THREAD, "main");
}

void mlpd_shop(mlpd_file *file, unsigned version, unsigned first, unsigned second)
{
    mlpd_begin(file,
               version == 17   ? 3
               : version == 14 ? 1
                               : 2,
               version, 8, "nodefaults,gc,gcmove,gcroot,heapshot=ondemand");
    mlpd_buffer(file, MAIN_THREAD, 1000000);
    mlpd_noise(file);
    mlpd_buffer(file, FINALIZER, 2000000);
    put_shot(file, first, false);
    const uint64_t moves[][2] = {{MLPD_SHOP_FIRST, MLPD_SHOP_MOVED}, {MLPD_SHOP_FIRST + 0x90000, MLPD_SHOP_FIRST}};
    mlpd_gc(file, 0, 0);
    mlpd_moves(file, moves, 2);
    mlpd_gc(file, 5, 0);
    mlpd_buffer(file, MAIN_THREAD, 1500000); /* before the shot by its times, behind it in the file */
    put_names(file);
    mlpd_root_register(file, STATICS, 0x20, 3, vtable(file, CACHE_CLASS), "statics");
    mlpd_root_register(file, STACK, 0x1000, 1, MAIN_THREAD, "stack");
    mlpd_buffer(file, FINALIZER, 3000000);
    put_shot(file, second, true);
    mlpd_end(file);
}

/*
 * JNI globals of a HotSpot dump: those of native code come first, those of the VM behind them, with the same tag.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>

enum {
    TYPES = 9,
    OBJECT = 0x10,
    BOX = 0x20,
    TYPE = 0x1000,
    VALUE = 0x2000,
    TYPE_NAME = 20,
    NATIVE = 0x7f00,
    VM = 0x7e00
};

static const char *const boxes[TYPES] = {"java/lang/Boolean", "java/lang/Byte",    "java/lang/Character",
                                         "java/lang/Short",   "java/lang/Integer", "java/lang/Long",
                                         "java/lang/Float",   "java/lang/Double",  "java/lang/Void"};

/* A dump of the nine boxes and a number of objects VALUE, VALUE + 1 …; its heap is open for roots. */
static void begin_dump(hprof_writer *w, unsigned values)
{
    hw_begin(w, "1.0.2", 8, 0);
    hw_string(w, 1, "java/lang/Object");
    hw_string(w, TYPE_NAME, "TYPE");
    for (unsigned i = 0; i < TYPES; i++)
        hw_string(w, 2 + i, boxes[i]);
    hw_load_class(w, 1, OBJECT, 1);
    for (unsigned i = 0; i < TYPES; i++)
        hw_load_class(w, 2 + i, BOX + i, 2 + i);
    hw_open(w, 0x1C);
    for (unsigned i = 0; i < TYPES; i++) {
        const hw_field statics[] = {{TYPE_NAME, 2, TYPE + i}, {0}}, none[] = {{0}};
        hw_class_dump(w, &(hw_class){.id = BOX + i, .super = OBJECT, .statics = statics, .fields = none});
    }
    for (unsigned i = 0; i < values; i++) {
        hw_instance(w, VALUE + i, 0, OBJECT);
        hw_instance_end(w);
    }
}

static void put_handle(hprof_writer *w, uint64_t target, uint64_t handle)
{
    hw_u1(w, 0x01);
    hw_id(w, target);
    hw_id(w, handle);
}

static void put_types(hprof_writer *w, uint64_t first, int64_t step)
{
    for (unsigned i = 0; i < TYPES; i++)
        put_handle(w, TYPE + i, first + (uint64_t)((int64_t)i * step));
}

static void read_dump(hprof_case *c, hprof_writer *w)
{
    hw_close(w);
    hw_end_mark(w);
    case_import(c, w->data, w->size);
    hw_free(w);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
}

static size_t of_native(const hprof_case *c, uint64_t id)
{
    return view_count_roots(&c->view, HSC_ROOT_HANDLE, "(JNI globals)", id);
}

static size_t of_vm(const hprof_case *c, uint64_t id)
{
    return view_count_roots(&c->view, HSC_ROOT_RUNTIME, "(VM internals)", id);
}

/* As JDK 22 and later: one of the VM's handles stands before those of the types. JDK 8 and 11 count downwards. */
Test(hprof_handles, those_of_the_vm_are_its_own, .timeout = 60)
{
    for (int64_t step = -8; step <= 8; step += 16) {
        hprof_writer w;
        hprof_case c = {0};
        begin_dump(&w, 4);
        put_handle(&w, VALUE, NATIVE);
        put_handle(&w, VALUE + 1, NATIVE + 8);
        put_handle(&w, VALUE + 2, (uint64_t)(VM - step));
        put_types(&w, VM, step);
        put_handle(&w, VALUE + 3, VM + 0x400);
        hw_root(&w, 0x05, OBJECT);
        read_dump(&c, &w);
        cr_expect_eq(of_native(&c, VALUE), 1);
        cr_expect_eq(of_native(&c, VALUE + 1), 1);
        cr_expect_eq(of_vm(&c, VALUE + 2), 1);
        cr_expect_eq(of_vm(&c, TYPE), 1);
        cr_expect_eq(of_vm(&c, TYPE + 8), 1);
        cr_expect_eq(of_vm(&c, VALUE + 3), 1);
        for (size_t i = 0; i < c.view.root_count; i++)
            if (c.view.roots[i].kind == HSC_ROOT_RUNTIME) cr_expect_eq(c.view.roots[i].flags, HSC_ROOT_SECONDARY);
        case_close(&c);
    }
}

/* A leak of them, in rows longer than any that waits; a library that keeps the types, each beside its box. */
Test(hprof_handles, those_of_native_code_are_not, .timeout = 60)
{
    enum { MANY = 200 };
    hprof_writer w;
    hprof_case c = {0};
    begin_dump(&w, MANY);
    for (unsigned i = 0; i < TYPES; i++) {
        put_handle(&w, BOX + i, NATIVE + 16 * i);
        put_handle(&w, TYPE + i, NATIVE + 16 * i + 8);
    }
    for (unsigned i = 0; i < MANY; i++)
        put_handle(&w, VALUE + i, NATIVE + 0x200 + 8 * i);
    read_dump(&c, &w);
    for (unsigned i = 0; i < TYPES; i++)
        cr_expect_eq(of_native(&c, TYPE + i), 1);
    for (unsigned i = 0; i < MANY; i++)
        cr_expect_eq(of_native(&c, VALUE + i), 1);
    cr_expect_eq(c.view.root_count, 2 * TYPES + MANY);
    case_close(&c);
}

/* Types that stand in a row without being neighbours say nothing. */
Test(hprof_handles, types_that_lie_apart_are_of_native_code, .timeout = 60)
{
    hprof_writer w;
    hprof_case c = {0};
    begin_dump(&w, 1);
    put_types(&w, NATIVE, 64);
    put_handle(&w, VALUE, NATIVE + 64 * TYPES);
    read_dump(&c, &w);
    cr_expect_eq(of_native(&c, TYPE), 1);
    cr_expect_eq(of_native(&c, VALUE), 1);
    case_close(&c);
}

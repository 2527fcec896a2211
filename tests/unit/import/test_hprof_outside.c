/*
 * Bytes outside the heap in HPROF dumps: each stretch of memory counts once, with the object that owns it.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>

enum { OBJECT = 0x10, BUFFER = 0x20, DIRECT = 0x30, OWNER = 0x100, SLICE = 0x200, WRAPPER = 0x300 };
enum { OBJECT_NAME = 1, BUFFER_NAME, DIRECT_NAME, CAPACITY, SEGMENT, ATT, CLEANER };

static void write_direct(hprof_writer *w, uint64_t id, uint64_t att, uint64_t segment, uint32_t capacity)
{
    hw_instance(w, id, 1, DIRECT);
    hw_id(w, att);
    hw_id(w, 0); /* cleaner */
    hw_u4(w, capacity);
    hw_id(w, segment);
    hw_instance_end(w);
}

static void import_buffers(hprof_case *c, const char *leaf, unsigned id_bytes, uint32_t capacity)
{
    const hw_field none[] = {{0}}, buffer[] = {{CAPACITY, 10, 0}, {SEGMENT, 2, 0}, {0}},
                   direct[] = {{ATT, 2, 0}, {CLEANER, 2, 0}, {0}};
    const hw_class classes[] = {{.id = OBJECT, .fields = none},
                                {.id = BUFFER, .super = OBJECT, .fields = buffer},
                                {.id = DIRECT, .super = BUFFER, .fields = direct}};
    const char *const words[] = {"java/lang/Object", "java/nio/Buffer", leaf, "capacity", "segment", "att", "cleaner"};
    hprof_writer w;
    hw_begin(&w, "1.0.2", id_bytes, 0);
    for (unsigned i = 0; i < 7; i++)
        hw_string(&w, 1 + i, words[i]);
    for (unsigned i = 0; i < 3; i++)
        hw_load_class(&w, 1 + i, classes[i].id, OBJECT_NAME + i);
    hw_open(&w, 0x1C);
    for (unsigned i = 0; i < 3; i++)
        hw_class_dump(&w, &classes[i]);
    write_direct(&w, OWNER, 0, 0, capacity);
    write_direct(&w, SLICE, OWNER, 0, 4000);
    write_direct(&w, WRAPPER, 0, OWNER, 3000);
    hw_close(&w);
    hw_end_mark(&w);
    case_import(c, w.data, w.size);
    hw_free(&w);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
}

static uint64_t native_bytes(const hprof_case *c, uint64_t id)
{
    const view_object *object = view_find(&c->view, id);
    cr_assert_not_null(object);
    return object->native_bytes;
}

Test(hprof_outside, a_direct_buffer_owns_its_capacity_and_a_view_of_it_nothing)
{
    for (unsigned id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        hprof_case c = {0};
        import_buffers(&c, "java/nio/DirectByteBuffer", id_bytes, 10000);
        cr_expect(native_bytes(&c, OWNER) == 10000);
        cr_expect(native_bytes(&c, SLICE) == 0);
        cr_expect(native_bytes(&c, WRAPPER) == 0);
        cr_expect(c.view.info->native_bytes == 10000);
        case_close(&c);
    }
}

Test(hprof_outside, other_classes_own_nothing)
{
    hprof_case c = {0};
    import_buffers(&c, "java/nio/HeapByteBuffer", 8, 10000);
    cr_expect(c.view.info->native_bytes == 0);
    case_close(&c);
    import_buffers(&c, "java/nio/DirectByteBufferR", 8, 10000);
    cr_expect(c.view.info->native_bytes == 0, "pages of a file that is mapped to be read");
    case_close(&c);
}

Test(hprof_outside, a_negative_capacity_is_none)
{
    hprof_case c = {0};
    import_buffers(&c, "java/nio/DirectByteBuffer", 8, 0xfffffff0u);
    cr_expect(c.view.info->native_bytes == 0);
    case_close(&c);
}

/* jdk.internal.foreign: the cleanup of an arena says how much it gives back. */
Test(hprof_outside, memory_of_an_arena_belongs_to_its_cleanup)
{
    const hw_field fields[] = {{2, 11, 0}, {3, 11, 0}, {0}};
    const hw_class cleanup = {.id = 0x20, .fields = fields};
    hprof_case c = {0};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    hw_string(&w, 1, "jdk/internal/foreign/SegmentFactories$1");
    hw_string(&w, 2, "val$buf");
    hw_string(&w, 3, "val$alignedSize");
    hw_load_class(&w, 1, 0x20, 1);
    hw_open(&w, 0x1C);
    hw_class_dump(&w, &cleanup);
    hw_instance(&w, 0x100, 1, 0x20);
    hw_u8(&w, 0x7f0000000000);
    hw_u8(&w, UINT64_C(5) << 32);
    hw_instance_end(&w);
    hw_close(&w);
    hw_end_mark(&w);
    case_import(&c, w.data, w.size);
    hw_free(&w);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(native_bytes(&c, 0x100) == UINT64_C(5) << 32);
    case_close(&c);
}

/* A buffer that begins a page and has no cleaner: native code mapped it, and keeps it. */
Test(hprof_outside, a_mapping_that_native_code_made_is_its_own)
{
    static const struct {
        uint64_t address, cleaner, owns;
    } cases[] = {{0x7f0000001000, 0, 0},
                 {0x7f0000001000, 0x200, 10000},
                 {0x7f0000001010, 0, 10000},
                 {0x7f0000001010, 0x200, 10000}};
    const hw_field fields[] = {{2, 10, 0}, {3, 11, 0}, {4, 2, 0}, {0}};
    const hw_class buffer = {.id = 0x20, .fields = fields};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hprof_case c = {0};
        hprof_writer w;
        hw_begin(&w, "1.0.2", 8, 0);
        hw_string(&w, 1, "java/nio/DirectByteBuffer");
        hw_string(&w, 2, "capacity");
        hw_string(&w, 3, "address");
        hw_string(&w, 4, "cleaner");
        hw_load_class(&w, 1, 0x20, 1);
        hw_open(&w, 0x1C);
        hw_class_dump(&w, &buffer);
        hw_instance(&w, 0x100, 1, 0x20);
        hw_u4(&w, 10000);
        hw_u8(&w, cases[i].address);
        hw_id(&w, cases[i].cleaner);
        hw_instance_end(&w);
        hw_close(&w);
        hw_end_mark(&w);
        case_import(&c, w.data, w.size);
        hw_free(&w);
        cr_assert(c.status == HSD_OK, "%s", c.err.text);
        cr_expect(native_bytes(&c, 0x100) == cases[i].owns, "case %zu", i);
        case_close(&c);
    }
}

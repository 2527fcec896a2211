/*
 * Shallow sizes of HPROF imports: told from the distances between objects, by the rules of each JVM.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>
#include <string.h>

#include "import/hprof/hprof.h"

static uint64_t size_of(const hprof_case *c, const heap_form *form, enum heap_object which)
{
    return case_object(c, form, which)->size_bytes;
}

/* Distances in the known heap are those of a JDK 17 with compressed references. */
Test(hprof_size, are_the_distances_of_a_dense_heap)
{
    const heap_form form = {0};
    hprof_case c = {0};
    case_import_form(&c, &form);
    for (unsigned i = 0; i + 1 < heap_object_count(1); i++) {
        const uint64_t distance = heap_id(&form, i + 1) - heap_id(&form, i);
        cr_expect(size_of(&c, &form, i) == distance, "object %u: %llu, not %llu", i,
                  (unsigned long long)size_of(&c, &form, i), (unsigned long long)distance);
    }
    case_close(&c);
}

Test(hprof_size, of_a_32_bit_jvm_have_short_headers)
{
    const heap_form form = {.id_bytes = 4};
    hprof_case c = {0};
    case_import_form(&c, &form);
    cr_expect(size_of(&c, &form, HEAP_MAP) == 16);   /* 8 + 4 + 4 */
    cr_expect(size_of(&c, &form, HEAP_TABLE) == 32); /* 12 + 16, padded */
    cr_expect(size_of(&c, &form, HEAP_LONGS) == 40); /* 16 + 24 */
    cr_expect(size_of(&c, &form, HEAP_LAMBDA) == 16);
    case_close(&c);
}

Test(hprof_size, of_the_agent_are_those_of_compressed_references)
{
    const heap_form form = {.is_agent = true};
    hprof_case c = {0};
    case_import_form(&c, &form);
    cr_expect(size_of(&c, &form, HEAP_MAP) == 24);
    cr_expect(size_of(&c, &form, HEAP_DERIVED) == 48); /* an old JDK leaves the gap */
    case_close(&c);
}

/* One class with a reference, a byte and a long, and arrays, at chosen distances. */
static void import_distances(hprof_case *c, unsigned instance, const unsigned arrays[3])
{
    static const uint64_t nothing[20];
    const hw_field fields[] = {{1, 2, 0}, {1, 8, 0}, {1, 11, 0}, {0}};
    const hw_class object = {.id = 0x100}, class = {.id = 0x200, .super = 0x100, .fields = fields};
    uint64_t at = 0x7f0000000;
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    hw_string(&w, 1, "f");
    hw_string(&w, 2, "com/x/A");
    hw_load_class(&w, 1, 0x200, 2);
    hw_open(&w, 0x1C);
    hw_class_dump(&w, &object);
    hw_class_dump(&w, &class);
    for (unsigned i = 0; i < 400; i++) {
        hw_instance(&w, at, 1, 0x200);
        hw_id(&w, 0);
        hw_u1(&w, 0);
        hw_u8(&w, 0);
        hw_instance_end(&w);
        at += instance;
        hw_prim_array(&w, at, 1, 8, 3, nothing);
        at += arrays[0];
        hw_prim_array(&w, at, 1, 8, 20, nothing);
        at += arrays[1];
        hw_object_array(&w, at, 1, 0x300, 9, nothing);
        at += arrays[2];
    }
    hw_close(&w);
    hw_end_mark(&w);
    *c = (hprof_case){0};
    case_import(c, w.data, w.size);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
    hw_free(&w);
}

/* All of a type have this size. */
static void expect_mean(const hprof_case *c, const char *type, uint64_t size)
{
    uint64_t objects, bytes;
    view_total(&c->view, type, &objects, &bytes);
    cr_expect(objects > 0 && bytes == objects * size, "%s: %llu bytes in %llu", type, (unsigned long long)bytes,
              (unsigned long long)objects);
}

Test(hprof_size, follow_the_header_and_the_width_of_references)
{
    static const struct {
        unsigned instance, arrays[3]; /* byte[3], byte[20], a Object[9] */
        const char *what;
    } jvms[] = {
        {32, {24, 40, 56}, "compressed"},                 /* 12+1, 8, 4; 16+3, 16+20, 16+36 */
        {32, {24, 40, 88}, "wide references"},            /* 12+1, 8, 8; 16+72 */
        {40, {32, 48, 96}, "wide, whole class pointers"}, /* 16, 8, 1, 8; 24+3, 24+20, 24+72 */
        {24, {16, 32, 48}, "compact headers"},            /* 8, 8, 1, 4; 12+3, 12+20, 12+36 */
        {32, {32, 48, 64}, "aligned to 16"},
    };
    for (size_t i = 0; i < sizeof jvms / sizeof jvms[0]; i++) {
        hprof_case c;
        import_distances(&c, jvms[i].instance, jvms[i].arrays);
        expect_mean(&c, "com.x.A", jvms[i].instance);
        expect_mean(&c, "(unknown class)", jvms[i].arrays[2]);
        case_close(&c);
    }
}

/* One class with these fields ("8" a long, "r" a reference …) and its size. */
static uint64_t size_by(const hprof_model *model, const char *name, const char *field, const uint8_t *types,
                        uint32_t count, uint64_t nearest)
{
    hprof self = {.model = *model, .reader = {.id_bytes = 8}, .flavour = HPROF_HOTSPOT};
    hprof_class items[2] = {{0}, {.id = 1, .name = 1, .field_count = count, .has_dump = true}};
    hprof_tally tallies[2] = {{0}, {.nearest = nearest}};
    hprof_layout layouts[2] = {{0}};
    hprof_field fields[16] = {{0}};
    hsd_bytes texts[3] = {{NULL, 0}, {(const uint8_t *)name, strlen(name)}, {(const uint8_t *)field, strlen(field)}};
    for (uint32_t i = 0; i < count; i++)
        fields[i] = (hprof_field){2, types[i]};
    self.classes.items = items;
    self.classes.tallies = tallies;
    self.classes.fields = fields;
    self.classes.table.count = 1;
    self.names.texts = texts;
    self.layouts = layouts;
    hsd_hprof_lay_out(&self, model, layouts);
    return hsd_hprof_instance_size(&self, &items[1]);
}

Test(hprof_size, of_classes_of_the_library_have_what_no_dump_names)
{
    static const uint8_t cell[] = {11}, loader[] = {2, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    const hprof_model new = {12, 16, 4, 8, true, false}, old = {12, 16, 4, 8, false, false};
    static const char striped[] = "java.util.concurrent.atomic.Striped64$Cell";
    /* padding of 128 on both sides of a contended field, unless the next object stands nearer */
    cr_expect(size_by(&new, striped, "value", cell, 1, UINT64_MAX) == 280);
    cr_expect(size_by(&new, striped, "value", cell, 1, 24) == 24);
    cr_expect(size_by(&new, "com/x/Cell", "value", cell, 1, UINT64_MAX) == 24);
    /* a word of the VM's in a class loader; JDK 11 knew its offsets by heart */
    cr_expect(size_by(&new, "java/lang/ClassLoader", "f", loader, 15, UINT64_MAX) == 80);
    cr_expect(size_by(&old, "java/lang/ClassLoader", "f", loader, 15, UINT64_MAX) == 88);
    cr_expect(size_by(&old, "com/x/ClassLoader", "f", loader, 15, UINT64_MAX) == 72);
}

Test(hprof_size, depend_on_which_gaps_are_filled)
{
    static const uint8_t types[] = {11, 10, 9, 8, 4, 2};
    const hprof_model new = {12, 16, 4, 8, true, false}, old = {12, 16, 4, 8, false, false};
    const hprof_model wide = {16, 24, 8, 8, true, false}, compact = {8, 12, 4, 8, true, false};
    cr_expect(size_by(&new, "A", "f", types, 6, UINT64_MAX) == 32); /* 12 int, 16 long, 24 … 32 */
    cr_expect(size_by(&old, "A", "f", types, 6, UINT64_MAX) == 32);
    cr_expect(size_by(&wide, "A", "f", types, 6, UINT64_MAX) == 40);
    cr_expect(size_by(&compact, "A", "f", types, 6, UINT64_MAX) == 32);
    cr_expect(size_by(&new, "A", "f", types, 0, UINT64_MAX) == 16);
    cr_expect(size_by(&compact, "A", "f", types, 0, UINT64_MAX) == 8);
}

Test(hprof_size, of_an_array_saturate_instead_of_wrapping)
{
    const hprof_model model = {.header = 12, .array_header = 16, .reference = 4, .alignment = 8};
    cr_expect(hsd_hprof_array_size(&model, 0, 8) == 16);
    cr_expect(hsd_hprof_array_size(&model, 5, 1) == 24);
    cr_expect(hsd_hprof_array_size(&model, UINT64_C(0xffffffff), 8) == 16 + UINT64_C(0xffffffff) * 8);
    cr_expect(hsd_hprof_array_size(&model, UINT64_MAX, 8) > UINT64_C(1) << 63);
    cr_expect(hsd_hprof_array_size(&model, UINT64_MAX, 1) > UINT64_C(1) << 63);
}

Test(hprof_size, of_many_arrays_are_the_sum_of_each)
{
    static const unsigned headers[] = HPROF_ARRAY_HEADERS;
    for (unsigned h = 0; h < 4; h++)
        for (unsigned alignment = 8; alignment <= 32; alignment *= 2)
            for (unsigned width = 1; width <= 8; width *= 2) {
                const hprof_model model = {.array_header = headers[h], .alignment = alignment};
                hprof_array_tally tally = {0};
                uint64_t sum = 0;
                for (uint64_t count = 0; count < 200; count += 3) {
                    tally.arrays[count % HPROF_REMAINDERS]++;
                    tally.elements += count;
                    sum += hsd_hprof_array_size(&model, count, width);
                }
                cr_expect(hsd_hprof_arrays_size(&model, &tally, width) == sum);
            }
}

/* A piece of a stack with as many words as `sizes` say. */
static void import_stacks(hprof_case *c, bool is_summary, const uint32_t *sizes, unsigned count)
{
    const hw_field fields[] = {{2, 2, 0}, {3, 10, 0}, {4, 10, 0}, {5, 10, 0}, {0}};
    const hw_class object = {.id = 0x10}, stack = {.id = 0x20, .super = 0x10, .fields = fields};
    const char *const words[] = {"jdk/internal/vm/StackChunk", "parent", "sp", "size", "argsize"};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    for (unsigned i = 0; i < 5; i++)
        hw_string(&w, 1 + i, words[i]);
    hw_load_class(&w, 1, 0x20, 1);
    hw_open(&w, 0x1C);
    hw_class_dump(&w, &object);
    hw_class_dump(&w, &stack);
    for (unsigned i = 0; i < count; i++) {
        hw_instance(&w, 0x1000 * (i + 1), 1, 0x20);
        hw_id(&w, 0);
        hw_u4(&w, 7);
        hw_u4(&w, sizes[i]);
        hw_u4(&w, 9);
        hw_instance_end(&w);
    }
    hw_close(&w);
    hw_end_mark(&w);
    *c = (hprof_case){.options = {.summary_only = is_summary}};
    case_import(c, w.data, w.size);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
    hw_free(&w);
}

/* As class histograms of JDK 21 and 25 say: a word has two bits in the bitmap where references are compressed. */
Test(hprof_size, of_a_virtual_threads_stack_has_the_words_behind_its_fields)
{
    static const uint32_t sizes[] = {0, 1, 32, 100, 0xffffffff};
    static const uint64_t expected[] = {48, 48 + 8 + 8, 48 + 256 + 8, 48 + 800 + 32, 48};
    hprof_case c = {0};
    import_stacks(&c, false, sizes, 5);
    for (unsigned i = 0; i < 5; i++) {
        const view_object *stack = view_find(&c.view, 0x1000 * (i + 1));
        cr_assert_not_null(stack);
        cr_expect_eq(stack->size_bytes, expected[i], "%llu", (unsigned long long)stack->size_bytes);
    }
    const uint64_t objects = c.result.objects, bytes = c.result.bytes;
    case_close(&c);
    import_stacks(&c, true, sizes, 5);
    cr_expect(c.result.objects == objects && c.result.bytes == bytes, "%llu, and by a summary %llu",
              (unsigned long long)bytes, (unsigned long long)c.result.bytes);
    case_close(&c);
}

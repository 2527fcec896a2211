/*
 * Values in the capture of an HPROF dump: of the instances of types that were named, and of nothing else; how much of
 * them; that numbers are written so that different ones differ.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "unit/import/hprof_case.h"

static void name_types(hprof_case *c, const char *const *types, size_t count)
{
    c->options.value_types = types;
    c->options.value_type_count = count;
}

static bool says_values(const hprof_case *c) { return (c->view.info->facts & HSC_FACT_VALUES) != 0; }

/* ---- the known heap ---- */

static const heap_form forms[] = {
    {0},
    {.version = "1.0.1", .id_bytes = 4},
    {.classes_last = true, .segment_every = 2},
    {.is_agent = true},
    {.is_android = true, .version = "1.0.3"},
};

static const char *type_of(const hprof_case *c, size_t i) { return view_type(&c->view, c->view.objects[i].type); }

Test(hprof_values, are_of_the_types_that_were_named)
{
    static const char *const types[] = {"com.x.Value", "com.x.Nobody", "com.x.Derived", "java.lang.String[]", "byte[]"};
    for (size_t f = 0; f < HSD_ARRAY_LEN(forms); f++) {
        hprof_case c = {0};
        size_t values = 0;
        name_types(&c, types, HSD_ARRAY_LEN(types));
        case_import_form(&c, &forms[f]);
        cr_assert(c.status == HSD_OK, "%s", c.err.text);
        cr_expect(says_values(&c), "form %zu", f);
        cr_expect_str_eq(case_object(&c, &forms[f], HEAP_VALUE_3)->value, "n=2");
        cr_expect_str_eq(case_object(&c, &forms[f], HEAP_DERIVED)->value, "z=122 d=1.5 b=true l=9");
        for (size_t i = 0; i < c.view.object_count; i++) {
            const char *type = type_of(&c, i);
            const bool is_named = strcmp(type, "com.x.Value") == 0 || strcmp(type, "com.x.Derived") == 0;
            cr_expect((c.view.objects[i].value != NULL) == is_named, "form %zu: %s", f, type);
            values += is_named;
        }
        cr_expect(values > 5);
        case_close(&c);
    }
}

Test(hprof_values, are_of_classes_whose_names_are_whole)
{
    static const char *const types[] = {"com.x.Val", "com.x.Value2", "Value", "com/x/Value", "", "com.x.Base"};
    hprof_case c = {0};
    name_types(&c, types, HSD_ARRAY_LEN(types));
    case_import_form(&c, &forms[0]);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(!says_values(&c)); /* com.x.Base has no instance of its own */
    for (size_t i = 0; i < c.view.object_count; i++)
        cr_expect_null(c.view.objects[i].value, "%s", type_of(&c, i));
    case_close(&c);
}

Test(hprof_values, of_some_types_come_beside_those_of_all)
{
    static const char *const types[] = {"com.x.Value"};
    hprof_case c = {.options = {.with_values = true}};
    name_types(&c, types, 1);
    case_import_form(&c, &forms[0]);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(says_values(&c));
    cr_expect_str_eq(case_object(&c, &forms[0], HEAP_VALUE_3)->value, "n=2");
    cr_expect_str_eq(case_object(&c, &forms[0], HEAP_BYTES)->value, "1, 2, 3");
    cr_expect_str_eq(case_object(&c, &forms[0], HEAP_DERIVED)->value, "z=122 d=1.5 b=true l=9");
    case_close(&c);
}

Test(hprof_values, are_not_in_a_summary)
{
    static const char *const types[] = {"com.x.Value"};
    hprof_case c = {.options = {.summary_only = true}};
    name_types(&c, types, 1);
    case_import_form(&c, &forms[0]);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_expect(!says_values(&c));
    case_close(&c);
}

/* ---- instances of one class ---- */

enum { NAME_CLASS = 0x10, NAME_SUPER, NAME_FIELDS = 0x100 };
enum { CLASS_ID = 0x2000, SUPER_ID = 0x2100, OBJECT_ID = 0x3000 };
enum { MOST_FIELDS = 1000, TYPE_FLOAT = 6, TYPE_DOUBLE = 7, TYPE_INT = 10, TYPE_LONG = 11 };

typedef struct one_class {
    unsigned type, field_count; /* named by `spelling`, of the number */
    const char *spelling;
    const uint64_t *values; /* of an instance each, in all fields; NULL: the number of the field */
    unsigned instances;
    unsigned missing_bytes; /* at the end of each instance */
} one_class;

static void write_instance(hprof_writer *w, const one_class *of, unsigned number)
{
    hw_instance(w, OBJECT_ID + 0x4000 * number, 0, CLASS_ID);
    for (unsigned i = 0; i < of->field_count; i++) {
        const uint64_t value = of->values == NULL ? i : of->values[number];
        if (hw_width(w, of->type) == 8)
            hw_u8(w, value);
        else
            hw_u4(w, (uint32_t)value);
    }
    if (of->missing_bytes < 8) hw_u8(w, 77);
    hw_instance_end(w);
}

/* Its superclass has the long `id`, which is 77. */
static void write_class(hprof_writer *w, const one_class *of)
{
    static hw_field fields[MOST_FIELDS + 1];
    static const hw_field none[] = {{0}}, of_super[] = {{.name = NAME_FIELDS - 1, .type = TYPE_LONG}, {0}};
    for (unsigned i = 0; i <= of->field_count; i++)
        fields[i] = (hw_field){.name = i < of->field_count ? NAME_FIELDS + i : 0, .type = of->type};
    const hw_class super = {.id = SUPER_ID, .size = 8, .statics = none, .fields = of_super};
    const hw_class class = {.id = CLASS_ID,
                            .super = SUPER_ID,
                            .size = 8 + of->field_count * hw_width(w, of->type),
                            .statics = none,
                            .fields = fields};
    hw_class_dump(w, &super);
    hw_class_dump(w, &class);
}

static void import_one(hprof_case *c, const one_class *of)
{
    static char name[8192];
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    hw_string(&w, NAME_CLASS, "com/x/User");
    hw_string(&w, NAME_SUPER, "com/x/Entity");
    hw_string(&w, NAME_FIELDS - 1, "id");
    for (unsigned i = 0; i < of->field_count; i++) {
        snprintf(name, sizeof name, "%s%u", of->spelling, i);
        hw_string(&w, NAME_FIELDS + i, name);
    }
    hw_load_class(&w, 1, CLASS_ID, NAME_CLASS);
    hw_load_class(&w, 2, SUPER_ID, NAME_SUPER);
    hw_open(&w, 0x1C);
    write_class(&w, of);
    for (unsigned i = 0; i < of->instances; i++)
        write_instance(&w, of, i);
    hw_close(&w);
    hw_end_mark(&w);
    case_import(c, w.data, w.size);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
    hw_free(&w);
}

static const char *value_of(const hprof_case *c, unsigned number)
{
    const view_object *object = view_find(&c->view, OBJECT_ID + 0x4000 * number);
    cr_assert_not_null(object);
    return object->value != NULL ? object->value : "";
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static const char *const user[] = {"com.x.User"};

/* That of its superclass is the last field, and the one that is asked for. */
Test(hprof_values, of_named_types_are_long)
{
    const one_class of = {.type = TYPE_INT, .field_count = 200, .spelling = "amount_", .instances = 2};
    hprof_case c = {.options = {.with_values = true}};
    import_one(&c, &of);
    cr_expect(strlen(value_of(&c, 1)) <= 244);
    cr_expect(strncmp(value_of(&c, 1), "amount_0=0 amount_1=1 ", 22) == 0);
    cr_expect(ends_with(value_of(&c, 1), " ..."), "%s", value_of(&c, 1));
    cr_expect_null(strstr(value_of(&c, 1), "id="));
    case_close(&c);

    c = (hprof_case){0};
    name_types(&c, user, 1);
    import_one(&c, &of);
    cr_expect(ends_with(value_of(&c, 1), " amount_199=199 id=77"), "%s", value_of(&c, 1));
    case_close(&c);
}

Test(hprof_values, end_with_a_whole_field_and_a_mark)
{
    const one_class of = {.type = TYPE_INT, .field_count = MOST_FIELDS, .spelling = "amount_", .instances = 1};
    hprof_case c = {0};
    name_types(&c, user, 1);
    import_one(&c, &of);
    const char *value = value_of(&c, 0);
    unsigned last = 0;
    cr_expect(strlen(value) > 3900 && strlen(value) <= 4004);
    cr_assert(ends_with(value, " ..."), "%s", value);
    cr_assert(sscanf(strrchr(value, '_'), "_%u", &last) == 1);
    char end[64];
    snprintf(end, sizeof end, " amount_%u=%u ...", last, last);
    cr_expect(ends_with(value, end), "%s", value);
    case_close(&c);
}

Test(hprof_values, have_names_of_any_length_or_none)
{
    static char spelling[5000];
    for (size_t size = 60; size < sizeof spelling; size = size * 3 / 2) {
        const one_class of = {.type = TYPE_INT, .field_count = 1, .spelling = spelling, .instances = 1};
        hprof_case c = {0};
        name_types(&c, user, 1);
        memset(spelling, 'n', size);
        import_one(&c, &of);
        const char *value = value_of(&c, 0);
        if (size + 10 < 4000)
            cr_expect(strlen(value) == size + 3 + 6 && ends_with(value, "n0=0 id=77"), "%zu", size);
        else
            cr_expect_str_eq(value, "...");
        case_close(&c);
    }
}

Test(hprof_values, of_short_instances_are_marked)
{
    const one_class of = {.type = TYPE_INT, .field_count = 1, .spelling = "n", .instances = 1, .missing_bytes = 8};
    hprof_case c = {0};
    name_types(&c, user, 1);
    import_one(&c, &of);
    cr_expect_str_eq(value_of(&c, 0), "n0=0 ...");
    case_close(&c);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

Test(hprof_values, of_real_numbers_differ_as_they_do)
{
    const uint64_t doubles[] = {bits_of(0.1), bits_of(0.1) + 1, bits_of(1e6), bits_of(123456789.25), bits_of(1.0 / 3)};
    const uint64_t floats[] = {bits_of_float(0.1f), bits_of_float(0.1f) + 1, bits_of_float(1.5f)};
    one_class of = {.type = TYPE_DOUBLE, .field_count = 1, .spelling = "d", .values = doubles, .instances = 5};
    hprof_case c = {0};
    name_types(&c, user, 1);
    import_one(&c, &of);
    cr_expect_str_eq(value_of(&c, 0), "d0=0.1 id=77");
    cr_expect_str_eq(value_of(&c, 1), "d0=0.10000000000000002 id=77");
    cr_expect_str_eq(value_of(&c, 2), "d0=1e+06 id=77");
    cr_expect_str_eq(value_of(&c, 3), "d0=123456789.25 id=77");
    cr_expect_str_eq(value_of(&c, 4), "d0=0.33333333333333331 id=77");
    case_close(&c);

    c = (hprof_case){0};
    name_types(&c, user, 1);
    of = (one_class){.type = TYPE_FLOAT, .field_count = 1, .spelling = "f", .values = floats, .instances = 3};
    import_one(&c, &of);
    cr_expect_str_eq(value_of(&c, 0), "f0=0.1 id=77");
    cr_expect_str_eq(value_of(&c, 1), "f0=0.100000009 id=77");
    cr_expect_str_eq(value_of(&c, 2), "f0=1.5 id=77");
    case_close(&c);
}

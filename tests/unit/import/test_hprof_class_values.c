/*
 * What ClassValues keep of a class, in HPROF dumps: the map hangs from a field of the class object, which no dump has,
 * so that nothing seems to hold it.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>

enum { OBJECT = 0x10, WEAK_MAP = 0x20, VALUES = 0x30 };
enum { OBJECT_NAME = 1, WEAK_MAP_NAME, VALUES_NAME, TABLE };
enum { ORDINARY = 0x100, OF_ONE_CLASS = 0x110, OF_ANOTHER = 0x120, TABLE_OF_ONE = 0x200 };

static void put_map(hprof_writer *w, uint64_t id, uint64_t class_id, uint64_t table)
{
    hw_instance(w, id, 1, class_id);
    hw_id(w, table);
    hw_instance_end(w);
}

Test(hprof_class_values, a_map_of_them_is_a_root_and_no_other_map_is)
{
    const char *const words[] = {"java/lang/Object", "java/util/WeakHashMap", "java/lang/ClassValue$ClassValueMap",
                                 "table"};
    const hw_field none[] = {{0}}, table[] = {{TABLE, 2, 0}, {0}};
    const hw_class classes[] = {{.id = OBJECT, .fields = none},
                                {.id = WEAK_MAP, .super = OBJECT, .fields = table},
                                {.id = VALUES, .super = WEAK_MAP, .fields = none}};
    hprof_writer w;
    hprof_case c = {0};
    hw_begin(&w, "1.0.2", 8, 0);
    for (unsigned i = 0; i < 4; i++)
        hw_string(&w, 1 + i, words[i]);
    for (unsigned i = 0; i < 3; i++)
        hw_load_class(&w, 1 + i, classes[i].id, OBJECT_NAME + i);
    hw_open(&w, 0x1C);
    for (unsigned i = 0; i < 3; i++)
        hw_class_dump(&w, &classes[i]);
    put_map(&w, ORDINARY, WEAK_MAP, 0);
    put_map(&w, OF_ONE_CLASS, VALUES, TABLE_OF_ONE);
    put_map(&w, OF_ANOTHER, VALUES, 0);
    hw_close(&w);
    hw_end_mark(&w);
    case_import(&c, w.data, w.size);
    hw_free(&w);
    cr_assert(c.status == HSD_OK, "%s", c.err.text);
    cr_assert_eq(c.view.root_count, 2);
    cr_expect_eq(view_count_roots(&c.view, HSC_ROOT_CLASS, "(class values)", OF_ONE_CLASS), 1);
    cr_expect_eq(view_count_roots(&c.view, HSC_ROOT_CLASS, "(class values)", OF_ANOTHER), 1);
    for (size_t i = 0; i < c.view.root_count; i++) /* what a static holds, too, is the static's */
        cr_expect_eq(c.view.roots[i].flags, HSC_ROOT_SECONDARY);
    case_refers(&c, view_find(&c.view, OF_ONE_CLASS), "table", TABLE_OF_ONE);
    case_close(&c);
}

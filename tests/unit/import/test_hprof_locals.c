/*
 * What values of ThreadLocals are called in HPROF dumps: by the static field that holds the ThreadLocal, so that its
 * values are one owner in however many threads they are.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>

enum { OBJECT = 0x10, REFERENCE = 0x20, ENTRY = 0x30, SERVER = 0x40 };
enum { OBJECT_NAME = 1, REFERENCE_NAME, ENTRY_NAME, SERVER_NAME, REFERENT, VALUE, CTX, OTHER };
enum { LOCAL = 0x100, INSTANCE_LOCAL = 0x110, CONTEXT = 0x200, FIRST_ENTRY = 0x300 };

/* Entries 0x300, 0x310 … for the ThreadLocals `keys`, each with CONTEXT for a value. */
static void import_entries(hprof_case *c, const uint64_t *keys, unsigned count)
{
    const char *const words[] = {"java/lang/Object",
                                 "java/lang/ref/Reference",
                                 "java/lang/ThreadLocal$ThreadLocalMap$Entry",
                                 "com/x/Srv",
                                 "referent",
                                 "value",
                                 "CTX",
                                 "other"};
    const hw_field none[] = {{0}}, referent[] = {{REFERENT, 2, 0}, {0}}, value[] = {{VALUE, 2, 0}, {0}},
                   statics[] = {{CTX, 2, LOCAL}, {OTHER, 2, LOCAL}, {0}};
    const hw_class classes[] = {{.id = OBJECT, .fields = none},
                                {.id = REFERENCE, .super = OBJECT, .fields = referent},
                                {.id = ENTRY, .super = REFERENCE, .fields = value},
                                {.id = SERVER, .super = OBJECT, .statics = statics, .fields = none}};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    for (unsigned i = 0; i < 8; i++)
        hw_string(&w, 1 + i, words[i]);
    for (unsigned i = 0; i < 4; i++)
        hw_load_class(&w, 1 + i, classes[i].id, OBJECT_NAME + i);
    hw_open(&w, 0x1C);
    for (unsigned i = 0; i < 4; i++)
        hw_class_dump(&w, &classes[i]);
    for (unsigned i = 0; i < count; i++) {
        hw_instance(&w, FIRST_ENTRY + 0x10 * i, 1, ENTRY);
        hw_id(&w, CONTEXT);
        hw_id(&w, keys[i]);
        hw_instance_end(&w);
    }
    hw_close(&w);
    hw_end_mark(&w);
    case_import(c, w.data, w.size);
    hw_free(&w);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
}

Test(hprof_locals, values_are_called_as_the_static_field_that_holds_the_thread_local)
{
    static const struct {
        uint64_t key;
        const char *name;
    } cases[] = {{LOCAL, "ThreadLocal com.x.Srv.CTX"},
                 {INSTANCE_LOCAL, ""},
                 {LOCAL, "ThreadLocal com.x.Srv.CTX"},
                 {0, "ThreadLocal (collected)"}};
    uint64_t keys[4];
    hprof_case c = {0};
    for (unsigned i = 0; i < 4; i++)
        keys[i] = cases[i].key;
    import_entries(&c, keys, 4);
    for (unsigned i = 0; i < 4; i++) {
        const view_object *entry = view_find(&c.view, FIRST_ENTRY + 0x10 * i);
        cr_assert_not_null(entry);
        cr_expect_str_eq(view_string(&c.view, entry->name), cases[i].name);
        const view_label label = case_refers(&c, entry, "value", CONTEXT);
        cr_expect(label.kind == HSC_LABEL_FIELD);
        cr_expect(label.flags == (cases[i].key == LOCAL ? HSC_LABEL_NAMED_ROOT : 0)); /* else it is the thread's */
    }
    case_close(&c);
}

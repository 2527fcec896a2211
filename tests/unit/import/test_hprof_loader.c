/*
 * What class loaders mean for the HPROF importer: statics of classes that go with the program are roots of their own,
 * those of any other class loader hang from the class, and so from whatever holds the loader.
 */
#include "unit/import/hprof_case.h"

#include <criterion/criterion.h>

enum {
    OBJECT = 0x10,
    APP_LOADER = 0x20,
    PLUGIN_LOADER = 0x30,
    BOOT_CLASS = 0x40, /* three that have a static TABLE each */
    APP_CLASS = 0x50,
    PLUGIN_CLASS = 0x60,
    APP = 0x120, /* the loaders themselves */
    PLUGIN = 0x130,
    TABLE = 0x200
};

enum { TABLE_NAME = 1, OBJECT_NAME, APP_NAME, PLUGIN_NAME, CLASS_NAME };

static void write_loader_and_class(hprof_writer *w, uint64_t loader_class, uint64_t class, uint64_t loader)
{
    const hw_field none[] = {{0}}, table[] = {{TABLE_NAME, 2, TABLE}, {0}};
    const hw_class of = {.id = class, .super = OBJECT, .loader = loader, .statics = table, .fields = none};
    const hw_class of_loader = {.id = loader_class, .super = OBJECT, .fields = none};
    hw_load_class(w, (uint32_t) class, class, CLASS_NAME);
    hw_open(w, 0x1C);
    if (loader_class != 0) hw_class_dump(w, &of_loader);
    hw_class_dump(w, &of);
    if (loader != 0) {
        hw_instance(w, loader, 1, loader_class);
        hw_instance_end(w);
    }
    hw_close(w);
}

/* A class of the boot loader, one of the loader of that name and one of a loader of the program. */
static void import_loaders(hprof_case *c, const char *app_loader)
{
    const hw_class object = {.id = OBJECT};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    hw_string(&w, TABLE_NAME, "TABLE");
    hw_string(&w, OBJECT_NAME, "java/lang/Object");
    hw_string(&w, APP_NAME, app_loader);
    hw_string(&w, PLUGIN_NAME, "com/x/PluginLoader");
    hw_string(&w, CLASS_NAME, "com/x/Cache");
    hw_load_class(&w, 1, OBJECT, OBJECT_NAME);
    hw_load_class(&w, 2, APP_LOADER, APP_NAME);
    hw_load_class(&w, 3, PLUGIN_LOADER, PLUGIN_NAME);
    hw_open(&w, 0x1C);
    hw_class_dump(&w, &object);
    hw_instance(&w, TABLE, 1, OBJECT);
    hw_instance_end(&w);
    hw_close(&w);
    write_loader_and_class(&w, 0, BOOT_CLASS, 0);
    write_loader_and_class(&w, APP_LOADER, APP_CLASS, APP);
    write_loader_and_class(&w, PLUGIN_LOADER, PLUGIN_CLASS, PLUGIN);
    hw_end_mark(&w);
    case_import(c, w.data, w.size);
    hw_free(&w);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
}

static void expect_root(const hprof_case *c, uint64_t class, bool is_root)
{
    const view_object *object = view_find(&c->view, class);
    cr_assert_not_null(object);
    const view_label label = case_refers(c, object, "TABLE", TABLE);
    cr_expect(label.kind == HSC_LABEL_STATIC);
    cr_expect(label.flags == (is_root ? HSC_LABEL_NAMED_ROOT : 0), "class %llx", (unsigned long long)class);
}

Test(hprof_loader, statics_are_roots_where_the_loader_goes_with_the_program)
{
    static const char *const loaders[] = {
        "jdk/internal/loader/ClassLoaders$AppClassLoader", "jdk/internal/loader/ClassLoaders$PlatformClassLoader",
        "sun.misc.Launcher$AppClassLoader", "org/springframework/boot/loader/LaunchedURLClassLoader",
        "dalvik.system.PathClassLoader"};
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
        hprof_case c = {0};
        import_loaders(&c, loaders[i]);
        expect_root(&c, BOOT_CLASS, true);
        expect_root(&c, APP_CLASS, true);
        expect_root(&c, PLUGIN_CLASS, false);
        case_refers(&c, view_find(&c.view, PLUGIN_CLASS), "loader", PLUGIN);
        case_close(&c);
    }
}

/* Else they would hang from their loader's list of classes, and with them what several of their statics hold. */
Test(hprof_loader, classes_that_go_with_the_program_are_roots)
{
    hprof_case c = {0};
    import_loaders(&c, "jdk/internal/loader/ClassLoaders$AppClassLoader");
    cr_expect(view_count_roots(&c.view, HSC_ROOT_STATIC, "(application classes)", APP_CLASS) == 1);
    cr_expect(c.view.root_count == 1,
              "the plugin's class hangs from its loader, and this dump says nothing of the boot loader's");
    case_close(&c);
}

static void import_class_of(hprof_case *c, const char *name, uint64_t second_static)
{
    const hw_field none[] = {{0}}, statics[] = {{TABLE_NAME, 2, TABLE}, {OBJECT_NAME, 2, second_static}, {0}};
    const hw_class loader = {.id = APP_LOADER, .fields = none},
                   of = {.id = APP_CLASS, .loader = APP, .statics = statics, .fields = none};
    hprof_writer w;
    hw_begin(&w, "1.0.2", 8, 0);
    hw_string(&w, TABLE_NAME, "TABLE");
    hw_string(&w, OBJECT_NAME, "other");
    hw_string(&w, APP_NAME, "jdk/internal/loader/ClassLoaders$AppClassLoader");
    hw_string(&w, CLASS_NAME, name);
    hw_load_class(&w, 1, APP_LOADER, APP_NAME);
    hw_load_class(&w, 2, APP_CLASS, CLASS_NAME);
    hw_open(&w, 0x1C);
    hw_class_dump(&w, &loader);
    hw_class_dump(&w, &of);
    hw_instance(&w, APP, 1, APP_LOADER);
    hw_instance_end(&w);
    hw_instance(&w, TABLE, 1, APP_CLASS);
    hw_instance_end(&w);
    hw_close(&w);
    hw_end_mark(&w);
    case_import(c, w.data, w.size);
    hw_free(&w);
    cr_assert(c->status == HSD_OK, "%s", c->err.text);
}

Test(hprof_loader, a_class_with_several_statics_is_a_root_of_its_name)
{
    static const uint64_t seconds[] = {TABLE, 0}; /* null today, not tomorrow */
    for (size_t i = 0; i < 2; i++) {
        hprof_case c = {0};
        import_class_of(&c, "com/x/Cache", seconds[i]);
        cr_expect(view_count_roots(&c.view, HSC_ROOT_STATIC, "class com.x.Cache", APP_CLASS) == 1);
        cr_expect_null(view_reference_of(&c.view, view_find(&c.view, TABLE), "class", 0));
        case_close(&c);
    }
}

Test(hprof_loader, hidden_classes_and_arrays_are_no_roots)
{
    static const char *const names[] = {"com/x/Main$$Lambda+0x0000000800c03000", "com/x/Main$$Lambda$1",
                                        "com/x/Main$Hidden/0x0000000800c03000", "[Lcom/x/Cache;", "com.x.Cache[]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hprof_case c = {0};
        import_class_of(&c, names[i], 0);
        cr_expect(c.view.root_count == 0);
        case_refers(&c, view_find(&c.view, TABLE), "class", APP_CLASS);
        case_close(&c);
    }
}

Test(hprof_loader, all_statics_are_roots_where_no_loader_is_known)
{
    hprof_case c = {0};
    import_loaders(&c, "com/x/OtherLoader");
    expect_root(&c, BOOT_CLASS, true);
    expect_root(&c, APP_CLASS, true);
    expect_root(&c, PLUGIN_CLASS, true);
    case_close(&c);
}

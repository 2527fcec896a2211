/*
 * What blocks are called in a capture of the native agent: by where they were allocated, and by what they say
 * themselves.
 */
#include "walk_kit.h"

TestSuite(walk_types, .init = setup, .fini = teardown);

static uintptr_t in_libc(const char *name) { return (uintptr_t)dlsym(RTLD_DEFAULT, name) + 4; }

/* "{allocated} <=SIZE B at NAME" and " < NAME" for a second frame of this program, with its build id as it stands
 * there. */
static void expect_type(const void *block, const char *size, uintptr_t first, uintptr_t second)
{
    Dl_info info;
    char wanted[384], build_id[128] = "";
    const char *type = view_type(&view, object_of(block)->type), *brace = strchr(type + 12, '{');
    cr_assert_neq(dladdr((void *)first, &info), 0);
    cr_assert_not_null(brace, "%s", type);
    snprintf(build_id, sizeof build_id, "%.*s", (int)(strchr(brace, '}') - brace + 1), brace);
    int used = snprintf(wanted, sizeof wanted, "{allocated} <=%s B at test_walk_types+0x%zx%s", size,
                        (size_t)(first - 1 - (uintptr_t)info.dli_fbase), build_id);
    if (second != 0)
        snprintf(wanted + used, sizeof wanted - (size_t)used, " < test_walk_types+0x%zx%s",
                 (size_t)(second - 1 - (uintptr_t)info.dli_fbase), build_id);
    cr_assert_str_eq(type, wanted);
}

Test(walk_types, types_are_places_of_allocation_outside_allocators)
{
    const uintptr_t a = (uintptr_t)&walk_in_child + 9, b = (uintptr_t)&walk_world + 9;
    const uintptr_t frames[] = {in_libc("qsort"), a, in_libc("getenv"), b};
    const uint32_t stack = fake_stack(frames, 4), other = fake_stack(frames, 2), libc = fake_stack(frames, 1);
    void *two = add(70, stack), *same = add(72, stack), *one = add(4000, other), *libcs = add(1, libc),
         *none = add(0, 0);
    walk_world();
    expect_type(two, "72", a, b);
    cr_assert_eq(object_of(two)->type, object_of(same)->type);
    expect_type(one, "4096", a, 0);
    cr_assert_eq(strncmp(view_type(&view, object_of(libcs)->type), "{allocated} <=8 B at libc.so.6+0x", 33), 0);
    cr_assert_str_eq(view_type(&view, object_of(none)->type), "{allocated} <=8 B");
    size_t depth = 0;
    for (uint32_t site = object_of(two)->site; site != 0; site = view.sites[site].parent)
        depth++;
    cr_assert_eq(depth, 4);
    cr_assert_eq(view.info->sites, 4 + 2 + 1);
    cr_assert_eq(object_of(none)->site, 0);
}

/* As g_type_name(): of a node its third word says which name. */
static const char *name_of_type(uintptr_t type)
{
    static const char *const names[] = {"ShopSession", "GtkLabel", "not a name"};
    return type == 80 ? "GObject" : names[((const uintptr_t *)type)[2]];
}

/* A structure of a class, whose type has a node. */
static uintptr_t add_class(uintptr_t name)
{
    uintptr_t *node = add(96, 0), *class = add(136, 0);
    node[2] = name;
    class[0] = (uintptr_t)node;
    return (uintptr_t) class;
}

Test(walk_types, objects_of_glib_have_the_names_of_their_classes)
{
    const uintptr_t create = (uintptr_t)&walk_in_child, caller = (uintptr_t)&walk_world + 9;
    const uint32_t made = fake_stack((const uintptr_t[]){create + 9, caller}, 2), other = fake_stack(&caller, 1);
    const uintptr_t session = add_class(0), label = add_class(1), wrong = add_class(2);
    uintptr_t *plain = add(136, 0), *objects[6];
    plain[0] = 80; /* one of the types that are numbers */
    for (size_t i = 0; i < 6; i++)
        objects[i] = add(64, i == 5 ? other : made);
    objects[0][0] = session;
    objects[1][4] = label; /* behind what the class keeps for itself */
    objects[2][0] = session;
    objects[3][0] = (uintptr_t)plain;
    objects[4][0] = wrong;
    objects[5][0] = session; /* refers to it, and was not made by GLib */
    world.gobject_code = (hsn_range){create, create + 16};
    world.gobject_name = name_of_type;
    walk_world();
    static const char *const types[] = {"ShopSession", "GtkLabel", "ShopSession", "GObject"};
    for (size_t i = 0; i < 4; i++)
        cr_assert_str_eq(view_type(&view, object_of(objects[i])->type), types[i]);
    for (size_t i = 4; i < 6; i++)
        cr_assert_eq(strncmp(view_type(&view, object_of(objects[i])->type), "{allocated} <=64 B at ", 22), 0);
    cr_assert_eq(object_of(objects[0])->type, object_of(objects[2])->type);
}

#ifdef SHAPES
Test(walk_types, objects_of_classes_are_known_by_their_vtable)
{
    void *library = dlopen(SHAPES, RTLD_NOW);
    cr_assert_not_null(library, "%s", dlerror());
    const char *(*make_shape)(unsigned, void *);
    const void *(*some_constant)(unsigned);
    *(void **)&make_shape = dlsym(library, "make_shape");
    *(void **)&some_constant = dlsym(library, "some_constant");
    const char *name[5];
    void *shape[5], *constant[4];
    for (unsigned i = 0; i < 5; i++)
        name[i] = make_shape(i, shape[i] = add(128, 0));
    for (unsigned i = 0; i < 4; i++)
        *(const void **)(constant[i] = add(128, 0)) = some_constant(i);
    walk_world();
    for (unsigned i = 0; i < 5; i++) {
        const char *type = view_type(&view, object_of(shape[i])->type);
        cr_assert_eq(strncmp(type, "{vtable} libshapes.so+0x", 24), 0, "%s", type);
        cr_assert_str_eq(strrchr(type, ' ') + 1, name[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        cr_assert_str_eq(view_type(&view, object_of(constant[i])->type), "{allocated} <=128 B");
}
#endif

/* Libraries that were unloaded: who is noted, and whose calls nobody can name any more. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "native/gone.h"
#include "native/hooks.h"

hsn_allocator hsn_real = {.malloc = malloc, .free = free};

/* One that is nowhere: as after it was unloaded. */
static void unload(const char *name, uintptr_t low, uint8_t build)
{
    hsn_present *present = malloc(sizeof *present);
    cr_assert_not_null(present);
    present->count = 1;
    hsn_gone *one = &present->libraries[0];
    *one = (hsn_gone){.low = low, .high = low + 0x5000, .bias = low, .build_id = {build}, .build_id_size = 1};
    one->name_size = hsn_library_name(name, strlen(name), one->name);
    hsn_gone_note(present);
}

static const char *name_at(uintptr_t address)
{
    static char name[HSN_LIBRARY_NAME_BYTES + 1];
    const hsn_gone *found = hsn_gone_at(address);
    if (found == NULL) return "";
    memcpy(name, found->name, found->name_size);
    name[found->name_size] = '\0';
    return name;
}

Test(gone, a_library_is_named_when_it_is_unloaded)
{
    void *library = dlopen(PLUGIN, RTLD_NOW);
    cr_assert_not_null(library, "%s", dlerror());
    const uintptr_t inside = (uintptr_t)dlsym(library, "plugin_run");
    cr_assert_neq(inside, 0, "%s", dlerror());
    hsn_present *before = hsn_gone_look();
    cr_assert_not_null(before);
    hsn_gone_note(before);
    cr_expect_null(hsn_gone_at(inside), "it is there");
    before = hsn_gone_look();
    dlclose(library);
    hsn_gone_note(before);
    const hsn_gone *found = hsn_gone_at(inside);
    cr_assert_not_null(found);
    cr_expect_str_eq(name_at(inside), "plugin__2.so", "without its folder, `+` written as `_`");
    cr_expect_eq(found->build_id_size, 20);
    cr_expect(inside - found->bias < 0x10000);
    cr_expect_null(hsn_gone_at((uintptr_t)&name_at), "this program is there");
}

Test(gone, the_same_place_is_the_same_library)
{
    unload("/opt/one.so", 0x10000, 1);
    unload("/opt/one.so", 0x10000, 1);
    cr_expect_str_eq(name_at(0x10000), "one.so");
    cr_expect_str_eq(name_at(0x14fff), "one.so");
    cr_expect_str_eq(name_at(0x15000), "");
}

Test(gone, of_two_at_one_place_none_is_said)
{
    unload("/opt/one.so", 0x10000, 1);
    unload("/opt/two.so", 0x14000, 2);
    unload("/opt/three.so", 0x40000, 3);
    unload("/opt/three.so", 0x40000, 4); /* another build */
    cr_expect_str_eq(name_at(0x10000), "");
    cr_expect_str_eq(name_at(0x18000), "");
    cr_expect_str_eq(name_at(0x40000), "");
}

Test(gone, of_many_the_first_are_noted)
{
    for (uintptr_t i = 0; i < HSN_MOST_GONE + 10; i++)
        unload("/opt/one.so", 0x100000 + i * 0x10000, 1);
    cr_expect_str_eq(name_at(0x100000), "one.so");
    cr_expect_str_eq(name_at(0x100000 + (HSN_MOST_GONE + 5) * (uintptr_t)0x10000), "");
}

Test(gone, no_memory_is_no_harm) { hsn_gone_note(NULL); }

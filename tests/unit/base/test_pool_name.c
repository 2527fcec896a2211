/*
 * Names of threads without their numbers: what is between the quotes alone, and nothing else.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/pool_name.h"

static void becomes(const char *root, const char *expected)
{
    char buffer[HSD_POOL_NAME_BYTES];
    const hsd_text name = hsd_pool_name((hsd_text){root, strlen(root)}, buffer);
    cr_assert(name.size == strlen(expected) && memcmp(name.data, expected, name.size) == 0, "%s", root);
}

Test(pool_name, digits_of_a_thread)
{
    becomes("thread \"http-4\"", "thread \"http-*\"");
    becomes("thread \"pool-12-thread-345\".threadLocals", "thread \"pool-*-thread-*\".threadLocals");
    becomes("thread \"http-1\", Service.run(Service.java:10)", "thread \"http-*\", Service.run(Service.java:10)");
    becomes("thread \"7\"", "thread \"*\"");
    becomes("thread \"main\"", "thread \"main\"");
    becomes("thread \"\"", "thread \"\"");
}

Test(pool_name, other_names_stay)
{
    becomes("", "");
    becomes("thread \"", "thread \"");
    becomes("thread \"http-4", "thread \"http-4");
    becomes("static Cache2.map", "static Cache2.map");
    becomes("(thread \"http-4\")", "(thread \"http-4\")");
}

Test(pool_name, a_long_name_stays)
{
    char buffer[HSD_POOL_NAME_BYTES], root[HSD_POOL_NAME_BYTES + 2];
    memset(root, '7', sizeof root);
    memcpy(root, "thread \"", 8);
    root[sizeof root - 2] = '"';
    cr_assert_eq(hsd_pool_name((hsd_text){root, sizeof root - 1}, buffer).data, root);
    const hsd_text fits = hsd_pool_name((hsd_text){root + 0, HSD_POOL_NAME_BYTES}, buffer);
    cr_assert_eq(fits.data, root); /* no closing quote */
}

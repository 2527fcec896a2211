/*
 * Which variable of the main goroutine lies at an address of its stack.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "go/types/locals.h"

static golocals locals;

static void add(const char *name, uint64_t address, uint64_t bytes)
{
    hsd_error err;
    const golocal local = {.address = address, .bytes = bytes, .pc = 1};
    cr_assert_eq(hsd_golocals_add(&locals, &local, name, &err), HSD_OK);
}

static void expect_at(uint64_t address, const char *name)
{
    const golocal *found = hsd_golocals_find(&locals, address);
    const char *told = found == NULL ? "" : (const char *)locals.names.data + found->name;
    cr_expect_str_eq(told, name, "at %llu: %s", (unsigned long long)address, told);
}

Test(golocals, of_none_none_is_found)
{
    hsd_golocals_sort(&locals);
    expect_at(0, "");
    expect_at(UINT64_MAX, "");
}

Test(golocals, each_is_found_from_its_begin_to_its_end)
{
    add("orders", 1000, 24);
    add("names", 900, 8);
    hsd_golocals_sort(&locals);
    expect_at(899, "");
    expect_at(900, "names");
    expect_at(907, "names");
    expect_at(908, "");
    expect_at(1000, "orders");
    expect_at(1023, "orders");
    expect_at(1024, "");
    hsd_golocals_release(&locals);
}

Test(golocals, behind_a_part_of_itself_a_variable_goes_on)
{
    add("shop", 1000, 100);
    add("shop", 1040, 8); /* a pointer of its own leads there */
    add("next", 1100, 8);
    hsd_golocals_sort(&locals);
    expect_at(1044, "shop");
    expect_at(1048, "shop");
    expect_at(1099, "shop");
    expect_at(1100, "next");
    expect_at(1108, "");
    hsd_golocals_release(&locals);
}

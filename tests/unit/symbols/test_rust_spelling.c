/* Types of Rust as people write them: what compilers from 1.60 to 1.95 have written, and names that end early. */
#include <criterion/criterion.h>
#include <string.h>

#include "symbols/rust_spelling.h"

static void expect(const char *name, const char *wanted)
{
    hsd_buffer out = {0};
    cr_assert_eq(hsd_buffer_append(&out, "<a::", 4, NULL), HSD_OK); /* what stood there before is none of it */
    cr_assert_eq(hsd_spell_rust(&out, name, NULL), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&out, "", 1, NULL), HSD_OK);
    cr_assert_str_eq((const char *)out.data + 4, wanted, "%s became %s", name, (const char *)out.data + 4);
    hsd_buffer_release(&out);
}

Test(rust_spelling, leaves_out_paths_and_what_is_the_default)
{
    expect("alloc::vec::Vec<shop::Order, alloc::alloc::Global>", "Vec<Order>");
    expect("std::collections::hash::map::HashMap<u64, shop::Page, std::hash::random::RandomState>",
           "HashMap<u64, Page>");
    expect("shop::{impl#2}::Inner", "Inner");
    expect("", "");
}

Test(rust_spelling, calls_what_has_no_name_by_its_function)
{
    expect("shop::orders::watch::{closure_env#0}", "watch::{closure}");
    expect("shop::{impl#3}::watch::{closure_env#1}<u64>", "watch::{closure}<u64>");
    expect("shop::serve::{async_fn#0}::{closure#1}::{async_block_env#0}", "serve::{async block}");
    expect("alloc::boxed::Box<shop::serve::{async_fn_env#0}, alloc::alloc::Global>", "Box<serve::{async fn}>");
    expect("shop::main::{closure#0}::Local", "Local");
    expect("{closure_env#0}", "{closure}");
}

Test(rust_spelling, names_a_task_of_tokio_by_what_it_runs)
{
    expect("tokio::runtime::task::core::Cell<shop::watch::{async_fn_env#0}, "
           "alloc::sync::Arc<tokio::runtime::scheduler::multi_thread::handle::Handle, alloc::alloc::Global>>",
           "task of watch");
    expect("Cell<shop::main::{async_block_env#0}, alloc::sync::Arc<Handle>>", "task of main::{async block}");
    expect("core::cell::Cell<shop::watch::{async_fn_env#0}>", "Cell<watch::{async fn}>");
    expect("core::cell::Cell<u64>", "Cell<u64>");
    expect("shop::Cell<u64, shop::watch::{async_fn_env#0}>", "Cell<u64, watch::{async fn}>");
}

Test(rust_spelling, names_that_end_early_say_nothing_wrong)
{
    static const char *const names[] = {"::",
                                        "a::{",
                                        "a::{closure_env#",
                                        "a::{async_fn_env#0",
                                        "{",
                                        "}::a",
                                        "a::}::b",
                                        "Cell<",
                                        "Cell<::{async fn}",
                                        "Cell<a::{async_fn_env#0},",
                                        "a::{closure#0}::",
                                        "::::{closure#0}",
                                        "}}::a"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hsd_buffer out = {0};
        cr_assert_eq(hsd_spell_rust(&out, names[i], NULL), HSD_OK);
        hsd_buffer_release(&out);
    }
}

static void expect_captured(const char *type, const char *name, const char *wanted)
{
    hsd_buffer out = {0};
    cr_assert_eq(hsd_spell_rust_member(&out, type, name, NULL), HSD_OK);
    cr_assert(out.size == strlen(wanted) && memcmp(out.data, wanted, out.size) == 0, "%s", name);
    hsd_buffer_release(&out);
}

Test(rust_spelling, what_a_closure_captured_is_called_as_people_write_it)
{
    expect_captured("{closure_env#0}", "executor__pending", "executor.pending");
    expect_captured("{closure_env#1}<u64>", "a__b_c__d", "a.b_c.d");
    expect_captured("{closure_env#0}", "__x", "__x");
    expect_captured("{closure_env#0}", "x__", "x__");
    expect_captured("Executor", "executor__pending", "executor__pending");
    expect_captured(NULL, "a__b", "a__b");
}

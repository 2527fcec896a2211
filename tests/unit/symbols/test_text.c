/* The text forms of unresolved names, and which functions allocate for others. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/allocators.h"
#include "symbols/text.h"

static hsd_text text(const char *word) { return (hsd_text){word, strlen(word)}; }

static bool equals(hsd_text a, const char *b) { return a.size == strlen(b) && memcmp(a.data, b, a.size) == 0; }

Test(unresolved, is_parsed_whole)
{
    hsd_unresolved name;
    cr_assert(hsd_unresolved_parse(text("libshop.so.1+0x1af0{3fa4}"), &name));
    cr_assert(equals(name.module, "libshop.so.1") && equals(name.build_id, "3fa4"));
    cr_assert_eq(name.offset, 0x1af0);
    cr_assert(hsd_unresolved_parse(text("my shop+0x0{}"), &name));
    cr_assert(equals(name.module, "my shop") && name.build_id.size == 0 && name.offset == 0);
    cr_assert(hsd_unresolved_parse(text("a+0xffffffffffffffff{00}"), &name));
    cr_assert_eq(name.offset, UINT64_MAX);
}

Test(unresolved, is_nothing_else)
{
    static const char *const others[] = {
        "",
        "{",
        "}",
        "{}",
        "+0x{}",
        "+0x1{}",
        "a+0x{}",
        "a+1{}",
        "a0x1{}",
        "a+0x1",
        "a+0x1{",
        "a+0x1{3",
        "a+0x1{3g}",
        "a+0x1{3A}",
        "a+0xA{}",
        "a+0x01{}",
        "a+0x10000000000000000{}",
        "a+0x1{3} ",
        "a+0x1 {3}",
        "a/b+0x1{3}",
        "operator+(int) {}",
        "stack of main: a+0x1{3}",
    };
    hsd_unresolved name;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert(!hsd_unresolved_parse(text(others[i]), &name), "%s", others[i]);
    char id[160];
    snprintf(id, sizeof id, "a+0x1{%0130d}", 1);
    cr_assert(!hsd_unresolved_parse(text(id), &name));
}

Test(unresolved, is_found_among_other_text)
{
    hsd_unresolved name;
    const hsd_text all = text("from {x} shop+0x1{a} to lib b+0x2{}!");
    cr_assert(hsd_unresolved_find(all, 0, &name));
    cr_assert(equals(name.whole, "shop+0x1{a}"));
    const size_t behind = (size_t)(name.whole.data - all.data) + name.whole.size;
    cr_assert(hsd_unresolved_find(all, behind, &name));
    cr_assert(equals(name.whole, "b+0x2{}"));
    cr_assert(!hsd_unresolved_find(all, all.size - 1, &name));
    cr_assert(!hsd_unresolved_find(text("std::vector<int> {}"), 0, &name));
}

Test(marked, texts_are_taken_apart)
{
    hsd_marked m;
    hsd_marked_parse(text("{vtable} shop+0x1{a}"), &m);
    cr_assert(m.kind == HSD_MARKED_VTABLE && equals(m.name, "shop+0x1{a}"));
    cr_assert_eq(m.type_name.size, 0);
    hsd_marked_parse(text("{vtable} my shop+0x1{a} 7Session"), &m);
    cr_assert(equals(m.name, "my shop+0x1{a}") && equals(m.type_name, "7Session"));
    hsd_marked_parse(text("{vtable} (no file) N4shop7SessionE"), &m);
    cr_assert(equals(m.name, "(no file)") && equals(m.type_name, "N4shop7SessionE"));
    hsd_marked_parse(text("{variable} (no file)"), &m);
    cr_assert(m.kind == HSD_MARKED_VARIABLE && equals(m.name, "(no file)"));
    hsd_marked_parse(text("{allocated} <=48 B at a+0x1{} < my shop+0x2{} < (no file)"), &m);
    cr_assert(m.kind == HSD_MARKED_ALLOCATED && equals(m.size, "<=48 B") && m.name_count == 3);
    cr_assert(equals(m.names[0], "a+0x1{}") && equals(m.names[1], "my shop+0x2{}") && equals(m.names[2], "(no file)"));
    hsd_marked_parse(text("{allocated} <=48 B"), &m);
    cr_assert(m.kind == HSD_MARKED_ALLOCATED && equals(m.size, "<=48 B") && m.name_count == 0);
    hsd_marked_parse(text("+16 {member} {vtable} shop+0x1{a}"), &m);
    cr_assert(m.kind == HSD_MARKED_MEMBER && m.offset == 16 && equals(m.place, "+16"));
    cr_assert(equals(m.type, "{vtable} shop+0x1{a}"));
    hsd_marked_parse(text("+0 {member} "), &m);
    cr_assert(m.kind == HSD_MARKED_MEMBER && m.offset == 0 && m.type.size == 0);
    hsd_marked_parse(text("{local} 120 40 stack of worker 1: shop+0x1{a}"), &m);
    cr_assert(m.kind == HSD_MARKED_LOCAL && m.below == 120 && m.above == 40 && equals(m.name, "shop+0x1{a}"));
    cr_assert(equals(m.whole, "stack of worker 1: shop+0x1{a}"));
    hsd_marked_parse(text("{register} 12 stack of worker 1: shop+0x1{a}"), &m);
    cr_assert(m.kind == HSD_MARKED_REGISTER && m.offset == 12 && equals(m.name, "shop+0x1{a}"));
    cr_assert(equals(m.whole, "stack of worker 1: shop+0x1{a}"));
    static const char *const none[] = {"{register} stack of worker: shop+0x1{a}",
                                       "{register} 3 nothing",
                                       "shop+0x1{a}",
                                       "+16",
                                       "+ {member} x",
                                       "16 {member} x",
                                       "+1234567890 {member} x",
                                       "+16 {member}"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        hsd_marked_parse(text(none[i]), &m);
        cr_assert_eq(m.kind, HSD_MARKED_NOT, "%s", none[i]);
    }
    hsd_marked_parse(text(""), &m);
    cr_assert_eq(m.kind, HSD_MARKED_NOT);
}

Test(allocators, are_known)
{
    static const char *const known[] = {
        "malloc",
        "calloc",
        "realloc",
        "__libc_malloc",
        "__libc_calloc",
        "reallocarray",
        "posix_memalign",
        "aligned_alloc",
        "memalign",
        "strdup",
        "__strdup",
        "strndup",
        "wcsdup_malloc",
        "xmalloc",
        "xcalloc",
        "xstrdup",
        "g_malloc",
        "g_malloc0",
        "g_strdup",
        "g_try_malloc",
        "g_slice_alloc",
        "zend_malloc",
        "ossl_CRYPTO_malloc",
        "CRYPTO_zalloc",
        "je_malloc",
        "mi_malloc",
        "PyMem_RawMalloc",
        "my_alloc",
        "mem_alloc",
        "pool_alloc",
        "arena_allocate",
        "alloc",
        "safe_alloc",
        "asprintf",
        "malloc.part.0",
        "calloc@@GLIBC_2.2.5",
        "operator new",
        "operator new[]",
        "operator new(unsigned long)",
        "std::allocator<int>::allocate",
        "std::__new_allocator<shop::Session>::allocate",
        "__gnu_cxx::new_allocator<char>::allocate",
        "std::vector<shop::Session*, std::allocator<shop::Session*> >::_M_realloc_insert",
        "std::make_shared<int>",
        "std::__cxx11::basic_string<char>::_M_create",
        "alloc::raw_vec::finish_grow",
        "__rust_alloc",
        "g_new",
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        cr_assert(hsd_function_allocates(known[i]), "%s", known[i]);
}

/* As they stand in names that are not resolved: a plus is an underscore there. */
Test(allocators, lie_in_libraries_of_the_system)
{
    static const char *const of_system[] = {"libc.so.6",     "libc-2.31.so",         "libstdc__.so.6.0.30",
                                            "libc__.so.1.0", "ld-linux-x86-64.so.2", "libgcc_s.so.1"},
                             *const others[] = {"libcurl.so.4", "libcrypto.so.3", "shop", "libc", ""};
    for (size_t i = 0; i < sizeof of_system / sizeof of_system[0]; i++)
        cr_assert(hsd_module_is_of_system(of_system[i], strlen(of_system[i])), "%s", of_system[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert(!hsd_module_is_of_system(others[i], strlen(others[i])), "%s", others[i]);
}

static bool is_start_at(const char *function, const char *file)
{
    return hsd_function_starts(function, strlen(function), file, strlen(file));
}

static bool is_start(const char *function) { return is_start_at(function, ""); }

static bool is_nameless(const char *name) { return hsd_name_is_of_shared_library(name, strlen(name)); }

Test(allocators, stand_above_what_starts_programs_and_threads)
{
    cr_expect(is_start("_start") && is_start("__libc_start_call_main") && is_start("clone3"));
    cr_expect(is_start_at("__libc_start_call_main", "../sysdeps/nptl/libc_start_call_main.h") &&
              is_start_at("clone3", "clone3.S"));
    cr_expect(is_start_at("__libc_start_call_main", "<libc_start_call_main.h>") && is_start_at("clone3", "<clone3.S>"));
    cr_expect(!is_start_at("clone", "<copy.js>") && !is_start_at("clone", "<<clone3.S>>"));
    cr_expect(!is_start_at("clone", "copy.js") && !is_start_at("start_thread", "/src/pool.c"));
    cr_expect(!is_start("main") && !is_start("start") && !is_start("clone3x") && !is_start(""));
}

Test(allocators, know_places_of_shared_libraries_that_have_no_name)
{
    cr_expect(is_nameless("libcurl.so.4.8.0+0x6cf9f") && is_nameless("plugin.so+0x12"));
    cr_expect(!is_nameless("shop+0x12") && !is_nameless("curl_easy_init") && !is_nameless("libx.so") &&
              !is_nameless("a.sox+0x12") && !is_nameless("x+0x12.so") && !is_nameless(""));
    cr_expect(hsd_module_is_shared("libz.so.1", 9) && hsd_module_is_shared("libz.so", 7) &&
              !hsd_module_is_shared("shop", 4) && !hsd_module_is_shared("a.soap", 6));
}

static bool is_own(const char *function, const char *file, uint32_t line)
{
    const hsd_site_frame frame = {.function = {function, strlen(function)}, .file = {file, strlen(file)}, .line = line};
    return hsd_frames_own(&frame, 1, 0) == 0;
}

Test(allocators, and_libraries_are_not_the_programs_own)
{
    cr_expect(is_own("handshake", "ssl.c", 5) && is_own("", "ssl.c", 5));
    cr_expect(!is_own("SSL_new", "", 0) && !is_own("push", "<vector.hpp>", 7) && !is_own("xmalloc", "x.c", 3) &&
              !is_own("__libc_start_call_main", "libc_start_call_main.h", 58) && !is_own("f", "f.c", 0));
    char longest[200];
    memset(longest, 'f', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    cr_expect(is_own(longest, "f.c", 1));
}

Test(allocators, lie_in_headers_of_libraries)
{
    cr_expect(hsd_file_is_of_library("<memory.hpp>", 12) && hsd_file_is_of_library("<raw_vec.rs>", 12) &&
              hsd_file_is_of_library("<clone3.S>", 10));
    cr_expect(!hsd_file_is_of_library("<stdin>", 7) && !hsd_file_is_of_library("<frozen importlib._bootstrap>", 29) &&
              !hsd_file_is_of_library("memory.hpp", 10) && !hsd_file_is_of_library("", 0) &&
              !hsd_file_is_of_library("<.h>", 3));
    cr_expect(is_own("f", "<string>", 1));
}

Test(allocators, are_plain_with_a_digit_behind)
{
    cr_expect(hsd_allocator_is_plain("g_malloc0") && hsd_allocator_is_plain("g_malloc0_n") &&
              hsd_allocator_is_plain("g_slice_alloc0") && hsd_allocator_is_plain("pool_alloc"));
    cr_expect(!hsd_allocator_is_plain("session_malloc0") && !hsd_allocator_is_plain("alloc0x"));
}

Test(allocators, are_not_those_who_know_what_they_make)
{
    static const char *const others[] = {
        "",
        "main",
        "make_session",
        "session_alloc",
        "allocate_session",
        "session_new",
        "new",
        "new_session",
        "evbuffer_new",
        "newline",
        "local",
        "fill_pool",
        "pool",
        "buffer",
        "shop::Session::Session",
        "shop::alloc_page",
        "my::std::x",
        "Store::operator new",
        "renew",
        "handle_request",
        "fopen",
        "_start",
        "x",
        "pool_init",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert(!hsd_function_allocates(others[i]), "%s", others[i]);
}

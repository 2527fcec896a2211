/* Names of C++ as people write them: real ones of libstdc++ and libc++, what is left alone, and names that are made to
 * confuse. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/code.h"
#include "symbols/demangle.h"
#include "symbols/spelling.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static void expect(const char *name, const char *wanted)
{
    hsd_buffer out = {0};
    cr_assert_eq(hsd_buffer_append(&out, "<(", 2, NULL), HSD_OK); /* what stood there before is none of it */
    cr_assert_eq(hsd_spell(&out, name, NULL), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&out, "", 1, NULL), HSD_OK);
    cr_assert_str_eq((const char *)out.data + 2, wanted, "%s became %s", name, (const char *)out.data + 2);
    hsd_buffer_release(&out);
}

static void expect_mangled(const char *name, const char *wanted)
{
    char *demangled;
    cr_assert_eq(hsd_demangle(name, &demangled, NULL), HSD_OK);
    if (strcmp(demangled, name) != 0) expect(demangled, wanted); /* else a build without a demangler */
    free(demangled);
}

Test(spelling, variables_of_modules_of_fortran_and_of_units_of_pascal_are_named_by_these)
{
    static const char *const names[][2] = {{"U_$P$PLIST_$$_JOBS", "plist.jobs"},
                                           {"U_$SHOP_$$_ORDERS", "shop.orders"},
                                           {"P$PLIST_$$_ENQUEUE$INT64", "plist.enqueue"},
                                           {"SHOP_$$_ADD$LONGINT$$BOOLEAN", "shop.add"},
                                           {"U_$_$$_X", "U_$_$$_X"},
                                           {"SHOP_$$_$X", "SHOP_$$_$X"},
                                           {"__store_MOD_head", "store::head"},
                                           {"__store_MOD_add_cell", "store::add_cell"},
                                           {"__MOD_x", "__MOD_x"},
                                           {"__store_MOD_", "__store_MOD_"},
                                           {"store_MOD_head", "store_MOD_head"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *shown;
        cr_assert_eq(hsd_demangle(names[i][0], &shown, NULL), HSD_OK);
        cr_expect_str_eq(shown, names[i][1]);
        free(shown);
    }
}

Test(spelling, knows_names_of_d)
{
    expect_mangled("_D4shop6ordersHiCQp5Order", "shop.orders");
    expect_mangled("_D4shop9takeOrderFiZv", "shop.takeOrder");
    expect_mangled("_D4shop__T4ListTiZ4List", "shop.List!(int).List");
    expect("_Dish", "_Dish");
    expect("_D4sho", "_D4sho");
}

Test(spelling, leaves_out_what_is_the_default)
{
    expect(STRING, "std::string");
    expect("std::vector<int, std::allocator<int> >", "std::vector<int>");
    expect("std::__n4861::coroutine_handle<void>", "std::coroutine_handle<void>");
    expect("std::map<int, Session*, std::less<int>, std::allocator<std::pair<int const, Session*> > >",
           "std::map<int, Session*>");
    expect("std::unordered_map<" STRING ", " STRING ", std::hash<" STRING " >, std::equal_to<" STRING
           " >, std::allocator<std::pair<" STRING " const, " STRING " > > >",
           "std::unordered_map<std::string, std::string>");
    expect("std::unique_ptr<Session, std::default_delete<Session> >", "std::unique_ptr<Session>");
    expect("std::priority_queue<int, std::vector<int, std::allocator<int> >, std::less<int> >",
           "std::priority_queue<int>");
    expect("std::basic_ostream<char, std::char_traits<char> >::flush", "std::ostream::flush");
    expect("tbb::concurrent_vector<int, std::allocator<int> >", "tbb::concurrent_vector<int>");
}

Test(spelling, keeps_what_somebody_chose)
{
    expect("std::map<int, int, cmp, std::allocator<std::pair<int const, int> > >", "std::map<int, int, cmp>");
    expect("std::unique_ptr<int, closer>", "std::unique_ptr<int, closer>");
    expect("std::pair<int, std::less<int> >", "std::pair<int, std::less<int>>");
    expect("std::map<int, std::less<int>, std::less<int>, std::allocator<int> >", "std::map<int, std::less<int>>");
    expect("std::set<int, std::less<long> >", "std::set<int, std::less<long>>");
    expect("std::vector<int, pool<int> >", "std::vector<int, pool<int>>");
    expect("std::allocator_traits<std::allocator<int> >", "std::allocator_traits<std::allocator<int>>");
    expect("mystd::vector<int, less<int> >", "mystd::vector<int, less<int>>");
}

Test(spelling, knows_both_libraries)
{
    expect_mangled("_ZTVNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE", "vtable for std::string");
    expect_mangled("_ZTVNSt3__13mapIi7SessionNS_4lessIiEENS_9allocatorINS_4pairIKiS1_EEEEEE",
                   "vtable for std::map<int, Session>");
    expect_mangled("_ZTVNSt3__120__shared_ptr_emplaceI7SessionNS_9allocatorIS1_EEEE",
                   "vtable for std::make_shared<Session>");
    expect_mangled("_ZTVSt23_Sp_counted_ptr_inplaceI7SessionSaIS0_ELN9__gnu_cxx12_Lock_policyE2EE",
                   "vtable for std::make_shared<Session>");
    expect_mangled("_ZTVSt15_Sp_counted_ptrIP7SessionLN9__gnu_cxx12_Lock_policyE2EE",
                   "vtable for counts of std::shared_ptr<Session>");
    expect_mangled(
        "_ZTVSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE7SessionSt4lessIS5_ESaISt4pairIKS5_S6_EEE",
        "vtable for std::map<std::string, Session>");
    expect(
        "absl::lts_20230125::flat_hash_map<int, int, absl::lts_20230125::hash_internal::Hash<int>, std::equal_to<int>, "
        "std::allocator<std::pair<int const, int> > >",
        "absl::flat_hash_map<int, int>");
    expect("std::filesystem::__cxx11::path", "std::filesystem::path");
}

Test(spelling, says_what_holds_an_element)
{
    expect("std::_Rb_tree_node<std::pair<" STRING " const, std::vector<int, std::allocator<int> > > >",
           "node of std::map<std::string, std::vector<int>>");
    expect("std::_Rb_tree_node<int>", "node of std::set<int>");
    expect("std::__detail::_Hash_node<std::pair<int const, std::pair<int, int> >, true>",
           "node of std::unordered_map<int, std::pair<int, int>>");
    expect("std::__1::__tree_node<std::__1::__value_type<int, Session>, void*>", "node of std::map<int, Session>");
    expect("std::__1::__hash_node<int, void*>", "node of std::unordered_set<int>");
    expect("std::_List_node<Session>", "node of std::list<Session>");
}

Test(spelling, is_short_elsewhere)
{
    expect("(anonymous namespace)::cache<(anonymous namespace)::key>", "(anon)::cache<(anon)::key>");
    expect("make[abi:cxx11]", "make");
    expect("a<b<c> >", "a<b<c>>");
    expect("main::{lambda(std::vector<int, std::allocator<int> >)#1}", "main::{lambda(std::vector<int>)#1}");
    expect("std::function<void (" STRING " const&)>", "std::function<void (std::string const&)>");
}

Test(spelling, is_not_led_astray_by_operators)
{
    expect("operator<< <char>", "operator<< <char>");
    expect("box<int>::operator<", "box<int>::operator<");
    expect("box<int>::operator->", "box<int>::operator->");
    expect("box<int>::operator()", "box<int>::operator()");
    expect("box<&(box<int>::operator<)>", "box<&(box<int>::operator<)>");
    expect("flag<((a)>(b))>", "flag<((a)>(b))>");
    expect("core::ops::FnOnce<fn(u8) -> u8>::call", "core::ops::FnOnce<fn(u8) -> u8>::call");
}

/* What does not add up stays as it is. */
Test(spelling, leaves_alone_what_it_does_not_understand)
{
    static const char *const others[] = {"",
                                         "main",
                                         "a<b",
                                         "a<b(c>)",
                                         "a<(>",
                                         "std::vector<",
                                         "std::basic_string<>",
                                         "std::_Rb_tree_node<>",
                                         "<",
                                         "(",
                                         "{[<(",
                                         "std::map<,,,",
                                         "operator<",
                                         "std::pair<int, "};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        expect(others[i], others[i]);
}

Test(spelling, is_bounded)
{
    enum { DEEP = 20000 };
    char *name = malloc(2 * DEEP + 1);
    memset(name, '<', DEEP);
    memset(name + DEEP, '>', DEEP);
    name[2 * DEEP] = '\0';
    expect(name, name);
    for (size_t i = 0; i < DEEP; i++)
        memcpy(name + 2 * i, "a,", 2);
    memcpy(name, "b<", 2);
    name[2 * DEEP - 1] = '>';
    expect(name, name);
    free(name);
}

/* Any bytes: never out of bounds, and what comes out is no longer than a name of a container makes it. */
Test(spelling, survives_any_bytes)
{
    static const char *const words[] = {"<",
                                        ">",
                                        ", ",
                                        "(",
                                        ")",
                                        " ",
                                        "std::",
                                        "map",
                                        "std::vector<",
                                        "std::allocator<",
                                        "std::_Rb_tree_node<std::pair<",
                                        " const",
                                        "__1::",
                                        "operator",
                                        "[abi:",
                                        "]",
                                        "{",
                                        "}",
                                        "int",
                                        "std::basic_string<char",
                                        "(anonymous namespace)",
                                        "-",
                                        "*"};
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        char name[512];
        size_t used = 0;
        for (int i = 0; i < 16; i++) {
            random = random * 1664525 + 1013904223;
            used += (size_t)snprintf(name + used, sizeof name - used, "%s",
                                     words[(random >> 8) % (sizeof words / sizeof words[0])]);
        }
        hsd_buffer out = {0};
        cr_assert_eq(hsd_spell(&out, name, NULL), HSD_OK);
        cr_assert(out.size <= 2 * strlen(name) + 32, "%s", name);
        hsd_buffer_release(&out);
    }
}

/* ---- what compilers put behind a name ---- */

static void expect_symbol(const char *symbol, const char *wanted)
{
    hsd_buffer out = {0};
    cr_assert_eq(hsd_append_name(&out, symbol, NULL), HSD_OK);
    cr_assert_eq(hsd_buffer_append(&out, "", 1, NULL), HSD_OK);
    cr_assert_str_eq((const char *)out.data, wanted, "%s became %s", symbol, (const char *)out.data);
    hsd_buffer_release(&out);
}

Test(symbols, second_functions_have_the_name_of_the_first)
{
    static const char *const parts[] = {".part.0",     ".constprop.0",    ".isra.0.cold",  ".cold",
                                        ".lto_priv.0", ".avx2",           ".sse4_2",       ".7",
                                        ".localalias", ".llvm.12345",     ".resolver",     "._omp_fn.0",
                                        ".clone.3",    ".arch_x86_64_v3", "@@GLIBC_2.2.5", ".str.14"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[64];
        snprintf(name, sizeof name, "fill%s", parts[i]);
        expect_symbol(name, "fill");
    }
}

Test(symbols, a_name_with_dots_is_kept_whole)
{
    static const char *const names[] = {
        "shop.partition", "shop.strings",      "main.hotCache", "main.hot_cache", "main.clone",     "main.exitCodes",
        "main.startup",   "main.Pool.destroy", "cart.resume",   "main.defaults",  "main.archive",   "log.cleanup",
        "main.ipaddr",    "main.avxCache",     "main.sessions", "main.warmth",    "main.coldStart", "unlikely.idea"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_symbol(names[i], names[i]);
}

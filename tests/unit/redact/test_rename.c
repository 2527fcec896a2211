/*
 * Pseudonyms of texts: what stays and what does not, told by examples; then what must hold for any text, over random
 * ones that are put together from the words and the punctuation that names have.
 */
#define _GNU_SOURCE /* memmem */
#include "redact/rename.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "core/layout.h"
#include "redact/public.h"
#include "support/random.h"

static const hsd_redact_key key = {.bytes = {1, 2, 3}};
static const char *const keep[] = {"com.acme.*", "Visible", "a?c"};

/* The text with P for each pseudonym, K for one of a capital. */
static const char *shape_of(hsd_renamer *r, const char *text, size_t size)
{
    static char out[HSD_RENAME_RESULT_BYTES + 1];
    hsd_text made;
    size_t used = 0;
    cr_assert_eq(hsd_rename_text(r, (hsd_text){text, size}, &made, NULL), HSD_OK);
    for (size_t at = 0; at < made.size;) {
        size_t run = 1;
        while (run < HSD_PSEUDONYM_CHARS && at + run < made.size && strchr(hsd_pseudonym_alphabet, made.data[at + run]))
            run++;
        const bool is_one = (made.data[at] == 'k' || made.data[at] == 'K') && run == HSD_PSEUDONYM_CHARS;
        out[used++] = is_one ? (made.data[at] == 'K' ? 'K' : 'P') : made.data[at];
        at += is_one ? run : 1;
    }
    out[used] = '\0';
    return out;
}

static void expect_shape(hsd_renamer *r, const char *text, const char *shape)
{
    const char *got = shape_of(r, text, strlen(text));
    cr_expect_str_eq(got, shape, "%s: %s, not %s", text, got, shape);
}

Test(rename, replaces_words_and_leaves_the_shape)
{
    hsd_renamer r;
    hsd_renamer_init(&r, &key, NULL, 0);
    expect_shape(&r, "", "");
    expect_shape(&r, "com.acme.Cart$Line[]", "com.P.K$K[]");
    expect_shape(&r, "Function refund (cart.js:12)", "Function P (P.js:12)");
    expect_shape(&r, "closure pay (src/pay.ts:1204:7)", "closure P (P/P.ts:1204:7)");
    expect_shape(&r, "acme::Pool<acme::Item*, 16>::grow(unsigned long)", "P::K<P::K*, 16>::P(unsigned long)");
    expect_shape(&r, "user:4711", "P:P");
    expect_shape(&r, "4711", "P");
    expect_shape(&r, "Shop$1", "K$1");
    expect_shape(&r, "char[4096]", "char[4096]");
    expect_shape(&r, "main.handler+0x1af0", "main.P+0x1af0");
    expect_shape(&r, "<=4096 B at save_user", "<=4096 B at P");
    expect_shape(&r, "131072 B at main.load", "131072 B at main.P");
    expect_shape(&r, "Ann Lee <ann@example.com>", "K K <P@P.com>");
    expect_shape(&r, "\xc3\xa4rger", "P");
    expect_shape(&r, "__secret__", "P");
    hsd_renamer_release(&r);
}

Test(rename, leaves_what_is_public)
{
    hsd_renamer r;
    hsd_renamer_init(&r, &key, NULL, 0);
    expect_shape(&r, "java.util.HashMap$Node[]", "java.util.HashMap$Node[]");
    expect_shape(&r, "java.util.HashMap<com.acme.Key>", "java.util.HashMap<com.P.K>");
    expect_shape(&r, "std::vector<acme::Item, std::allocator<acme::Item> >",
                 "std::vector<P::K, std::allocator<P::K> >");
    expect_shape(&r, "system / Context", "system / Context");
    expect_shape(&r, "system / Code / JSEntry (builtin)", "system / Code / JSEntry (builtin)");
    expect_shape(&r, "system / Script / pay.js", "system / K / P.js");
    expect_shape(&r, "(concatenated string)", "(concatenated string)");
    expect_shape(&r, "(GC roots)", "(GC roots)");
    expect_shape(&r, "(secret roots)", "(P roots)");
    expect_shape(&r, "__main__.Cart", "__main__.K");
    expect_shape(&r, "runtime/pprof.StartCPUProfile", "runtime/pprof.StartCPUProfile");
    expect_shape(&r, "runtime/secret/pay.py:12", "runtime/P/P.py:12");
    expect_shape(&r, "java.secret/pay", "java.P/P");
    expect_shape(&r, "heap.used", "heap.used");
    hsd_renamer_release(&r);
}

Test(rename, leaves_what_is_asked_for)
{
    hsd_renamer r;
    hsd_renamer_init(&r, &key, keep, 3);
    expect_shape(&r, "static com.acme.Cart.lines", "static com.acme.Cart.lines");
    expect_shape(&r, "com.acmex.Cart", "com.P.K");
    expect_shape(&r, "hidden.Visible", "hidden.Visible");
    expect_shape(&r, "secret.Visible", "P.Visible");
    expect_shape(&r, "abc abbc", "abc P");
    cr_expect_eq(r.kept[HSD_REDACT_ASKED], 4);
    hsd_renamer_release(&r);
}

Test(rename, patterns_are_globs)
{
    cr_expect(hsd_pattern_fits("", (hsd_text){"", 0}));
    cr_expect(hsd_pattern_fits("*", (hsd_text){"anything", 8}));
    cr_expect(hsd_pattern_fits("a*b*c", (hsd_text){"aXbYbZc", 7}));
    cr_expect(hsd_pattern_fits("a?c*", (hsd_text){"abc", 3}));
    cr_expect_not(hsd_pattern_fits("a", (hsd_text){"ab", 2}));
    cr_expect_not(hsd_pattern_fits("ab", (hsd_text){"a", 1}));
    cr_expect_not(hsd_pattern_fits("a*c", (hsd_text){"ab", 2}));
}

Test(rename, a_function_that_allocates_still_does)
{
    static const char *const names[] = {"malloc",
                                        "xmalloc",
                                        "g_strdup",
                                        "session_malloc",
                                        "std::vector<Acme>::push_back",
                                        "pool_alloc",
                                        "je_acme_secret",
                                        "runtime.mallocgcSmall",
                                        "acme_calloc.part.0",
                                        "__libc_malloc",
                                        "operator new(unsigned long)",
                                        "<T as alloc::Acme>::x",
                                        "session_new",
                                        "load_users",
                                        "acme::malloc(int)",
                                        "evbuffer_alloc_state"};
    hsd_renamer r;
    hsd_renamer_init(&r, &key, NULL, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hsd_text made;
        char copy[256];
        cr_assert_eq(hsd_rename_text(&r, (hsd_text){names[i], strlen(names[i])}, &made, NULL), HSD_OK);
        snprintf(copy, sizeof copy, "%.*s", (int)made.size, made.data);
        cr_expect_eq(hsd_function_allocates(names[i]), hsd_function_allocates(copy), "%s: %s", names[i], copy);
        cr_expect_null(strstr(copy, "acme"), "%s: %s", names[i], copy);
        cr_expect_null(strstr(copy, "session"), "%s: %s", names[i], copy);
    }
    expect_shape(&r, "malloc", "malloc");
    expect_shape(&r, "session_malloc", "P_malloc");
    hsd_renamer_release(&r);
}

Test(rename, products_keep_their_versions)
{
    static const struct {
        const char *text, *made;
    } cases[] = {{"HotSpot 17.0.15", "HotSpot 17.0.15"},
                 {"hsdiff 0.1.0 import hprof", "hsdiff 0.1.0 import hprof"},
                 {"go1.19.8", "go1.19.8"},
                 {"V8", "V8"},
                 {"Mono 6.8.0.105", "Mono 6.8.0.105"}};
    hsd_renamer r;
    hsd_text made;
    hsd_renamer_init(&r, &key, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert_eq(hsd_rename_product(&r, (hsd_text){cases[i].text, strlen(cases[i].text)}, &made, NULL), HSD_OK);
        cr_expect(made.size == strlen(cases[i].made) && memcmp(made.data, cases[i].made, made.size) == 0, "%.*s",
                  (int)made.size, made.data);
    }
    cr_assert_eq(hsd_rename_product(&r, (hsd_text){"4711 Acme", 9}, &made, NULL), HSD_OK);
    cr_expect(memmem(made.data, made.size, "4711", 4) == NULL && memmem(made.data, made.size, "Acme", 4) == NULL);
    hsd_renamer_release(&r);
}

/* ---- any text ---- */

static size_t random_text(test_random *random, char *out, size_t room)
{
    static const char *const pieces[] = {
        "acme", "Cart",     ".",    "$",    "::", "<",          ">",     "(",      ")",      "[",     "]",
        " ",    ":",        "4711", "7",    "js", "java.util.", "std::", "malloc", "_alloc", "pool_", "xmalloc",
        "@",    "\xc3\xa9", "\x01", "*",    "/",  "system / ",  "k",     "K",      "com",    "new",   "0x1f",
        "+",    "<=",       " B",   " at ", "{",  "}",          "je_",   "get",    "Object", "calloc"};
    const size_t count = 1 + test_below(random, 9);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const char *piece = pieces[test_below(random, sizeof pieces / sizeof pieces[0])];
        if (used + strlen(piece) >= room) break;
        memcpy(out + used, piece, strlen(piece));
        used += strlen(piece);
    }
    out[used] = '\0';
    return used;
}

Test(rename, is_one_to_one_and_keeps_what_decides)
{
    hsd_renamer r;
    hsd_names texts = {0}, made_of = {0};
    test_random random = {test_seed(21)};
    hsd_renamer_init(&r, &key, NULL, 0);
    for (int i = 0; i < 40000; i++) {
        char text[128], copy[HSD_RENAME_RESULT_BYTES + 1];
        uint32_t number, made_number;
        hsd_text made;
        const size_t size = random_text(&random, text, sizeof text);
        cr_assert_eq(hsd_rename_text(&r, (hsd_text){text, size}, &made, NULL), HSD_OK);
        memcpy(copy, made.data, made.size);
        copy[made.size] = '\0';
        cr_assert_eq(hsd_function_allocates(text), hsd_function_allocates(copy), "%s: %s", text, copy);
        const uint32_t before = texts.count;
        cr_assert_eq(hsd_names_put(&texts, (hsd_bytes){(const uint8_t *)text, size}, &number, NULL), HSD_OK);
        cr_assert_eq(hsd_names_put(&made_of, (hsd_bytes){(const uint8_t *)copy, made.size}, &made_number, NULL),
                     HSD_OK);
        cr_assert_eq(number, made_number, "%s is %s, as another text is", text, copy);
        cr_assert_eq(texts.count, made_of.count, "%s became %s, which is of another text", text, copy);
        cr_assert(texts.count - before <= 1);
    }
    cr_expect_gt(texts.count, 15000);
    hsd_names_release(&texts);
    hsd_names_release(&made_of);
    hsd_renamer_release(&r);
}

Test(rename, what_is_made_is_bounded)
{
    static char text[HSC_MAX_TEXT_BYTES];
    static const char *const runs[] = {"a", "a.", "a b.", ".", "\xff", "std::a ", "malloc ", "\0."};
    hsd_renamer r;
    hsd_renamer_init(&r, &key, NULL, 0);
    for (size_t n = 0; n < sizeof runs / sizeof runs[0]; n++) {
        const size_t length = n == 7 ? 2 : strlen(runs[n]);
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = runs[n][i % length];
        for (size_t size = 1; size <= sizeof text; size = size * 3 + 1) {
            hsd_text made;
            cr_assert_eq(hsd_rename_text(&r, (hsd_text){text, size}, &made, NULL), HSD_OK);
            cr_assert_leq(made.size, HSD_RENAME_RESULT_BYTES, "%s: %zu of %zu", runs[n], made.size, size);
        }
    }
    hsd_renamer_release(&r);
}

Test(rename, another_key_gives_other_names)
{
    const hsd_redact_key other = {.bytes = {1, 2, 4}};
    hsd_renamer a, b;
    hsd_text one, two;
    hsd_renamer_init(&a, &key, NULL, 0);
    hsd_renamer_init(&b, &other, NULL, 0);
    hsd_rename_text(&a, (hsd_text){"Cart", 4}, &one, NULL);
    hsd_rename_text(&b, (hsd_text){"Cart", 4}, &two, NULL);
    cr_expect(one.size == two.size && memcmp(one.data, two.data, one.size) != 0);
    cr_expect_neq(hsd_rename_content(&a, 7), hsd_rename_content(&b, 7));
    cr_expect_eq(hsd_rename_content(&a, 7), hsd_rename_content(&a, 7));
    cr_expect_eq(hsd_rename_content(&a, 0), 0);
    hsd_renamer_release(&a);
    hsd_renamer_release(&b);
}

Test(rename, the_lists_are_sorted)
{
    for (int list = HSD_PUBLIC_WORDS; list <= HSD_PUBLIC_PREFIXES; list++) {
        cr_assert_not_null(hsd_public_get((hsd_public_list)list, 0));
        for (size_t i = 1; hsd_public_get((hsd_public_list)list, i); i++)
            cr_assert_lt(strcmp(hsd_public_get((hsd_public_list)list, i - 1), hsd_public_get((hsd_public_list)list, i)),
                         0, "%s", hsd_public_get((hsd_public_list)list, i));
    }
    cr_expect(hsd_public_word((hsd_text){"Object", 6}));
    cr_expect_not(hsd_public_word((hsd_text){"Objects_of_Acme", 15}));
}

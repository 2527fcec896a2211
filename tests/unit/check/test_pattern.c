/*
 * Patterns: globs that match whole names by characters, and regular expressions with bounds.
 */
#include <criterion/criterion.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "check/pattern.h"

static bool try_match(hsd_text pattern, hsd_text name, bool is_old_form)
{
    hsd_pattern compiled;
    hsd_buffer scratch = {0};
    hsd_error err;
    bool is_match = false;
    hsd_error_init(&err);
    cr_assert_eq(hsd_pattern_make(&compiled, pattern, is_old_form, &err), HSD_OK, "'%s' %s", pattern.data, err.text);
    cr_assert_eq(hsd_pattern_match(&compiled, name, &scratch, &is_match, &err), HSD_OK);
    hsd_pattern_release(&compiled);
    hsd_buffer_release(&scratch);
    return is_match;
}

static hsd_text text(const char *from) { return (hsd_text){from, strlen(from)}; }
static bool matches(const char *pattern, const char *name) { return try_match(text(pattern), text(name), false); }

static void fails(const char *pattern, const char *why)
{
    hsd_pattern compiled;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_pattern_make(&compiled, text(pattern), false, &err), HSD_E_CORRUPT, "%s", pattern);
    cr_assert_not_null(strstr(err.text, why), "'%s': '%s'", pattern, err.text);
    cr_assert_neq(err.hint[0], '\0');
}

Test(pattern, globs_match_the_whole_name)
{
    cr_assert(matches("Session", "Session"));
    cr_assert_not(matches("Session", "Sessions"));
    cr_assert_not(matches("Session", "a Session"));
    cr_assert(matches("*Cache", "com.x.Cache"));
    cr_assert(matches("com.*.Cache", "com.x.y.Cache"));
    cr_assert_not(matches("com.*.Cache", "com.Cache"));
    cr_assert(matches("*", ""));
    cr_assert(matches("*", "anything"));
    cr_assert(matches("**a**b*", "xxaxxbxx"));
    cr_assert_not(matches("a*b", "acbc"));
    cr_assert(matches("a*b", "acbcb"));
    cr_assert(matches("a?c", "abc"));
    cr_assert_not(matches("a?c", "ac"));
    cr_assert_not(matches("?", ""));
}

Test(pattern, all_but_star_and_question_mark_is_itself)
{
    cr_assert(matches("Entry[]", "Entry[]"));
    cr_assert(matches("[*]", "[*]"));
    cr_assert(matches("a\\b{c}", "a\\b{c}"));
    cr_assert_not(matches("[ab]", "a"));
    cr_assert(matches("/", "/"));
    cr_assert(matches("/usr/lib", "/usr/lib"));
}

Test(pattern, question_marks_stand_for_characters)
{
    cr_assert(matches("caf?", "caf\xc3\xa9"));
    cr_assert(matches("?", "\xf0\x9f\x98\x80"));
    cr_assert_not(matches("??", "\xc3\xa9"));
    cr_assert(matches("a?b", "a\xff"
                             "b"));
    cr_assert(matches("??", "\xed\xa0"
                            "")); /* half of a surrogate: two bytes that are no character */
    cr_assert(matches("*\xa9", "caf\xc3\xa9") == false);
    cr_assert(try_match(text("a?b"), (hsd_text){"a\0b", 3}, false));
}

Test(pattern, regular_expressions_are_found_anywhere)
{
    cr_assert(matches("/ess/", "Session"));
    cr_assert(matches("/^Session[0-9]+$/", "Session42"));
    cr_assert_not(matches("/^Session[0-9]+$/", "Session"));
    cr_assert(matches("/^(a|b){2,3}$/", "aba"));
    cr_assert_not(matches("/^(a|b){2,3}$/", "abab"));
    cr_assert(matches("/[[:upper:]]/", "aBc"));
    cr_assert(matches("/a.b/", "a\nb"));
    cr_assert(try_match(text("/^a b$/"), (hsd_text){"a\0b", 3}, false));
}

Test(pattern, the_old_form_is_taken_where_it_is_asked_for)
{
    cr_assert(try_match(text("^luv\\.timer"), text("luv.timer.x"), true));
    cr_assert(try_match(text("Impl$"), text("com.x.FooImpl"), true));
    cr_assert(try_match(text("Impl$"), text("Impl$"), false));
    cr_assert_not(try_match(text("Impl$"), text("FooImpl"), false));
}

Test(pattern, regular_expressions_do_not_know_the_locale)
{
    cr_assert(matches("/^caf..$/", "caf\xc3\xa9"));
    if (setlocale(LC_ALL, "C.UTF-8") == NULL) cr_skip("no locale with UTF-8");
    cr_assert(matches("/^caf..$/", "caf\xc3\xa9"));
    cr_assert_not(matches("/^caf.$/", "caf\xc3\xa9"));
}

Test(pattern, refuses_what_is_broken_or_without_bounds)
{
    static char nested[256];
    fails("", "is empty");
    fails("//", "it is empty");
    fails("/(/", "regular expression");
    fails("/[/", "regular expression");
    fails("/*a/)(/", "regular expression");
    fails("/(a)\\1/", "it refers back");
    fails("/(a{250}){250}/", "repeats too much");
    fails("/(((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+/", "repeats too much");
    fails("/x{1,100000}/", "repeats too much");
    memset(nested, '(', 72);
    nested[0] = nested[71] = '/';
    fails(nested, "nested too deeply");
    char *longer = malloc(HSD_PATTERN_MOST + 2);
    cr_assert_not_null(longer);
    memset(longer, 'a', HSD_PATTERN_MOST + 1);
    longer[HSD_PATTERN_MOST + 1] = '\0';
    fails(longer, "is longer than 2,000 bytes");
    free(longer);
}

Test(pattern, takes_usual_repetitions)
{
    cr_assert(matches("/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/", "01234567-89ab-cdef-0123-456789abcdef"));
    cr_assert(matches("/^([a-z]+\\.)+[A-Z][A-Za-z]+$/", "com.example.app.Session"));
    cr_assert(matches("/[]{9000}]/", "]"));
}

Test(pattern, long_names_are_no_trouble)
{
    enum { SIZE = 1 << 16 };
    char *name = malloc(SIZE);
    cr_assert_not_null(name);
    memset(name, 'a', SIZE);
    cr_assert_not(try_match(text("*a*a*a*a*b"), (hsd_text){name, SIZE}, false));
    cr_assert(try_match(text("*a*a*a*a*a"), (hsd_text){name, SIZE}, false));
    free(name);
}

/*
 * From an address to a question: what is read, what is refused, and what is no page at all.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/routes.h"

static hsd_view_question question;

static hsd_status parse(const char *target)
{
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status status = hsd_view_parse(&question, target, &err);
    cr_assert_eq(status == HSD_OK, err.text[0] == 0, "%s: '%s'", target, err.text);
    return status;
}

static void text_is(hsd_text text, const char *expected)
{
    cr_assert_eq(text.size, strlen(expected), "%.*s, not %s", (int)text.size, text.data, expected);
    cr_assert_eq(memcmp(text.data, expected, text.size), 0, "%.*s, not %s", (int)text.size, text.data, expected);
}

Test(routes, finds_each_by_its_path)
{
    char target[64];
    for (size_t i = 0; i < HSD_VIEW_ROUTES; i++) {
        const bool wants_of = i >= HSD_VIEW_DOMINATED && i <= HSD_VIEW_OBJECT;
        snprintf(target, sizeof target, "%s%s", hsd_view_route_path((hsd_view_route)i),
                 wants_of                ? "?of=all"
                 : i == HSD_VIEW_OBJECTS ? "?type=A"
                 : i == HSD_VIEW_SEARCH  ? "?text=a"
                                         : "");
        cr_assert_eq(parse(target), HSD_OK, "%s", target);
        cr_assert_eq(question.route, (hsd_view_route)i, "%s", target);
    }
}

Test(routes, knows_no_other_page)
{
    static const char *const targets[] = {"",
                                          "//",
                                          "/index.html",
                                          "/api",
                                          "/api/",
                                          "/api/states",
                                          "/api/state/",
                                          "//api/state",
                                          "/API/state",
                                          "/api/./state",
                                          "/api/../api/state",
                                          "/../etc/passwd",
                                          "/api/%73tate",
                                          "/%2fapi/state",
                                          "/api%2fstate",
                                          "/api/state%00",
                                          "/api/state;x",
                                          "/api/state#x",
                                          "/api\\state",
                                          "/api/state ",
                                          "/favicon.ico",
                                          "/static/../../etc/passwd",
                                          "/api/report/..",
                                          "/.well-known/"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        cr_assert_eq(parse(targets[i]), HSD_E_NOT_FOUND, "%s", targets[i]);
}

Test(routes, takes_what_is_not_said_as_usual)
{
    cr_assert_eq(parse("/api/types"), HSD_OK);
    cr_assert_eq(question.side, HSD_VIEW_ONLY_SIDE);
    cr_assert_eq(question.order, HSD_BROWSE_BY_RETAINED);
    cr_assert_eq(question.from, 0);
    cr_assert_eq(question.count, HSD_VIEW_COUNT);
    text_is(question.text, "");
}

Test(routes, reads_all_parameters)
{
    cr_assert_eq(parse("/api/types?side=before&text=Map&order=name&from=200&count=50"), HSD_OK);
    cr_assert_eq(question.side, HSD_VIEW_BEFORE);
    cr_assert_eq(question.order, HSD_BROWSE_BY_NAME);
    cr_assert_eq(question.from, 200);
    cr_assert_eq(question.count, 50);
    text_is(question.text, "Map");
    cr_assert_eq(parse("/api/objects?type=A&count=1000000000000"), HSD_OK);
    cr_assert_eq(question.count, HSD_BROWSE_MOST, "wishes are cut");
    cr_assert_eq(parse("/api/objects?type=A&count=0&from=18446744073709551615"), HSD_OK);
    cr_assert_eq(question.count, 0);
    cr_assert_eq(question.from, UINT64_MAX);
}

Test(routes, knows_what_is_asked_about)
{
    cr_assert_eq(parse("/api/object?of=0x1F"), HSD_OK);
    cr_assert_eq(question.of, HSD_VIEW_OF_ID);
    cr_assert_eq(question.of_number, 0x1f);
    cr_assert_eq(parse("/api/object?of=0xffffffffffffffff"), HSD_OK);
    cr_assert_eq(question.of_number, UINT64_MAX);
    cr_assert_eq(parse("/api/object?of=root%3A12"), HSD_OK);
    cr_assert_eq(question.of, HSD_VIEW_OF_NODE);
    cr_assert_eq(question.of_number, 12);
    cr_assert_eq(parse("/api/dominated?of=all"), HSD_OK);
    cr_assert_eq(question.of, HSD_VIEW_OF_ALL);
}

Test(routes, decodes_as_browsers_encode)
{
    cr_assert_eq(parse("/api/objects?type=a+b%2Bc%26d%3De%25%C3%A9%0A%2e"), HSD_OK);
    text_is(question.type, "a b+c&d=e%\xc3\xa9\n.");
    cr_assert_eq(parse("/api/objects?type=a=b"), HSD_OK);
    text_is(question.type, "a=b");
    cr_assert_eq(parse("/api/objects?&&type=a&"), HSD_OK);
    text_is(question.type, "a");
}

Test(routes, refuses_what_makes_no_sense)
{
    static const char *const targets[] = {"/api/state?x=1",
                                          "/api/state?side=after",
                                          "/?x=1",
                                          "/api/types?side=",
                                          "/api/types?side=both",
                                          "/api/types?side=before&side=after",
                                          "/api/types?side",
                                          "/api/types?=1",
                                          "/api/types?order=size",
                                          "/api/types?from=-1",
                                          "/api/types?from=",
                                          "/api/types?from=1x",
                                          "/api/types?from=0x10",
                                          "/api/types?from=18446744073709551616",
                                          "/api/types?count=1e3",
                                          "/api/types?count=+1",
                                          "/api/types?text=%",
                                          "/api/types?text=%4",
                                          "/api/types?text=%zz",
                                          "/api/types?text=%00",
                                          "/api/types?text=a%00b",
                                          "/api/types?%74ext=a",
                                          "/api/types?Text=a",
                                          "/api/objects",
                                          "/api/objects?text=A",
                                          "/api/object",
                                          "/api/object?of=",
                                          "/api/object?of=1f",
                                          "/api/object?of=0x",
                                          "/api/object?of=0x1g",
                                          "/api/object?of=0x10000000000000000",
                                          "/api/object?of=root:",
                                          "/api/object?of=root:-1",
                                          "/api/object?of=root:18446744073709551615",
                                          "/api/object?of=root:99999999999999999999",
                                          "/api/object?of=ALL",
                                          "/api/object?of=all&of=all",
                                          "/api/search",
                                          "/api/path?of=all&from=1",
                                          "/api/object?of=all&type=A",
                                          "/api/types?a[]=1",
                                          "/api/types?side=after;text=a"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        cr_assert_eq(parse(targets[i]), HSD_E_MISUSE, "%s", targets[i]);
}

Test(routes, bounds_the_address)
{
    static const char begin[] = "/api/objects?type=";
    char *target = malloc(HSD_VIEW_TARGET_BYTES + 2);
    memset(target, 'a', HSD_VIEW_TARGET_BYTES + 1);
    memcpy(target, begin, sizeof begin - 1);
    target[HSD_VIEW_TARGET_BYTES] = 0;
    cr_assert_eq(parse(target), HSD_OK);
    cr_assert_eq(question.type.size, HSD_VIEW_TARGET_BYTES - (sizeof begin - 1));
    target[HSD_VIEW_TARGET_BYTES] = 'a';
    target[HSD_VIEW_TARGET_BYTES + 1] = 0;
    cr_assert_eq(parse(target), HSD_E_MISUSE);
    free(target);
}

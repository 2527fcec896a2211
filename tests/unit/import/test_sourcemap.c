/*
 * Source maps as tools write them: what places of a script are in the sources, whatever the order of the members, in
 * one part and in several; and maps that are none.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "import/sourcemap/files.h"
#include "import/sourcemap/map.h"

/* What esbuild writes of two modules, cache.ts and main.ts. */
#define MAPPINGS                                                                                                       \
    "aAAO,IAAMA,EAAN,KAAY,CACjB,YAAmBC,EAAa,CAAb,SAAAA,CAAc,CAAd,GACrB,EACaC,EAAW,IAAI,ICF5B,SAASC,EAAMC,"             \
    "EAAc,CAC3BC,EAAS,IAAID,EAAM,IAAIE,EAAMF,CAAI,CAAC,CACpC,CACA,YAAY,IAAMD,EAAM,GAAG,EAAG,GAAI"
#define SOURCES "[\"../src/cache.ts\",\"../src/main.ts\"]"
#define NAMES   "[\"Entry\",\"key\",\"sessions\",\"admit\",\"user\",\"sessions\",\"Entry\"]"

static hsd_status read_text(hsd_sourcemap *map, const char *text, hsd_error *err)
{
    hsd_source source;
    hsd_error_init(err);
    cr_assert_eq(hsd_source_open_memory(&source, (hsd_bytes){(const uint8_t *)text, strlen(text)}, "a map", err),
                 HSD_OK);
    const hsd_status status = hsd_sourcemap_read(map, &source, err);
    hsd_source_close(&source);
    return status;
}

static const char *text_of(hsd_bytes text)
{
    static char out[4][128];
    static unsigned next;
    char *here = out[next++ % 4];
    snprintf(here, sizeof out[0], "%.*s", (int)text.size, (const char *)text.data);
    return here;
}

typedef struct expected {
    uint32_t line, column; /* asked */
    const char *source, *name;
    uint32_t source_line, source_column;
} expected;

/* Each place is in this source, or "", and is called so there, or "". */
static void expect_places(const char *text, const expected *wanted, size_t count)
{
    hsd_sourcemap_place places[16];
    hsd_sourcemap map = {.places = places, .place_count = count};
    hsd_error err;
    for (size_t i = 0; i < count; i++)
        places[i] = (hsd_sourcemap_place){.line = wanted[i].line, .column = wanted[i].column};
    cr_assert_eq(read_text(&map, text, &err), HSD_OK, "%s", err.text);
    for (size_t i = 0; i < count; i++) {
        const hsd_sourcemap_place *p = &places[i];
        cr_expect_str_eq(text_of(hsd_sourcemap_source(&map, p->source)), wanted[i].source, "place %zu", i);
        cr_expect_str_eq(text_of(hsd_sourcemap_name(&map, p->name)), wanted[i].name, "place %zu", i);
        cr_expect(p->source_line == wanted[i].source_line && p->source_column == wanted[i].source_column,
                  "place %zu: %u:%u", i, p->source_line, p->source_column);
    }
    hsd_sourcemap_release(&map);
}

Test(sourcemap, places_of_a_bundle_are_in_its_sources)
{
    static const expected wanted[] = {
        {0, 5, "", "", 0, 0}, /* before the first mapping */
        {0, 17, "../src/cache.ts", "Entry", 0, 13},
        {0, 18, "../src/cache.ts", "", 0, 13}, /* inside the word: a place, and no name */
        {0, 36, "../src/cache.ts", "", 1, 2},
        {0, 56, "../src/cache.ts", "sessions", 3, 13},
        {0, 75, "../src/main.ts", "admit", 1, 9},
        {0, 5000, "../src/main.ts", "", 4, 34}, /* behind the last */
        {1, 0, "", "", 0, 0},
    };
    static const char *const orders[] = {
        "{\"version\":3,\"sources\":" SOURCES ",\"names\":" NAMES ",\"mappings\":\"" MAPPINGS "\"}",
        "{\"mappings\":\"" MAPPINGS "\",\"x_google\":[{\"a\":[\"]\"]}],\"names\":" NAMES
        ",\"sourcesContent\":[\"\\\"}\",null],\"sources\":" SOURCES ",\"version\":3}",
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        expect_places(orders[i], wanted, sizeof wanted / sizeof wanted[0]);
}

Test(sourcemap, a_map_of_sections_is_one_map)
{
    static const char text[] =
        "{\"version\":3,\"sections\":["
        "{\"offset\":{\"line\":0,\"column\":4},\"map\":{\"sourceRoot\":\"lib\",\"sources\":[\"a.ts\"],\"names\":["
        "\"one\"],"
        "\"mappings\":\"AAAAA,IACA\"}},"
        "{\"offset\":{\"line\":0,\"column\":20},\"map\":{\"mappings\":\"EAAAA;AAEA\",\"sources\":[\"b.ts\",null],"
        "\"names\":[\"two\"]}}]}";
    static const expected wanted[] = {
        {0, 3, "", "", 0, 0},  {0, 4, "lib/a.ts", "one", 0, 0}, {0, 19, "lib/a.ts", "", 1, 0},
        {0, 21, "", "", 0, 0}, {0, 22, "b.ts", "two", 0, 0},    {1, 9, "b.ts", "", 2, 0},
    };
    expect_places(text, wanted, sizeof wanted / sizeof wanted[0]);
}

Test(sourcemap, numbers_that_a_map_does_not_have_are_none)
{
    static const expected wanted[] = {{0, 0, "", "n", 0, 0}, {1, 0, "a.ts", "", 0, 0}, {2, 0, "", "", 0, 0}};
    expect_places("{\"mappings\":\"AEAAA;AFAAC;A\",\"sources\":[\"a.ts\"],\"names\":[\"n\"]}", wanted, 3);
}

Test(sourcemap, what_is_no_map_says_what_is_wrong)
{
    static const struct {
        const char *text;
        hsd_status status;
        const char *says;
    } cases[] = {
        {"{\"mappings\":\"AA!A\"}", HSD_E_CORRUPT, "not written in base 64"},
        {"{\"mappings\":\"AA\"}", HSD_E_CORRUPT, "a mapping is cut off"},
        {"{\"mappings\":\"AAAAAA\"}", HSD_E_CORRUPT, "too large"},
        {"{\"mappings\":\"gggggggggB\"}", HSD_E_CORRUPT, "too large"},
        {"{\"mappings\":\"g\"}", HSD_E_CORRUPT, "cut off"},
        {"{\"mappings\":\"D\"}", HSD_E_CORRUPT, "leads out"},
        {"{\"mappings\":\"AADA\"}", HSD_E_CORRUPT, "leads out"},
        {"{\"mappings\":\"AAAA", HSD_E_TRUNCATED, "ends inside"},
        {"{\"mappings\":\"EAAA,DAAA\"}", HSD_E_UNSUPPORTED, "do not ascend"},
        {"{\"sections\":[{\"map\":{}}]}", HSD_E_CORRUPT, "where it begins"},
        {"{\"sections\":[{\"offset\":{\"line\":3,\"column\":0},\"map\":{}},{\"offset\":{\"line\":2,\"column\":0},"
         "\"map\":{}}]}",
         HSD_E_CORRUPT, "do not ascend"},
        {"[]", HSD_E_CORRUPT, "source map"},
        {"", HSD_E_TRUNCATED, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_sourcemap map = {.places = NULL};
        hsd_error err;
        cr_expect_eq(read_text(&map, cases[i].text, &err), cases[i].status, "%s", cases[i].text);
        cr_expect(strstr(err.text, cases[i].says) != NULL, "%s: %s", cases[i].text, err.text);
        hsd_sourcemap_release(&map);
    }
}

static bool is_third_column(const void *context, uint32_t line, uint32_t column)
{
    (void)context;
    return line == 0 && column == 2;
}

Test(sourcemap, mappings_that_do_not_fit_are_counted)
{
    hsd_sourcemap map = {.is_misfit = is_third_column};
    hsd_error err;
    cr_assert_eq(read_text(&map, "{\"mappings\":\"AAAA,CAAA,CAAA;EAAA\",\"sources\":[\"a\"]}", &err), HSD_OK);
    cr_expect(map.mappings == 4 && map.misfits == 1 && map.source_count == 1);
    hsd_sourcemap_release(&map);
}

Test(sourcemap, a_source_is_a_path)
{
    static const struct {
        const char *base, *name, *path;
    } cases[] = {
        {"/srv/dist/app.js.map", "../src/cache.ts", "/srv/src/cache.ts"},
        {"/srv/dist/app.js.map", "./a/../b.ts", "/srv/dist/b.ts"},
        {"/srv/dist/app.js.map", "/opt/x.ts", "/opt/x.ts"},
        {"/srv/dist/app.js.map", "../../../../x.ts", "/x.ts"},
        {"/srv/dist/app.js.map", "webpack://shop/./src/cache.ts?3f2a", "/src/cache.ts"},
        {"/srv/dist/app.js.map", "webpack:///src/cache.ts", "/src/cache.ts"},
        {"/srv/dist/app.js.map", "file:///srv/a.ts", "/srv/a.ts"},
        {"/srv/dist/app.js.map", "webpack://", NULL},
        {"/app.js", "", NULL},
    };
    char path[HSD_SOURCEMAP_PATH_BYTES], longest[HSD_SOURCEMAP_PATH_BYTES + 8];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hsd_bytes name = {(const uint8_t *)cases[i].name, strlen(cases[i].name)};
        const bool is_path = hsd_sourcemap_resolve(path, cases[i].base, name);
        cr_expect_eq(is_path, cases[i].path != NULL, "%s", cases[i].name);
        if (is_path && cases[i].path != NULL) cr_expect_str_eq(path, cases[i].path);
    }
    memset(longest, 'a', sizeof longest);
    cr_expect(!hsd_sourcemap_resolve(path, "/a/b", (hsd_bytes){(const uint8_t *)longest, sizeof longest}));
}

Test(sourcemap, the_last_comment_says_where_the_map_is)
{
    static const struct {
        const char *script, *url;
    } cases[] = {
        {"f();\n//# sourceMappingURL=a.js.map\n", "a.js.map"},
        {"//# sourceMappingURL=old.map\nf();\n//# sourceMappingURL=data:application/json;base64,e30= \n",
         "data:application/json;base64,e30="},
        {"x = '# sourceMappingURL=';", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hsd_bytes script = {(const uint8_t *)cases[i].script, strlen(cases[i].script)};
        cr_expect_str_eq(text_of(hsd_sourcemap_url(script)), cases[i].url);
    }
}
